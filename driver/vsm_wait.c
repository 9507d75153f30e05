// SPDX-License-Identifier: GPL-2.0-only
/*
 * A wait of a wait set: its memory, its deadline and its end.
 */
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include <drm/drm_managed.h>

#include "sync/vsm_waiter.h"
#include "vsm_compat.h"
#include "vsm_drv.h"
#include "vsm_wait.h"

/* --- deadlines ------------------------------------------------------------------- */

/*
 * Deadlines of armed waits. All deadlines of a queue share one timer. The timer queues a work,
 * which ends the waits that have expired, in batches, and can be preempted. If the timer interrupt
 * ended them itself, a hundred thousand waits that expire at once would hold up the processor.
 */

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

/*
 * Initialise a deadline, without starting it.
 * @deadline: Deadline, all zeros
 */
static void
vsm_deadline_init(struct vsm_device *vdev, struct vsm_deadline *deadline,
		  void (*expire)(struct vsm_deadline *deadline, struct vsm_wakes *wakes))
{
	timerqueue_init(&deadline->node);
	deadline->queue = &vdev->deadlines[raw_smp_processor_id() % VSM_DEADLINE_QUEUES];
	deadline->expire = expire;
}

/*
 * Start a deadline.
 * @time: Time at which it expires (CLOCK_MONOTONIC, ns)
 */
static void vsm_deadline_start(struct vsm_deadline *deadline, s64 time)
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

/* --- waits ----------------------------------------------------------------------- */

/*
 * The life of a wait in a wait set. vsm_waitset.c arms the wait: it puts it into the parking lot,
 * into a rendezvous or into the groups of threads. When the wait ends, it moves to its set's list
 * of ended waits, from which read() takes it.
 *
 * A wait ends when its phase, rendezvous or groups complete, when its deadline comes, when it is
 * cancelled, when its set is closed, when its threads are deadlocked, or when its cluster or the
 * device is lost. Each of these events first takes the wait out of the place where it waits, under
 * a lock. Therefore exactly one event ends the wait; the others find that it has left.
 */

static_assert(!offsetof(struct vsm_phase_waiter, base));
static_assert(!offsetof(struct vsm_rendezvous_waiter, base));
static_assert(!offsetof(struct vsm_group_waiter, base));

/* --- the end of a wait ------------------------------------------------------------ */

static void vsm_waitset_free(struct kref *ref)
{
	kfree(container_of(ref, struct vsm_waitset, ref));
}

void vsm_waitset_put(struct vsm_waitset *set)
{
	kref_put(&set->ref, vsm_waitset_free);
}

/* Wake the readers of a set. The file may be closed by now; then nobody reads. */
static void vsm_waitset_wake(struct vsm_wake *wake)
{
	struct vsm_waitset *set = container_of(wake, struct vsm_waitset, wake);

	/* From here on a wait that ends may queue @wake again. Its @next has been read. */
	smp_store_release(&wake->queued, false);
	smp_mb();	/* vsm_waitset_queue_wake() */
	wake_up_poll(&set->readers, EPOLLIN | EPOLLRDNORM);
	vsm_waitset_put(set);
}

/* Initialise those fields of a set that this file uses. */
void vsm_waitset_init(struct vsm_waitset *set)
{
	kref_init(&set->ref);
	mutex_init(&set->mutex);
	xa_init_flags(&set->waits, XA_FLAGS_ALLOC);
	spin_lock_init(&set->lock);
	set->last = &set->ended;
	set->wake.wake = vsm_waitset_wake;
	init_waitqueue_head(&set->readers);
}

/*
 * Move a wait, which has left the place where it waits, to the set's ended waits. From
 * then on a reader may free the wait, and the file may be closed: only the reference of the queued
 * wake-up keeps the set.
 */
static __always_inline void vsm_wait_end(struct vsm_wait *wait, enum drm_vsm_wait_status status,
					 struct vsm_wakes *wakes)
{
	struct vsm_waitset *set = wait->set;

	wait->status = status;
	wait->next = NULL;
	spin_lock(&set->lock);
	WRITE_ONCE(*set->last, wait);
	set->last = &wait->next;
	vsm_waitset_queue_wake(set, wakes);
	spin_unlock(&set->lock);
}

static enum drm_vsm_wait_status vsm_wait_status(int error)
{
	if (!error)
		return DRM_VSM_WAIT_COMPLETE;
	switch (error) {
	case -ETIMEDOUT:
		return DRM_VSM_WAIT_EXPIRED;
	case -ENODEV:
		return DRM_VSM_WAIT_DEVICE_LOST;
	default:
		return DRM_VSM_WAIT_CLUSTER_LOST;
	}
}

/* A wait without a time limit has ended because of a deadlock: refuse its instruction. */
static void vsm_wait_deadlock(const struct vsm_wait *wait)
{
	struct vsm_cluster *cluster = wait->bo->cluster;

	wait->insn->fault = DRM_VSM_FAULT_DEADLOCK;
	wait->insn->info = READ_ONCE(cluster->live);
	/* That of a rendezvous is set already. */
	if (wait->kind != VSM_WAIT_FOR_RENDEZVOUS)
		wait->insn->result = wait->kind != VSM_WAIT_FOR_PHASE ? 0 :
			READ_ONCE(*vsm_cluster_word(cluster, wait->phase.index));
}

/**
 * vsm_wait_waiter_end - End a wait; &vsm_waiter.end of all waits
 * @waiter: The waiter, which has left the parking lot, the rendezvous or the groups
 * @error: Error with which the wait ends, or 0
 * @wakes: Gets the readers that the caller wakes after it has dropped its locks (out)
 */
