// SPDX-License-Identifier: GPL-2.0-only
/*
 * Channels: each has a work, which performs operations and runs jobs in turns. A client has a first
 * channel, which also performs the operations of its threads, from the opening of its file to the
 * closing, and may create more. The lock of the jobs comes before that of the operations.
 */
#include <linux/build_bug.h>
#include <linux/capability.h>
#include <linux/dma-fence.h>
#include <linux/err.h>
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/list_sort.h>
#include <linux/math64.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "base/vsm_fault.h"
#include "channel/vsm_channel.h"
#include "channel/vsm_job.h"
#include "copy/vsm_op.h"
#include "sync/vsm_engine.h"
#include "sync/vsm_waiter.h"
#include "vsm_compat.h"
#include "vsm_drv.h"

/* --- priorities ------------------------------------------------------------------ */

/*
 * Priorities: channels give way to channels of a higher priority.
 *
 * A channel is ready from when its work begins to run until the work has nothing left to do. While
 * a channel of a higher priority is ready, the work of a channel runs for one slice of time in
 * every VSM_TURN. When it is queued before this time is over, it does not run: it goes to the list
 * of the works that wait, and its timer queues it again. No channel is therefore delayed for ever.
 * When the last ready channel of a higher priority has nothing left to do, the works that wait are
 * queued at once.
 *
 * A job is not charged for the time in which its channel waits, because for the time limit the work
 * is then still in the queue: it has not begun.
 */

/* A channel that gives way runs for one slice in every VSM_TURN. */
#define VSM_TURN	(10 * NSEC_PER_MSEC)

/* How many works are queued before the lock is dropped for a moment. */
#define VSM_TURN_BATCH	32

void vsm_priorities_init(struct vsm_device *vdev)
{
	struct vsm_priorities *priorities = &vdev->priorities;
	int i;

	spin_lock_init(&priorities->lock);
	for (i = 0; i < VSM_PRIORITIES; i++)
		INIT_LIST_HEAD(&priorities->waiting[i]);
}

/*
 * Set the priority of a channel.
 * @work: The work of the channel, which has never been queued
 *
 * Until the first channel has another priority than the normal one, the works of the device do not
 * take the lock.
 */
static void vsm_priority_set(struct vsm_work *work, s32 priority)
{
	work->priority = priority - DRM_VSM_PRIORITY_LOW;
	if (priority != DRM_VSM_PRIORITY_NORMAL)
		WRITE_ONCE(work->vdev->priorities.used, true);
}

/* Is a channel ready whose priority is higher? */
static bool vsm_priority_has_above(const struct vsm_priorities *priorities, unsigned int priority)
{
	lockdep_assert_held(&priorities->lock);
	while (++priority < VSM_PRIORITIES)
		if (priorities->ready[priority])
			return true;
	return false;
}

/**
 * vsm_priority_gives_way - Does a work give way to others? Then it must not run now
 * @work: The work of a channel; it calls this itself when it begins
 *
 * Return: true if the work will be queued once more.
 */
static bool vsm_priority_gives_way(struct vsm_work *work)
{
	struct vsm_priorities *priorities = &work->vdev->priorities;
	s64 next = work->looked + VSM_TURN;
	bool waits;

	if (!READ_ONCE(priorities->used))
		return false;
	spin_lock(&priorities->lock);
	list_del_init(&work->waiting);
	if (!work->ready)
		priorities->ready[work->priority]++;
	WRITE_ONCE(work->ready, true);
	waits = !READ_ONCE(work->stopping) && vsm_priority_has_above(priorities, work->priority) &&
		ktime_to_ns(ktime_get()) < next;
	if (waits)
		list_add_tail(&work->waiting, &priorities->waiting[work->priority]);
	spin_unlock(&priorities->lock);
	/* If the work is queued at the same time, the timer queues it once more than needed. */
	if (waits)
		hrtimer_start(&work->timer, ns_to_ktime(next), HRTIMER_MODE_ABS);
	return waits;
}

/* Queue some of the works of this priority that wait, if they need not wait any more. */
static unsigned int vsm_priority_release(struct vsm_priorities *priorities, unsigned int priority)
{
	struct vsm_work *work;
	unsigned int n = 0;

	spin_lock(&priorities->lock);
	while (n < VSM_TURN_BATCH && !vsm_priority_has_above(priorities, priority)) {
		work = list_first_entry_or_null(&priorities->waiting[priority], struct vsm_work,
						waiting);
		if (!work)
			break;
		list_del_init(&work->waiting);
		queue_work(work->vdev->wq, &work->base);
		n++;
	}
	spin_unlock(&priorities->lock);
	return n;
}

