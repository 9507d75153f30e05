// SPDX-License-Identifier: MIT
/* Creating, sharing and holding clusters. */
#include <errno.h>
#include <string.h>

#include "internal.h"

int vsm_cluster_create_sized(struct vsm_device *device, const struct vsm_cluster_config *config,
			     size_t size, struct vsm_cluster **cluster)
{
	struct drm_vsm_cluster_create args = { 0 };
	struct vsm_cluster_config shape;
	struct drm_vsm_object_info info;
	struct vsm_object *object;
	int err;

	err = vsm_struct_get(&shape, sizeof(shape), config, size);
	if (err)
		return err;
	args.ctas = shape.ctas;
	args.threads = shape.threads;
	args.smem_bytes = shape.smem_bytes;
	args.layout = shape.layout;
	args.policy = shape.policy;
	args.report = shape.report;
	args.enforce = shape.enforce;
	args.trace_events = shape.trace_events;
	args.pad = shape.pad;
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

void vsm_cluster_shape_sized(const struct vsm_cluster *cluster, struct vsm_cluster_config *config,
			     size_t size)
{
	const struct drm_vsm_object_info *info = &cluster->object.info;
	struct vsm_cluster_config shape;

	memset(&shape, 0, sizeof(shape));
	shape.ctas = info->ctas;
	shape.threads = info->threads;
	shape.smem_bytes = info->smem_bytes;
	shape.layout = info->layout;
	shape.policy = info->policy;
	shape.report = info->report;
	shape.enforce = info->enforce;
	vsm_struct_copy(config, size, &shape, sizeof(shape));
}

void *vsm_cluster_window(const struct vsm_cluster *cluster, uint32_t cta)
{
	const struct drm_vsm_object_info *info = &cluster->object.info;

	if (cta >= info->ctas)
		return NULL;
	return (char *)cluster->object.map + (size_t)cta * info->window_stride;
}
