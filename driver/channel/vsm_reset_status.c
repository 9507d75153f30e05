// SPDX-License-Identifier: GPL-2.0-only
/*
 * Jobs of a channel that ended with an error, and whose fault it was. The lock of the channel's
 * jobs protects this.
 */
#include "channel/vsm_reset_status.h"

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
void vsm_reset_status_count(struct vsm_reset_status *sum, const struct vsm_job *job)
{
	sum->counts[job->status]++;
	sum->error = job->error;
	if (vsm_badness(job->status) > vsm_badness(sum->status))
		sum->status = job->status;
	if (job->status != DRM_VSM_RESET_GUILTY)
		return;
	sum->guilty_job = job->number;
	sum->guilty_site = job->origin.site;
	sum->guilty_error = job->error;
}

/* Answer a query, and clear the status if the query says so. */
void vsm_reset_status_get(struct vsm_reset_status *sum, struct drm_vsm_channel_status *status)
{
	status->status = sum->status;
	status->error = sum->error;
	status->resets = sum->resets;
	status->guilty = sum->counts[DRM_VSM_RESET_GUILTY];
	status->innocent = sum->counts[DRM_VSM_RESET_INNOCENT];
	status->unknown = sum->counts[DRM_VSM_RESET_UNKNOWN];
	status->guilty_job = sum->guilty_job;
	status->guilty_site = sum->guilty_site;
	status->guilty_error = sum->guilty_error;
	if (status->flags & DRM_VSM_CHANNEL_STATUS_CLEAR)
		sum->status = DRM_VSM_RESET_NONE;
}