/**
 * vsm_priority_leave - The channel is not ready any more
 * @work: The work of the channel, which calls this itself, or does not run and is not queued
 */
static void vsm_priority_leave(struct vsm_work *work)
{
	struct vsm_priorities *priorities = &work->vdev->priorities;
	unsigned int priority = work->priority;
	bool left;

	/* The works of a device without priorities do not take the lock. */
	if (!READ_ONCE(work->ready))
		return;
	spin_lock(&priorities->lock);
	/* If a launch queues the work while its channel stops, both leave: count one of them. */
	left = work->ready;
	WRITE_ONCE(work->ready, false);
	priorities->ready[priority] -= left;
	spin_unlock(&priorities->lock);
	while (priority--)
		while (vsm_priority_release(priorities, priority) == VSM_TURN_BATCH)
			cond_resched();
}

/* --- the work -------------------------------------------------------------------- */

/*
 * The work of a channel. The works of all channels share the device's workqueue, and take turns: a
 * work that has run for a slice of time goes to the end of the queue.
 *
 * A job has a time limit. The job is charged for the time in which the work of its channel
 * runs, and for the time in which the work waits until one of the job's operations is due. It is
 * not charged for the time in which the work waits in the queue, nor for the time in which other
 * tasks have the processor.
 *
 * The same times count as the time for which the channel is busy, even without a job. fdinfo shows
 * it.
 */

/* How long a work runs before it goes to the end of the queue. */
#define VSM_CHANNEL_SLICE	(1 * NSEC_PER_MSEC)

static enum hrtimer_restart vsm_work_timer(struct hrtimer *timer)
{
	vsm_work_queue(container_of(timer, struct vsm_work, timer));
	return HRTIMER_NORESTART;
}

