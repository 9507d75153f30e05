/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rendezvous: waiters for threads in a rendezvous.
 */
#ifndef _VSM_RENDEZVOUS_WAIT_H_
#define _VSM_RENDEZVOUS_WAIT_H_

#include "base/vsm_fault.h"
#include "sync/vsm_waiter.h"

/**
 * struct vsm_rendezvous_waiter - A waiter for a thread in a rendezvous
 * @base: The waiter; its @waiting is protected by &vsm_cluster_rendezvous.lock. Its @untimed and
 *	@warp are set by vsm_rendezvous_enter()
 * @origin: The thread
 * @source: Where the instruction is executed
 * @converged: The thread stands for its whole warp
 * @sleeps: A task is suspended; an armed wait suspends nobody
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
	/* Pairs with the release in vsm_rendezvous_exit(), before which the rendezvous was made. */
	u32 live = smp_load_acquire(&cluster->live);

	return unlikely(live != vsm_cluster_threads(cluster)) &&
	       vsm_rendezvous_has_exited(cluster, cta, thread);
}

#endif
