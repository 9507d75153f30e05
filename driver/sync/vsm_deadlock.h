/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Deadlocks: all threads of a cluster are suspended, and there is no waker that may resume one.
 */
#ifndef _VSM_DEADLOCK_H_
#define _VSM_DEADLOCK_H_

#include "object/vsm_cluster.h"

void vsm_deadlock_init(struct vsm_cluster *cluster);
void vsm_deadlock_fini(struct vsm_cluster *cluster);
void vsm_deadlock_detect(struct vsm_cluster *cluster);

/*
 * Call this after a thread has been suspended without a time limit or has exited: it may be the
 * last.
 */
static inline void vsm_deadlock_check(struct vsm_cluster *cluster)
{
	if (atomic_read(&cluster->suspended) == vsm_cluster_threads(cluster))
		vsm_deadlock_detect(cluster);
}

/*
 * Count a waker: a job, an asynchronous operation or an armed wait begins, and may resume a thread.
 * An armed wait whose threads count as suspended is no waker.
 */
static inline void vsm_cluster_add_waker(struct vsm_cluster *cluster)
{
	atomic_inc(&cluster->wakers);
	/*
	 * The waker is counted before it resumes a thread. Pairs with the barriers in
	 * vsm_cluster_is_deadlocked().
	 */
	smp_mb__after_atomic();
}

/*
 * A waker has ended. The decrement is fully ordered: either this function finds all threads
 * suspended, or the last thread that is suspended finds that the wakers have gone.
 */
static inline void vsm_cluster_remove_waker(struct vsm_cluster *cluster)
{
	if (atomic_dec_and_test(&cluster->wakers) && atomic_read(&cluster->suspended))
		vsm_deadlock_detect(cluster);
}

#endif
