// SPDX-License-Identifier: GPL-2.0-only
/*
 * The parking lot: waiters for phases of words.
 *
 * The hash of a word chooses a bucket for its waiters. All waiters of a word for the phase of one
 * parity form a ring, and the first of them is linked in the bucket. The cost of finding a word
 * therefore depends on the number of words in its bucket, and not on the number of their waiters.
 * Any waiter can leave in constant time.
 *
 * Why no wake-up is lost, and no waiter is woken by the wrong phase: every phase of a word
 * completes while the word's bucket is locked (vsm_engine.c). A waiter looks at the word for the
 * last time and parks while the same bucket is locked. A waiter that is parked when a phase
 * completes has therefore parked during that phase, and the task that completes the phase takes it
 * exactly once. If user space completes a phase by writing to the word itself, no waiter is woken.
 *
 * However many waiters there are, the lock is held for at most VSM_WAKE_BATCH of them. The task
 * that completes a phase moves the whole ring to the bucket's list of woken waiters, in constant
 * time. Then it ends their waits, and drops the lock between two batches. A waiter can leave that
 * list just as it can leave its ring. Waiters for the next phase form a new ring.
 */
#include <linux/bits.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/timer.h>
#include <linux/workqueue.h>

#include <drm/drm_managed.h>

#include "sync/vsm_engine.h"
#include "sync/vsm_waiter.h"
#include "vsm_compat.h"
#include "vsm_drv.h"

#define VSM_PARK_BUCKETS	BIT(VSM_PARK_BITS)
#define VSM_ROW_BUCKETS		(VSM_PARK_BUCKETS / VSM_PARK_ROWS)

/**
 * struct vsm_row - Buckets that share a timer
 * @timer: Goes off no later than the first time limit of a waiter in the row
 * @work: Ends the waits whose time is up; queued by the timer
 * @buckets: The %VSM_ROW_BUCKETS buckets, a part of &vsm_device.buckets
 *
 * Most waiters are woken before their time is up. They do not stop the timer. It goes off now and
 * then, and the work finds nothing to do. A suspension with a time limit therefore costs hardly
 * more than one without.
 */
struct vsm_row {
	struct timer_list timer;
	struct work_struct work;
	struct vsm_bucket *buckets;
};

static void vsm_row_timer(struct timer_list *timer);
static void vsm_row_expire(struct work_struct *work);

static void vsm_park_fini(struct drm_device *drm, void *data)
{
	struct vsm_device *vdev = data;
	unsigned int i;

	/* No waiter is left: the work will not start the timer again. */
	for (i = 0; vdev->rows && i < VSM_PARK_ROWS; i++) {
		vsm_timer_delete_sync(&vdev->rows[i].timer);
		cancel_work_sync(&vdev->rows[i].work);
	}
	kvfree(vdev->rows);
	kvfree(vdev->buckets);
}

int vsm_park_init(struct vsm_device *vdev)
{
	unsigned int i;
	int ret;

	ret = drmm_add_action(&vdev->drm, vsm_park_fini, vdev);
	if (ret)
		return ret;
	vdev->buckets = kvcalloc(VSM_PARK_BUCKETS, sizeof(*vdev->buckets), GFP_KERNEL);
	if (!vdev->buckets)
		return -ENOMEM;
	for (i = 0; i < VSM_PARK_BUCKETS; i++) {
		spin_lock_init(&vdev->buckets[i].lock);
		INIT_LIST_HEAD(&vdev->buckets[i].woken);
		INIT_LIST_HEAD(&vdev->buckets[i].timed);
	}
	vdev->rows = kvcalloc(VSM_PARK_ROWS, sizeof(*vdev->rows), GFP_KERNEL);
	if (!vdev->rows)
		return -ENOMEM;
	for (i = 0; i < VSM_PARK_ROWS; i++) {
		timer_setup(&vdev->rows[i].timer, vsm_row_timer, 0);
		INIT_WORK(&vdev->rows[i].work, vsm_row_expire);
		vdev->rows[i].buckets = vdev->buckets + i * VSM_ROW_BUCKETS;
	}
	return 0;
}

static struct vsm_row *vsm_park_row(const struct vsm_device *vdev, const struct vsm_bucket *bucket)
{
	return &vdev->rows[(bucket - vdev->buckets) / VSM_ROW_BUCKETS];
}

