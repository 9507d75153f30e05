// SPDX-License-Identifier: MIT
/* The fixture of the tests on a device. */
#include "on_device_fixture.h"

const struct vsm_cluster_config shape = { .ctas = 2, .threads = 64, .smem_bytes = 16384 };

struct vsm_device *device;
struct vsm_cluster *cluster;
struct vsm_buffer *buffer;
struct vsm_thread thread;

int setup(void **state)
{
	if (vsm_device_open(NULL, &device) ||
	    vsm_cluster_create(device, &shape, &cluster) ||
	    vsm_buffer_create(device, 8192, &buffer))
		return -1;
	thread = vsm_thread_at(cluster, 0, 0);
	return 0;
}

int teardown(void **state)
{
	vsm_buffer_destroy(buffer);
	vsm_cluster_destroy(cluster);
	vsm_device_close(device);
	buffer = NULL;
	cluster = NULL;
	device = NULL;
	return 0;
}

int64_t after_ms(int64_t ms)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec + ms * 1000000;
}
