/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The threads of a cluster in a rendezvous, and the waiters for them.
 */
#ifndef _VSM_RENDEZVOUS_WAIT_H_
#define _VSM_RENDEZVOUS_WAIT_H_

#include <linux/list.h>
#include <linux/spinlock.h>

#include "base/vsm_fault.h"
#include "core/vsm_rendezvous.h"
#include "object/vsm_cluster.h"
#include "sync/vsm_waiter.h"

/* --- the state of the threads ---------------------------------------------------- */

/**
 * struct vsm_cluster_rendezvous - State of a cluster's threads; allocated at its first rendezvous
 * @lock: Protects @releasing, @inits, @arrived, @number, @rv, and the waiters that are attached to
 *	its lanes
 * @cluster: Cluster
 * @link: In &vsm_device.rendezvous
 * @releasing: CTAs whose inits become visible when the barrier of the cluster completes its phase
 * @inits: For each CTA in @releasing, the number up to which its inits become visible
 * @arrived: Lanes of the executing warp that have arrived since vsm_arrivals_begin(). Only events
 *	need it: it is valid if @rv.cause is not 0
 * @number: Number of the last arrival (&drm_vsm_trace_event.id). @rv.cause is its lower half, or 0
 * @rv: State of the threads
 */
struct vsm_cluster_rendezvous {
	spinlock_t lock; /* releasing, inits, arrived, number, rv */
	struct vsm_cluster *cluster;
	struct list_head link;
	unsigned long releasing;
	u64 inits[VSM_MAX_CTAS];
	u32 arrived;
	u64 number;
	struct vsm_rendezvous rv;
};

struct vsm_cluster_rendezvous *vsm_rendezvous_create(struct vsm_cluster *cluster);
void vsm_rendezvous_free(struct vsm_cluster *cluster);

static inline struct vsm_cluster_rendezvous *vsm_rendezvous_find(struct vsm_cluster *cluster)
{
	/* Pairs with the release in vsm_rendezvous_create(). */
	return smp_load_acquire(&cluster->rendezvous);
}

/* Find the state of a cluster's threads, or allocate it: see vsm_rendezvous_create(). */
static inline struct vsm_cluster_rendezvous *
vsm_rendezvous_get_or_create(struct vsm_cluster *cluster)
{
	return vsm_rendezvous_find(cluster) ?: vsm_rendezvous_create(cluster);
}

/* --- waiters --------------------------------------------------------------------- */

/**
 * struct vsm_rendezvous_waiter - A waiter for a thread in a rendezvous
 * @base: The waiter. &vsm_cluster_rendezvous.lock protects its @waiting; vsm_rendezvous_enter()
 *	sets its @untimed and @warp. @base.origin is the thread, or the lowest of several
 * @source: Source of misuse
 * @converged: The whole warp of the thread executes the instruction
 * @suspends: The threads count as suspended until the wait ends; false for an armed wait that may
 *	resume a thread
 * @lanes: The lanes that wait, which are in the instruction already; 0 if the thread and the lanes
 *	that it leads execute the instruction now
 * @insn: The instruction; gets the result
 */
struct vsm_rendezvous_waiter {
	struct vsm_waiter base;
	enum drm_vsm_source source;
	bool converged;
	bool suspends;
	u32 lanes;
	struct drm_vsm_insn *insn;
};

/**
 * struct vsm_lane_result - A lane that executes a rendezvous
 * @thread: The thread (in)
 * @info: &drm_vsm_insn.info (out)
 * @result: &drm_vsm_insn.result (out); 0 if the lane is suspended
 */
struct vsm_lane_result {
	u32 thread;
	u32 info;
	u64 result;
};

/**
 * struct vsm_lane_batch - Lanes of a warp that execute a rendezvous in one call
 * @count: Number of lanes (in); number of lanes that have executed their instruction (out)
 * @suspended: Mask of lanes whose instruction is not complete; they have arrived (out)
 * @insns: The words of the checked instruction of each lane, without its results
 * @results: The lanes
 */
struct vsm_lane_batch {
	u32 count;
	u32 suspended;
	const u64 *insns[VSM_WARP_SIZE];
	struct vsm_lane_result results[VSM_WARP_SIZE];
};

int vsm_rendezvous_enter_lanes(struct vsm_rendezvous_waiter *waiter, struct vsm_lane_batch *batch);
int vsm_rendezvous_enter(struct vsm_rendezvous_waiter *waiter);
bool vsm_rendezvous_leave(struct vsm_rendezvous_waiter *waiter);
void vsm_rendezvous_end(struct vsm_rendezvous_waiter *waiter, int error, struct vsm_wakes *wakes);
void vsm_rendezvous_end_cluster(struct vsm_cluster *cluster, int error);
void vsm_rendezvous_end_device(struct vsm_device *vdev);
bool vsm_rendezvous_has_exited(struct vsm_cluster *cluster, u32 cta, u32 thread);

/* Has a thread exited? */
static inline bool vsm_thread_has_exited(struct vsm_cluster *cluster, u32 cta, u32 thread)
{
	/* Pairs with the release in vsm_rendezvous_exit(). The rendezvous was created before it. */
	u32 live = smp_load_acquire(&cluster->live);

	return unlikely(live != vsm_cluster_threads(cluster)) &&
	       vsm_rendezvous_has_exited(cluster, cta, thread);
}

#endif