/*
 * Note in &vsm_cluster.parked that a row gets a waiter for a word of the cluster. For one cluster,
 * vsm_park_next_bucket() returns only buckets in noted rows. The waiter makes the note before it
 * looks whether the cluster is lost, and before it counts as suspended.
 */
static inline void vsm_park_note_row(struct vsm_cluster *cluster, u32 index)
{
	u32 row = (vsm_park_bucket(cluster, index) - cluster->vdev->buckets) / VSM_ROW_BUCKETS;

	if (unlikely(!test_bit(row, cluster->parked)))
		set_bit(row, cluster->parked);
}

/*
 * The next bucket from @number on (in, out) that may have waiters for words of a cluster; of any
 * cluster if @cluster is NULL. Returns NULL if there are no more.
 */
struct vsm_bucket *vsm_park_next_bucket(const struct vsm_device *vdev,
					const struct vsm_cluster *cluster, u32 *number)
{
	for (; *number < VSM_PARK_BUCKETS; *number = round_up(*number + 1, VSM_ROW_BUCKETS))
		if (!cluster || test_bit(*number / VSM_ROW_BUCKETS, cluster->parked))
			return &vdev->buckets[*number];
	return NULL;
}

static __always_inline struct vsm_phase_waiter *
vsm_park_first(struct vsm_bucket *bucket, const struct vsm_cluster *cluster, u32 index, u32 parity)
{
	struct vsm_phase_waiter *first;

	lockdep_assert_held(&bucket->lock);
	hlist_for_each_entry(first, &bucket->words, node)
		if (first->index == index && first->base.cluster == cluster &&
		    vsm_mbarrier_phase(first->state) == parity)
			return first;
	return NULL;
}

/* Find the first waiter for the phase of a parity of a word. The bucket is locked. */
struct vsm_phase_waiter *vsm_park_find(struct vsm_bucket *bucket,
				       const struct vsm_cluster *cluster, u32 index, u32 parity)
{
	return vsm_park_first(bucket, cluster, index, parity);
}

/*
 * A woken waiter goes. The next one becomes the first of its ring and needs to know the cause,
 * unless it is the first of another ring.
 */
static noinline void vsm_park_pass_cause(struct vsm_bucket *bucket, struct vsm_phase_waiter *waiter)
{
	struct vsm_phase_waiter *heir = list_next_entry(waiter, peers);

	if (!list_is_head(&heir->peers, &bucket->woken) && !heir->base.cause)
		heir->base.cause = waiter->base.cause;
}

/* Take a waiter out of its ring, or out of &vsm_bucket.woken. It is not alone there. */
static noinline void vsm_park_leave_ring(struct vsm_phase_waiter *waiter)
{
	struct vsm_phase_waiter *heir = list_next_entry(waiter, peers);

	if (!hlist_unhashed(&waiter->node)) {
		hlist_add_behind(&heir->node, &waiter->node);
		hlist_del_init(&waiter->node);
	}
	list_del_init(&waiter->peers);
}

static inline void vsm_park_remove(struct vsm_bucket *bucket, struct vsm_phase_waiter *waiter)
{
	lockdep_assert_held(&bucket->lock);
	if (unlikely(waiter->base.cause))
		vsm_park_pass_cause(bucket, waiter);
	if (unlikely(waiter->base.counted))
		vsm_waiter_resume(&waiter->base);
	if (list_empty(&waiter->peers))
		hlist_del_init(&waiter->node);
	else
		vsm_park_leave_ring(waiter);
	if (waiter->expires)
		list_del(&waiter->timed);
	waiter->base.waiting = false;
}

/* Make the row's timer go off at @expires (jiffies) or before. Usually it does so already. */
static inline void vsm_row_look_at(struct vsm_row *row, unsigned long expires)
{
	/*
	 * The timer may look pending although it is just going off. Then it queues the work, which
	 * takes the lock of the bucket after the caller has dropped it, and finds the waiter.
	 */
	if (!timer_pending(&row->timer) ||
	    time_after(READ_ONCE(row->timer.expires), expires))
		timer_reduce(&row->timer, expires);
}

