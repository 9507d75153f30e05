// SPDX-License-Identifier: MIT
/* Reading the flight recorder of a cluster. */
#include <errno.h>

#include "internal.h"

int vsm_trace_read(struct vsm_cluster *cluster, struct drm_vsm_trace_event *events, uint32_t max,
		   uint64_t *next, uint64_t *lost)
{
	struct vsm_device *device = cluster->object.device;
	struct drm_vsm_trace_read args = {
		.cluster = vsm_cluster_handle(cluster),
		.stride = sizeof(*events),
		.events = (uintptr_t)events,
		.count = max,
		.next = *next,
	};
	int err;

	/* An older device would say that the number of the ioctl is wrong. */
	if (!(device->info.features & DRM_VSM_FEATURE_TRACE))
		return -EOPNOTSUPP;
	err = vsm_ioctl(device->fd, DRM_IOCTL_VSM_TRACE_READ, &args);
	if (err)
		return err;
	*next = args.next;
	if (lost)
		*lost = args.lost;
	return (int)args.count;
}
