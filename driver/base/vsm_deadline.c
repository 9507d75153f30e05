// SPDX-License-Identifier: GPL-2.0-only
/*
 * Deadlines of armed waits. All deadlines of a queue share one timer. The timer queues a work,
 * which ends the waits that have expired, in batches, and can be preempted. If the timer interrupt
 * ended them itself, a hundred thousand waits that expire at once would hold up the processor.
 */
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include <drm/drm_managed.h>

#include "base/vsm_deadline.h"
#include "vsm_compat.h"
#include "vsm_drv.h"

/* With so many queues two processors seldom need the same lock. */
#define VSM_DEADLINE_QUEUES	16

/**
 * struct vsm_deadlines - Deadlines that share a timer
 * @lock: Protects @head
 * @head: The deadlines, sorted by time
 * @timer: Goes off no later than the first deadline
 * @work: Ends the waits that have expired
 */
struct vsm_deadlines {
	spinlock_t lock; /* head */
	struct timerqueue_head head;
	struct hrtimer timer;
	struct work_struct work;
};

/* Make the timer go off at @time or before. If it goes off early, the work starts it again. */
static void vsm_deadlines_look_at(struct vsm_deadlines *queue, ktime_t time)
{
	lockdep_assert_held(&queue->lock);
	if (!hrtimer_is_queued(&queue->timer) || time < hrtimer_get_expires(&queue->timer))
		hrtimer_start(&queue->timer, time, HRTIMER_MODE_ABS);
}

static enum hrtimer_restart vsm_deadlines_timer(struct hrtimer *timer)
{
	queue_work(system_unbound_wq, &container_of(timer, struct vsm_deadlines, timer)->work);
	return HRTIMER_NORESTART;
}

/* End a batch of the waits that have expired. Returns false if no further wait has expired. */
static bool vsm_deadlines_expire(struct vsm_deadlines *queue, struct vsm_wakes *wakes)
{
	ktime_t now = ktime_get();
	unsigned int count;

	lockdep_assert_held(&queue->lock);
	for (count = 0; count < VSM_WAKE_BATCH; count++) {
		struct timerqueue_node *node = timerqueue_getnext(&queue->head);
		struct vsm_deadline *deadline = container_of(node, struct vsm_deadline, node);

		if (!node)
			return false;
		if (node->expires > now) {
			vsm_deadlines_look_at(queue, node->expires);
			return false;
		}
		timerqueue_del(&queue->head, node);
		deadline->expire(deadline, wakes);
	}
	return true;
}

static void vsm_deadlines_work(struct work_struct *work)
{
	struct vsm_deadlines *queue = container_of(work, struct vsm_deadlines, work);
	struct vsm_wakes wakes = {};
	bool more;

	do {
		spin_lock(&queue->lock);
		more = vsm_deadlines_expire(queue, &wakes);
		spin_unlock(&queue->lock);
		vsm_wakes_batch(&wakes);
		cond_resched();
	} while (more);
	vsm_wakes_run(&wakes);
}

/**
 * vsm_deadline_init - Initialise a deadline, without starting it
 * @vdev: Device
 * @deadline: Deadline, all zeros
 * @expire: Called when the deadline expires
 */
void vsm_deadline_init(struct vsm_device *vdev, struct vsm_deadline *deadline,
		       void (*expire)(struct vsm_deadline *deadline, struct vsm_wakes *wakes))
{
	timerqueue_init(&deadline->node);
	deadline->queue = &vdev->deadlines[raw_smp_processor_id() % VSM_DEADLINE_QUEUES];
	deadline->expire = expire;
}

/**
 * vsm_deadline_start - Start a deadline
 * @deadline: Deadline that is not running
 * @time: Time at which it expires (CLOCK_MONOTONIC, ns)
 */
void vsm_deadline_start(struct vsm_deadline *deadline, s64 time)
{
	struct vsm_deadlines *queue = deadline->queue;

	spin_lock(&queue->lock);
	/* vsm_wait_describe() reads this time without the lock. */
	WRITE_ONCE(deadline->node.expires, ns_to_ktime(time));
	timerqueue_add(&queue->head, &deadline->node);
	vsm_deadlines_look_at(queue, deadline->node.expires);
	spin_unlock(&queue->lock);
}

/**
 * vsm_deadline_stop - Stop a deadline
 * @deadline: Deadline, running or not
 *
 * When this returns, @expire is not running and will not be called. The timer is not changed.
 */
void vsm_deadline_stop(struct vsm_deadline *deadline)
{
	struct vsm_deadlines *queue = deadline->queue;

	spin_lock(&queue->lock);
	if (timerqueue_node_queued(&deadline->node))
		timerqueue_del(&queue->head, &deadline->node);
	spin_unlock(&queue->lock);
}

static void vsm_deadlines_fini(struct drm_device *drm, void *deadlines)
{
	struct vsm_deadlines *queue = deadlines;
	unsigned int i;

	/* No deadline is left, so the work will not start the timer again. */
	for (i = 0; i < VSM_DEADLINE_QUEUES; i++) {
		hrtimer_cancel(&queue[i].timer);
		cancel_work_sync(&queue[i].work);
	}
	kfree(deadlines);
}

int vsm_deadlines_init(struct vsm_device *vdev)
{
	struct vsm_deadlines *queue;
	unsigned int i;

	queue = kcalloc(VSM_DEADLINE_QUEUES, sizeof(*queue), GFP_KERNEL);
	if (!queue)
		return -ENOMEM;
	for (i = 0; i < VSM_DEADLINE_QUEUES; i++) {
		spin_lock_init(&queue[i].lock);
		timerqueue_init_head(&queue[i].head);
		hrtimer_setup(&queue[i].timer, vsm_deadlines_timer, CLOCK_MONOTONIC,
			      HRTIMER_MODE_ABS);
		INIT_WORK(&queue[i].work, vsm_deadlines_work);
	}
	vdev->deadlines = queue;
	return drmm_add_action_or_reset(&vdev->drm, vsm_deadlines_fini, queue);
}