/**
 * vsm_park_enter - Wait for a phase, unless it is complete
 * @waiter: Waiter whose @base.cluster, @base.warp, @base.untimed, @base.end, @index, @by_parity,
 *	@state, @expires and @deadline are set
 * @fault: The rule that the wait breaks, or none. Unless the function returns -EPROTO, the cluster
 *	only reports that rule (out, not set if the function returns -EIO or -ENODEV)
 * @word: Value of the word (out, not set if the function returns -EIO or -ENODEV)
 *
 * If the wait is refused, the caller has to call vsm_cluster_refuse().
 *
 * Return: 0 if the waiter is parked now, 1 if its phase is complete, -EPROTO, -EIO or -ENODEV.
 */
int vsm_park_enter(struct vsm_phase_waiter *waiter, enum drm_vsm_fault *fault, u64 *word)
{
	struct vsm_cluster *cluster = waiter->base.cluster;
	struct vsm_bucket *bucket = vsm_park_bucket(cluster, waiter->index);
	struct vsm_phase_waiter *first;
	int ret = 0;

	INIT_HLIST_NODE(&waiter->node);
	INIT_LIST_HEAD(&waiter->peers);
	waiter->base.waiting = false;
	waiter->base.counted = false;
	waiter->base.number = 0;
	waiter->base.cause = 0;

	vsm_park_note_row(cluster, waiter->index);
	spin_lock(&bucket->lock);
	smp_mb__after_spinlock(); /* vsm_park_note_row() */
	/* vsm_waiter.c sets these marks before it takes the lock. */
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
	*fault = vsm_shadow_check_wait(cluster, waiter->index, waiter->by_parity, waiter->state,
				       *word);
	if (*fault && !(cluster->geo.report & DRM_VSM_RULE(*fault))) {
		ret = -EPROTO;
		goto out;
	}
	if (vsm_mbarrier_wait(*word, waiter->state)) {
		vsm_shadow_observe_at(cluster, waiter->index);
		ret = 1;
		goto out;
	}

	first = vsm_park_first(bucket, cluster, waiter->index, vsm_mbarrier_phase(waiter->state));
	if (first)
		list_add_tail(&waiter->peers, &first->peers);
	else
		hlist_add_head(&waiter->node, &bucket->words);
	waiter->base.waiting = true;
	waiter->base.epoch = atomic_read(&cluster->deadlock_epoch);
	waiter->base.since = jiffies;
	if (vsm_is_recording())
		vsm_record_phase_wait(&waiter->base, waiter->index, waiter->by_parity,
				      waiter->state, *word);
	if (waiter->base.untimed)
		vsm_waiter_suspend(&waiter->base);
	if (waiter->expires) {
		list_add_tail(&waiter->timed, &bucket->timed);
		vsm_row_look_at(vsm_park_row(cluster->vdev, bucket), waiter->expires);
	}
out:
	spin_unlock(&bucket->lock);
	return ret;
}

/*
 * Has the phase of a waiter completed, although its wait has not ended? User space may have
 * completed the phase, or the waiter is in &vsm_bucket.woken. The word shows this, unless the next
 * phase has completed too. In that case PTX promises the waiter nothing.
 */
static bool vsm_park_completed_locked(struct vsm_bucket *bucket,
				      const struct vsm_phase_waiter *waiter)
{
	const struct vsm_cluster *cluster = waiter->base.cluster;
	/* Pairs with the exchange that completes a phase. */
	u64 word = smp_load_acquire(vsm_cluster_word(cluster, waiter->index));

	lockdep_assert_held(&bucket->lock);
	if (!vsm_mbarrier_wait(word, waiter->state) ||
	    vsm_shadow_check_wait(cluster, waiter->index, waiter->by_parity, waiter->state, word))
		return false;
	vsm_shadow_observe_at(cluster, waiter->index);
	return true;
}

/**
 * vsm_park_completed - Has the phase of a waiter completed by now?
 * @waiter: Waiter that has left the parking lot because its time is up
 */
bool vsm_park_completed(const struct vsm_phase_waiter *waiter)
{
	struct vsm_bucket *bucket = vsm_park_bucket(waiter->base.cluster, waiter->index);
	bool complete;

	spin_lock(&bucket->lock);
	complete = vsm_park_completed_locked(bucket, waiter);
	spin_unlock(&bucket->lock);
	return complete;
}

/*
 * Take a waiter out of the parking lot, without ending its wait. Returns true if the waiter was
 * still parked, false if its wait has ended already.
 */
