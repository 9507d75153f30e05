// SPDX-License-Identifier: MIT
/* A copy fills a tile of shared memory. One of two threads makes a mistake first. */
#include <stdio.h>
#include <string.h>
#include <vsm.h>

int main(void)
{
	struct vsm_cluster_config config = { .ctas = 1, .threads = 32, .smem_bytes = 8192 };
	uint32_t bar = vsm_shared_addr(0, 0), tile = vsm_shared_addr(0, 1024);
	struct vsm_thread producer, consumer;
	struct drm_vsm_insn copy;
	struct vsm_cluster *cluster;
	struct vsm_device *device;
	struct vsm_buffer *buffer;
	char text[256];

	if (vsm_device_open(NULL, &device) || vsm_cluster_create(device, &config, &cluster) ||
	    vsm_buffer_create(device, 4096, &buffer))
		return 1;
	memset(vsm_buffer_map(buffer), 42, 4096);
	producer = vsm_thread_at(cluster, 0, 0);
	consumer = vsm_thread_at(cluster, 0, 1);

	/* The mbarrier expects one arrival and 4096 bytes. The consumer must not arrive too. */
	if (vsm_execute(&producer, vsm_prep_mbarrier_init(bar, 1, 0), NULL) ||
	    vsm_execute(&producer, vsm_prep_mbarrier_arrive_expect_tx(bar, 4096, VSM_SINK), NULL))
		return 1;
	if (vsm_execute(&consumer, vsm_prep_mbarrier_arrive(bar, VSM_SINK), NULL)) {
		vsm_thread_strerror(&consumer, text, sizeof(text));
		printf("%s: %s\n", vsm_fault_name(consumer.refused.fault), text);
	}

	/* A refused instruction has no effect. The copy completes the phase. */
	copy = vsm_prep_cp_async_bulk_g2s(tile, vsm_buffer_handle(buffer), 0, 4096, bar);
	if (vsm_submit(&producer, &copy, 1, NULL, 0, NULL) ||
	    vsm_await_parity(&consumer, bar, 0, 0, VSM_NEVER))
		return 1;
	printf("the tile holds %d\n", ((char *)vsm_cluster_window(cluster, 0))[1024 + 4095]);
	return 0;
}
