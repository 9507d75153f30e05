/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Jobs: what a channel does between fences, one after another or out of order.
 */
#ifndef _VSM_JOB_H_
#define _VSM_JOB_H_

#include <linux/dma-fence.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/spinlock.h>

#include "copy/vsm_op.h"

struct vsm_job;
struct vsm_jobs;
struct vsm_reset_group;
struct vsm_schedule;
struct vsm_work;

/* --- jobs ------------------------------------------------------------------------ */

/**
 * struct vsm_in_fence - An in-fence of a job
 * @cb: Callback on @fence
 * @fence: The fence, with a reference
 * @job: The job that waits for it
 */
struct vsm_in_fence {
	struct dma_fence_cb cb;
	struct dma_fence *fence;
	struct vsm_job *job;
};

/**
 * struct vsm_job_op - An instruction of a job
 * @op: The instruction, in &vsm_op.insn. If it is not asynchronous, @busy is the only other field
 *	that is used; the rest is zero
 * @job: The job that it belongs to
 * @in_flight: The operation has begun and has not ended
 */
struct vsm_job_op {
	struct vsm_op op;
	struct vsm_job *job;
	bool in_flight;
};

/**
 * struct vsm_job - A stream of instructions on a channel
 * @link: In &vsm_jobs.list
 * @jobs: The channel's jobs
 * @origin: Thread whose instructions they are; its client is charged for the job, and the job has a
 *	reference on it
 * @trace_id: Number of the job in the flight recorder (&drm_vsm_trace_event.id), or 0
 * @number: Number of the job in its channel, from 1 (&drm_vsm_channel_status.guilty_job)
 * @bo: The cluster, with a reference
 * @charged: Number of instructions that the client is charged for; the length of @ops
 * @count: Number of instructions in @ops
 * @ops: The instructions, which have been checked
 * @next: The first instruction that has not been issued
 * @batch: Operations that have begun and have not been launched
 * @batched: Number of operations in @batch
 * @pending: Number of operations that have begun and have not ended
 * @error: Error with which the job ends, or 0
 * @status: What @error means for the reset status; %DRM_VSM_RESET_NONE if the job does not count
 * @injection: What a rule has done to the job as it began
 * @until: When the job goes on that a rule stalls (CLOCK_MONOTONIC, ns); 0 if no rule stalls it
 * @reset: The channel was reset because of the job
 * @in_count: Number of in-fences
 * @in_size: Length of @in
 * @in: The in-fences
 * @in_next: Index of the first in-fence that the job has not looked at
 * @waiting: The in-fence before @in_next has not signalled
 * @fence: Fence that signals when the job has ended
 *
 * After the job has been submitted, only the channel's work uses the fields @next to @reset, except
 * @error and @status: until the job runs, &vsm_jobs.lock protects these two. The work changes
 * @in_next and sets @waiting; the callback of the in-fence clears @waiting.
 */
struct vsm_job {
	struct list_head link;
	struct vsm_jobs *jobs;
	struct vsm_origin origin;
	u64 trace_id;
	u64 number;
	struct vsm_bo *bo;
	u32 charged;
	u32 count;
	struct vsm_job_op *ops;
	u32 next;
	struct list_head batch;
	u32 batched;
	u32 pending;
	int error;
	enum drm_vsm_reset_status status;
	struct vsm_injection injection;
	s64 until;
	bool reset;
	u32 in_count;
	u32 in_size;
	struct vsm_in_fence *in;
	u32 in_next;
	bool waiting;
	struct dma_fence *fence;
};

/**
 * struct vsm_reset_status - What has happened to the jobs of a channel
 * @status: The worst since it was last cleared
 * @error: Error of the last job that counts here
 * @resets: How often the channel was reset
 * @counts: Jobs by their status
 * @guilty_job: Number of the last guilty job in the channel, 0 if there was none
 * @guilty_site: Site of this job
 * @guilty_error: Error of this job
 */
struct vsm_reset_status {
	enum drm_vsm_reset_status status;
	int error;
	u64 resets;
	u64 counts[DRM_VSM_RESET_UNKNOWN + 1];
	u64 guilty_job;
	u32 guilty_site;
	int guilty_error;
};

/**
 * struct vsm_jobs - Jobs of a channel, which runs them one at a time
 * @work: The channel's work, which runs them
 * @schedule: Operations that have been launched on the channel
 * @out_of_order: A job may overtake jobs that wait for a fence
 * @group: Group of channels that are reset together, or NULL
 * @group_link: In &vsm_reset_group.members
 * @lock: Protects the fields below
 * @list: Queued jobs, the next one first
 * @running: Job that is running; only the work changes it, and does so under @lock
 * @context: Fence context, unless @out_of_order
 * @seqno: Number of the last job's fence in @context
 * @last_number: Number of the job that was queued last
 * @reset_status: Jobs that ended with an error, and whose fault it was
 * @cancels_running: Another channel of the group was reset while @running ran: end @running
 * @error: Error with which all jobs end once the channel is stopped, 0 before
 */
struct vsm_jobs {
	struct vsm_work *work;
	struct vsm_schedule *schedule;
	bool out_of_order;
	struct vsm_reset_group *group;
	struct list_head group_link;
	spinlock_t lock; /* all below */
	struct list_head list;
	struct vsm_job *running;
	u64 context;
	u64 seqno;
	u64 last_number;
	struct vsm_reset_status reset_status;
	bool cancels_running;
	int error;
};

/* Does no job wait or run? */
static inline bool vsm_jobs_are_idle(struct vsm_jobs *jobs)
{
	bool idle;

	spin_lock(&jobs->lock);
	idle = !jobs->running && list_empty(&jobs->list);
	spin_unlock(&jobs->lock);
	return idle;
}

void vsm_jobs_init(struct vsm_jobs *jobs, struct vsm_work *work, struct vsm_schedule *schedule);
int vsm_jobs_submit(struct vsm_jobs *jobs, struct vsm_job *job);
int vsm_jobs_step(struct vsm_jobs *jobs);
void vsm_jobs_stop(struct vsm_jobs *jobs, int error);
void vsm_jobs_get_reset_status(struct vsm_jobs *jobs, struct drm_vsm_channel_status *status);
void vsm_job_op_init(struct vsm_job *job, struct vsm_job_op *job_op);
void vsm_job_uncharge(struct vsm_job *job);
void vsm_job_free(struct vsm_job *job);

/* --- resets ---------------------------------------------------------------------- */

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
void vsm_jobs_cancel_running(struct vsm_jobs *jobs);
void vsm_jobs_reset(struct vsm_jobs *jobs, int error, bool cancels);

#endif
