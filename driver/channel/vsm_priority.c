// SPDX-License-Identifier: GPL-2.0-only
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
#include <linux/ktime.h>
#include <linux/sched.h>

#include "channel/vsm_priority.h"
#include "vsm_drv.h"

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

/**
 * vsm_priority_set - Set the priority of a channel
 * @work: The work of the channel, which has never been queued
 * @priority: &enum drm_vsm_priority
 *
 * Until the first channel has another priority than the normal one, the works of the device do not
 * take the lock.
 */
void vsm_priority_set(struct vsm_work *work, s32 priority)
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
bool vsm_priority_gives_way(struct vsm_work *work)
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
void vsm_priority_leave(struct vsm_work *work)
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

/* The work ends. A channel that has something left to do stays ready. */
void vsm_priority_ends(struct vsm_work *work)
{
	if (work->idle)
		vsm_priority_leave(work);
}
