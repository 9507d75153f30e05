// SPDX-License-Identifier: GPL-2.0-only
/*
 * Resets. A reset ends the running job of a channel, which is guilty, and cancels the jobs that
 * wait in the channel. If the channel belongs to a group, the reset also cancels the running and
 * the waiting jobs of the other channels in the group.
 *
 * Only the work of a channel ends its running job. The work of the guilty channel therefore sets
 * &vsm_jobs.cancels_running of each other channel, and queues its work. The lock of the jobs
 * protects this field and &vsm_jobs.running: a job that waits gets its error at once, and a job
 * that runs ends when its work next looks at the field.
 */
#include <linux/sched.h>
#include <linux/slab.h>

#include "base/vsm_uevent.h"
#include "channel/vsm_job_record.h"
#include "channel/vsm_job_reset.h"
#include "channel/vsm_jobs.h"
#include "channel/vsm_schedule.h"
#include "channel/vsm_work.h"
#include "copy/vsm_perform.h"
#include "vsm_drv.h"

/* --- groups ----------------------------------------------------------------------- */

/* Create a group that has no channel yet. Returns NULL if there is no memory. */
struct vsm_reset_group *vsm_reset_group_create(u32 number)
{
	struct vsm_reset_group *group = kzalloc(sizeof(*group), GFP_KERNEL_ACCOUNT);

	if (!group)
		return NULL;
	kref_init(&group->ref);
	group->number = number;
	spin_lock_init(&group->lock);
	INIT_LIST_HEAD(&group->members);
	return group;
}

static void vsm_reset_group_free(struct kref *ref)
{
	kfree(container_of(ref, struct vsm_reset_group, ref));
}

/* Put a reference. @group may be NULL. */
void vsm_reset_group_put(struct vsm_reset_group *group)
{
	if (group)
		kref_put(&group->ref, vsm_reset_group_free);
}

/**
 * vsm_reset_group_join - A channel joins a group
 * @group: The group; the channel gets a reference
 * @jobs: Jobs of the channel, which is new
 */
void vsm_reset_group_join(struct vsm_reset_group *group, struct vsm_jobs *jobs)
{
	kref_get(&group->ref);
	jobs->group = group;
	spin_lock(&group->lock);
	list_add_tail(&jobs->group_link, &group->members);
	spin_unlock(&group->lock);
}

/**
 * vsm_reset_group_leave - A channel leaves its group, if it has one
 * @jobs: Jobs of the channel, which is about to be stopped
 *
 * Afterwards no other channel queues the work of this one. The channel keeps its reference.
 */
void vsm_reset_group_leave(struct vsm_jobs *jobs)
{
	struct vsm_reset_group *group = jobs->group;

	if (!group)
		return;
	spin_lock(&group->lock);
	list_del_init(&jobs->group_link);
	spin_unlock(&group->lock);
}

/* --- jobs ------------------------------------------------------------------------- */

/**
 * vsm_job_drop_ops - Drop the operations of a job that are in flight
 * @job: Running job of a channel, whose work calls this
 *
 * This searches the job's instructions and not the channel's operations, of which there may be very
 * many more.
 */
void vsm_job_drop_ops(struct vsm_job *job)
{
	struct vsm_op *op, *next;
	u32 i;

	for (i = 0; i < job->next; i++)
		if (job->ops[i].in_flight)
			vsm_schedule_remove(job->jobs->schedule, &job->ops[i].op, &job->batch);
	list_for_each_entry_safe(op, next, &job->batch, link) {
		list_del(&op->link);
		vsm_op_drop(op);
		op->end(op, -ECANCELED);
		cond_resched();
	}
}

/* Drop the operations of a running job because of a reset. The job's error has been set. */
static void vsm_job_drop_for_reset(struct vsm_job *job)
{
	struct vsm_jobs *jobs = job->jobs;

	vsm_work_set_limit(jobs->work, 0);
	if (vsm_is_recording())
		vsm_job_record(job, DRM_VSM_TRACE_CHANNEL_RESET, job->error);
	vsm_job_drop_ops(job);
	vsm_schedule_reset(jobs->schedule);
}

