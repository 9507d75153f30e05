/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The dump of a guilty job.
 */
#ifndef _VSM_JOB_DUMP_H_
#define _VSM_JOB_DUMP_H_

struct vsm_job;

void vsm_job_dump(const struct vsm_job *job);

#endif
