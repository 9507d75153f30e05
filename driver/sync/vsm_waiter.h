/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Waiters: what a suspended task and an armed wait have in common, whatever they wait for. And the
 * count of the threads of a cluster that are suspended.
 */
#ifndef _VSM_WAITER_H_
#define _VSM_WAITER_H_

#include "base/vsm_wake.h"
#include "object/vsm_cluster.h"

/**
 * struct vsm_waiter - A task or an armed wait that waits for a thread of a cluster
 * @cluster: Cluster; the holder keeps it
 * @waiting: The wait has not ended; protected by the lock of the place where the waiter stands
 * @warp: Warp of the thread in the cluster, if @untimed is set
 * @epoch: &vsm_cluster.deadlock_epoch when the wait began
 * @untimed: Lanes of the warp that are suspended by this wait and have no time limit, or 0
 * @counted: Those lanes of @untimed that count in &vsm_cluster.suspended
 * @end: Called once, under the lock of the place where the waiter stands: the wait has succeeded
 *	(error 0), its time is up (-ETIMEDOUT), or it ends with another error. The waiter has left
 *	its place before the call, and may be gone when the call returns
 *
 * Entries that @end adds to @wakes are run after the lock has been dropped.
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
 * Threads that are suspended without a time limit, and threads that have exited, are set in
 * &vsm_cluster.untimed. &vsm_cluster.suspended is never above their number. Two tasks may play
 * one thread; it counts once.
 */
static inline u32 vsm_cluster_count(struct vsm_cluster *cluster, u32 warp, u32 lanes, u64 set)
{
	u64 old = atomic64_fetch_or(set, &cluster->untimed[warp]);
	u32 counted = lanes & ~(lower_32_bits(old) | upper_32_bits(old));

	atomic_add(hweight32(counted), &cluster->suspended);
	/* Before the caller looks for a deadlock. */
	smp_mb__after_atomic();
	return counted;
}

static inline void vsm_cluster_exit(struct vsm_cluster *cluster, u32 warp, u32 lanes)
{
	vsm_cluster_count(cluster, warp, lanes, (u64)lanes << 32);
}

/* The wait suspends the lanes in @untimed. */
static inline void vsm_waiter_suspend(struct vsm_waiter *waiter)
{
	waiter->counted = vsm_cluster_count(waiter->cluster, waiter->warp, waiter->untimed,
					    waiter->untimed);
}

/* The lanes in @counted are suspended no longer. Those that have exited meanwhile still count. */
static inline void vsm_waiter_resume(struct vsm_waiter *waiter)
{
	struct vsm_cluster *cluster = waiter->cluster;
	u32 counted = waiter->counted;
	u64 old;

	atomic_sub(hweight32(counted), &cluster->suspended);
	/*
	 * The bits are set, and only the waiter that set them clears them. So this does what
	 * fetch_andnot would, in one instruction.
	 */
	old = atomic64_fetch_sub(counted, &cluster->untimed[waiter->warp]);
	if (unlikely(counted & upper_32_bits(old)))
		atomic_add(hweight32(counted & upper_32_bits(old)), &cluster->suspended);
	/* Pairs with the barriers in vsm_cluster_is_deadlocked(). */
	smp_mb__after_atomic();
	atomic_inc(&cluster->resumed);
}

/* Did the wait begin after the deadlock that is being ended had been found? */
static inline bool vsm_waiter_is_younger(const struct vsm_waiter *waiter)
{
	return (int)((u32)waiter->epoch - (u32)waiter->cluster->deadlock_before) >= 0;
}

#endif
