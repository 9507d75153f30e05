// SPDX-License-Identifier: GPL-2.0-only
/*
 * The life of a wait in a wait set. vsm_arm.c arms the wait: it puts it into the parking lot, into
 * a rendezvous or into the groups of threads. When the wait ends, it moves to its set's list of
 * ended waits, from which read() takes it.
 *
 * A wait ends when its phase, rendezvous or groups complete, when its deadline comes, when it is
 * cancelled, when its set is closed, when its threads are deadlocked, or when its cluster or the
 * device is lost. Each of these events first takes the wait out of the place where it waits, under
 * a lock. Therefore exactly one event ends the wait; the others find that it has left.
 */
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/poll.h>
#include <linux/slab.h>

#include "sync/vsm_deadlock.h"
#include "sync/vsm_engine_record.h"
#include "vsm_compat.h"
#include "vsm_drv.h"
#include "vsm_wait.h"

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
	wake_up_poll(&set->readers, EPOLLIN | EPOLLRDNORM | EPOLLHUP);
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
		vsm_fault_record_locked(&wait->origin, DRM_VSM_SOURCE_ARM, insn, wakes);
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
