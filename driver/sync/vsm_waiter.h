/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Waiters: what suspended tasks and armed waits have in common, whatever they wait for. This file
 * also counts the suspended threads of a cluster.
 */
#ifndef _VSM_WAITER_H_
#define _VSM_WAITER_H_

#include "base/vsm_wake.h"
#include "object/vsm_cluster.h"

/**
 * struct vsm_waiter - A task or an armed wait that waits on behalf of a thread
 * @cluster: The cluster; the owner of the waiter has a reference
 * @waiting: The wait has not ended; protected by the lock of the bucket or of the rendezvous
 * @warp: Number of the thread's warp in the cluster; valid if @untimed is not 0
 * @epoch: &vsm_cluster.deadlock_epoch when the wait began
 * @untimed: Mask of the lanes that this wait suspends without a time limit, or 0
 * @counted: Lanes of @untimed that this wait has added to &vsm_cluster.suspended
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
	u32 counted;
	void (*end)(struct vsm_waiter *waiter, int error, struct vsm_wakes *wakes);
};

/*
 * Set bits of a warp in &vsm_cluster.untimed: a lane has one bit if it is suspended without a time
 * limit, and another one if it has exited. Then add the lanes that had neither bit before to
 * &vsm_cluster.suspended, and return them. Even if two tasks execute as the same thread, the thread
 * is thus added only once. &vsm_cluster.suspended is never above the number of threads that have a
 * bit, because each bit is set first.
 */
static inline u32 vsm_cluster_count(struct vsm_cluster *cluster, u32 warp, u32 lanes, u64 set)
{
	u64 old = atomic64_fetch_or(set, &cluster->untimed[warp]);
	u32 counted = lanes & ~(lower_32_bits(old) | upper_32_bits(old));

	atomic_add(hweight32(counted), &cluster->suspended);
	/* The threads are counted before the caller looks for a deadlock. */
	smp_mb__after_atomic();
	return counted;
}

static inline void vsm_cluster_exit(struct vsm_cluster *cluster, u32 warp, u32 lanes)
{
	vsm_cluster_count(cluster, warp, lanes, (u64)lanes << 32);
}

/* Count the lanes in @untimed as suspended. */
static inline void vsm_waiter_suspend(struct vsm_waiter *waiter)
{
	waiter->counted = vsm_cluster_count(waiter->cluster, waiter->warp, waiter->untimed,
					    waiter->untimed);
}

/* Stop counting the lanes in @counted as suspended, except for those that have exited meanwhile. */
static inline void vsm_waiter_resume(struct vsm_waiter *waiter)
{
	struct vsm_cluster *cluster = waiter->cluster;
	u32 counted = waiter->counted;
	u64 old;

	atomic_sub(hweight32(counted), &cluster->suspended);
	/*
	 * The bits are set, and only the waiter that has set them clears them. The subtraction is
	 * therefore the same as fetch_andnot, but takes only one instruction.
	 */
	old = atomic64_fetch_sub(counted, &cluster->untimed[waiter->warp]);
	if (unlikely(counted & upper_32_bits(old)))
		atomic_add(hweight32(counted & upper_32_bits(old)), &cluster->suspended);
	/* Pairs with the barriers in vsm_cluster_is_deadlocked(). */
	smp_mb__after_atomic();
	atomic_inc(&cluster->resumed);
}

/* Did the wait begin after the last deadlock was found, so that it is not part of it? */
static inline bool vsm_waiter_is_younger(const struct vsm_waiter *waiter)
{
	return (int)((u32)waiter->epoch - (u32)waiter->cluster->deadlock_before) >= 0;
}

#endif
