/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events of jobs. The callers ask vsm_is_recording() before.
 */
#ifndef _VSM_JOB_RECORD_H_
#define _VSM_JOB_RECORD_H_

#include "channel/vsm_jobs.h"

void vsm_job_record(struct vsm_job *job, enum drm_vsm_trace type, int error);

#endif
