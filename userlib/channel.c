// SPDX-License-Identifier: MIT
/*
 * Copy channels, and the jobs that run on them.
 */
#include <errno.h>

#include "internal.h"

int vsm_channel_create(const struct vsm_device *device, uint32_t flags, uint32_t *channel)
{
	const struct vsm_channel_config config = { .flags = flags };

	return vsm_channel_create_as(device, &config, channel);
}

int vsm_channel_create_as_sized(const struct vsm_device *device,
				const struct vsm_channel_config *config, size_t size,
				uint32_t *channel)
{
	struct drm_vsm_channel_create args = { 0 };
	struct vsm_channel_config kind;
	int err;

	err = vsm_struct_get(&kind, sizeof(kind), config, size);
	if (err)
		return err;
	if (kind.pad)
		return -EINVAL;
	/* An older device would say that the argument is wrong. */
	if ((kind.priority && !(device->info.features & DRM_VSM_FEATURE_PRIORITY)) ||
	    (kind.group && !(device->info.features & DRM_VSM_FEATURE_GROUP)))
		return -EOPNOTSUPP;
	args.flags = kind.flags;
	args.priority = kind.priority;
	args.group = kind.group;
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

int vsm_channel_status_sized(const struct vsm_device *device, uint32_t channel, uint32_t flags,
			     struct drm_vsm_channel_status *status, size_t size)
{
	struct drm_vsm_channel_status args = { .channel = channel, .flags = flags };
	int err;

	/* An older device would say that the number of the ioctl is wrong. */
	if (!(device->info.features & DRM_VSM_FEATURE_RESET))
		return -EOPNOTSUPP;
	err = vsm_ioctl(device->fd, DRM_IOCTL_VSM_CHANNEL_STATUS, &args);
	if (!err)
		vsm_struct_copy(status, size, &args, sizeof(args));
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

/* The device checks the stride of the fences before it checks the instructions. */
static bool is_sync_stride_wrong(const struct drm_vsm_submit *args)
{
	return args->sync_count && (args->sync_stride < VSM_SYNC_FIRST || args->sync_stride % 8);
}

int vsm_channel_submit_sized(struct vsm_thread *thread, uint32_t channel,
			     struct drm_vsm_insn *insns, uint32_t stride, uint32_t count,
			     const struct drm_vsm_sync *syncs, uint32_t sync_stride,
			     uint32_t sync_count, uint32_t *refused)
{
	struct drm_vsm_submit args = {
		.insns = (uintptr_t)insns,
		.stride = stride,
		.count = count,
		.syncs = (uintptr_t)syncs,
		.sync_stride = sync_stride,
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
	args.site = vsm_thread_site(thread);

	err = vsm_ioctl(thread->cluster->object.device->fd, DRM_IOCTL_VSM_SUBMIT, &args);
	if (refused && (err == -EPROTO || err == -EOPNOTSUPP))
		*refused = args.refused;
	if (err)
		vsm_thread_remember(thread, err, insns, stride,
				    is_sync_stride_wrong(&args) ? 0 : count, args.refused,
				    how_refused(&args));
	return err;
}