bool vsm_park_leave(struct vsm_phase_waiter *waiter)
{
	struct vsm_bucket *bucket = vsm_park_bucket(waiter->base.cluster, waiter->index);
	bool parked;

	spin_lock(&bucket->lock);
	parked = waiter->base.waiting;
	if (parked)
		vsm_park_remove(bucket, waiter);
	spin_unlock(&bucket->lock);
	return parked;
}

/* End the wait of a waiter that is parked. */
static __always_inline void vsm_park_finish(struct vsm_bucket *bucket,
					    struct vsm_phase_waiter *waiter, int error,
					    struct vsm_wakes *wakes)
{
	vsm_park_remove(bucket, waiter);
	if (vsm_is_recording())
		vsm_record_phase_wait_end(&waiter->base, waiter->index, waiter->by_parity, error);
	waiter->base.end(&waiter->base, error, wakes);
}

/*
 * End a wait, unless it has ended.
 * @error: Error with which the wait ends
 * @wakes: Gets the readers that the caller wakes after it has dropped its locks (out)
 */
void vsm_park_end(struct vsm_phase_waiter *waiter, int error, struct vsm_wakes *wakes)
{
	struct vsm_bucket *bucket = vsm_park_bucket(waiter->base.cluster, waiter->index);

	spin_lock(&bucket->lock);
	if (waiter->base.waiting && error == -ETIMEDOUT)
		error = vsm_park_completed_locked(bucket, waiter) ? 0 : -ETIMEDOUT;
	if (waiter->base.waiting)
		vsm_park_finish(bucket, waiter, error, wakes);
	spin_unlock(&bucket->lock);
}

/* End the waits of at most VSM_WAKE_BATCH woken waiters, the oldest first. */
static void vsm_park_end_woken(struct vsm_bucket *bucket, struct vsm_wakes *wakes)
{
	unsigned int count = 0;

	lockdep_assert_held(&bucket->lock);
	while (!list_empty(&bucket->woken) && count++ < VSM_WAKE_BATCH)
		vsm_park_finish(bucket,
				list_first_entry(&bucket->woken, struct vsm_phase_waiter, peers),
				0, wakes);
}

/* End a batch of the waits of a ring. The others stay in &vsm_bucket.woken. */
static noinline void vsm_park_wake_ring(struct vsm_bucket *bucket, struct vsm_phase_waiter *first,
					struct vsm_wakes *wakes)
{
	LIST_HEAD(ring);

	first->base.cause = bucket->cause ?: VSM_UNNUMBERED;
	hlist_del_init(&first->node);
	/* The head goes between the last waiter of the ring and the first. */
	list_add_tail(&ring, &first->peers);
	list_splice_tail(&ring, &bucket->woken);
	vsm_park_end_woken(bucket, wakes);
}

/*
 * End the waits for a phase that has just completed.
 * @bucket: Bucket of the word, locked since before the phase completed
 * @word: Value of the word in its new phase
 * @shadow: Shadow of the object, or NULL
 * @wakes: Gets the readers that the caller wakes after it has dropped its locks (out)
 *
 * This ends one batch of waits. The caller unlocks the bucket with vsm_park_unlock(), which ends
 * the others.
 */
void vsm_park_wake(struct vsm_bucket *bucket, const struct vsm_cluster *cluster,
		   u32 index, u64 word, struct vsm_shadow *shadow, struct vsm_wakes *wakes)
{
	struct vsm_phase_waiter *first = vsm_park_first(bucket, cluster, index,
							!vsm_mbarrier_phase(word));

	if (!first)
		return;
	/* This is marked before any of the waiters can run. */
	if (shadow)
		vsm_shadow_observe(shadow);
	if (!list_empty(&first->peers)) {
		vsm_park_wake_ring(bucket, first, wakes);
		return;
	}
	if (vsm_is_recording())
		first->base.cause = bucket->cause;
	vsm_park_finish(bucket, first, 0, wakes);
}

/**
 * vsm_park_wake_rest - End the waits of the woken waiters that vsm_park_wake() has left
 * @bucket: Bucket, which is locked; it is unlocked for a moment between two batches
 * @wakes: Gets the readers that the caller wakes after it has dropped its locks (out)
 *
 * If several tasks call this at once, each ends some of the waits.
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

/*
 * Is there a waiter for a phase of a word?
 * @bucket: Bucket of the word, which is locked
 */
