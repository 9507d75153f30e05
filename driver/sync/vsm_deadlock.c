// SPDX-License-Identifier: GPL-2.0-only
/*
 * Detection of deadlocks. vsm_cluster_is_deadlocked() says why there is no false alarm.
 * vsm_cluster_remove_waker() and vsm_deadlock_detect() say why no deadlock is missed.
 */
#include "sync/vsm_deadlock.h"
#include "sync/vsm_park.h"
#include "sync/vsm_rendezvous_wait.h"

/*
 * Are all threads suspended, and is there no waker? If this returns true, the caller counts as a
 * waker itself, so that no other task finds the same deadlock.
 *
 * Why there is no false alarm: when a waker resumes a thread, &vsm_cluster.suspended decreases
 * first, then &vsm_cluster.resumed increases, and only then the waker ends. This function reads
 * &vsm_cluster.resumed, then finds all threads suspended, then finds no waker, and then finds
 * &vsm_cluster.resumed unchanged. Therefore all threads were suspended at a time when there was no
 * waker.
 *
 * A new epoch begins in between. Every wait of the deadlock began in an earlier epoch. A thread
 * that parks again afterwards, and a wait that is armed afterwards, begin in this epoch or a later
 * one, and are not ended. A wait that was armed before is a waker, or one of those that end.
 *
 * An armed wait with %DRM_VSM_WAIT_NO_LIMIT is no waker: its threads count as suspended, as that of
 * a task that sleeps. The same argument holds for it. It is counted while its bucket or rendezvous
 * is locked, and whoever ends it takes it out of the count under the same lock, before anybody can
 * read its record. Its owner can do more than a task that sleeps: it can cancel the wait, close the
 * set, or execute something else as these threads. The first two are like a signal. The third is
 * like another task that plays the thread: the thread counts as suspended although it runs.
 */
static bool vsm_cluster_is_deadlocked(struct vsm_cluster *cluster)
{
	do {
		int epoch, resumed = atomic_read(&cluster->resumed);

		/*
		 * The reads have to be in this order. Pairs with the barriers in
		 * vsm_waiter_resume().
		 */
		smp_mb();
		if (atomic_read(&cluster->suspended) != vsm_cluster_threads(cluster) ||
		    !READ_ONCE(cluster->live) || atomic_read(&cluster->wakers))
			return false;
		epoch = atomic_inc_return(&cluster->deadlock_epoch);
		/*
		 * Fully ordered if it succeeds. Pairs with the barrier in vsm_cluster_add_waker().
		 */
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

/* End the waits that belong to a deadlock, unless a signal has resumed a thread meanwhile. */
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
 * This is called after a thread has been suspended without a time limit or has exited, and after a
 * waker has ended. Nothing else makes the number of suspended threads higher, or that of wakers
 * lower. The last of these calls finds the deadlock.
 *
 * A work ends the waits, and not the caller. If the threads wait again and cause the next deadlock,
 * the work is queued again. Threads that do this for ever therefore hold up neither the caller nor
 * the copy engine.
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

/* Wait for the work. No task can reach the cluster any more. */
void vsm_deadlock_fini(struct vsm_cluster *cluster)
{
	cancel_work_sync(&cluster->deadlock_work);
}
