// SPDX-License-Identifier: GPL-2.0-only
/*
 * Jobs: what a channel does between fences, one after another or out of order. Resets of channels.
 */
#include <linux/dma-fence-chain.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "base/vsm_client.h"
#include "base/vsm_fault.h"
#include "base/vsm_fence.h"
#include "channel/vsm_channel.h"
#include "channel/vsm_job.h"
#include "copy/vsm_op.h"
#include "object/vsm_cluster.h"
#include "sync/vsm_engine.h"
#include "sync/vsm_waiter.h"
#include "vsm_drv.h"

/* --- events ---------------------------------------------------------------------- */

/*
 * Record what happens to a job; number the job when it is queued.
 * @error: Error of the job, or 0
 */
static void vsm_job_record(struct vsm_job *job, enum drm_vsm_trace type, int error)
{
	struct drm_vsm_trace_event event __uninitialized;

	if (!vsm_recorder_is_on(job->origin.recorder))
		return;
	if (type == DRM_VSM_TRACE_JOB_QUEUE)
		job->trace_id = vsm_record_number(job->origin.recorder);
	event = vsm_event_of(&job->origin, type);
	event.id = job->trace_id;
	event.channel = READ_ONCE(job->jobs->work->channel);
	event.error = error;
	if (type == DRM_VSM_TRACE_JOB_QUEUE)
		event.value = job->count;
	vsm_record(job->origin.recorder, &event);
}

/* --- dumps ----------------------------------------------------------------------- */

/*
 * The dump of a guilty job. It shows the job's own instructions, and of the cluster's memory only
 * the words of mbarriers that issued instructions name.
 */

/* Does the instruction name an mbarrier? */
static bool vsm_job_op_mbarrier(const struct vsm_op *op, u32 *addr)
{
	if (op->moves & VSM_TAKES_MBAR) {
		*addr = op->insn.u.copy.mbar;
		return true;
	}
	*addr = op->insn.u.mbarrier.addr;
	return vsm_insn_is_mbarrier(&op->insn);
}

/**
 * vsm_job_dump - Make a dump of a guilty job
 * @job: Job whose fence has signalled; the channel's work calls this
 *
 * A large job is not shown as a whole, but from some instructions before the first one that it has
 * not issued.
 */
static void vsm_job_dump(const struct vsm_job *job)
{
	u32 count = min_t(u32, job->count, VSM_DUMP_INSNS);
	struct vsm_cluster *cluster = job->bo->cluster;
	struct drm_vsm_insn *insns;
	struct drm_vsm_dump *dump;
	u32 i, addr;

	dump = vsm_dump_begin(cluster, job->origin.client,
			      job->reset ? DRM_VSM_DUMP_RESET : DRM_VSM_DUMP_FAULT, count);
	if (!dump)
		return;
	dump->channel = READ_ONCE(job->jobs->work->channel);
	dump->error = job->error;
	dump->job = job->number;
	dump->site = job->origin.site;
	dump->cta = job->origin.cta;
	dump->thread = job->origin.thread;
	dump->issued = job->next;
	dump->first = min(job->count - count, job->next - min(job->next, count - count / 8));
	dump->insns.count = count;
	dump->insns.total = job->count;
	insns = vsm_dump_at(dump, &dump->insns);
	for (i = 0; i < count; i++) {
		const struct vsm_op *op = &job->ops[dump->first + i].op;

		insns[i] = op->insn;
		if (dump->first + i < job->next && vsm_job_op_mbarrier(op, &addr))
			vsm_dump_add_word(dump, cluster, vsm_cluster_index(cluster, addr));
	}
	vsm_dump_end(cluster, dump);
}

/* --- the status of resets -------------------------------------------------------- */

/*
 * Jobs of a channel that ended with an error, and whose fault it was. The lock of the channel's
 * jobs protects this.
 */

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
static void vsm_reset_status_count(struct vsm_reset_status *sum, const struct vsm_job *job)
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

/* --- resets ---------------------------------------------------------------------- */

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

/* --- jobs that are reset ---------------------------------------------------------- */

/**
 * vsm_job_drop_ops - Drop the operations of a job that are in flight
 * @job: Running job of a channel, whose work calls this
 *
 * This searches the job's instructions and not the channel's operations, of which there may be very
 * many more.
 */