void vsm_wait_waiter_end(struct vsm_waiter *waiter, int error, struct vsm_wakes *wakes)
{
	struct vsm_wait *wait = container_of(waiter, struct vsm_wait, phase.base);
	enum drm_vsm_wait_status status = vsm_wait_status(error);
	struct drm_vsm_insn *insn = wait->insn;

	if (insn && error == -EDEADLK)
		vsm_wait_deadlock(wait);
	/*
	 * The instruction is refused: because of a deadlock, or although its rendezvous has
	 * completed.
	 */
	if (insn && (!error || error == -EDEADLK) && insn->fault) {
		vsm_fault_announce_locked(&wait->origin, DRM_VSM_SOURCE_ARM, insn, wakes);
		insn->result = insn->fault;
		status = DRM_VSM_WAIT_FAULT;
	} else if (insn && !error && wait->kind == VSM_WAIT_FOR_PHASE) {
		insn->result = 1;
	}
	vsm_wait_end(wait, status, wakes);
}

/**
 * vsm_wait_describe - Say which client has armed a wait, and for which threads
 * @state: List that the entry is in
 * @waiter: Waiter of an armed wait, which still waits; the caller holds the lock that protects this
 * @entry: Entry for the waiter
 */
void vsm_wait_describe(const struct vsm_state *state, const struct vsm_waiter *waiter,
		       struct drm_vsm_state_entry *entry)
{
	const struct vsm_wait *wait = container_of(waiter, struct vsm_wait, phase.base);

	entry->flags |= DRM_VSM_STATE_ARMED;
	entry->since = vsm_state_since(waiter->since);
	vsm_state_set_client(state, entry, wait->set->client);
	if (!wait->wakes)
		entry->flags |= DRM_VSM_STATE_NO_LIMIT;
	if (wait->timed)
		entry->deadline = READ_ONCE(wait->deadline.node.expires);
	if (vsm_state_shows(state, wait->set->client))
		entry->user_data = wait->user_data;
	if (entry->kind != DRM_VSM_STATE_PHASE || !wait->insn)
		return;
	entry->cta = wait->origin.cta;
	entry->thread = wait->origin.thread;
	entry->lanes = wait->origin.lanes;
}

static void vsm_wait_expire(struct vsm_deadline *deadline, struct vsm_wakes *wakes)
{
	struct vsm_wait *wait = container_of(deadline, struct vsm_wait, deadline);

	switch (wait->kind) {
	case VSM_WAIT_FOR_PHASE:
		vsm_park_end(&wait->phase, -ETIMEDOUT, wakes);
		return;
	case VSM_WAIT_FOR_RENDEZVOUS:
		vsm_rendezvous_end(&wait->rendezvous, -ETIMEDOUT, wakes);
		return;
	case VSM_WAIT_FOR_GROUPS:
		vsm_group_expire(&wait->groups, wakes);
		return;
	}
}

/*
 * Take a wait out of the parking lot, the rendezvous or the groups. Returns true if the wait was
 * still armed: then only the caller can end it.
 */
bool vsm_wait_leave(struct vsm_wait *wait)
{
	switch (wait->kind) {
	case VSM_WAIT_FOR_PHASE:
		if (!vsm_park_leave(&wait->phase))
			return false;
		if (vsm_is_recording())
			vsm_record_phase_wait_end(&wait->phase.base, wait->phase.index,
						  wait->phase.by_parity, -ECANCELED);
		return true;
	case VSM_WAIT_FOR_RENDEZVOUS:
		return vsm_rendezvous_leave(&wait->rendezvous);
	default: /* VSM_WAIT_FOR_GROUPS */
		return vsm_group_leave(&wait->groups);
	}
}

/* --- memory of waits -------------------------------------------------------------- */

void vsm_wait_free_insn(struct vsm_client *client, struct drm_vsm_insn *insn)
{
	vsm_quota_free(&client->quota, insn, 1, sizeof(*insn));
	vsm_client_put(client);
}

/* Allocate the memory of a wait. Returns an error code as a pointer. */
struct vsm_wait *vsm_wait_add(struct vsm_waitset *set)
{
	struct vsm_wait *wait = vsm_quota_alloc(&set->client->quota, 1, sizeof(*wait));
	int ret;

	lockdep_assert_held(&set->mutex);
	if (IS_ERR(wait))
		return wait;
	ret = xa_alloc(&set->waits, &wait->slot, wait, XA_LIMIT(0, BIT(VSM_SLOT_BITS) - 1),
		       GFP_KERNEL_ACCOUNT);
	if (ret) {
		vsm_quota_free(&set->client->quota, wait, 1, sizeof(*wait));
		return ERR_PTR(ret == -EBUSY ? -ENOSPC : ret);
	}
	wait->set = set;
	vsm_deadline_init(set->client->vdev, &wait->deadline, vsm_wait_expire);
	return wait;
}

/**
 * vsm_wait_armed - Start the deadline of a wait, or end the wait if it is complete already
 * @wait: The wait, which has been armed and is complete or has a deadline; another task may have
 *	ended it by now
 * @complete: The wait was complete when it was armed. Nobody else ends it
 * @deadline: When the wait expires, if it has a deadline
 * @wakes: Gets the readers that the caller wakes after it has dropped its locks (out)
 *
 * The caller holds the set's mutex, so that the wait is not freed.
 */
void vsm_wait_armed(struct vsm_wait *wait, bool complete, s64 deadline, struct vsm_wakes *wakes)
{
	if (complete)
		vsm_wait_end(wait, DRM_VSM_WAIT_COMPLETE, wakes);
	else if (wait->timed && deadline > ktime_to_ns(ktime_get()))
		vsm_deadline_start(&wait->deadline, deadline);
	else if (wait->timed)
		vsm_wait_expire(&wait->deadline, wakes);
}
