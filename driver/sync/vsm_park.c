// SPDX-License-Identifier: GPL-2.0-only
/*
 * The parking lot: who waits for a phase of which word.
 *
 * A word's waiters stand in a bucket that the word hashes to. The first of those who wait
 * for a phase of the same parity is linked there on behalf of all; the others stand in a ring
 * with it. So finding a word costs what its bucket holds of other words, however many wait
 * on them, and any waiter leaves at once.
 *
 * Why no wake-up is lost, and none is given to the wrong phase: every phase of a
 * word completes with that word's bucket locked (vsm_syncs.c), and a waiter
 * looks at the word for the last time and parks under the same lock. So whoever
 * is parked when a phase completes parked during that phase, and is taken by
 * whoever completed it, exactly once. Phases that user space completes by
 * writing the word itself wake nobody.
 *
 * However many wait, the lock is held for VSM_WAKE_BATCH of them at most: whoever completes a
 * phase moves the whole ring to the bucket's list of woken waiters, which takes no time, and
 * ends their waits from there, with the lock free between the batches. A waiter may leave
 * from there as from its ring. Who waits for the next phase meanwhile stands in a new ring.
 *
 * Why DEADLOCK is certain: see vsm_cluster_is_deadlocked().
 */
#include <linux/bits.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/timer.h>
#include <linux/workqueue.h>

#include <drm/drm_managed.h>

#include "vsm_compat.h"
#include "vsm_drv.h"

/* 10^5 words with waiters share a bucket with six others on average. */
#define VSM_PARK_BITS		14
#define VSM_PARK_BUCKETS	BIT(VSM_PARK_BITS)
#define VSM_ROW_BUCKETS		64

/**
 * struct vsm_row - Buckets that share a timer
 * @timer: Goes off no later than the first time limit of a waiter in the row
 * @work: Ends the waits whose time is up; queued by the timer
 * @buckets: The buckets
 *
 * A waiter that is woken in time, as most are, leaves the timer alone: it goes
 * off now and then and looks. So a time limit costs a suspension next to nothing.
 */
struct vsm_row {
	struct timer_list timer;
	struct work_struct work;
	struct vsm_bucket buckets[VSM_ROW_BUCKETS];
};

static void vsm_row_timer(struct timer_list *timer);
static void vsm_row_expire(struct work_struct *work);

static void vsm_park_fini(struct drm_device *drm, void *rows)
{
	struct vsm_row *row = rows;
	unsigned int i;

	/* No waiter is left: the work will not start the timer again. */
	for (i = 0; i < VSM_PARK_BUCKETS / VSM_ROW_BUCKETS; i++) {
		vsm_timer_delete_sync(&row[i].timer);
		cancel_work_sync(&row[i].work);
	}
	kvfree(rows);
}

int vsm_park_init(struct vsm_device *vdev)
{
	unsigned int i, j;

	vdev->rows = kvcalloc(VSM_PARK_BUCKETS / VSM_ROW_BUCKETS, sizeof(*vdev->rows), GFP_KERNEL);
	if (!vdev->rows)
		return -ENOMEM;
	for (i = 0; i < VSM_PARK_BUCKETS / VSM_ROW_BUCKETS; i++) {
		timer_setup(&vdev->rows[i].timer, vsm_row_timer, 0);
		INIT_WORK(&vdev->rows[i].work, vsm_row_expire);
		for (j = 0; j < VSM_ROW_BUCKETS; j++) {
			struct vsm_bucket *bucket = &vdev->rows[i].buckets[j];

			spin_lock_init(&bucket->lock);
			INIT_LIST_HEAD(&bucket->woken);
			INIT_LIST_HEAD(&bucket->timed);
		}
	}
	return drmm_add_action_or_reset(&vdev->drm, vsm_park_fini, vdev->rows);
}