bool vsm_park_occupied(struct vsm_bucket *bucket, const struct vsm_cluster *cluster, u32 index)
{
	return vsm_park_find(bucket, cluster, index, 0) || vsm_park_find(bucket, cluster, index, 1);
}

/*
 * End waits of a ring with @error, the oldest first. Returns true if a batch was full before the
 * end of the ring. A deadlock ends only waits without a time limit, and only those that had begun
 * before it was found. An armed wait is among these only if it has no time limit: otherwise it is a
 * waker, and there is no deadlock while there is a waker.
 */
static bool vsm_park_end_ring(struct vsm_bucket *bucket, struct vsm_phase_waiter *first, int error,
			      unsigned int *count, struct vsm_wakes *wakes)
{
	struct vsm_phase_waiter *youngest = list_prev_entry(first, peers);
	struct vsm_phase_waiter *waiter = first, *next;
	bool last;

	for (;; waiter = next) {
		last = waiter == youngest;
		next = list_next_entry(waiter, peers);
		/* The waiters behind this one in the ring began even later. */
		if (error == -EDEADLK && vsm_waiter_is_younger(&waiter->base))
			return false;
		if (error != -EDEADLK || waiter->base.untimed) {
			if (++*count > VSM_WAKE_BATCH)
				return true;
			vsm_park_finish(bucket, waiter, error, wakes);
		}
		if (last)
			return false;
	}
}

/*
 * End some of the waits of a bucket: those on words of @cluster, or all if it is NULL. Returns true
 * if there may be more. Woken waiters are in a list of their own. Their waits have succeeded, and
 * are left to the task that completed their phase; only if the device goes, this function ends them
 * too.
 */
static bool vsm_park_end_some(struct vsm_bucket *bucket, const struct vsm_cluster *cluster,
			      int error, struct vsm_wakes *wakes)
{
	struct vsm_phase_waiter *first;
	struct hlist_node *next;
	unsigned int count = 0;

	if (!cluster) {
		vsm_park_end_woken(bucket, wakes);
		if (!list_empty(&bucket->woken))
			return true;
	}
	hlist_for_each_entry_safe(first, next, &bucket->words, node)
		if ((!cluster || first->base.cluster == cluster) &&
		    vsm_park_end_ring(bucket, first, error, &count, wakes))
			return true;
	return false;
}

/*
 * End all waits on a cluster or on the device.
 * @cluster: Cluster that is lost or deadlocked; NULL for all clusters of a device that is lost
 * @error: Error with which the waits end
 */
void vsm_park_end_all(struct vsm_device *vdev, const struct vsm_cluster *cluster, int error)
{
	struct vsm_wakes wakes = {};
	struct vsm_bucket *bucket;
	bool more;
	u32 i;

	for (i = 0; (bucket = vsm_park_next_bucket(vdev, cluster, &i)); i++) {
		do {
			spin_lock(&bucket->lock);
			more = vsm_park_end_some(bucket, cluster, error, &wakes);
			spin_unlock(&bucket->lock);
			vsm_wakes_batch(&wakes);
			cond_resched();
		} while (more);
	}
	vsm_wakes_run(&wakes);
}

static void vsm_row_timer(struct timer_list *timer)
{
	queue_work(system_unbound_wq, &container_of(timer, struct vsm_row, timer)->work);
}

/*
 * Look at some of the waiters in @left: end their waits, or put them back into the bucket's list.
 */
static void vsm_bucket_expire(struct vsm_bucket *bucket, struct list_head *left,
			      unsigned long *next, struct vsm_wakes *wakes)
{
	s64 now = ktime_to_ns(ktime_get());
	unsigned int count = 0;

	lockdep_assert_held(&bucket->lock);
	while (!list_empty(left) && count++ < VSM_WAKE_BATCH) {
		struct vsm_phase_waiter *waiter;

		waiter = list_first_entry(left, struct vsm_phase_waiter, timed);
		if (waiter->deadline <= now) {
			bool complete = vsm_park_completed_locked(bucket, waiter);

			vsm_park_finish(bucket, waiter, complete ? 0 : -ETIMEDOUT, wakes);
			continue;
		}
		list_move_tail(&waiter->timed, &bucket->timed);
		/* This waiter was looked at too early. Look again at a later tick, not at once. */
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
		/*
		 * The lock is dropped below, and a waiter may then leave while it is in this list.
		 */
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
