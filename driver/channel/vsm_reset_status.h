/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Jobs of a channel that ended with an error, and whose fault it was.
 */
#ifndef _VSM_RESET_STATUS_H_
#define _VSM_RESET_STATUS_H_

#include "channel/vsm_jobs.h"

void vsm_reset_status_count(struct vsm_reset_status *sum, const struct vsm_job *job);
void vsm_reset_status_get(struct vsm_reset_status *sum, struct drm_vsm_channel_status *status);

#endif