/*
 * A random odd factor: two words of a cluster meet with a probability of 2 in 2^14 at most,
 * whichever two a program takes. A keyed hash (hsiphash: four rounds of 14 instructions) would add
 * a fifth to an arrive that completes a phase, which takes some 300; this adds next to nothing.
 */
static u32 vsm_park_hash(const struct vsm_cluster *cluster, u32 index)
{
	return (index * cluster->hash_factor + cluster->hash) >> (32 - VSM_PARK_BITS);
}

static struct vsm_row *vsm_park_row(const struct vsm_cluster *cluster, u32 index)
{
	return &cluster->vdev->rows[vsm_park_hash(cluster, index) / VSM_ROW_BUCKETS];
}

/**
 * vsm_park_bucket - The bucket of a word
 * @cluster: Cluster
 * @index: Index of the word
 */
struct vsm_bucket *vsm_park_bucket(const struct vsm_cluster *cluster, u32 index)
{
	u32 hash = vsm_park_hash(cluster, index);

	return &cluster->vdev->rows[hash / VSM_ROW_BUCKETS].buckets[hash % VSM_ROW_BUCKETS];
}

/* The waiter that stands for all waiters of a word that wait for the phase of a parity. */
static struct vsm_waiter *vsm_park_find(struct vsm_bucket *bucket,
					const struct vsm_cluster *cluster, u32 index, u32 parity)
{
	struct vsm_waiter *first;

	lockdep_assert_held(&bucket->lock);
	hlist_for_each_entry(first, &bucket->words, node)
		if (first->index == index && first->cluster == cluster &&
		    vsm_mbarrier_phase(first->state) == parity)
			return first;
	return NULL;
}

static void vsm_park_remove(struct vsm_bucket *bucket, struct vsm_waiter *waiter)
{
	lockdep_assert_held(&bucket->lock);
	if (unlikely(waiter->counted))
		vsm_cluster_resume(waiter->cluster, waiter->warp, waiter->counted);
	if (!hlist_unhashed(&waiter->node)) {
		if (!list_empty(&waiter->peers)) {
			struct vsm_waiter *heir = list_next_entry(waiter, peers);

			hlist_add_behind(&heir->node, &waiter->node);
		}
		hlist_del_init(&waiter->node);
	}
	if (!list_empty(&waiter->peers))
		list_del_init(&waiter->peers);
	if (waiter->expires)
		list_del(&waiter->timed);
	waiter->parked = false;
}

/* Let the row's timer go off at @expires (jiffies) at the latest; as a rule it will. */
static inline void vsm_row_look_at(struct vsm_row *row, unsigned long expires)
{
	/*
	 * A timer that looks pending and is just going off queues the work, which then takes
	 * the lock of the bucket, held here, and finds the waiter.
	 */
	if (!timer_pending(&row->timer) ||
	    time_after(READ_ONCE(row->timer.expires), expires))
		timer_reduce(&row->timer, expires);
}

/**
 * vsm_park_enter - Wait, unless there is nothing to wait for
 * @waiter: Who; cluster, index, state, parity, endless, expires, deadline and end are
 *	set
 * @fault: Why the wait is misuse, or the rule that it breaks and that the cluster only
 *	reports (out, but for errors other than -EPROTO)
 * @word: The word as it was found (out)
 *
 * Return: 0 if the waiter is parked now, 1 if its phase is complete, -EPROTO,
 * -EIO or -ENODEV.
 */
