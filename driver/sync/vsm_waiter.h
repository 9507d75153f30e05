/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Waiters: what suspended tasks and armed waits have in common, whatever they wait for. This file
 * also counts the suspended threads of a cluster.
 */
#ifndef _VSM_WAITER_H_
#define _VSM_WAITER_H_

#include "base/vsm_record.h"
#include "base/vsm_wake.h"
#include "object/vsm_cluster.h"

/**
 * struct vsm_waiter - A task or an armed wait that waits on behalf of a thread
 * @cluster: The cluster; the owner of the waiter has a reference
 * @waiting: The wait has not ended; protected by the lock of the bucket or of the rendezvous
 * @warp: Number of the thread's warp in the cluster; valid if @untimed is not 0
 * @epoch: &vsm_cluster.deadlock_epoch when the wait began
 * @untimed: Mask of the lanes that this wait suspends without a time limit, or 0
 * @counted: The lanes of @untimed count as suspended because of this wait
 * @since: When the wait began (jiffies, which cost less to read than a clock)
 * @armed: The waiter is an armed wait, and not a task
 * @origin: The threads that wait
 * @number: Number of the wait (&drm_vsm_trace_event.id), or 0
 * @cause: Number of the event that ends the wait; 0 if it is not known; %VSM_UNNUMBERED if nobody
 *	looked then
 * @recorded: When the wait began (CLOCK_MONOTONIC, ns); valid if @number is not 0
 * @end: Called once, under the lock of the bucket or of the rendezvous, when the wait has succeeded
 *	(error 0), when its time is up (-ETIMEDOUT), or when it ends with another error. The
 *	waiter has left the bucket or the rendezvous before the call, and may be gone when the
 *	call returns
 *
 * The caller of @end runs the entries that @end adds to @wakes after it has dropped the lock.
 */
struct vsm_waiter {
	struct vsm_cluster *cluster;
	bool waiting;
	u16 warp;
	int epoch;
	u32 untimed;
	bool counted;
	unsigned long since;
	bool armed;
	struct vsm_origin *origin;
	u64 number;
	u64 cause;
	s64 recorded;
	void (*end)(struct vsm_waiter *waiter, int error, struct vsm_wakes *wakes);
};

struct drm_vsm_trace_event vsm_waiter_event(const struct vsm_waiter *waiter);
void vsm_record_wait(struct vsm_waiter *waiter, struct drm_vsm_trace_event *event);
void vsm_record_wait_end(struct vsm_waiter *waiter, struct drm_vsm_trace_event *event, int error);

/* Count lanes as suspended for ever, because they have exited. */
static inline void vsm_cluster_exit(struct vsm_cluster *cluster, u32 warp, u32 lanes)
{
	struct vsm_suspension *suspension = &cluster->suspensions[warp];

	spin_lock(&suspension->lock);
	atomic_add(hweight32(lanes & ~(suspension->waiting | suspension->exited)),
		   &cluster->suspended);
	/* The threads are counted before the caller looks for a deadlock. */
	smp_mb__after_atomic();
	suspension->exited |= lanes;
	spin_unlock(&suspension->lock);
}

/*
 * Count the lanes in @untimed as suspended. If several tasks or armed waits wait as one thread, the
 * thread counts once, from the beginning of the first of these waits to the end of the last one.
 */
static inline void vsm_waiter_suspend(struct vsm_waiter *waiter)
{
	struct vsm_cluster *cluster = waiter->cluster;
	struct vsm_suspension *suspension = &cluster->suspensions[waiter->warp];
	unsigned long again;
	u32 lane;

	spin_lock(&suspension->lock);
	again = waiter->untimed & suspension->waiting;
	for_each_set_bit(lane, &again, VSM_WARP_SIZE)
		suspension->more[lane]++;
	suspension->shared |= again;
	atomic_add(hweight32(waiter->untimed & ~(suspension->waiting | suspension->exited)),
		   &cluster->suspended);
	/* The threads are counted before the caller looks for a deadlock. */
	smp_mb__after_atomic();
	suspension->waiting |= waiter->untimed;
	spin_unlock(&suspension->lock);
	waiter->counted = true;
}

/*
 * A wait that suspends lanes of a warp ends. Stop counting them as suspended, except for those that
 * have exited or that another wait suspends.
 */
static inline void vsm_cluster_resume(struct vsm_cluster *cluster, u32 warp, u32 lanes)
{
	struct vsm_suspension *suspension = &cluster->suspensions[warp];
	unsigned long again;
	u32 lane, last;

	spin_lock(&suspension->lock);
	again = lanes & suspension->shared;
	last = lanes & ~again;
	for_each_set_bit(lane, &again, VSM_WARP_SIZE)
		if (!--suspension->more[lane])
			suspension->shared &= ~BIT(lane);
	suspension->waiting &= ~last;
	atomic_sub(hweight32(last & ~suspension->exited), &cluster->suspended);
	/* Pairs with the barriers in vsm_cluster_is_deadlocked(). */
	smp_mb__after_atomic();
	spin_unlock(&suspension->lock);
	atomic_inc(&cluster->resumed);
}

/* The wait of a waiter with @counted ends. */
static inline void vsm_waiter_resume(struct vsm_waiter *waiter)
{
	waiter->counted = false;
	vsm_cluster_resume(waiter->cluster, waiter->warp, waiter->untimed);
}

/* Did the wait begin after the last deadlock was found, so that it is not part of it? */
static inline bool vsm_waiter_is_younger(const struct vsm_waiter *waiter)
{
	return (int)((u32)waiter->epoch - (u32)waiter->cluster->deadlock_before) >= 0;
}

#endif
