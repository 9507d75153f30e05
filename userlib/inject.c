// SPDX-License-Identifier: MIT
/* Rules of injection. */
#include <errno.h>
#include <stdint.h>

#include "internal.h"

int vsm_inject_add(const struct vsm_device *device, const struct drm_vsm_inject_rule *rule,
		   uint32_t *number)
{
	struct drm_vsm_inject_rule args = *rule;
	int err;

	/* An older device would say that the number of the ioctl is wrong. */
	if (!(device->info.features & DRM_VSM_FEATURE_INJECT))
		return -EOPNOTSUPP;
	err = vsm_ioctl(device->fd, DRM_IOCTL_VSM_INJECT_ADD, &args);
	if (!err)
		*number = args.rule;
	return err;
}

int vsm_inject_query(const struct vsm_device *device, uint32_t number, uint32_t flags,
		     struct drm_vsm_inject_rule *rule)
{
	struct drm_vsm_inject_query args = { .rule = number, .flags = flags };
	int err;

	if (!(device->info.features & DRM_VSM_FEATURE_INJECT))
		return -EOPNOTSUPP;
	err = vsm_ioctl(device->fd, DRM_IOCTL_VSM_INJECT_QUERY, &args);
	if (!err)
		*rule = args.info;
	return err;
}

int vsm_inject_wait(const struct vsm_device *device, uint32_t number, uint32_t flags,
		    uint64_t fired, int64_t deadline)
{
	struct drm_vsm_inject_query args = {
		.rule = number,
		.flags = flags,
		.fired = fired,
		.deadline = deadline == VSM_NEVER ? INT64_MAX : deadline,
	};

	if (!(device->info.features & DRM_VSM_FEATURE_INJECT))
		return -EOPNOTSUPP;
	return vsm_ioctl(device->fd, DRM_IOCTL_VSM_INJECT_QUERY, &args);
}

int vsm_inject_remove(const struct vsm_device *device, uint32_t number, uint32_t flags)
{
	struct drm_vsm_inject_remove args = { .rule = number, .flags = flags };

	if (!(device->info.features & DRM_VSM_FEATURE_INJECT))
		return -EOPNOTSUPP;
	return vsm_ioctl(device->fd, DRM_IOCTL_VSM_INJECT_REMOVE, &args);
}