int vsm_park_enter(struct vsm_waiter *waiter, enum drm_vsm_fault *fault, u64 *word)
{
	struct vsm_cluster *cluster = waiter->cluster;
	struct vsm_bucket *bucket = vsm_park_bucket(cluster, waiter->index);
	struct vsm_waiter *first;
	int ret = 0;

	INIT_HLIST_NODE(&waiter->node);
	INIT_LIST_HEAD(&waiter->peers);
	waiter->parked = false;
	waiter->counted = 0;

	spin_lock(&bucket->lock);
	/* vsm_cluster_kill() and vsm_device_unplug() set these before they take the lock. */
	if (READ_ONCE(cluster->vdev->lost)) {
		ret = -ENODEV;
		goto out;
	}
	if (READ_ONCE(cluster->lost)) {
		ret = -EIO;
		goto out;
	}

	/* Pairs with the exchange that completes a phase. */
	*word = smp_load_acquire(vsm_cluster_word(cluster, waiter->index));
	*fault = vsm_engine_check_wait(cluster, waiter, *word);
	if (*fault && !(cluster->geo.report & DRM_VSM_RULE(*fault))) {
		ret = -EPROTO;
		goto out;
	}
	if (vsm_mbarrier_wait(*word, waiter->state)) {
		vsm_engine_observe(cluster, waiter->index);
		ret = 1;
		goto out;
	}

	first = vsm_park_find(bucket, cluster, waiter->index, vsm_mbarrier_phase(waiter->state));
	if (first)
		list_add_tail(&waiter->peers, &first->peers);
	else
		hlist_add_head(&waiter->node, &bucket->words);
	waiter->parked = true;
	waiter->deadlock = atomic_read(&cluster->deadlocks);
	if (waiter->endless)
		waiter->counted = vsm_cluster_suspend(cluster, waiter->warp, waiter->endless);
	if (waiter->expires) {
		list_add_tail(&waiter->timed, &bucket->timed);
		vsm_row_look_at(vsm_park_row(cluster, waiter->index), waiter->expires);
	}
out:
	spin_unlock(&bucket->lock);
	if (ret == -EPROTO && *fault == DRM_VSM_FAULT_POISONED)
		vsm_cluster_kill(cluster);
	return ret;
}

/*
 * Has the phase of a waiter completed, although nobody has ended its wait? User space may have
 * completed it, or the waiter is in &vsm_bucket.woken and its turn has not come. The word tells,
 * unless the next phase has completed too: then PTX gives the waiter no answer.
 */
static bool vsm_park_is_complete(struct vsm_bucket *bucket, const struct vsm_waiter *waiter)
{
	const struct vsm_cluster *cluster = waiter->cluster;
	/* Pairs with the exchange that completes a phase. */
	u64 word = smp_load_acquire(vsm_cluster_word(cluster, waiter->index));

	lockdep_assert_held(&bucket->lock);
	if (!vsm_mbarrier_wait(word, waiter->state) ||
	    vsm_engine_check_wait(cluster, waiter, word))
		return false;
	vsm_engine_observe(cluster, waiter->index);
	return true;
}

/**
 * vsm_park_completed - Has the phase of a waiter completed by now?
 * @waiter: Who has left, because its time is up
 *
 * Return: Whether it has.
 */
bool vsm_park_completed(const struct vsm_waiter *waiter)
{
	struct vsm_bucket *bucket = vsm_park_bucket(waiter->cluster, waiter->index);
	bool complete;

	spin_lock(&bucket->lock);
	complete = vsm_park_is_complete(bucket, waiter);
	spin_unlock(&bucket->lock);
	return complete;
}

/**
 * vsm_park_leave - Stop waiting
 * @waiter: Who has entered
 *
 * Return: true if the waiter was parked, false if its wait has ended already.
 */
bool vsm_park_leave(struct vsm_waiter *waiter)
{
	struct vsm_bucket *bucket = vsm_park_bucket(waiter->cluster, waiter->index);
	bool parked;

	spin_lock(&bucket->lock);
	parked = waiter->parked;
	if (parked)
		vsm_park_remove(bucket, waiter);
	spin_unlock(&bucket->lock);
	return parked;
}

/* End the wait of a waiter that is parked. */
static void vsm_park_finish(struct vsm_bucket *bucket, struct vsm_waiter *waiter, int error,
			    struct vsm_wakes *wakes)
{
	vsm_park_remove(bucket, waiter);
	waiter->end(waiter, error, wakes);
}

