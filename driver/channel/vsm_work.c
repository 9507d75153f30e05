// SPDX-License-Identifier: GPL-2.0-only
/*
 * The work of a channel. The works of all channels share the device's workqueue, and take turns: a
 * work that has run for a slice of time goes to the end of the queue.
 *
 * A job may have a time limit. The job is charged for the time in which the work of its channel
 * runs, and for the time in which the work waits until one of the job's operations is due. It is
 * not charged for the time in which the work waits in the queue, nor for the time in which other
 * tasks have the processor.
 */
#include <linux/ktime.h>

#include "channel/vsm_work.h"
#include "vsm_compat.h"
#include "vsm_drv.h"

/* How long a work runs before it goes to the end of the queue. */
#define VSM_CHANNEL_SLICE	(1 * NSEC_PER_MSEC)

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
 * @due: Time (CLOCK_MONOTONIC, ns)
 */
void vsm_work_queue_at(struct vsm_work *work, s64 due)
{
	if (work->timed)
		due = min(due, work->looked + work->left);
	hrtimer_start(&work->timer, ns_to_ktime(due), HRTIMER_MODE_ABS);
}

/**
 * vsm_work_set_limit - Start or end a time limit
 * @work: The work of a channel; it calls this itself
 * @limit: Time (ns), or 0 for none
 */
void vsm_work_set_limit(struct vsm_work *work, s64 limit)
{
	WRITE_ONCE(work->timed, limit);
	work->left = limit;
	if (limit)
		work->looked = ktime_to_ns(ktime_get());
}

/* Take the time since the last look, but no more than @most, from the time limit. */
static void vsm_work_charge(struct vsm_work *work, s64 now, s64 most)
{
	if (work->timed)
		work->left -= clamp_t(s64, now - work->looked, 0, most);
	work->looked = now;
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
	s64 now = ktime_to_ns(ktime_get());
	s64 queued = atomic64_xchg(&work->queued, 0);

	if (work->idle)
		vsm_work_charge(work, queued ?: now, S64_MAX);
	work->idle = false;
	work->looked = now;
	kcov_remote_start_common(work->kcov);
}

/*
 * Look at the time, and charge the job: for at most one slice since the last look, and for at most
 * one more slice for each VSM_CORE_PIECE of a large operation. If more time has passed, other tasks
 * had the processor.
 */
static void vsm_work_look(struct vsm_work *work)
{
	vsm_work_charge(work, ktime_to_ns(ktime_get()),
			VSM_CHANNEL_SLICE * (1 + work->moved / VSM_CORE_PIECE));
	work->moved = 0;
}

/*
 * Look at the time, and charge the job. Returns true until the slice that began at @start is over.
 */
bool vsm_work_has_time(struct vsm_work *work, s64 start)
{
	vsm_work_look(work);
	return work->looked < start + VSM_CHANNEL_SLICE;
}

/**
 * vsm_work_end - The work ends; it is queued once more unless it is idle
 * @work: The work of a channel
 */
void vsm_work_end(struct vsm_work *work)
{
	vsm_work_look(work);
	if (!work->idle)
		queue_work(work->vdev->wq, &work->base);
	kcov_remote_stop();
}
