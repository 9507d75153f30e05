/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Helpers for copy channels, their status and their jobs.
 */
#ifndef VSM_TEST_CHANNEL_H
#define VSM_TEST_CHANNEL_H

#include "fence.h"

/* Creates a channel of a group. Returns its number or a negative errno. */
static inline int channel_create_grouped(int fd, uint32_t group, uint32_t flags)
{
	struct drm_vsm_channel_create args = { .group = group, .flags = flags };
	int ret = vsm_ioctl(fd, DRM_IOCTL_VSM_CHANNEL_CREATE, &args);

	return ret ? ret : (int)args.channel;
}

/* Creates a channel. Returns its number or a negative errno. */
static inline int channel_create(int fd, uint32_t flags)
{
	return channel_create_grouped(fd, 0, flags);
}

static inline int channel_destroy(int fd, uint32_t channel)
{
	struct drm_vsm_channel_destroy args = { .channel = channel };

	return vsm_ioctl(fd, DRM_IOCTL_VSM_CHANNEL_DESTROY, &args);
}

/* Puts a fence that is held into a syncobj. Returns the number of the hold or a negative errno. */
static inline int job_hold_create(int fd, uint32_t syncobj, uint64_t point, int64_t deadline)
{
	struct drm_vsm_hold_create args = {
		.handle = syncobj, .point = point, .deadline = deadline,
	};
	int ret = vsm_ioctl(fd, DRM_IOCTL_VSM_HOLD_CREATE, &args);

	return ret ? ret : (int)args.hold;
}

static inline int job_hold_release(int fd, uint32_t hold, uint32_t error)
{
	struct drm_vsm_hold_release args = { .hold = hold, .error = error };

	return vsm_ioctl(fd, DRM_IOCTL_VSM_HOLD_RELEASE, &args);
}

static inline struct drm_vsm_sync sync_wait(uint32_t handle, uint64_t point)
{
	return (struct drm_vsm_sync){
		.handle = handle, .flags = DRM_VSM_SYNC_WAIT, .point = point,
	};
}

static inline struct drm_vsm_sync sync_signal(uint32_t handle, uint64_t point)
{
	return (struct drm_vsm_sync){
		.handle = handle, .flags = DRM_VSM_SYNC_SIGNAL, .point = point,
	};
}

/* Submits a job of CTA 0 to a channel, with fences. */
static inline int submit_on(const struct cluster *c, uint32_t channel, struct drm_vsm_insn *insns,
			    uint32_t count, struct drm_vsm_sync *syncs, uint32_t sync_count)
{
	struct drm_vsm_submit args = submit_args(c, insns, count);

	args.channel = channel;
	args.syncs = (uintptr_t)syncs;
	args.sync_stride = sizeof(*syncs);
	args.sync_count = sync_count;
	return vsm_submit(c->fd, &args);
}

/*
 * Submits a job that has a site, and waits for the syncobj @in, if that is not 0. Returns the job's
 * fence as a sync_file, or a negative errno.
 */
static inline int job_start_site_after(const struct cluster *c, uint32_t channel,
				       struct drm_vsm_insn *insns, uint32_t count, uint32_t site,
				       uint32_t in)
{
	struct drm_vsm_sync syncs[] = {
		sync_signal(syncobj_create(c->fd), 0), sync_wait(in, 0),
	};
	struct drm_vsm_submit args = submit_args(c, insns, count);
	int ret;

	args.channel = channel;
	args.site = site;
	args.syncs = (uintptr_t)syncs;
	args.sync_stride = sizeof(syncs[0]);
	args.sync_count = in ? 2 : 1;
	ret = vsm_submit(c->fd, &args);
	if (!ret)
		ret = syncobj_export(c->fd, syncs[0].handle);
	syncobj_destroy(c->fd, syncs[0].handle);
	return ret;
}

static inline int job_start_site(const struct cluster *c, uint32_t channel,
				 struct drm_vsm_insn *insns, uint32_t count, uint32_t site)
{
	return job_start_site_after(c, channel, insns, count, site, 0);
}

static inline int job_start(const struct cluster *c, uint32_t channel, struct drm_vsm_insn *insns,
			    uint32_t count, uint32_t in)
{
	return job_start_site_after(c, channel, insns, count, 0, in);
}

/*
 * Waits for a job's fence, closes the sync_file and returns its status. Returns the error of
 * job_start() if that has failed.
 */
static inline int job_end(int file)
{
	int ret = file < 0 ? file : sync_file_wait(file);

	close(file);
	return ret;
}

/* A word of the hardware policy that a look at it makes a trap. */
#define POISONED_WORD (0x7fffe000001ffff8 | 1ULL << 42)

/* Asks for the status of a channel, with all output poisoned. */
static inline int channel_status(int fd, uint32_t channel, uint32_t flags,
				 struct drm_vsm_channel_status *status)
{
	memset(status, POISON & 0xff, sizeof(*status));
	status->channel = channel;
	status->flags = flags;
	return vsm_ioctl(fd, DRM_IOCTL_VSM_CHANNEL_STATUS, status);
}

/* Returns the status of a channel, or a negative errno. */
static inline int reset_status(int fd, uint32_t channel, uint32_t flags)
{
	struct drm_vsm_channel_status status;
	int ret = channel_status(fd, channel, flags, &status);

	return ret ? ret : (int)status.status;
}

#endif
