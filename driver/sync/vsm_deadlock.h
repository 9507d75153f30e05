/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Deadlocks: all threads of a cluster are suspended, and nothing is there that may resume one.
 */
#ifndef _VSM_DEADLOCK_H_
#define _VSM_DEADLOCK_H_

#include "object/vsm_cluster.h"

void vsm_deadlock_init(struct vsm_cluster *cluster);
void vsm_deadlock_fini(struct vsm_cluster *cluster);
void vsm_deadlock_detect(struct vsm_cluster *cluster);

/* A thread has been suspended without a time limit, or has exited. It may be the last. */
static inline void vsm_deadlock_check(struct vsm_cluster *cluster)
{
	if (atomic_read(&cluster->suspended) == vsm_cluster_threads(cluster))
		vsm_deadlock_detect(cluster);
}

/* A job, an asynchronous operation or an armed wait begins. It may resume a thread. */
static inline void vsm_cluster_add_waker(struct vsm_cluster *cluster)
{
	atomic_inc(&cluster->wakers);
	/* Before it resumes anybody: pairs with vsm_cluster_is_deadlocked(). */
	smp_mb__after_atomic();
}

/*
 * It has ended. The decrement is fully ordered: either this finds the last thread suspended, or
 * the last thread to be suspended finds the waker gone.
 */
static inline void vsm_cluster_remove_waker(struct vsm_cluster *cluster)
{
	if (atomic_dec_and_test(&cluster->wakers) && atomic_read(&cluster->suspended))
		vsm_deadlock_detect(cluster);
}

#endif
