/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Jobs of a channel that ended with an error, and whose fault it was.
 */
#ifndef _VSM_RESET_STATUS_H_
#define _VSM_RESET_STATUS_H_

#include <linux/types.h>

#include <drm/vsm_drm.h>

struct vsm_job;

/**
 * struct vsm_reset_status - What has happened to the jobs of a channel
 * @status: The worst since it was last cleared
 * @error: Error of the last job that counts here
 * @resets: How often the channel was reset
 * @counts: Jobs by their status
 * @job: Number of the last guilty job in the channel, 0 if there was none
 * @job_site: Site of this job
 * @job_error: Error of this job
 */
struct vsm_reset_status {
	enum drm_vsm_reset_status status;
	int error;
	u64 resets;
	u64 counts[DRM_VSM_RESET_UNKNOWN + 1];
	u64 job;
	u32 job_site;
	int job_error;
};

void vsm_reset_status_count(struct vsm_reset_status *sum, const struct vsm_job *job);
void vsm_reset_status_get(struct vsm_reset_status *sum, struct drm_vsm_channel_status *status);

#endif
