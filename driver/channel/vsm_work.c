// SPDX-License-Identifier: GPL-2.0-only
/*
 * The work of a channel. The works of all channels share the device's workqueue, and take turns: a
 * work that has run for a slice of time goes to the end of the queue.
 *
 * A job may have a time limit. The job is charged for the time in which the work of its channel
 * runs, and for the time in which the work waits until one of the job's operations is due. It is
 * not charged for the time in which the work waits in the queue, nor for the time in which other
 * tasks have the processor.
 *
 * For as long as that a channel also counts as busy, with or without a job: fdinfo shows this time.
 */
#include <linux/ktime.h>

#include "channel/vsm_work.h"
#include "vsm_compat.h"
#include "vsm_drv.h"

/* How long a work runs before it goes to the end of the queue. */
#define VSM_CHANNEL_SLICE	(1 * NSEC_PER_MSEC)

/* Time limit of a job that a rule stalls on a device that has no time limit */
#define VSM_STALL_LIMIT		(30 * (s64)NSEC_PER_SEC)

static enum hrtimer_restart vsm_work_timer(struct hrtimer *timer)
{
	vsm_work_queue(container_of(timer, struct vsm_work, timer));
	return HRTIMER_NORESTART;
}

void vsm_work_init(struct vsm_work *work, struct vsm_device *vdev, work_func_t func)
{
	work->vdev = vdev;
	INIT_WORK(&work->base, func);
	hrtimer_setup(&work->timer, vsm_work_timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	spin_lock_init(&work->busy_lock);
	INIT_LIST_HEAD(&work->waiting);
	work->kcov = kcov_common_handle();
}

/* The work has nothing left to do, but the timer or an in-fence may have queued it once more. */
void vsm_work_fini(struct vsm_work *work)
{
	hrtimer_cancel(&work->timer);
	cancel_work_sync(&work->base);
}

/**
 * vsm_work_queue - Queue the work
 * @work: The work of a channel
 *
 * From now until the work begins to run, no job is charged: the works of other channels may be
 * running.
 *
 * Context: any.
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

/**
 * vsm_work_stall - A rule makes the channel stand still
 * @work: The work of a channel; it calls this itself
 *
 * The job that is running gets a time limit even if the device has none: it has a fence, for which
 * others wait.
 */
void vsm_work_stall(struct vsm_work *work)
{
	if (!work->timed)
		vsm_work_set_limit(work, VSM_STALL_LIMIT);
}

/**
 * vsm_work_begin - The work begins to run
 * @work: The work of a channel
 *
 * If the work had nothing left to do when it last ended, the job has since then waited until its
 * operations were due. That ended when the work was queued again, and the job is charged for it.
 */
void vsm_work_begin(struct vsm_work *work)
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

/**
 * vsm_work_end - The work ends; it is queued once more unless it is idle
 * @work: The work of a channel
 */
void vsm_work_end(struct vsm_work *work)
{
	vsm_work_look(work, true);
	vsm_work_count_moved(work);
	if (!work->idle)
		queue_work(work->vdev->wq, &work->base);
	kcov_remote_stop();
}

/**
 * vsm_work_busy - For how long has the channel been busy?
 * @work: The work of a channel
 *
 * This includes the operation that is running, and the time since which the next operation has been
 * waiting for its time. The result never decreases.
 *
 * Context: process context.
 *
 * Return: Time in ns.
 */
u64 vsm_work_busy(struct vsm_work *work)
{
	s64 now, busy;

	spin_lock(&work->busy_lock);
	now = ktime_to_ns(ktime_get());
	busy = work->busy + max_t(s64, min(now, work->busy_until) - work->looked, 0);
	spin_unlock(&work->busy_lock);
	return busy;
}
