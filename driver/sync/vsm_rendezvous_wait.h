/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Waiters for threads that are in a rendezvous.
 */
#ifndef _VSM_RENDEZVOUS_WAIT_H_
#define _VSM_RENDEZVOUS_WAIT_H_

#include "base/vsm_fault.h"
#include "sync/vsm_waiter.h"

/**
 * struct vsm_rendezvous_waiter - A waiter for a thread in a rendezvous
 * @base: The waiter. &vsm_cluster_rendezvous.lock protects its @waiting; vsm_rendezvous_enter()
 *	sets its @untimed and @warp
 * @origin: The thread
 * @source: Source that records of misuse name
 * @converged: The whole warp of the thread executes the instruction
 * @sleeps: A task sleeps until the wait ends, so that the thread counts as suspended; false for an
 *	armed wait
 * @insn: The instruction; gets the result
 */
struct vsm_rendezvous_waiter {
	struct vsm_waiter base;
	struct vsm_origin origin;
	enum drm_vsm_source source;
	bool converged;
	bool sleeps;
	struct drm_vsm_insn *insn;
};

int vsm_rendezvous_enter(struct vsm_rendezvous_waiter *waiter);
bool vsm_rendezvous_leave(struct vsm_rendezvous_waiter *waiter);
void vsm_rendezvous_end(struct vsm_rendezvous_waiter *waiter, int error, struct vsm_wakes *wakes);
void vsm_rendezvous_end_cluster(struct vsm_cluster *cluster, int error);
void vsm_rendezvous_end_device(struct vsm_device *vdev);
void vsm_rendezvous_free(struct vsm_cluster *cluster);
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
