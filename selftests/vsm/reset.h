/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Helpers for resets: the status of channels, jobs that fail in every way.
 */
#ifndef VSM_TEST_RESET_H
#define VSM_TEST_RESET_H

#include "async.h"
#include "channel.h"
#include "model.h"

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

/* Submits a job that has a site. Returns its fence as a sync_file, or a negative errno. */
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

#endif
