// SPDX-License-Identifier: GPL-2.0-only
/*
 * The work of a channel. Channels run beside each other on the device's workqueue, and take turns:
 * a work that has run for a slice of time goes to the end of the queue.
 *
 * A job may have a time limit. The job is charged with the time in which its channel works, or
 * waits for the job's own operations; not with the time in which other channels have the workers
 * or other tasks the processor.
 */
#include <linux/ktime.h>

#include "channel/vsm_work.h"
#include "vsm_compat.h"
#include "vsm_drv.h"

/* How long a channel keeps a worker while others may wait for one. */
#define VSM_CHANNEL_SLICE	(1 * NSEC_PER_MSEC)

static enum hrtimer_restart vsm_worker_timer(struct hrtimer *timer)
{
	vsm_worker_queue(container_of(timer, struct vsm_worker, timer));
	return HRTIMER_NORESTART;
}

void vsm_worker_init(struct vsm_worker *worker, struct vsm_device *vdev, work_func_t func)
{
	worker->vdev = vdev;
	INIT_WORK(&worker->work, func);
	hrtimer_setup(&worker->timer, vsm_worker_timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	worker->kcov = kcov_common_handle();
}

/* The work has nothing to do any more, but the timer or a fence may have queued it. */
void vsm_worker_fini(struct vsm_worker *worker)
{
	hrtimer_cancel(&worker->timer);
	cancel_work_sync(&worker->work);
}

/**
 * vsm_worker_queue - Have the work run
 * @worker: Worker
 *
 * A time limit stands still from now until the work runs: others may have the workers.
 *
 * Context: any.
 */
void vsm_worker_queue(struct vsm_worker *worker)
{
	if (READ_ONCE(worker->timed))
		atomic64_cmpxchg(&worker->queued, 0, ktime_to_ns(ktime_get()));
	queue_work(worker->vdev->wq, &worker->work);
}

/**
 * vsm_worker_queue_at - Have the work run at a time, or when the time limit is over
 * @worker: Worker, whose work calls this
 * @due: Time (CLOCK_MONOTONIC, ns)
 */
void vsm_worker_queue_at(struct vsm_worker *worker, s64 due)
{
	if (worker->timed)
		due = min(due, worker->looked + worker->left);
	hrtimer_start(&worker->timer, ns_to_ktime(due), HRTIMER_MODE_ABS);
}

/**
 * vsm_worker_set_limit - Start or end a time limit
 * @worker: Worker, whose work calls this
 * @limit: Time (ns), or 0 for none
 */
void vsm_worker_set_limit(struct vsm_worker *worker, s64 limit)
{
	WRITE_ONCE(worker->timed, limit);
	worker->left = limit;
	if (limit)
		worker->looked = ktime_to_ns(ktime_get());
}

/* Charge the time limit with the time up to @now, and with @most of it at most. */
static void vsm_worker_charge(struct vsm_worker *worker, s64 now, s64 most)
{
	if (worker->timed)
		worker->left -= clamp_t(s64, now - worker->looked, 0, most);
	worker->looked = now;
}

/**
 * vsm_worker_begin - The work begins to run
 * @worker: Worker
 *
 * If the work had nothing to do when it last ended, the job has waited for its operations from
 * then until the work was queued again.
 */
void vsm_worker_begin(struct vsm_worker *worker)
{
	s64 now = ktime_to_ns(ktime_get());
	s64 queued = atomic64_xchg(&worker->queued, 0);

	if (worker->idle)
		vsm_worker_charge(worker, queued ?: now, S64_MAX);
	worker->idle = false;
	worker->looked = now;
	kcov_remote_start_common(worker->kcov);
}

/*
 * Look at the time. Between two looks the work takes a slice at most, and one more for each
 * VSM_CORE_PIECE of a large operation. If more time has passed, other tasks had the processor.
 */
static void vsm_worker_look(struct vsm_worker *worker)
{
	vsm_worker_charge(worker, ktime_to_ns(ktime_get()),
			  VSM_CHANNEL_SLICE * (1 + worker->moved / VSM_CORE_PIECE));
	worker->moved = 0;
}

/* Look at the time: is the slice not over that began at @start? */
bool vsm_worker_has_time(struct vsm_worker *worker, s64 start)
{
	vsm_worker_look(worker);
	return worker->looked < start + VSM_CHANNEL_SLICE;
}

/**
 * vsm_worker_end - The work ends; unless it is idle it is queued once more
 * @worker: Worker
 */
void vsm_worker_end(struct vsm_worker *worker)
{
	vsm_worker_look(worker);
	if (!worker->idle)
		queue_work(worker->vdev->wq, &worker->work);
	kcov_remote_stop();
}