static void vsm_job_drop_ops(struct vsm_job *job)
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

/*
 * Reset the channel: end the running job with an error.
 * @jobs: Jobs of the channel, whose work calls this; a job is running
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

/* --- jobs that run --------------------------------------------------------------- */

/*
 * Jobs: how a channel runs them, from their in-fences to their own fence.
 *
 * Every job ends, and its fence signals then. From the start of a job until its fence signals, the
 * channel allocates nothing and waits for nothing but the time at which an operation is due. This
 * code is marked for lockdep with dma_fence_begin_signalling(). Jobs and operations that have ended
 * are freed outside of it.
 */

#define VSM_JOB_PLACES	(BIT(DRM_VSM_INJECT_FENCE) | BIT(DRM_VSM_INJECT_JOB))

void vsm_jobs_init(struct vsm_jobs *jobs, struct vsm_work *work, struct vsm_schedule *schedule)
{
	jobs->work = work;
	jobs->schedule = schedule;
	spin_lock_init(&jobs->lock);
	INIT_LIST_HEAD(&jobs->list);
	INIT_LIST_HEAD(&jobs->group_link);
	jobs->context = dma_fence_context_alloc(1);
}

/*
 * Queue a job.
 * @job: Job whose fence is from vsm_fence_alloc(). If this succeeds, the channel frees the job
 *
 * Returns 0 if the job is queued: its fence is initialised, and the caller has a reference on the
 * fence in addition to that of the job. Otherwise the error with which the channel was stopped.
 */
int vsm_jobs_submit(struct vsm_jobs *jobs, struct vsm_job *job)
{
	int error;

	job->jobs = jobs;
	spin_lock(&jobs->lock);
	error = jobs->error;
	if (error)
		goto out;

	/* Fences of one context have to signal in order. */
	if (jobs->out_of_order)
		vsm_fence_init(job->fence, "copy", dma_fence_context_alloc(1), 1);
	else
		vsm_fence_init(job->fence, "copy", jobs->context, ++jobs->seqno);
	dma_fence_get(job->fence);
	job->number = ++jobs->last_number;
	if (vsm_is_recording())
		vsm_job_record(job, DRM_VSM_TRACE_JOB_QUEUE, 0);
	list_add_tail(&job->link, &jobs->list);
	/*
	 * Within the lock: a task that stops the channel flushes the work after it has had the
	 * lock.
	 */
	vsm_work_queue(jobs->work);
out:
	spin_unlock(&jobs->lock);
	return error;
}

/**
 * vsm_job_uncharge - A job is not in flight any more, and its client may have another one
 * @job: Job; the client stays charged for its memory until vsm_job_free()
 */
void vsm_job_uncharge(struct vsm_job *job)
{
	struct vsm_quota *quota = &job->origin.client->quota;

	vsm_quota_uncharge(quota, VSM_RES_INSNS, job->charged);
	vsm_quota_uncharge(quota, VSM_RES_JOBS, 1);
}

/**
 * vsm_job_free - Free a job
 * @job: Job that is on no channel, after vsm_job_uncharge(); it may be only partly constructed
 */
void vsm_job_free(struct vsm_job *job)
{
	struct vsm_client *client = job->origin.client;
	u32 i;

	for (i = 0; i < job->count; i++)
		vsm_op_unprepare(&job->ops[i].op);
	for (i = 0; i < job->in_count; i++)
		dma_fence_put(job->in[i].fence);
	vsm_quota_free(&client->quota, job->ops, job->charged, sizeof(*job->ops));
	vsm_quota_free(&client->quota, job->in, job->in_size, sizeof(*job->in));
	dma_fence_put(job->fence);
	vsm_cluster_remove_waker(job->bo->cluster);
	vsm_bo_end_use(job->bo);
	vsm_quota_free(&client->quota, job, 1, sizeof(*job));
	vsm_client_put(client);
}

/* --- in-fences -------------------------------------------------------------------- */

static void vsm_job_in_fence_signalled(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	struct vsm_job *job = container_of(cb, struct vsm_in_fence, cb)->job;
	struct vsm_work *work = job->jobs->work;

	/* Pairs with the acquire in vsm_job_is_blocked(). After this the job may be gone. */
	smp_store_release(&job->waiting, false);
	vsm_work_queue(work);
}

