/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Waiters: what they have in common, the parking lot for those that wait for a phase, the waits for
 * groups, and the two ways to end all of them: a deadlock, and a kill.
 */
#ifndef _VSM_WAITER_H_
#define _VSM_WAITER_H_

#include <linux/cache.h>
#include <linux/wait.h>

#include "base/vsm_client.h"
#include "base/vsm_fault.h"
#include "base/vsm_trace.h"
#include "object/vsm_cluster.h"
#include "vsm_drv.h"

/* --- waiters --------------------------------------------------------------------- */

/**
 * struct vsm_waiter - A task or an armed wait that waits on behalf of a thread
 * @cluster: The cluster; the owner of the waiter has a reference
 * @waiting: The wait has not ended; protected by the lock of the bucket or of the rendezvous
 * @warp: Number of the thread's warp in the cluster; valid if @untimed is not 0
 * @epoch: &vsm_cluster.deadlock_epoch when the wait began
 * @untimed: Mask of the lanes that this wait suspends without a time limit, or 0
 * @counted: The lanes of @untimed count as suspended because of this wait
 * @since: When the wait began (jiffies, which cost less to read than a clock)
 * @armed: The waiter is an armed wait, and not a task
 * @origin: The threads that wait
 * @number: Number of the wait (&drm_vsm_trace_event.id), or 0
 * @cause: Number of the event that ends the wait; 0 if it is not known; %VSM_UNNUMBERED if nobody
 *	looked then
 * @recorded: When the wait began (CLOCK_MONOTONIC, ns); valid if @number is not 0
 * @end: Called once, under the lock of the bucket or of the rendezvous, when the wait has succeeded
 *	(error 0), when its time is up (-ETIMEDOUT), or when it ends with another error. The
 *	waiter has left the bucket or the rendezvous before the call, and may be gone when the
 *	call returns
 *
 * The caller of @end runs the entries that @end adds to @wakes after it has dropped the lock.
 */
struct vsm_waiter {
	struct vsm_cluster *cluster;
	bool waiting;
	u16 warp;
	int epoch;
	u32 untimed;
	bool counted;
	unsigned long since;
	bool armed;
	struct vsm_origin *origin;
	u64 number;
	u64 cause;
	s64 recorded;
	void (*end)(struct vsm_waiter *waiter, int error, struct vsm_wakes *wakes);
};

struct drm_vsm_trace_event vsm_waiter_event(const struct vsm_waiter *waiter);
void vsm_record_wait(struct vsm_waiter *waiter, struct drm_vsm_trace_event *event);
void vsm_record_wait_end(struct vsm_waiter *waiter, struct drm_vsm_trace_event *event, int error);

/* Count lanes as suspended for ever, because they have exited. */
static inline void vsm_cluster_exit(struct vsm_cluster *cluster, u32 warp, u32 lanes)
{
	struct vsm_suspension *suspension = &cluster->suspensions[warp];

	spin_lock(&suspension->lock);
	atomic_add(hweight32(lanes & ~(suspension->waiting | suspension->exited)),
		   &cluster->suspended);
	/* The threads are counted before the caller looks for a deadlock. */
	smp_mb__after_atomic();
	suspension->exited |= lanes;
	spin_unlock(&suspension->lock);
}

/*
 * Count the lanes in @untimed as suspended. If several tasks or armed waits wait as one thread, the
 * thread counts once, from the beginning of the first of these waits to the end of the last one.
 */
static inline void vsm_waiter_suspend(struct vsm_waiter *waiter)
{
	struct vsm_cluster *cluster = waiter->cluster;
	struct vsm_suspension *suspension = &cluster->suspensions[waiter->warp];
	unsigned long again;
	u32 lane;

	spin_lock(&suspension->lock);
	again = waiter->untimed & suspension->waiting;
	for_each_set_bit(lane, &again, VSM_WARP_SIZE)
		suspension->more[lane]++;
	suspension->shared |= again;
	atomic_add(hweight32(waiter->untimed & ~(suspension->waiting | suspension->exited)),
		   &cluster->suspended);
	/* The threads are counted before the caller looks for a deadlock. */
	smp_mb__after_atomic();
	suspension->waiting |= waiter->untimed;
	spin_unlock(&suspension->lock);
	waiter->counted = true;
}

