/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Resets of channels, and the groups of channels that are reset together.
 */
#ifndef _VSM_JOB_RESET_H_
#define _VSM_JOB_RESET_H_

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/spinlock.h>

struct vsm_job;
struct vsm_jobs;

/**
 * struct vsm_reset_group - Channels of a client that are reset together
 * @ref: References, one of each channel that has been in the group and exists, and one of the task
 *	that creates the group
 * @number: Number that the client has given the group, not 0
 * @lock: Protects @members
 * @members: Channels of the group that have not been stopped, &vsm_jobs.group_link
 */
struct vsm_reset_group {
	struct kref ref;
	u32 number;
	spinlock_t lock; /* members */
	struct list_head members;
};

struct vsm_reset_group *vsm_reset_group_create(u32 number);
void vsm_reset_group_join(struct vsm_reset_group *group, struct vsm_jobs *jobs);
void vsm_reset_group_leave(struct vsm_jobs *jobs);
void vsm_reset_group_put(struct vsm_reset_group *group);
void vsm_job_drop_ops(struct vsm_job *job);
void vsm_jobs_cancel_running(struct vsm_jobs *jobs);
void vsm_jobs_reset(struct vsm_jobs *jobs, int error, bool cancels);

#endif
