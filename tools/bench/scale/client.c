// SPDX-License-Identifier: MIT
/*
 * Clients of the device.
 */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../measure.h"
#include "client.h"

#define COUNT	((1 << 20) - 1)	/* arrivals of a phase that never completes */

struct vsm_cluster_config config_of(uint32_t threads)
{
	uint32_t ctas = (threads + 1023) / 1024;

	return (struct vsm_cluster_config) {
		.ctas = ctas,
		.threads = threads / ctas,
		.smem_bytes = WINDOW,
		.layout = VSM_LAYOUT_SM_90,
		.policy = DRM_VSM_POLICY_STRICT,
	};
}

struct vsm_cluster *create_cluster(struct vsm_device *device,
				   const struct vsm_cluster_config *config)
{
	struct vsm_cluster *cluster;
	int ret = vsm_cluster_create(device, config, &cluster);

	if (ret)
		die("vsm_cluster_create", -ret);
	return cluster;
}

static void init_mbar(struct client *client, enum mbar mbar, uint32_t count)
{
	struct vsm_thread thread = vsm_thread_at(client->cluster, 0, client->first_thread);
	int ret = vsm_execute(&thread, vsm_prep_mbarrier_init(client->base + mbar * MBAR_STRIDE,
							      count, 0), NULL);

	if (!ret)
		ret = vsm_execute(&thread, vsm_prep_fence_mbarrier_init(), NULL);
	if (ret)
		die("mbarrier.init", -ret);
}

static void init_objects(struct client *client)
{
	struct drm_vsm_waitset_create create = {
		.record_stride = sizeof(struct drm_vsm_wait_record),
	};
	unsigned int i;
	int ret = vsm_buffer_create(client->device, JOB, &client->buffer);

	if (ret)
		die("vsm_buffer_create", -ret);
	memset(vsm_buffer_map(client->buffer), 0x5a, JOB);
	for (i = 0; i < MBARS; i++)
		init_mbar(client, i, i == STILL ? COUNT : 1);
	if (ioctl(client->fd, DRM_IOCTL_VSM_WAITSET_CREATE, &create))
		die("WAITSET_CREATE", errno);
	client->set = create.fd;
}

/* The real user id decides who pays for a client. The effective one keeps the rights of root. */
void open_as(uint32_t user, struct vsm_device **device)
{
	int ret;

	if (setresuid(user, 0, 0))
		die("setresuid: run as root", errno);
	ret = vsm_device_open(NULL, device);
	if (ret)
		die("no vsm device", -ret);
	if (setresuid(0, 0, 0))
		die("setresuid", errno);
}

void open_client(struct client *client, uint32_t user, uint32_t threads)
{
	memset(client, 0, sizeof(*client));
	open_as(user, &client->device);
	client->fd = vsm_device_fd(client->device);
	client->config = config_of(threads);
	client->cluster = create_cluster(client->device, &client->config);
	memset(vsm_cluster_window(client->cluster, 0), 0, WINDOW);
	init_objects(client);
}

void join_client(struct client *client, const struct client *with, bool own_cluster)
{
	memset(client, 0, sizeof(*client));
	client->device = with->device;
	client->fd = with->fd;
	client->config = with->config;
	client->cluster = with->cluster;
	if (own_cluster) {
		client->cluster = create_cluster(client->device, &client->config);
		memset(vsm_cluster_window(client->cluster, 0), 0, WINDOW);
	} else {
		/* Another warp uses another part of the same window. */
		client->first_thread = LANES;
		client->base = WINDOW / 2 & ~127;
	}
	init_objects(client);
}
