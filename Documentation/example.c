// SPDX-License-Identifier: MIT
/* The copy engine moves 4 KiB into a CTA's shared memory; an mbarrier says when. */
#include <stdio.h>
#include <string.h>
#include <vsm.h>

int main(void)
{
	struct vsm_cluster_config config = { .ctas = 1, .threads = 32, .smem_bytes = 8192 };
	uint32_t bar = vsm_shared_addr(0, 0), tile = vsm_shared_addr(0, 1024);
	struct vsm_device *device;
	struct vsm_cluster *cluster;
	struct vsm_buffer *buffer;
	struct vsm_thread thread;
	struct drm_vsm_insn copy;

	if (vsm_device_open(NULL, &device) || vsm_cluster_create(device, &config, &cluster) ||
	    vsm_buffer_create(device, 4096, &buffer))
		return 1;
	memset(vsm_buffer_map(buffer), 42, 4096);
	thread = vsm_thread_at(cluster, 0, 0);
	copy = vsm_insn_cp_async_bulk_g2s(tile, vsm_buffer_handle(buffer), 0, 4096, bar);

	if (vsm_thread_mbarrier_init(&thread, bar, 1, 0) ||
	    vsm_thread_mbarrier_arrive_expect_tx(&thread, bar, 4096, 0, NULL) ||
	    vsm_submit(&thread, &copy, 1, NULL, 0, NULL) ||
	    vsm_thread_mbarrier_wait_parity(&thread, bar, 0, 0))
		return 1;
	printf("the tile holds %d\n", ((char *)vsm_cluster_window(cluster, 0))[1024 + 4095]);
	return 0;
}