/*
 * A wait that suspends lanes of a warp ends. Stop counting them as suspended, except for those that
 * have exited or that another wait suspends.
 */
static inline void vsm_cluster_resume(struct vsm_cluster *cluster, u32 warp, u32 lanes)
{
	struct vsm_suspension *suspension = &cluster->suspensions[warp];
	unsigned long again;
	u32 lane, last;

	spin_lock(&suspension->lock);
	again = lanes & suspension->shared;
	last = lanes & ~again;
	for_each_set_bit(lane, &again, VSM_WARP_SIZE)
		if (!--suspension->more[lane])
			suspension->shared &= ~BIT(lane);
	suspension->waiting &= ~last;
	atomic_sub(hweight32(last & ~suspension->exited), &cluster->suspended);
	/* Pairs with the barriers in vsm_cluster_is_deadlocked(). */
	smp_mb__after_atomic();
	spin_unlock(&suspension->lock);
	atomic_inc(&cluster->resumed);
}

/* The wait of a waiter with @counted ends. */
static inline void vsm_waiter_resume(struct vsm_waiter *waiter)
{
	waiter->counted = false;
	vsm_cluster_resume(waiter->cluster, waiter->warp, waiter->untimed);
}

/* Did the wait begin after the last deadlock was found, so that it is not part of it? */
static inline bool vsm_waiter_is_younger(const struct vsm_waiter *waiter)
{
	return (int)((u32)waiter->epoch - (u32)waiter->cluster->deadlock_before) >= 0;
}

/* --- events of mbarriers --------------------------------------------------------- */

/*
 * Events of mbarriers. The callers ask vsm_is_recording() before.
 */

u64 vsm_record_phase(const struct vsm_origin *origin, const struct vsm_cluster *cluster, u32 index,
		     u64 old, u64 next, u32 serial);
void vsm_record_phase_wait(struct vsm_waiter *waiter, u32 index, bool by_parity, u64 state,
			   u64 word);
void vsm_record_phase_wait_end(struct vsm_waiter *waiter, u32 index, bool by_parity, int error);

/* --- the parking lot ------------------------------------------------------------- */

#define VSM_PARK_BITS		14

/**
 * struct vsm_bucket - A bucket of the parking lot
 * @lock: Protects the other fields; every phase of a word of this bucket completes while it is held
 * @words: The first waiter of each word and parity, &vsm_phase_waiter.node
 * @woken: Waiters whose phase has completed but whose wait has not ended, &vsm_phase_waiter.peers
 * @timed: Waiters with a time limit, &vsm_phase_waiter.timed
 * @cause: Number of the event of the phase whose waiters vsm_park_wake() wakes now, or 0
 */
struct vsm_bucket {
	spinlock_t lock; /* all other fields */
	struct hlist_head words;
	struct list_head woken;
	struct list_head timed;
	u64 cause;
} ____cacheline_aligned;

/**
 * struct vsm_phase_waiter - A waiter for a phase of a word
 * @base: The waiter; its @waiting is protected by &vsm_bucket.lock
 * @node: In &vsm_bucket.words, if this is the first waiter of its word and parity
 * @peers: Ring of all waiters of the word and parity; or in &vsm_bucket.woken
 * @timed: In &vsm_bucket.timed, if @expires is set
 * @index: Index of the word
 * @by_parity: The program named the phase by its parity; only the parity of @state is valid
 * @state: Token of the phase that the waiter waits for
 * @expires: When the parking lot looks whether the time is up (jiffies), 0 for never
 * @deadline: When the time is up (CLOCK_MONOTONIC, ns); the parking lot uses it if @expires is not
 *	0
 */
