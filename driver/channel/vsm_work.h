/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The work of a channel: when it runs, for how long, and how much of that a job is charged for.
 */
#ifndef _VSM_WORK_H_
#define _VSM_WORK_H_

#include <linux/atomic.h>
#include <linux/hrtimer.h>
#include <linux/kcov.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "core/vsm_core.h"

/* The work looks at the time after this many steps. */
#define VSM_CHANNEL_STEPS	64

struct vsm_device;

/**
 * struct vsm_work - The work of a channel
 * @kcov: Handle of the task that created the channel; the code that @base runs counts as covered by
 *	this task
 * @vdev: Device
 * @channel: Number of the channel among those of the client
 * @base: The work for the workqueue
 * @timer: Queues @base at a time
 * @queued: Time at which the work was queued, for the first time since it last began to run
 *	(CLOCK_MONOTONIC, ns); 0 if it was not queued, or if no time limit was running then
 * @timed: A time limit is running
 * @left: Time that is left of the time limit (ns)
 * @busy_lock: Protects @looked, @busy and @busy_until, which only the work changes: it reads them
 *	without the lock
 * @looked: When the work last looked at the time (CLOCK_MONOTONIC, ns)
 * @busy: Time before @looked in which the channel was busy (ns)
 * @busy_until: From @looked until this time the channel is busy (CLOCK_MONOTONIC, ns)
 * @due: When the next operation is due (CLOCK_MONOTONIC, ns); 0 if none waits for its time
 * @moved: Bytes that the work has moved since @looked
 * @moved_before: Bytes that the work moved before; only the work changes this
 * @idle: The work had nothing left to do when it last ended
 * @priority: Priority of the channel, from 0 to VSM_PRIORITIES - 1; constant
 * @ready: The channel counts in &vsm_priorities.ready
 * @stopping: The channel is being stopped, and does not give way any more
 * @waiting: In &vsm_priorities.waiting while the work gives way to others; protected by
 *	&vsm_priorities.lock
 *
 * Only the work itself uses @left, @due, @moved, @idle and @ready, and only the work changes
 * @timed.
 */
struct vsm_work {
	typeof(kcov_common_handle()) kcov; /* a u64, in newer kernels a struct */
	struct vsm_device *vdev;
	u32 channel;
	struct work_struct base;
	struct hrtimer timer;
	atomic64_t queued;
	bool timed;
	s64 left;
	spinlock_t busy_lock; /* looked, busy, busy_until */
	s64 looked;
	s64 busy;
	s64 busy_until;
	s64 due;
	u64 moved;
	u64 moved_before;
	bool idle;
	unsigned int priority;
	bool ready;
	bool stopping;
	struct list_head waiting;
};

void vsm_work_init(struct vsm_work *work, struct vsm_device *vdev, work_func_t func);
void vsm_work_fini(struct vsm_work *work);
void vsm_work_queue(struct vsm_work *work);
void vsm_work_queue_at(struct vsm_work *work, s64 due);
void vsm_work_begin(struct vsm_work *work);
bool vsm_work_has_time(struct vsm_work *work, s64 start);
void vsm_work_end(struct vsm_work *work);
void vsm_work_stall(struct vsm_work *work);
void vsm_work_set_limit(struct vsm_work *work, s64 limit);
u64 vsm_work_busy(struct vsm_work *work);

/* Bytes that the channel has moved when its work last looked at the time. */
static inline u64 vsm_work_moved(const struct vsm_work *work)
{
	return READ_ONCE(work->moved_before);
}

/* Is the time limit over? */
static inline bool vsm_work_is_late(const struct vsm_work *work)
{
	return work->timed && work->left <= 0;
}

/**
 * vsm_work_goes_on - May the work continue?
 * @work: The work of a channel
 * @start: When the work began (CLOCK_MONOTONIC, ns)
 * @steps: Steps that the work has done since it last looked at the time; set to 0 if it looks now
 *
 * Return: false if its slice of time is over.
 */
static inline bool vsm_work_goes_on(struct vsm_work *work, s64 start, unsigned int *steps)
{
	if (*steps < VSM_CHANNEL_STEPS && work->moved < VSM_CORE_PIECE)
		return true;
	*steps = 0;
	return vsm_work_has_time(work, start);
}

#endif