/*
 * Is there an in-fence that has not signalled? If so, its callback will queue the work. A job waits
 * for one in-fence after the other, and so has at most one callback at a time. Callbacks run with
 * interrupts off. A fence that a job names many times calls the job only once.
 */
static bool vsm_job_is_blocked(struct vsm_job *job)
{
	lockdep_assert_held(&job->jobs->lock);
	/* Pairs with the release in vsm_job_in_fence_signalled(). */
	if (smp_load_acquire(&job->waiting))
		return true;
	while (job->in_next < job->in_count) {
		struct vsm_in_fence *in = &job->in[job->in_next++];

		in->job = job;
		WRITE_ONCE(job->waiting, true);
		if (!dma_fence_add_callback(in->fence, &in->cb, vsm_job_in_fence_signalled))
			return true;
		WRITE_ONCE(job->waiting, false);
	}
	return false;
}

/*
 * The first error of an in-fence, or 0. A point of a timeline has no error itself; this asks the
 * fence that the point contains.
 */
static int vsm_job_in_error(const struct vsm_job *job)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < job->in_count && ret >= 0; i++)
		ret = dma_fence_get_status(dma_fence_chain_contained(job->in[i].fence));
	return min(ret, 0);
}

/* --- instructions ----------------------------------------------------------------- */

/*
 * The job has failed with an @error, and its fence shows the error @shown. The first failure
 * decides about the job, and the job is to blame, unless the cluster is lost.
 */
static void vsm_job_fail(struct vsm_job *job, int error, int shown)
{
	if (job->error)
		return;
	job->error = shown;
	job->status = error == -EIO && READ_ONCE(job->bo->cluster->lost) ? DRM_VSM_RESET_UNKNOWN
									 : DRM_VSM_RESET_GUILTY;
}

/* A rule has made an operation of the job fail. */
static void vsm_job_op_fails(struct vsm_job *job, const struct vsm_op *op)
{
	if (!job->error && op->injection.what == DRM_VSM_INJECT_FAULT)
		vsm_jobs_reset(job->jobs, -EIO, !(op->injection.flags & DRM_VSM_INJECT_SPARE));
	else
		vsm_job_fail(job, -op->fails, -op->fails);
}

static void vsm_job_op_end(struct vsm_op *op, int error)
{
	struct vsm_job_op *job_op = container_of(op, struct vsm_job_op, op);
	struct vsm_job *job = job_op->job;

	if (vsm_is_recording())
		vsm_op_record_end(op, error);
	job_op->in_flight = false;
	job->pending--;
	if (unlikely(op->fails))
		vsm_job_op_fails(job, op);
	else if (error && error != -ECANCELED)
		vsm_job_fail(job, error, -EIO);
}

/* Prepare an instruction of a job to be an asynchronous operation. */
void vsm_job_op_init(struct vsm_job *job, struct vsm_job_op *job_op)
{
	struct vsm_op *op = &job_op->op;

	job_op->job = job;
	op->end = vsm_job_op_end;
	op->cluster = job->bo->cluster;
	op->origin = job->origin;
	op->issue_source = DRM_VSM_SOURCE_JOB;
	op->source = DRM_VSM_SOURCE_JOB;
}

/*
 * Execute an instruction that is not an asynchronous operation. This is not inline, because most
 * instructions of jobs are asynchronous and should spend no time on the report.
 */
static noinline int vsm_job_execute(struct vsm_job *job, struct drm_vsm_insn *insn)
{
	struct vsm_cluster *cluster = job->bo->cluster;
	struct vsm_report report = {};
	int ret;

	if (vsm_insn_makes_visible(insn))
		ret = vsm_engine_release(cluster, insn, &job->origin);
	else
		ret = vsm_engine_run(cluster, insn, &job->origin);
	if (ret == VSM_REPORTS) {
		ret = vsm_engine_run_reporting(cluster, insn, &job->origin, &report);
		vsm_fault_report(&job->origin, DRM_VSM_SOURCE_JOB, insn, &report);
	}
	return ret;
}

/*
 * Issue the next instruction of the job. Returns 1, or -EBUSY if others keep writing the word of
 * the instruction: the work should end, so that other channels run first.
 */