struct vsm_phase_waiter {
	struct vsm_waiter base;
	struct hlist_node node;
	struct list_head peers;
	struct list_head timed;
	u32 index;
	bool by_parity;
	u64 state;
	unsigned long expires;
	s64 deadline;
};

/*
 * The bucket of the word with an index. Because the factor is random and odd, any two words of a
 * cluster share a bucket with a probability of at most 2 in 2^14: a program cannot choose words
 * that share one. A keyed hash (hsiphash: four rounds of 14 instructions) would add a fifth to the
 * 300 instructions of an arrive that completes a phase.
 */
static inline struct vsm_bucket *vsm_park_bucket(const struct vsm_cluster *cluster, u32 index)
{
	u32 hash = index * cluster->hash_factor + cluster->hash;

	return &cluster->vdev->buckets[hash >> (32 - VSM_PARK_BITS)];
}

int vsm_park_init(struct vsm_device *vdev);
struct vsm_bucket *vsm_park_next_bucket(const struct vsm_device *vdev,
					const struct vsm_cluster *cluster, u32 *number);
struct vsm_phase_waiter *vsm_park_find(struct vsm_bucket *bucket,
				       const struct vsm_cluster *cluster, u32 index, u32 parity);
int vsm_park_enter(struct vsm_phase_waiter *waiter, enum drm_vsm_fault *fault, u64 *word);
bool vsm_park_completed(const struct vsm_phase_waiter *waiter);
bool vsm_park_leave(struct vsm_phase_waiter *waiter);
void vsm_park_end(struct vsm_phase_waiter *waiter, int error, struct vsm_wakes *wakes);
void vsm_park_wake(struct vsm_bucket *bucket, const struct vsm_cluster *cluster,
		   u32 index, u64 word, struct vsm_shadow *shadow, struct vsm_wakes *wakes);
void vsm_park_wake_rest(struct vsm_bucket *bucket, struct vsm_wakes *wakes);
bool vsm_park_occupied(struct vsm_bucket *bucket, const struct vsm_cluster *cluster, u32 index);
void vsm_park_end_all(struct vsm_device *vdev, const struct vsm_cluster *cluster, int error);

/*
 * End the waits of the bucket's woken waiters, and unlock the bucket. The caller holds no other
 * lock.
 */
static inline void vsm_park_unlock(struct vsm_bucket *bucket, struct vsm_wakes *wakes)
{
	if (unlikely(!list_empty(&bucket->woken)))
		vsm_park_wake_rest(bucket, wakes);
	spin_unlock(&bucket->lock);
	vsm_wakes_run(wakes);
}

/* --- groups ---------------------------------------------------------------------- */

/* The kinds of groups: those of cp.async, and those of bulk copies. */
enum vsm_group_kind {
	VSM_GROUP_CP_ASYNC,
	VSM_GROUP_BULK,
	VSM_GROUP_KINDS,
};

/**
 * struct vsm_group_queue - Groups of one kind of a thread
 * @pending: Operations in flight, in the order of their issue, &vsm_group_op.link
 * @committed: Number of groups that have been committed; the next operation is in the group with
 *	the number @committed + 1
 * @last: Number of the operation that ended last (&drm_vsm_trace_event.id), or 0
 * @wait: Tasks that wait for groups to complete, &vsm_group_task.entry
 *
 * &vsm_groups.lock protects the first three fields.
 */
struct vsm_group_queue {
	struct list_head pending;
	u64 committed;
	u64 last;
	wait_queue_head_t wait;
};

/**
 * struct vsm_group_task - A task that waits for groups
 * @entry: In &vsm_group_queue.wait
 * @client: Client that executes the instruction
 */
struct vsm_group_task {
	struct wait_queue_entry entry;
	const struct vsm_client *client;
};

/**
 * struct vsm_groups - Groups of a thread; allocated when the thread first uses one
 * @lock: Protects @queues
 * @cluster: Cluster of the thread
 * @lane: Bit of the thread in masks of lanes
 * @queues: The groups of each kind, indexed by &enum vsm_group_kind
 * @waiter: The armed wait for groups of the thread, or NULL. It is changed while both @lock and
 *	&vsm_device.group_waits_lock are held
 * @waited: Number of the last group that @waiter waits for; changed like @waiter
 */
