// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ioctl that reads a flight recorder.
 */
#include "base/vsm_invalid.h"
#include "object/vsm_bo.h"
#include "object/vsm_cluster.h"
#include "object/vsm_handle.h"
#include "vsm_trace_read.h"

int vsm_trace_read_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	const struct vsm_viewer viewer = vsm_viewer_of(file->driver_priv);
	struct drm_vsm_trace_read *args = data;
	struct vsm_bo *bo;
	int ret;

	if (args->flags || args->stride < sizeof(struct drm_vsm_trace_event) ||
	    args->stride % sizeof(u64) || args->events % sizeof(u64))
		return vsm_invalid(drm, "TRACE_READ",
				   args->flags ? "flags" :
				   args->events % sizeof(u64) ? "events: not a multiple of 8" :
								"stride");
	bo = vsm_cluster_lookup(file, args->cluster);
	if (!bo)
		return -ENOENT;
	ret = vsm_recorder_read(&bo->cluster->recorder, &viewer, args);
	if (ret == -EINVAL)
		vsm_invalid(drm, "TRACE_READ", "next: above the number of events");
	vsm_bo_put(bo);
	return ret;
}