static int vsm_job_issue(struct vsm_job *job)
{
	struct vsm_job_op *job_op = &job->ops[job->next];
	struct vsm_cluster *cluster = job->bo->cluster;
	struct vsm_op *op = &job_op->op;
	bool async = vsm_insn_is_job_op(&op->insn);
	bool cookie = dma_fence_begin_signalling();
	int ret;

	if (READ_ONCE(cluster->lost))
		ret = -EIO;
	else
		ret = async ? vsm_op_begin(op) : vsm_job_execute(job, &op->insn);
	if (ret == -EBUSY)
		vsm_engine_count_busy(cluster, &op->busy);
	if (ret == -EPROTO)
		vsm_cluster_refuse(cluster, &job->origin, DRM_VSM_SOURCE_JOB, &op->insn);
	dma_fence_end_signalling(cookie);
	if (ret == -EBUSY)
		return ret;
	job->next++;
	if (ret) {
		vsm_job_fail(job, ret, -EIO);
	} else if (async) {
		op->origin.copy = VSM_UNNUMBERED;
		if (vsm_is_recording())
			vsm_op_record_issue(op, job->trace_id);
		job_op->in_flight = true;
		op->busy = 0;
		job->pending++;
		job->batched++;
		list_add_tail(&op->link, &job->batch);
	}
	return 1;
}

/* --- injection -------------------------------------------------------------------- */

static bool vsm_job_asks(struct vsm_job *job, enum drm_vsm_inject_where where)
{
	const struct vsm_inject_at at = {
		.client = job->origin.client,
		.where = where,
		.channel = job->jobs->work->channel,
		.number = job->bo->cluster->number,
		.cluster = job->bo->cluster,
	};

	return vsm_injects(at.client, BIT(where)) && vsm_inject(&at, &job->injection);
}

/* Ask the rules about a job that begins. An error that it has already is that of an in-fence. */
static noinline void vsm_job_inject(struct vsm_job *job)
{
	bool fence = job->in_count && vsm_job_asks(job, DRM_VSM_INJECT_FENCE);

	if (!fence && !vsm_job_asks(job, DRM_VSM_INJECT_JOB))
		return;
	if (job->injection.what == DRM_VSM_INJECT_ERROR) {
		vsm_job_fail(job, 0, -job->injection.error);
		if (fence)
			job->status = DRM_VSM_RESET_INNOCENT;
	} else if (job->injection.what == DRM_VSM_INJECT_FAULT) {
		vsm_jobs_reset(job->jobs, -EIO, !(job->injection.flags & DRM_VSM_INJECT_SPARE));
	} else if (job->injection.what == DRM_VSM_INJECT_LOSE_CLUSTER) {
		vsm_cluster_lose(job->bo->cluster);
	} else {
		job->until = vsm_injection_until(&job->injection, 0);
	}
}

/* Does the job stand still? Then the work is queued for the time at which it goes on. */
static bool vsm_job_is_stalled(struct vsm_job *job)
{
	if (likely(!job->until))
		return false;
	if (job->error || job->until <= (s64)ktime_get_ns() ||
	    !vsm_injection_lasts(job->origin.client, &job->injection)) {
		job->until = 0;
		return false;
	}
	vsm_work_queue_at(job->jobs->work, job->until);
	return true;
}

/* --- the work --------------------------------------------------------------------- */

/*
 * Take off the queue the next job that can start: it is the running job then. A job that ends with
 * an error does not wait for its in-fences. Returns NULL if no job can start.
 */
static struct vsm_job *vsm_jobs_next(struct vsm_jobs *jobs)
{
	struct vsm_job *job, *next = NULL;

	spin_lock(&jobs->lock);
	list_for_each_entry(job, &jobs->list, link) {
		if (jobs->error && !job->error)
			job->error = jobs->error;
		if (job->error || !vsm_job_is_blocked(job)) {
			next = job;
			list_del_init(&job->link);
			WRITE_ONCE(jobs->running, job);
			break;
		}
		if (!jobs->out_of_order)
			break;
	}
	spin_unlock(&jobs->lock);
	return next;
}

