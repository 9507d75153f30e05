// SPDX-License-Identifier: MIT
/* Copy channels, and the jobs that run on them. */
#include <errno.h>

#include "internal.h"

int vsm_channel_create(const struct vsm_device *device, uint32_t flags, uint32_t *channel)
{
	const struct vsm_channel_config config = { .flags = flags };

	return vsm_channel_create_as(device, &config, channel);
}

int vsm_channel_create_as(const struct vsm_device *device, const struct vsm_channel_config *config,
			  uint32_t *channel)
{
	struct drm_vsm_channel_create args = {
		.flags = config->flags,
		.priority = config->priority,
		.group = config->group,
	};
	int err;

	if (config->pad)
		return -EINVAL;
	/* An older device would say that the argument is wrong. */
	if ((args.priority && !(device->info.features & DRM_VSM_FEATURE_PRIORITY)) ||
	    (args.group && !(device->info.features & DRM_VSM_FEATURE_GROUP)))
		return -EOPNOTSUPP;
	err = vsm_ioctl(device->fd, DRM_IOCTL_VSM_CHANNEL_CREATE, &args);
	if (!err)
		*channel = args.channel;
	return err;
}

int vsm_channel_destroy(const struct vsm_device *device, uint32_t channel)
{
	struct drm_vsm_channel_destroy args = { .channel = channel };

	return vsm_ioctl(device->fd, DRM_IOCTL_VSM_CHANNEL_DESTROY, &args);
}

int vsm_channel_status(const struct vsm_device *device, uint32_t channel, uint32_t flags,
		       struct drm_vsm_channel_status *status)
{
	struct drm_vsm_channel_status args = { .channel = channel, .flags = flags };
	int err;

	/* An older device would say that the number of the ioctl is wrong. */
	if (!(device->info.features & DRM_VSM_FEATURE_RESET))
		return -EOPNOTSUPP;
	err = vsm_ioctl(device->fd, DRM_IOCTL_VSM_CHANNEL_STATUS, &args);
	if (!err)
		*status = args;
	return err;
}

/*
 * Facts about the refusal, for vsm_insn_malformed(). The device checks all instructions before the
 * fences. If @refused is not the last instruction, or if there are no fences, surely the
 * instruction is malformed.
 */
static uint32_t how_refused(const struct drm_vsm_submit *args)
{
	const bool surely = !args->sync_count || args->refused + 1 < args->count;

	return VSM_REFUSED_IN_JOB | (surely ? VSM_REFUSED_SURELY : 0);
}

int vsm_channel_submit(struct vsm_thread *thread, uint32_t channel, struct drm_vsm_insn *insns,
		       uint32_t count, const struct drm_vsm_sync *syncs, uint32_t sync_count,
		       uint32_t *refused)
{
	struct drm_vsm_submit args = {
		.insns = (uintptr_t)insns,
		.stride = sizeof(*insns),
		.count = count,
		.syncs = (uintptr_t)syncs,
		.sync_stride = sizeof(*syncs),
		.sync_count = sync_count,
		.channel = channel,
	};
	int err;

	err = vsm_thread_check(thread);
	if (err)
		return err;
	args.cluster = vsm_cluster_handle(thread->cluster);
	args.cta = thread->cta;
	args.thread = thread->thread;
	args.site = thread->site;

	err = vsm_ioctl(thread->cluster->object.device->fd, DRM_IOCTL_VSM_SUBMIT, &args);
	if (refused && (err == -EPROTO || err == -EOPNOTSUPP))
		*refused = args.refused;
	if (err)
		vsm_thread_remember(thread, err, insns, count, args.refused, how_refused(&args));
	return err;
}