/**
 * vsm_park_end - End a wait, if nobody has yet
 * @waiter: Who has entered
 * @error: What it ends with
 * @wakes: Whom to wake without a lock (out)
 */
void vsm_park_end(struct vsm_waiter *waiter, int error, struct vsm_wakes *wakes)
{
	struct vsm_bucket *bucket = vsm_park_bucket(waiter->cluster, waiter->index);

	spin_lock(&bucket->lock);
	if (waiter->parked && error == -ETIMEDOUT)
		error = vsm_park_is_complete(bucket, waiter) ? 0 : -ETIMEDOUT;
	if (waiter->parked)
		vsm_park_finish(bucket, waiter, error, wakes);
	spin_unlock(&bucket->lock);
}

/* Has the waiter parked after the deadlock had been found, as have those behind it in its ring? */
static bool vsm_park_is_younger(const struct vsm_waiter *waiter)
{
	return vsm_cluster_after_deadlock(waiter->cluster, waiter->deadlock);
}

/* End the waits of some woken waiters, oldest first. */
static void vsm_park_end_woken(struct vsm_bucket *bucket, struct vsm_wakes *wakes)
{
	unsigned int count = 0;

	lockdep_assert_held(&bucket->lock);
	while (!list_empty(&bucket->woken) && count++ < VSM_WAKE_BATCH)
		vsm_park_finish(bucket, list_first_entry(&bucket->woken, struct vsm_waiter, peers),
				0, wakes);
}

/**
 * vsm_park_wake - End the waits for a phase that has just completed
 * @bucket: Bucket of the word, locked since before the phase completed
 * @cluster: Cluster
 * @index: Index of the word
 * @word: The word in its new phase
 * @shadow: Of the object, or NULL
 * @wakes: Whom to wake without a lock (out)
 *
 * Waits that are too many end in vsm_park_unlock(), which the caller unlocks the bucket with.
 */
void vsm_park_wake(struct vsm_bucket *bucket, const struct vsm_cluster *cluster,
		   u32 index, u64 word, struct vsm_shadow *shadow, struct vsm_wakes *wakes)
{
	struct vsm_waiter *first = vsm_park_find(bucket, cluster, index,
						 !vsm_mbarrier_phase(word));
	LIST_HEAD(ring);

	if (!first)
		return;
	/* Before any of them can go on. */
	if (shadow)
		vsm_shadow_observe(shadow);
	if (list_empty(&first->peers)) {
		vsm_park_finish(bucket, first, 0, wakes);
		return;
	}
	hlist_del_init(&first->node);
	/* Behind the last one, which is before the first: a head for the ring. */
	list_add_tail(&ring, &first->peers);
	list_splice_tail(&ring, &bucket->woken);
	vsm_park_end_woken(bucket, wakes);
}

/**
 * vsm_park_wake_rest - End the waits that vsm_park_wake() has left
 * @bucket: Bucket, locked; it is unlocked meanwhile
 * @wakes: Whom to wake without a lock (out)
 *
 * Several who do this at once share the work.
 */
void vsm_park_wake_rest(struct vsm_bucket *bucket, struct vsm_wakes *wakes)
	__must_hold(&bucket->lock)
{
	while (!list_empty(&bucket->woken)) {
		spin_unlock(&bucket->lock);
		vsm_wakes_batch(wakes);
		cond_resched();
		spin_lock(&bucket->lock);
		vsm_park_end_woken(bucket, wakes);
	}
}

/**
 * vsm_park_occupied - Does anybody wait on a word?
 * @bucket: Bucket of the word, locked
 * @cluster: Cluster
 * @index: Index of the word
 */
bool vsm_park_occupied(struct vsm_bucket *bucket, const struct vsm_cluster *cluster, u32 index)
{
	return vsm_park_find(bucket, cluster, index, 0) || vsm_park_find(bucket, cluster, index, 1);
}

