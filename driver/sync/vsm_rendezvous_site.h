/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state of the threads of a cluster in a rendezvous.
 */
#ifndef _VSM_RENDEZVOUS_SITE_H_
#define _VSM_RENDEZVOUS_SITE_H_

#include <linux/list.h>
#include <linux/spinlock.h>

#include "core/vsm_rendezvous.h"
#include "object/vsm_cluster.h"

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

#endif
