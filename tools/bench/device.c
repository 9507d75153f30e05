// SPDX-License-Identifier: MIT
/* The device under measurement and its objects. */
#include <string.h>

#include "device.h"

/* Arrivals of a phase of STILL: more than any measurement performs. */
#define COUNT		((1 << 20) - 1)
#define THREADS		256		/* 8 warps */

struct vsm_cluster *cluster, *hardware;
struct vsm_buffer *buffer;
struct vsm_device *device;
int fd;

void init_mbar(unsigned int mbar, uint32_t count)
{
	struct vsm_thread thread = vsm_thread_at(cluster, 0, 0);
	int ret;

	vsm_execute(&thread, vsm_prep_mbarrier_inval(MBAR(mbar), 0), NULL);
	ret = vsm_execute(&thread, vsm_prep_mbarrier_init(MBAR(mbar), count, 0), NULL);
	if (ret)
		die("mbarrier.init", -ret);
}

int open_waitset(void)
{
	struct drm_vsm_waitset_create create = {
		.record_stride = sizeof(struct drm_vsm_wait_record),
	};

	call(DRM_IOCTL_VSM_WAITSET_CREATE, &create, "WAITSET_CREATE");
	return create.fd;
}

struct vsm_cluster *create_cluster(enum drm_vsm_policy policy, uint16_t ctas)
{
	struct vsm_cluster_config config = {
		.ctas = ctas,
		.threads = THREADS,
		.smem_bytes = WINDOW,
		.layout = VSM_LAYOUT_SM_90,
		.policy = policy,
	};
	struct vsm_cluster *created;
	uint16_t cta;
	int ret;

	ret = vsm_cluster_create(device, &config, &created);
	if (ret)
		die("vsm_cluster_create", -ret);
	for (cta = 0; cta < ctas; cta++)
		memset(vsm_cluster_window(created, cta), 0, WINDOW);
	return created;
}

void open_device(void)
{
	int ret;

	ret = vsm_device_open(NULL, &device);
	if (ret)
		die("no vsm device", -ret);
	fd = vsm_device_fd(device);
	ret = vsm_buffer_create(device, (uint64_t)PIECES * PIECE, &buffer);
	if (ret)
		die("vsm_buffer_create", -ret);
	memset(vsm_buffer_map(buffer), 0x5a, (size_t)PIECES * PIECE);
	cluster = create_cluster(DRM_VSM_POLICY_HARDWARE, 1);
	init_mbar(STILL, COUNT);
	hardware = cluster;
	cluster = create_cluster(DRM_VSM_POLICY_STRICT, 1);
	init_mbar(STILL, COUNT);
	init_mbar(COPIED, 1);
}

void close_device(void)
{
	vsm_buffer_destroy(buffer);
	vsm_cluster_destroy(cluster);
	vsm_cluster_destroy(hardware);
	vsm_device_close(device);
}
