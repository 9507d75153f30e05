// SPDX-License-Identifier: MIT
/* What clusters are doing. */
#include <errno.h>
#include <string.h>

#include "internal.h"

static int read_state(struct vsm_device *device, struct drm_vsm_cluster_state *args,
		      struct drm_vsm_cluster_state *state,
		      struct drm_vsm_state_entry *entries, uint32_t max)
{
	int err;

	if (!(device->info.features & DRM_VSM_FEATURE_STATE))
		return -EOPNOTSUPP;
	args->entries = (uintptr_t)entries;
	args->stride = sizeof(*entries);
	args->count = max;
	err = vsm_ioctl(device->fd, DRM_IOCTL_VSM_CLUSTER_STATE, args);
	if (err)
		return err;
	*state = *args;
	return 0;
}

int vsm_cluster_state(struct vsm_cluster *cluster, struct drm_vsm_cluster_state *state,
		      struct drm_vsm_state_entry *entries, uint32_t max)
{
	struct drm_vsm_cluster_state args = { .handle = vsm_cluster_handle(cluster) };

	return read_state(cluster->object.device, &args, state, entries, max);
}

int vsm_device_state(struct vsm_device *device, uint32_t number, uint32_t flag,
		     struct drm_vsm_cluster_state *state, struct drm_vsm_state_entry *entries,
		     uint32_t max)
{
	struct drm_vsm_cluster_state args = { .number = number, .flags = flag };

	if (flag != DRM_VSM_STATE_NUMBER && flag != DRM_VSM_STATE_NEXT)
		return -EINVAL;
	return read_state(device, &args, state, entries, max);
}

const char *vsm_state_name(enum drm_vsm_state kind)
{
#define VSM_STATE(NAME, name) \
	[DRM_VSM_STATE_##NAME] = name,
	static const char *const names[] = {
#include "vsm_states.h"
	};

	if ((unsigned int)kind >= sizeof(names) / sizeof(names[0]) || !names[kind])
		return NULL;
	return names[kind];
}
