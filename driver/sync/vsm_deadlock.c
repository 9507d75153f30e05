// SPDX-License-Identifier: GPL-2.0-only
/*
 * Detection of deadlocks. vsm_cluster_is_deadlocked() says why there is no false alarm.
 * vsm_cluster_remove_waker() and vsm_deadlock_detect() say why no deadlock is missed.
 */
#include "sync/vsm_deadlock.h"
#include "sync/vsm_park.h"
#include "sync/vsm_rendezvous_wait.h"

/*
 * Are all threads suspended, and is there no waker? If so the caller has become a waker when this
 * returns, and nobody else finds the same deadlock.
 *
 * Why there is no false alarm: a resumed thread leaves &vsm_cluster.suspended first, then counts
 * in &vsm_cluster.resumed, and only then the waker that resumed it goes. Assume that this function
 * finds all threads suspended, then no waker, and then that no thread has been resumed since
 * before. Then all threads were suspended at a time when there was no waker.
 *
 * A new epoch begins in between. Every wait of the deadlock began in an earlier epoch. A thread
 * that parks again afterwards, and a wait that is armed afterwards, begin in this epoch or a later
 * one, and are not ended. A wait that was armed before is a waker.
 */
static bool vsm_cluster_is_deadlocked(struct vsm_cluster *cluster)
{
	do {
		int epoch, resumed = atomic_read(&cluster->resumed);

		/* All reads in this order: pairs with vsm_waiter_resume(). */
		smp_mb();
		if (atomic_read(&cluster->suspended) != vsm_cluster_threads(cluster) ||
		    !READ_ONCE(cluster->live) || atomic_read(&cluster->wakers))
			return false;
		epoch = atomic_inc_return(&cluster->deadlock_epoch);
		/* Fully ordered if it succeeds; see also vsm_cluster_add_waker(). */
		if (atomic_cmpxchg(&cluster->wakers, 0, 1))
			return false;
		if (atomic_read(&cluster->resumed) == resumed) {
			cluster->deadlock_resumed = resumed;
			cluster->deadlock_before = epoch;
			return true;
		}
	} while (atomic_dec_and_test(&cluster->wakers) && atomic_read(&cluster->suspended));
	return false;
}

/* End the waits of a deadlock, unless a signal has resumed a thread meanwhile. */
static void vsm_deadlock_work(struct work_struct *work)
{
	struct vsm_cluster *cluster = container_of(work, struct vsm_cluster, deadlock_work);

	if (atomic_read(&cluster->resumed) == cluster->deadlock_resumed) {
		vsm_park_end_all(cluster->vdev, cluster, -EDEADLK);
		vsm_rendezvous_end_cluster(cluster, -EDEADLK);
	}
	vsm_cluster_remove_waker(cluster);
}

/**
 * vsm_deadlock_detect - Look for a deadlock, and queue the work that ends it
 * @cluster: Cluster
 *
 * To be called by a thread after it has been suspended without a time limit or has exited, and
 * after a waker has gone. The last of them finds the deadlock.
 *
 * A work ends the waits. If the threads wait again, the next deadlock queues the work again. So
 * threads that do this for ever hold up neither the caller nor a worker of the copy engine.
 */
void vsm_deadlock_detect(struct vsm_cluster *cluster)
{
	if (vsm_cluster_is_deadlocked(cluster))
		queue_work(system_unbound_wq, &cluster->deadlock_work);
}

void vsm_deadlock_init(struct vsm_cluster *cluster)
{
	INIT_WORK(&cluster->deadlock_work, vsm_deadlock_work);
}

/* Nobody has the cluster any more. */
void vsm_deadlock_fini(struct vsm_cluster *cluster)
{
	cancel_work_sync(&cluster->deadlock_work);
}