struct vsm_groups {
	spinlock_t lock; /* queues, and with group_waits_lock waiter and waited */
	struct vsm_cluster *cluster;
	u32 lane;
	struct vsm_group_queue queues[VSM_GROUP_KINDS];
	struct vsm_group_waiter *waiter;
	u64 waited;
};

/**
 * struct vsm_group_waiter - An armed wait for groups, of one or more threads of a warp
 * @base: The waiter. &vsm_device.group_waits_lock protects its @waiting
 * @origin: The threads that wait; its @lanes are not 0
 * @insn: The instruction
 * @left: Lanes whose groups are not complete; protected by &vsm_device.group_waits_lock
 * @link: In &vsm_device.group_waits
 *
 * The threads do not count as suspended, also without a time limit. There is no deadlock while the
 * wait is armed: the operations for which it waits are wakers, and so is each of them until after
 * it has ended the wait.
 */
struct vsm_group_waiter {
	struct vsm_waiter base;
	struct vsm_origin origin;
	const struct drm_vsm_insn *insn;
	u32 left;
	struct list_head link;
};

/**
 * struct vsm_group_op - An operation's place in a group
 * @groups: Groups of the thread, or NULL if the operation is in no group
 * @queue: The thread's groups of the operation's kind
 * @link: In &vsm_group_queue.pending
 * @group: Number of the group
 */
struct vsm_group_op {
	struct vsm_groups *groups;
	struct vsm_group_queue *queue;
	struct list_head link;
	u64 group;
};

/* The kind of the groups that a wait for groups waits for. */
static inline enum vsm_group_kind vsm_group_kind_of(const struct drm_vsm_insn *insn)
{
	return insn->op == DRM_VSM_OP_CP_ASYNC_BULK_WAIT_GROUP ? VSM_GROUP_BULK
								: VSM_GROUP_CP_ASYNC;
}

struct vsm_groups *vsm_groups_get_or_create(struct vsm_cluster *cluster, u32 cta, u32 thread);
void vsm_groups_free_all(struct vsm_cluster *cluster);
void vsm_groups_end_cluster(struct vsm_cluster *cluster, int error);
void vsm_group_waits_end_device(struct vsm_device *vdev);
void vsm_group_issue(struct vsm_groups *groups, enum vsm_group_kind kind, struct vsm_group_op *op);
void vsm_group_end(struct vsm_group_op *op, u64 number);
u64 vsm_group_commit(struct vsm_groups *groups, enum vsm_group_kind kind);
int vsm_group_enter(struct vsm_group_waiter *waiter);
bool vsm_group_leave(struct vsm_group_waiter *waiter);
void vsm_group_expire(struct vsm_group_waiter *waiter, struct vsm_wakes *wakes);
bool vsm_group_poll(struct vsm_groups *groups, const struct drm_vsm_insn *insn);
bool vsm_group_are_done(struct vsm_groups *groups, enum vsm_group_kind kind, u32 left);
int vsm_group_wait(struct vsm_groups *groups, const struct vsm_client *client,
		   enum vsm_group_kind kind, u32 left);

/* --- deadlocks ------------------------------------------------------------------- */

/*
 * Deadlocks: all threads of a cluster are suspended, and there is no waker that may resume one.
 */

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

/* --- kills ----------------------------------------------------------------------- */

void vsm_cluster_kill(struct vsm_cluster *cluster);
void vsm_cluster_refuse(struct vsm_cluster *cluster, const struct vsm_origin *origin,
			enum drm_vsm_source source, const struct drm_vsm_insn *insn);
void vsm_cluster_lose(struct vsm_cluster *cluster);
void vsm_cluster_init_works(struct vsm_cluster *cluster);
void vsm_cluster_cancel_works(struct vsm_cluster *cluster);
void vsm_device_kill_waits(struct vsm_device *vdev);

#endif