static void vsm_work_init(struct vsm_work *work, struct vsm_device *vdev, work_func_t func)
{
	work->vdev = vdev;
	INIT_WORK(&work->base, func);
	hrtimer_setup(&work->timer, vsm_work_timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	spin_lock_init(&work->busy_lock);
	INIT_LIST_HEAD(&work->waiting);
	work->kcov = kcov_common_handle();
}

/* The work has nothing left to do, but the timer or an in-fence may have queued it once more. */
static void vsm_work_fini(struct vsm_work *work)
{
	hrtimer_cancel(&work->timer);
	cancel_work_sync(&work->base);
}

/*
 * Queue the work. From now until the work begins to run, no job is charged: the works of other
 * channels may be running. Context: any.
 */
void vsm_work_queue(struct vsm_work *work)
{
	if (READ_ONCE(work->timed))
		atomic64_cmpxchg(&work->queued, 0, ktime_to_ns(ktime_get()));
	queue_work(work->vdev->wq, &work->base);
}

/**
 * vsm_work_queue_at - Queue the work at a time, or when the time limit is over if that is earlier
 * @work: The work of a channel; it calls this itself
 * @due: Time (CLOCK_MONOTONIC, ns). Of several times in one round of the work, the earliest counts
 */
void vsm_work_queue_at(struct vsm_work *work, s64 due)
{
	if (work->due)
		due = min(due, work->due);
	work->due = due;
	if (work->timed)
		due = min(due, work->looked + work->left);
	hrtimer_start(&work->timer, ns_to_ktime(due), HRTIMER_MODE_ABS);
}

/*
 * Look at the time, and charge the job for the time since the last look, which also counts as busy:
 * at most one slice, and at most one more slice for each VSM_CORE_PIECE of a large operation. If
 * more time has passed, other tasks had the processor. If the work @ends, the channel stays busy
 * until the next operation is due, but not while the work is in the queue. Returns the time.
 */
static s64 vsm_work_look(struct vsm_work *work, bool ends)
{
	s64 most = VSM_CHANNEL_SLICE * (1 + work->moved / VSM_CORE_PIECE);
	s64 now, spent;

	spin_lock(&work->busy_lock);
	/* Within the lock: vsm_work_busy() must not have seen a later time. */
	now = ktime_to_ns(ktime_get());
	spent = clamp_t(s64, now - work->looked, 0, most);
	/* An operation that is not due yet keeps the channel busy, whoever has the processor. */
	work->busy += max(spent, min(now, work->due) - work->looked);
	work->looked = now;
	if (ends)
		work->busy_until = work->idle ? max(now, work->due) : now;
	else
		work->busy_until = now + VSM_CHANNEL_SLICE;
	spin_unlock(&work->busy_lock);
	if (work->timed)
		work->left -= spent;
	return now;
}

/**
 * vsm_work_set_limit - Start or end a time limit
 * @work: The work of a channel; it calls this itself
 * @limit: Time (ns), or 0 for none
 */
void vsm_work_set_limit(struct vsm_work *work, s64 limit)
{
	if (limit)
		vsm_work_look(work, false);
	WRITE_ONCE(work->timed, limit);
	work->left = limit;
}

/*
 * The work begins to run. If the work had nothing left to do when it last ended, the job has since
 * then waited until its operations were due. That ended when the work was queued again, and the
 * job is charged for it.
 */
static void vsm_work_begin(struct vsm_work *work)
{
	s64 queued = atomic64_xchg(&work->queued, 0);
	s64 now, looked = work->looked;

	spin_lock(&work->busy_lock);
	now = ktime_to_ns(ktime_get());
	/* If an operation was waiting for its time, the channel was busy until then. */
	work->busy += max_t(s64, min(now, work->busy_until) - looked, 0);
	work->looked = now;
	work->busy_until = now + VSM_CHANNEL_SLICE;
	spin_unlock(&work->busy_lock);
	if (work->idle && work->timed)
		work->left -= max_t(s64, (queued ?: now) - looked, 0);
	work->idle = false;
	kcov_remote_start_common(work->kcov);
}

static void vsm_work_count_moved(struct vsm_work *work)
{
	/* Read by vsm_work_moved(). */
	WRITE_ONCE(work->moved_before, work->moved_before + work->moved);
	work->moved = 0;
}

/* Look at the time. Returns true until the slice that began at @start is over. */
bool vsm_work_has_time(struct vsm_work *work, s64 start)
{
	s64 now = vsm_work_look(work, false);

	vsm_work_count_moved(work);
	return now < start + VSM_CHANNEL_SLICE;
}

/* The work ends; it is queued once more unless it is idle. */
static void vsm_work_end(struct vsm_work *work)
{
	vsm_work_look(work, true);
	vsm_work_count_moved(work);
	if (!work->idle)
		queue_work(work->vdev->wq, &work->base);
	kcov_remote_stop();
}

/*
 * For how long has the channel been busy? This includes the operation that is running, and the
 * time since which the next operation has been waiting for its time. The result never decreases.
 * Context: process context. The result is in ns.
 */
static u64 vsm_work_busy(struct vsm_work *work)
{
	s64 now, busy;

	spin_lock(&work->busy_lock);
	now = ktime_to_ns(ktime_get());
	busy = work->busy + max_t(s64, min(now, work->busy_until) - work->looked, 0);
	spin_unlock(&work->busy_lock);
	return busy;
}

/* --- operations ------------------------------------------------------------------ */

/*
 * Operations that have been launched on a channel: in which order, and when, they are performed
 * (struct vsm_model).
 *
 * A cp.async.mbarrier.arrive is performed after all operations that were issued before it, in
 * whatever order those are shuffled. When it is performed, the copies that it waits for are done.
 */

/* How long a stopped channel still performs operations of threads. */
#define VSM_DRAIN_TIME	HZ

/* Longer times of the model count as one hour, so that sums of them do not overflow. */
#define VSM_MODEL_MAX_NS	(3600 * (s64)NSEC_PER_SEC)

static void vsm_schedule_init(struct vsm_schedule *schedule, struct vsm_work *work)
{
	schedule->work = work;
	spin_lock_init(&schedule->lock);
	INIT_LIST_HEAD(&schedule->ops);
}

static bool vsm_model_is_timed(const struct vsm_model *model)
{
	return READ_ONCE(model->latency_ns) || READ_ONCE(model->bandwidth) ||
	       READ_ONCE(model->load_latency_ns) || READ_ONCE(model->load_bandwidth) ||
	       READ_ONCE(model->load_next_ns) || READ_ONCE(model->store_latency_ns) ||
	       READ_ONCE(model->store_bandwidth) || READ_ONCE(model->remote_latency_ns) ||
	       READ_ONCE(model->local_latency_ns);
}

/* Time in ns that the bytes of an operation take with a bandwidth, 0 for no limit. */
static u64 vsm_transfer_ns(const struct vsm_op *op, u64 bandwidth)
{
	return bandwidth ? min_t(u64, div64_u64((u64)op->tx * NSEC_PER_SEC, bandwidth),
				 VSM_MODEL_MAX_NS) : 0;
}

static bool vsm_op_is_load(const struct vsm_op *op)
{
	return op->moves & VSM_OP_FROM_BUFFER;
}

/* The latency that the way of the bytes adds. */
static u64 vsm_way_latency(const struct vsm_model *model, const struct vsm_op *op)
{
	if (vsm_op_is_load(op))
		return READ_ONCE(model->load_latency_ns);
	if (op->moves & VSM_OP_TO_BUFFER)
		return READ_ONCE(model->store_latency_ns);
	if (!(op->moves & VSM_OP_TO_WINDOW))
		return 0;
	return vsm_addr_rank(op->insn.u.copy.addr) != op->origin.cta
		? READ_ONCE(model->remote_latency_ns) : READ_ONCE(model->local_latency_ns);
}

/*
 * When to perform an operation that is launched now: its bytes follow those of all others. @next
 * says that loads were launched together with it and before it.
 */
static s64 vsm_schedule_due(struct vsm_schedule *schedule, const struct vsm_model *model,
			    const struct vsm_op *op, bool next)
{
	s64 now = ktime_to_ns(ktime_get());
	u64 transfer = vsm_transfer_ns(op, READ_ONCE(model->bandwidth));

	if (vsm_op_is_load(op)) {
		transfer += vsm_transfer_ns(op, READ_ONCE(model->load_bandwidth));
		if (next)
			transfer += min_t(u64, READ_ONCE(model->load_next_ns), VSM_MODEL_MAX_NS);
	} else if (op->moves & VSM_OP_TO_BUFFER) {
		transfer += vsm_transfer_ns(op, READ_ONCE(model->store_bandwidth));
	}
	schedule->free_at = max(schedule->free_at, now) + transfer;
	return schedule->free_at + min_t(u64, READ_ONCE(model->latency_ns), VSM_MODEL_MAX_NS) +
	       min_t(u64, vsm_way_latency(model, op), VSM_MODEL_MAX_NS);
}

/* Set when to perform each operation of a batch. */
static void vsm_schedule_time(struct vsm_schedule *schedule, const struct vsm_model *model,
			      struct list_head *batch)
{
	struct vsm_op *op;
	bool next = false;

	list_for_each_entry(op, batch, link) {
		op->due = vsm_schedule_due(schedule, model, op, next);
		next |= vsm_op_is_load(op);
	}
}

static int vsm_op_compare(void *unused, const struct list_head *a, const struct list_head *b)
{
	return list_entry(a, struct vsm_op, link)->key > list_entry(b, struct vsm_op, link)->key;
}

/*
 * Sort a batch into a random order, which depends on the seed and on the number of operations
 * shuffled before. Operations that were issued before a cp.async.mbarrier.arrive stay before it,
 * and those issued after it stay behind it.
 */
static void vsm_schedule_shuffle(struct vsm_schedule *schedule, struct list_head *batch, u64 seed)
{
	struct vsm_op *op;
	u64 place = 0;

	list_for_each_entry(op, batch, link) {
		bool arrive = op->insn.op == DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE;
		u64 random = hash_64(hash_64(seed, 64) + ++schedule->shuffled, 64);

		/* A batch has at most VSM_OP_BATCH operations, so 24 bits are enough for @place. */
		place += arrive;
		op->key = place << 40 | hash_64(random ^ random >> 29, 40);
		place += arrive;
	}
	list_sort(NULL, batch, vsm_op_compare);
}

/*
 * Launch operations.
 * @batch: Operations that have begun; empty afterwards, unchanged after an error
 *
 * The caller queues the channel's work afterwards.
 *
 * Returns 0, or -ENODEV if the channel has stopped.
 */
int vsm_schedule_add(struct vsm_schedule *schedule, struct list_head *batch)
{
	const struct vsm_model *model = &schedule->work->vdev->model;
	u64 seed = READ_ONCE(model->shuffle_seed);
	int ret = 0;

	spin_lock(&schedule->lock);
	if (schedule->error) {
		ret = -ENODEV;
	} else {
		if (seed)
			vsm_schedule_shuffle(schedule, batch, seed);
		if (vsm_model_is_timed(model))
			vsm_schedule_time(schedule, model, batch);
		list_splice_tail_init(batch, &schedule->ops);
	}
	spin_unlock(&schedule->lock);
	return ret;
}

static int vsm_schedule_perform_op(const struct vsm_schedule *schedule, struct vsm_op *op)
{
	u32 channel = READ_ONCE(schedule->work->channel);
	bool cookie = dma_fence_begin_signalling();
	int ret;

	if (vsm_is_recording())
		vsm_op_record_begin(op, channel);
	ret = vsm_op_is_injected(op) ? vsm_op_perform_injected(op, channel) : vsm_op_perform(op);
	if (ret == -EBUSY)
		vsm_engine_count_busy(op->cluster, &op->busy);
	if (ret == -EPROTO)
		vsm_cluster_refuse(op->cluster, &op->origin, op->source, &op->insn);
	dma_fence_end_signalling(cookie);
	if (ret == -EBUSY || ret == VSM_OP_LATER)
		return ret;
	op->end(op, ret ?: -op->fails);
	return 0;
}

/*
 * Does a channel that stops drop an operation? Until its drain deadline it still performs the
 * operations of threads, which have @drains set.
 */
static bool vsm_schedule_drops(const struct vsm_schedule *schedule, const struct vsm_op *op)
{
	return !op->drains || READ_ONCE(schedule->work->vdev->lost) ||
	       time_after(jiffies, schedule->drain_deadline);
}

/*
 * Take the first operation off the list, which is due, and those behind it that can be performed
 * together with it: at most VSM_RUN_OPS, and none after they have VSM_CORE_PIECE bytes together.
 * Returns their number.
 */
static u32 vsm_schedule_take(struct vsm_schedule *schedule, struct list_head *run)
{
	struct vsm_op *op, *last = list_first_entry(&schedule->ops, struct vsm_op, link);
	u32 count = 0, bytes = 0;

	lockdep_assert_held(&schedule->lock);
	if (!schedule->error && !vsm_is_recording() && !vsm_op_is_injected(last) &&
	    !READ_ONCE(schedule->work->vdev->model.split_bytes)) {
		list_for_each_entry(op, &schedule->ops, link) {
			if (!vsm_op_can_run(op))
				break;
			last = op;
			bytes += op->size;
			if (++count == VSM_RUN_OPS || bytes >= VSM_CORE_PIECE)
				break;
		}
	}
	list_cut_position(run, &schedule->ops, &last->link);
	schedule->performing = true;
	return max(count, 1U);
}

/*
 * Perform the operations of a run one by one. Afterwards @run has the operations that have not
 * ended, because the first of them has to wait.
 */
static int vsm_schedule_perform_ops(const struct vsm_schedule *schedule, struct list_head *run)
{
	struct vsm_op *op, *next;
	int ret;

	list_for_each_entry_safe(op, next, run, link) {
		list_del(&op->link);
		schedule->work->moved += op->size;
		ret = vsm_schedule_perform_op(schedule, op);
		if (ret) {
			schedule->work->moved -= op->size;
			list_add(&op->link, run);
			return ret;
		}
	}
	return 0;
}

/**
 * vsm_schedule_perform - Perform the next operations, if they are due
 * @schedule: Schedule of the channel, whose work calls this; it has an operation
 *
 * If the channel is stopping, no operation waits until it is due.
 *
 * Return: the number of operations that were taken off the list, 0 if none was due; some of them
 * are in the list again if they have to wait. -EBUSY if others keep writing the word that an
 * operation completes on: the work should end, so that other channels run first.
 */
static int vsm_schedule_perform(struct vsm_schedule *schedule)
{
	struct vsm_op *op;
	int error, ret = 0;
	LIST_HEAD(run);
	s64 due = 0;
	u32 count = 0;

	spin_lock(&schedule->lock);
	error = schedule->error;
	op = list_first_entry_or_null(&schedule->ops, struct vsm_op, link);
	if (op && !error && !vsm_op_is_released(op))
		due = op->due;
	if (due && due > ktime_to_ns(ktime_get()))
		op = NULL;
	if (op)
		count = vsm_schedule_take(schedule, &run);
	spin_unlock(&schedule->lock);

	if (!op) {
		vsm_work_queue_at(schedule->work, due);
		return 0;
	}
	if (error && vsm_schedule_drops(schedule, op)) {
		list_del_init(&op->link);
		schedule->work->moved += op->size;
		vsm_op_drop(op);
		op->end(op, -ECANCELED);
	} else {
		if (count > 1)
			schedule->work->moved += vsm_ops_perform_run(&run);
		ret = vsm_schedule_perform_ops(schedule, &run);
	}
	spin_lock(&schedule->lock);
	list_splice(&run, &schedule->ops);
	schedule->performing = false;
	spin_unlock(&schedule->lock);
	return ret < 0 ? ret : count;
}

/* Take a launched operation off the list. Only the channel's work calls this. */
void vsm_schedule_remove(struct vsm_schedule *schedule, struct vsm_op *op, struct list_head *to)
{
	spin_lock(&schedule->lock);
	list_move_tail(&op->link, to);
	spin_unlock(&schedule->lock);
}

/* The operations of a job have been dropped: the time that they would have taken is free again. */
void vsm_schedule_reset(struct vsm_schedule *schedule)
{
	spin_lock(&schedule->lock);
	schedule->free_at = 0;
	spin_unlock(&schedule->lock);
}

/* Stop: from now on nothing can be added, and no operation waits until it is due. */
static void vsm_schedule_stop(struct vsm_schedule *schedule, int error)
{
	spin_lock(&schedule->lock);
	if (!schedule->error) {
		schedule->drain_deadline = jiffies + VSM_DRAIN_TIME;
		schedule->error = error;
	}
	spin_unlock(&schedule->lock);
}

static bool vsm_schedule_is_idle(struct vsm_schedule *schedule)
{
	bool idle;

	spin_lock(&schedule->lock);
	idle = list_empty(&schedule->ops) && !schedule->performing;
	spin_unlock(&schedule->lock);
	return idle;
}

/* --- channels -------------------------------------------------------------------- */

/*
 * The work of a channel. It is queued whenever a job is submitted, an in-fence signals, operations
 * are launched, the time has come at which an operation is due, another channel of the group is
 * reset, or a rule changes. If the work is running at that moment, it runs once more afterwards,
 * and therefore misses nothing.
 */
static void vsm_channel_run(struct work_struct *base)
{
	struct vsm_channel *channel = container_of(base, struct vsm_channel, work.base);
	struct vsm_work *work = &channel->work;
	unsigned int steps = 0;
	int performed, stepped;
	s64 start;

	if (vsm_priority_gives_way(work))
		return;
	vsm_work_begin(work);
	start = work->looked;
	do {
		/*
		 * Operations and jobs take turns: neither waits until nothing is left of the other.
		 */
		work->due = 0;
		/* Before the time limit: a job that is cancelled must not count as late, too. */
		if (unlikely(READ_ONCE(channel->jobs.cancels_running)))
			vsm_jobs_cancel_running(&channel->jobs);
		/* When the channel stops, even a late job ends with the error of the stop. */
		if (vsm_work_is_late(work) && !READ_ONCE(channel->jobs.error))
			vsm_jobs_reset(&channel->jobs, -ETIMEDOUT, true);
		performed = vsm_schedule_is_empty(&channel->schedule) ?
				0 : vsm_schedule_perform(&channel->schedule);
		stepped = vsm_jobs_step(&channel->jobs);
		work->idle = !performed && !stepped;
		if (work->idle || performed < 0 || stepped < 0)
			break;
		cond_resched();
		steps += max(performed, 1);
	} while (vsm_work_goes_on(work, start, &steps));
	vsm_work_end(work);
	/* A channel that has something left to do stays ready. */
	if (work->idle)
		vsm_priority_leave(work);
}

static struct vsm_channel *vsm_channel_create(struct vsm_device *vdev, bool out_of_order,
					      s32 priority)
{
	struct vsm_channel *channel = kzalloc(sizeof(*channel), GFP_KERNEL_ACCOUNT);

	if (!channel)
		return NULL;
	kref_init(&channel->ref);
	vsm_work_init(&channel->work, vdev, vsm_channel_run);
	vsm_priority_set(&channel->work, priority);
	vsm_schedule_init(&channel->schedule, &channel->work);
	vsm_jobs_init(&channel->jobs, &channel->work, &channel->schedule);
	channel->jobs.out_of_order = out_of_order;
	return channel;
}

static void vsm_channel_free(struct kref *ref)
{
	struct vsm_channel *channel = container_of(ref, struct vsm_channel, ref);

	vsm_reset_group_put(channel->jobs.group);
	kfree(channel);
}

void vsm_channel_put(struct vsm_channel *channel)
{
	kref_put(&channel->ref, vsm_channel_free);
}

/*
 * Stop a channel: its jobs end with an error, and later ones are refused. When this returns, no job
 * is queued or running, and no launched operation is left.
 */
static void vsm_channel_stop(struct vsm_channel *channel, int error)
{
	vsm_reset_group_leave(&channel->jobs);
	/*
	 * In this order: a job whose operations are dropped must find the error that it ends with.
	 */
	vsm_jobs_stop(&channel->jobs, error);
	vsm_schedule_stop(&channel->schedule, error);

	WRITE_ONCE(channel->work.stopping, true);

	/* The work gives way to other channels now and then. Queue it until nothing is left. */
	do {
		queue_work(channel->work.vdev->wq, &channel->work.base);
		flush_work(&channel->work.base);
	} while (!vsm_jobs_are_idle(&channel->jobs) || !vsm_schedule_is_idle(&channel->schedule));
	vsm_work_fini(&channel->work);
	vsm_priority_leave(&channel->work);
}

/*
 * Launch operations of threads.
 * @batch: Operations that have begun; empty afterwards, unchanged after an error
 *
 * Returns 0, or -ENODEV if the channel has stopped.
 */
int vsm_channel_launch(struct vsm_channel *channel, struct list_head *batch)
{
	int ret = vsm_schedule_add(&channel->schedule, batch);

	if (!ret)
		vsm_work_queue(&channel->work);
	return ret;
}

static void vsm_channel_add_usage(struct vsm_channel *channel, unsigned int id,
				  struct vsm_channels_usage *usage)
{
	u64 moved = vsm_work_moved(&channel->work);

	usage->busy += vsm_work_busy(&channel->work);
	usage->moved += moved;
	usage->exist |= BIT(id);
	usage->channel_moved[id] = moved;
}

/* Find out what the copy engine has done for a client, whose file is open. */
void vsm_channels_get_usage(struct vsm_client *client, struct vsm_channels_usage *usage)
{
	struct vsm_channels *channels = client->channels;
	struct vsm_channel *channel;
	unsigned long id;

	BUILD_BUG_ON(ARRAY_SIZE(usage->channel_moved) > BITS_PER_TYPE(usage->exist));
	xa_lock(&channels->others);
	*usage = (struct vsm_channels_usage) {
		.busy = channels->past_busy,
		.moved = channels->past_moved,
	};
	vsm_channel_add_usage(channels->first, 0, usage);
	xa_for_each(&channels->others, id, channel)
		vsm_channel_add_usage(channel, id, usage);
	xa_unlock(&channels->others);
}

/* Give a new client its first channel. Returns 0 or -ENOMEM. */
int vsm_channels_create(struct vsm_client *client)
{
	struct vsm_channels *channels = kzalloc(sizeof(*channels), GFP_KERNEL_ACCOUNT);

	if (!channels)
		return -ENOMEM;
	channels->first = vsm_channel_create(client->vdev, false, DRM_VSM_PRIORITY_NORMAL);
	if (!channels->first) {
		kfree(channels);
		return -ENOMEM;
	}
	xa_init_flags(&channels->others, XA_FLAGS_ALLOC1);
	client->channels = channels;
	return 0;
}

/* Queue the works of all channels: a rule that may have made some stand still has changed. */
void vsm_channels_queue(struct vsm_client *client)
{
	struct vsm_channels *channels = client->channels;
	struct vsm_channel *channel;
	unsigned long id;

	xa_lock(&channels->others);
	vsm_work_queue(&channels->first->work);
	xa_for_each(&channels->others, id, channel)
		vsm_work_queue(&channel->work);
	xa_unlock(&channels->others);
}

/*
 * Stop all channels of a client.
 * @error: Error with which their jobs end
 *
 * Context: the caller holds &vsm_device.clients_lock, or no other task can reach the client.
 */
void vsm_channels_stop(struct vsm_client *client, int error)
{
	struct vsm_channels *channels = client->channels;
	struct vsm_channel *channel;
	unsigned long id;

	vsm_channel_stop(channels->first, error);
	xa_for_each(&channels->others, id, channel)
		vsm_channel_stop(channel, error);
}

/* Free the channels of a client. They have stopped, and no other task can reach the client. */
void vsm_channels_free(struct vsm_client *client)
{
	struct vsm_channels *channels = client->channels;
	struct vsm_channel *channel;
	unsigned long id;

	xa_for_each(&channels->others, id, channel)
		vsm_channel_put(channel);
	xa_destroy(&channels->others);
	vsm_channel_put(channels->first);
	kfree(channels);
	client->channels = NULL;
}

/* Find the channel with a number, and take a reference. Returns NULL if there is none. */
struct vsm_channel *vsm_channel_find(struct vsm_client *client, u32 id)
{
	struct vsm_channels *channels = client->channels;
	struct vsm_channel *channel = channels->first;

	if (!id) {
		kref_get(&channel->ref);
		return channel;
	}
	xa_lock(&channels->others);
	channel = xa_load(&channels->others, id);
	if (channel)
		kref_get(&channel->ref);
	xa_unlock(&channels->others);
	return channel;
}

/*
 * Let a new channel join a group. If the client has a group with this number, the channel joins it.
 * Otherwise the channel joins @group, which is new.
 */
static void vsm_channel_join(struct vsm_client *client, struct vsm_channel *channel,
			     struct vsm_reset_group *group)
{
	struct vsm_channel *other;
	unsigned long id;

	lockdep_assert_held(&client->vdev->clients_lock);
	xa_for_each(&client->channels->others, id, other) {
		if (other->jobs.group && other->jobs.group->number == group->number) {
			group = other->jobs.group;
			break;
		}
	}
	vsm_reset_group_join(group, &channel->jobs);
}

int vsm_channel_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vsm_device *vdev = to_vsm_device(drm);
	struct vsm_client *client = file->driver_priv;
	struct drm_vsm_channel_create *args = data;
	struct vsm_reset_group *group = NULL;
	struct vsm_channel *channel;
	int ret;

	if (args->flags & ~DRM_VSM_CHANNEL_OUT_OF_ORDER)
		return vsm_invalid(drm, "CHANNEL_CREATE", "flags");
	if (args->priority < DRM_VSM_PRIORITY_LOW || args->priority > DRM_VSM_PRIORITY_HIGH)
		return vsm_invalid(drm, "CHANNEL_CREATE", "priority");
	if (args->priority && !vsm_device_has(vdev, DRM_VSM_FEATURE_PRIORITY))
		return -EOPNOTSUPP;
	if (args->group && !vsm_device_has(vdev, DRM_VSM_FEATURE_GROUP))
		return -EOPNOTSUPP;
	/* Otherwise any user could delay the channels of all others. */
	if (args->priority > DRM_VSM_PRIORITY_NORMAL && !capable(CAP_SYS_NICE))
		return -EACCES;
	channel = vsm_channel_create(vdev, args->flags & DRM_VSM_CHANNEL_OUT_OF_ORDER,
				     args->priority);
	if (!channel)
		return -ENOMEM;
	if (args->group) {
		group = vsm_reset_group_create(args->group);
		if (!group) {
			vsm_channel_put(channel);
			return -ENOMEM;
		}
	}

	/*
	 * Either the device is lost already, or vsm_files_unplug() finds the new channel and stops
	 * it.
	 */
	mutex_lock(&vdev->clients_lock);
	if (READ_ONCE(vdev->lost))
		ret = -ENODEV;
	else
		ret = xa_alloc(&client->channels->others, &args->channel, NULL,
			       XA_LIMIT(1, vdev->max_channels - 1), GFP_KERNEL_ACCOUNT);
	if (!ret) {
		/* Another task may use the channel as soon as it is stored. */
		channel->work.channel = args->channel;
		if (group)
			vsm_channel_join(client, channel, group);
		xa_store(&client->channels->others, args->channel, channel, GFP_KERNEL_ACCOUNT);
	}
	mutex_unlock(&vdev->clients_lock);
	vsm_reset_group_put(group);
	if (ret)
		vsm_channel_put(channel);
	return ret == -EBUSY ? -ENOSPC : ret;
}