/*
 * End some of the waits of a ring that end with @error, oldest first; false if none is left. A
 * deadlock ends the waits without a time limit that were there as it was found. The others in the
 * ring that were there are those of tasks: a wait that is armed would wake somebody.
 */
static bool vsm_park_kill_ring(struct vsm_bucket *bucket, struct vsm_waiter *first, int error,
			       unsigned int *count, struct vsm_wakes *wakes)
{
	struct vsm_waiter *youngest = list_prev_entry(first, peers);
	struct vsm_waiter *waiter = first, *next;
	bool last;

	for (;; waiter = next) {
		last = waiter == youngest;
		next = list_next_entry(waiter, peers);
		if (error == -EDEADLK && vsm_park_is_younger(waiter))
			return false;
		if (error != -EDEADLK || waiter->endless) {
			if (++*count > VSM_WAKE_BATCH)
				return true;
			vsm_park_finish(bucket, waiter, error, wakes);
		}
		if (last)
			return false;
	}
}

/*
 * Likewise of all that wait on a cluster, or on any. Those that are woken have not lost: whoever
 * wakes them ends them, or this does if the device goes.
 */
static bool vsm_park_kill_some(struct vsm_bucket *bucket, const struct vsm_cluster *cluster,
			       int error, struct vsm_wakes *wakes)
{
	struct vsm_waiter *first;
	struct hlist_node *next;
	unsigned int count = 0;

	if (!cluster) {
		vsm_park_end_woken(bucket, wakes);
		if (!list_empty(&bucket->woken))
			return true;
	}
	hlist_for_each_entry_safe(first, next, &bucket->words, node)
		if ((!cluster || first->cluster == cluster) &&
		    vsm_park_kill_ring(bucket, first, error, &count, wakes))
			return true;
	return false;
}

/**
 * vsm_park_kill - End all waits on a cluster that is lost, or on the device
 * @vdev: Device
 * @cluster: Cluster, whose @lost is set or which is deadlocked; NULL for all, @lost of
 *	@vdev being set
 * @error: What the waits end with
 */
void vsm_park_kill(struct vsm_device *vdev, const struct vsm_cluster *cluster, int error)
{
	struct vsm_wakes wakes = {};
	unsigned int i;
	bool more;

	for (i = 0; i < VSM_PARK_BUCKETS; i++) {
		struct vsm_row *row = &vdev->rows[i / VSM_ROW_BUCKETS];
		struct vsm_bucket *bucket = &row->buckets[i % VSM_ROW_BUCKETS];

		do {
			spin_lock(&bucket->lock);
			more = vsm_park_kill_some(bucket, cluster, error, &wakes);
			spin_unlock(&bucket->lock);
			vsm_wakes_batch(&wakes);
			cond_resched();
		} while (more);
	}
	vsm_wakes_run(&wakes);
}

/*
 * Are all threads suspended, and nothing there that may wake one? Then the caller has become a
 * waker, so that nobody else finds the same.
 *
 * Why there is no false alarm: a thread that is resumed is counted as such after it
 * has left the suspended and before the waker that resumed it goes. So if all threads
 * were found suspended, then no waker, and then that nobody has been resumed since
 * before, all were suspended while there was no waker.
 *
 * The deadlock gets its number in between. Whoever is suspended has read a smaller one. A
 * thread that parks again after it, and a wait that is armed, have this one or a greater
 * one, and are not ended: a wait that was armed before is a waker.
 */