static void vsm_job_start(struct vsm_job *job)
{
	struct vsm_work *work = job->jobs->work;
	u32 timeout = READ_ONCE(work->vdev->model.job_timeout_ms);

	/* The file in debugfs takes any number. */
	if (!timeout || timeout > VSM_JOB_TIMEOUT_MAX_MS)
		timeout = VSM_JOB_TIMEOUT_MAX_MS;
	if (vsm_is_recording())
		vsm_job_record(job, DRM_VSM_TRACE_JOB_BEGIN, 0);
	if (!job->error) {
		job->error = vsm_job_in_error(job);
		if (job->error)
			job->status = DRM_VSM_RESET_INNOCENT;
	}
	vsm_work_set_limit(work, (s64)timeout * NSEC_PER_MSEC);
	if (!job->error && vsm_injects(job->origin.client, VSM_JOB_PLACES))
		vsm_job_inject(job);
}

static void vsm_job_signal(struct vsm_job *job)
{
	bool cookie = dma_fence_begin_signalling();

	if (job->error)
		dma_fence_set_error(job->fence, job->error);
	/* Whoever hears of the end can submit the next job, even at the limit. */
	vsm_job_uncharge(job);
	dma_fence_signal(job->fence);
	dma_fence_end_signalling(cookie);
}

static void vsm_job_retire(struct vsm_job *job)
{
	u32 i;

	/*
	 * A callback that has unblocked the job may still be running, and uses the job and the
	 * channel. It runs with its fence locked. dma_fence_remove_callback() takes the same lock,
	 * and therefore waits for it.
	 */
	for (i = 0; i < job->in_next; i++)
		dma_fence_remove_callback(job->in[i].fence, &job->in[i].cb);
	vsm_job_free(job);
}

/**
 * vsm_jobs_step - Do one step of the running job, or start the next job
 * @jobs: Jobs of the channel, whose work calls this
 *
 * Return: 1 if there was something to do, 0 if not; -EBUSY as for vsm_schedule_perform().
 */
int vsm_jobs_step(struct vsm_jobs *jobs)
{
	struct vsm_job *job = jobs->running;

	if (!job) {
		job = vsm_jobs_next(jobs);
		if (!job)
			return 0;
		vsm_job_start(job);
	}
	if (READ_ONCE(jobs->error) && !job->error)
		job->error = jobs->error;
	if (vsm_job_is_stalled(job))
		return 0;

	if (!job->error && job->next < job->count && job->batched < VSM_OP_BATCH)
		return vsm_job_issue(job);
	/* Operations that were issued before a fault are still performed. */
	if (job->batched) {
		job->batched = 0;
		if (vsm_schedule_add(jobs->schedule, &job->batch))
			vsm_job_drop_ops(job);
		return 1;
	}
	if (job->pending)
		return 0;
	vsm_work_set_limit(jobs->work, 0);
	/* A task that lists the jobs uses the running one under the lock. */
	spin_lock(&jobs->lock);
	WRITE_ONCE(jobs->running, NULL);
	/* The group was reset while the job did its last step: the job is not spared either. */
	if (jobs->cancels_running && !job->error) {
		job->error = -ECANCELED;
		job->status = DRM_VSM_RESET_INNOCENT;
	}
	WRITE_ONCE(jobs->cancels_running, false);
	if (job->status)
		vsm_reset_status_count(&jobs->reset_status, job);
	spin_unlock(&jobs->lock);
	vsm_job_signal(job);
	if (vsm_is_recording())
		vsm_job_record(job, DRM_VSM_TRACE_JOB_END, job->error);
	if (job->status == DRM_VSM_RESET_GUILTY)
		vsm_job_dump(job);
	vsm_job_retire(job);
	return 1;
}

/* The channel stops: its jobs end with the error, and jobs that are submitted later are refused. */
void vsm_jobs_stop(struct vsm_jobs *jobs, int error)
{
	spin_lock(&jobs->lock);
	if (!jobs->error)
		WRITE_ONCE(jobs->error, error);
	spin_unlock(&jobs->lock);
}

/*
 * Tell what has happened to the jobs of a channel.
 * @status: Argument of CHANNEL_STATUS, which has been checked; gets the output
 */
void vsm_jobs_get_reset_status(struct vsm_jobs *jobs, struct drm_vsm_channel_status *status)
{
	struct vsm_reset_status *sum = &jobs->reset_status;

	spin_lock(&jobs->lock);
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
	spin_unlock(&jobs->lock);
	status->device_resets = atomic64_read(&jobs->work->vdev->resets);
}