int vsm_channel_destroy_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vsm_device *vdev = to_vsm_device(drm);
	struct vsm_client *client = file->driver_priv;
	struct drm_vsm_channel_destroy *args = data;
	struct vsm_channels *channels = client->channels;
	struct vsm_channel *channel;
	u64 busy = 0, moved = 0;

	if (args->flags || !args->channel)
		return vsm_invalid(drm, "CHANNEL_DESTROY", args->flags ? "flags" : "channel");
	mutex_lock(&vdev->clients_lock);
	xa_lock(&channels->others);
	channel = __xa_erase(&channels->others, args->channel);
	if (channel) {
		busy = vsm_work_busy(&channel->work);
		moved = vsm_work_moved(&channel->work);
		channels->past_busy += busy;
		channels->past_moved += moved;
	}
	xa_unlock(&channels->others);
	mutex_unlock(&vdev->clients_lock);
	if (!channel)
		return -ENOENT;
	vsm_channel_stop(channel, -ECANCELED);
	xa_lock(&channels->others);
	channels->past_busy += vsm_work_busy(&channel->work) - busy;
	channels->past_moved += vsm_work_moved(&channel->work) - moved;
	xa_unlock(&channels->others);
	vsm_channel_put(channel);
	return 0;
}

int vsm_channel_status_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vsm_client *client = file->driver_priv;
	struct drm_vsm_channel_status *args = data;
	struct vsm_channel *channel;

	if (args->flags & ~DRM_VSM_CHANNEL_STATUS_CLEAR)
		return vsm_invalid(drm, "CHANNEL_STATUS", "flags");
	channel = vsm_channel_find(client, args->channel);
	if (!channel)
		return -ENOENT;
	vsm_jobs_get_reset_status(&channel->jobs, args);
	vsm_channel_put(channel);
	return 0;
}