static bool vsm_cluster_is_deadlocked(struct vsm_cluster *cluster)
{
	do {
		int number, resumed = atomic_read(&cluster->resumed);

		/* All reads in this order: pairs with vsm_cluster_resume(). */
		smp_mb();
		if (atomic_read(&cluster->suspended) != cluster->geo.ctas * cluster->geo.threads ||
		    !READ_ONCE(cluster->live) || atomic_read(&cluster->wakers))
			return false;
		number = atomic_inc_return(&cluster->deadlocks);
		/* Fully ordered if it succeeds; see also vsm_cluster_add_waker(). */
		if (atomic_cmpxchg(&cluster->wakers, 0, 1))
			return false;
		if (atomic_read(&cluster->resumed) == resumed) {
			cluster->deadlock_resumed = resumed;
			cluster->deadlock = number;
			return true;
		}
	} while (atomic_dec_and_test(&cluster->wakers) && atomic_read(&cluster->suspended));
	return false;
}

/* End the waits of a deadlock, unless a signal has brought a thread back meanwhile. */
static void vsm_deadlock_work(struct work_struct *work)
{
	struct vsm_cluster *cluster = container_of(work, struct vsm_cluster, deadlock_work);

	if (atomic_read(&cluster->resumed) == cluster->deadlock_resumed) {
		vsm_park_kill(cluster->vdev, cluster, -EDEADLK);
		vsm_rendezvous_kill(cluster, -EDEADLK);
	}
	vsm_cluster_remove_waker(cluster);
}

/**
 * vsm_park_detect_deadlock - Look for a deadlock, and queue the work that ends it
 * @cluster: Cluster
 *
 * To be called by a thread after it has been suspended without a time limit, in the
 * parking lot or where threads meet, or has exited, which is the same for ever; and after
 * a waker has gone. Whichever is last finds the deadlock.
 *
 * vsm_deadlock_work() ends the waits. If the threads wait again, the next deadlock queues the
 * work again: such threads hold up neither the caller nor a worker of the copy engine.
 */
void vsm_park_detect_deadlock(struct vsm_cluster *cluster)
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

static void vsm_row_timer(struct timer_list *timer)
{
	queue_work(system_unbound_wq, &container_of(timer, struct vsm_row, timer)->work);
}

/* Look at some of the waiters in @left: end their waits or put them back. */
static void vsm_bucket_expire(struct vsm_bucket *bucket, struct list_head *left,
			      unsigned long *next, struct vsm_wakes *wakes)
{
	s64 now = ktime_to_ns(ktime_get());
	unsigned int count = 0;

	lockdep_assert_held(&bucket->lock);
	while (!list_empty(left) && count++ < VSM_WAKE_BATCH) {
		struct vsm_waiter *waiter = list_first_entry(left, struct vsm_waiter, timed);

		if (waiter->deadline <= now) {
			vsm_park_finish(bucket, waiter, vsm_park_is_complete(bucket, waiter)
							? 0 : -ETIMEDOUT, wakes);
			continue;
		}
		list_move_tail(&waiter->timed, &bucket->timed);
		/* Ticks may come late, and then several at once. */
		if (time_before_eq(waiter->expires, jiffies))
			waiter->expires = jiffies + 1;
		if (!*next || time_before(waiter->expires, *next))
			*next = waiter->expires;
	}
}

static void vsm_row_expire(struct work_struct *work)
{
	struct vsm_row *row = container_of(work, struct vsm_row, work);
	struct vsm_wakes wakes = {};
	unsigned long next = 0;
	unsigned int i;

	for (i = 0; i < VSM_ROW_BUCKETS; i++) {
		struct vsm_bucket *bucket = &row->buckets[i];
		LIST_HEAD(left);

		spin_lock(&bucket->lock);
		/* A waiter may leave while it is in this list. */
		list_splice_init(&bucket->timed, &left);
		vsm_bucket_expire(bucket, &left, &next, &wakes);
		while (!list_empty(&left)) {
			spin_unlock(&bucket->lock);
			cond_resched();
			spin_lock(&bucket->lock);
			vsm_bucket_expire(bucket, &left, &next, &wakes);
		}
		spin_unlock(&bucket->lock);
	}
	vsm_wakes_run(&wakes);
	if (next)
		timer_reduce(&row->timer, next);
}
