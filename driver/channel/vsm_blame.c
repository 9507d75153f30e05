// SPDX-License-Identifier: GPL-2.0-only
/*
 * Jobs of a channel that ended with an error, and whose fault it was. The lock of the channel's
 * jobs protects this.
 */
#include "channel/vsm_blame.h"
#include "channel/vsm_job.h"

/* What is worse has a larger number. */
static unsigned int vsm_badness(enum drm_vsm_reset_status status)
{
	static const u8 badness[] = {
		[DRM_VSM_RESET_NONE] = 0,
		[DRM_VSM_RESET_INNOCENT] = 1,
		[DRM_VSM_RESET_UNKNOWN] = 2,
		[DRM_VSM_RESET_GUILTY] = 3,
	};

	return badness[status];
}

/* A job ends with an error that counts. */
void vsm_blame_count(struct vsm_blame *blame, const struct vsm_job *job)
{
	blame->counts[job->status]++;
	blame->error = job->error;
	if (vsm_badness(job->status) > vsm_badness(blame->status))
		blame->status = job->status;
	if (job->status != DRM_VSM_RESET_GUILTY)
		return;
	blame->job = job->place;
	blame->job_site = job->origin.site;
	blame->job_error = job->error;
}

/* Answer a query, and clear the status if the query says so. */
void vsm_blame_get(struct vsm_blame *blame, struct drm_vsm_channel_status *status)
{
	status->status = blame->status;
	status->error = blame->error;
	status->resets = blame->resets;
	status->guilty = blame->counts[DRM_VSM_RESET_GUILTY];
	status->innocent = blame->counts[DRM_VSM_RESET_INNOCENT];
	status->unknown = blame->counts[DRM_VSM_RESET_UNKNOWN];
	status->guilty_job = blame->job;
	status->guilty_site = blame->job_site;
	status->guilty_error = blame->job_error;
	if (status->flags & DRM_VSM_CHANNEL_STATUS_CLEAR)
		blame->status = DRM_VSM_RESET_NONE;
}