/**
 * vsm_jobs_cancel_running - End the running job because another channel of the group was reset
 * @jobs: Jobs of a channel, whose work calls this; &vsm_jobs.cancels_running is set
 *
 * If the job has failed already, it keeps its error.
 */
void vsm_jobs_cancel_running(struct vsm_jobs *jobs)
{
	struct vsm_job *job = jobs->running;

	spin_lock(&jobs->lock);
	WRITE_ONCE(jobs->cancels_running, false);
	spin_unlock(&jobs->lock);
	if (!job->error) {
		job->error = -ECANCELED;
		job->status = DRM_VSM_RESET_INNOCENT;
	}
	vsm_job_drop_for_reset(job);
}

/* Cancel the jobs that wait in a channel. */
static void vsm_jobs_cancel_waiting(struct vsm_jobs *jobs)
{
	struct vsm_job *job;

	lockdep_assert_held(&jobs->lock);
	list_for_each_entry(job, &jobs->list, link) {
		job->error = -ECANCELED;
		job->status = DRM_VSM_RESET_INNOCENT;
	}
}

static void vsm_jobs_count_reset(struct vsm_jobs *jobs)
{
	lockdep_assert_held(&jobs->lock);
	jobs->reset_status.resets++;
	atomic64_inc(&jobs->work->vdev->resets);
}

/* Another channel of the group was reset: cancel all jobs of this one. */
static void vsm_jobs_cancel_all(struct vsm_jobs *jobs)
{
	spin_lock(&jobs->lock);
	vsm_jobs_count_reset(jobs);
	vsm_jobs_cancel_waiting(jobs);
	if (jobs->running)
		WRITE_ONCE(jobs->cancels_running, true);
	spin_unlock(&jobs->lock);
}

/* Cancel all jobs of the other channels of a group, unless the guilty channel has left it. */
static void vsm_reset_group_cancel(struct vsm_reset_group *group, struct vsm_jobs *guilty)
{
	struct vsm_jobs *jobs;

	spin_lock(&group->lock);
	if (!list_empty(&guilty->group_link)) {
		list_for_each_entry(jobs, &group->members, group_link)
			if (jobs != guilty)
				vsm_jobs_cancel_all(jobs);
		/*
		 * Only now, so that the reset does not cancel a job that is submitted because of
		 * the first fence. A channel leaves its group before its work is flushed.
		 */
		list_for_each_entry(jobs, &group->members, group_link)
			if (jobs != guilty && !vsm_jobs_are_idle(jobs))
				vsm_work_queue(jobs->work);
	}
	spin_unlock(&group->lock);
}

/*
 * Tell udev rules and monitors that the channel was reset because of this job, together with the
 * group, unless that is NULL.
 */
static void vsm_job_announce(const struct vsm_job *job, const struct vsm_reset_group *group)
{
	const struct vsm_work *work = job->jobs->work;
	const struct vsm_reset_uevent uevent = {
		.client = job->origin.client->number,
		.pid = vsm_client_global_pid(job->origin.client),
		.channel = READ_ONCE(work->channel),
		.group = group ? group->number : 0,
		.error = job->error,
		.job = job->number,
		.site = job->origin.site,
	};

	vsm_uevent_reset(work->vdev, &uevent);
}

/**
 * vsm_jobs_reset - Reset the channel: end the running job with an error
 * @jobs: Jobs of the channel, whose work calls this; a job is running
 * @error: Error with which it ends
 * @cancels: Also cancel the jobs that wait in the channel, and all jobs of the other channels of
 *	its group
 */
void vsm_jobs_reset(struct vsm_jobs *jobs, int error, bool cancels)
{
	struct vsm_reset_group *group = cancels ? jobs->group : NULL;
	struct vsm_job *job = jobs->running;

	job->error = error;
	job->status = DRM_VSM_RESET_GUILTY;
	job->reset = true;
	vsm_job_drop_for_reset(job);
	spin_lock(&jobs->lock);
	vsm_jobs_count_reset(jobs);
	if (cancels)
		vsm_jobs_cancel_waiting(jobs);
	spin_unlock(&jobs->lock);
	if (group)
		vsm_reset_group_cancel(group, jobs);
	/* Whoever hears of the reset finds it counted. */
	vsm_job_announce(job, group);
}
