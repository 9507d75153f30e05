/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a channel runs its jobs.
 */
#ifndef _VSM_JOB_H_
#define _VSM_JOB_H_

#include "channel/vsm_jobs.h"

void vsm_jobs_init(struct vsm_jobs *jobs, struct vsm_work *work, struct vsm_schedule *schedule);
int vsm_jobs_submit(struct vsm_jobs *jobs, struct vsm_job *job);
int vsm_jobs_step(struct vsm_jobs *jobs);
void vsm_jobs_stop(struct vsm_jobs *jobs, int error);
void vsm_jobs_get_reset_status(struct vsm_jobs *jobs, struct drm_vsm_channel_status *status);
void vsm_job_op_init(struct vsm_job *job, struct vsm_job_op *job_op);
void vsm_job_free(struct vsm_job *job);

#endif
