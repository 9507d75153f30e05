// SPDX-License-Identifier: MIT
/* Creating, sharing and holding clusters. */
#include <errno.h>

#include "internal.h"

int vsm_cluster_create(struct vsm_device *device, const struct vsm_cluster_config *config,
		       struct vsm_cluster **cluster)
{
	struct drm_vsm_cluster_create args = {
		.ctas = config->ctas,
		.threads = config->threads,
		.smem_bytes = config->smem_bytes,
		.layout = config->layout,
		.policy = config->policy,
		.report = config->report,
		.enforce = config->enforce,
		.trace_events = config->trace_events,
		.pad = config->pad,
	};
	struct drm_vsm_object_info info;
	struct vsm_object *object;
	int err;

	/* An older device would ignore the masks: refuse the call here. */
	if ((args.report || args.enforce) && !(device->info.features & DRM_VSM_FEATURE_RULES))
		return -EOPNOTSUPP;
	if (args.trace_events && !(device->info.features & DRM_VSM_FEATURE_TRACE))
		return -EOPNOTSUPP;
	err = vsm_ioctl(device->fd, DRM_IOCTL_VSM_CLUSTER_CREATE, &args);
	if (err)
		return err;

	info = (struct drm_vsm_object_info) {
		.handle = args.handle,
		.kind = DRM_VSM_OBJECT_CLUSTER,
		.size = args.size,
		.mmap_offset = args.mmap_offset,
		.ctas = args.ctas,
		.threads = args.threads,
		.smem_bytes = args.smem_bytes,
		.window_stride = args.window_stride,
		.layout = args.layout,
		.policy = args.policy,
		.report = args.report,
		.enforce = args.enforce,
	};
	err = vsm_object_create(device, &info, &object);
	if (!err)
		*cluster = (struct vsm_cluster *)object;
	return err;
}

int vsm_cluster_import(struct vsm_device *device, int dmabuf, struct vsm_cluster **cluster)
{
	struct vsm_object *object;
	int err;

	err = vsm_object_import(device, dmabuf, DRM_VSM_OBJECT_CLUSTER, &object);
	if (!err)
		*cluster = (struct vsm_cluster *)object;
	return err;
}

int vsm_cluster_export(struct vsm_cluster *cluster, int *dmabuf)
{
	return vsm_object_export(&cluster->object, dmabuf);
}

static int vsm_cluster_set_hold(struct vsm_cluster *cluster, uint32_t flags)
{
	struct drm_vsm_cluster_hold args = {
		.cluster = vsm_cluster_handle(cluster),
		.flags = flags,
	};

	return vsm_ioctl(cluster->object.device->fd, DRM_IOCTL_VSM_CLUSTER_HOLD, &args);
}

int vsm_cluster_hold(struct vsm_cluster *cluster, bool hold)
{
	return vsm_cluster_set_hold(cluster, hold ? DRM_VSM_HOLD : 0);
}

int vsm_cluster_drain(struct vsm_cluster *cluster)
{
	return vsm_cluster_set_hold(cluster, DRM_VSM_DRAIN);
}

void vsm_cluster_destroy(struct vsm_cluster *cluster)
{
	if (cluster)
		vsm_object_put(&cluster->object);
}

uint32_t vsm_cluster_handle(const struct vsm_cluster *cluster)
{
	return cluster->object.info.handle;
}

struct vsm_cluster_config vsm_cluster_shape(const struct vsm_cluster *cluster)
{
	const struct drm_vsm_object_info *info = &cluster->object.info;

	return (struct vsm_cluster_config) {
		.ctas = info->ctas,
		.threads = info->threads,
		.smem_bytes = info->smem_bytes,
		.layout = info->layout,
		.policy = info->policy,
		.report = info->report,
		.enforce = info->enforce,
	};
}

void *vsm_cluster_window(const struct vsm_cluster *cluster, uint32_t cta)
{
	const struct drm_vsm_object_info *info = &cluster->object.info;

	if (cta >= info->ctas)
		return NULL;
	return (char *)cluster->object.map + (size_t)cta * info->window_stride;
}
