/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parking lot: waiters for phases of words.
 */
#ifndef _VSM_PARK_H_
#define _VSM_PARK_H_

#include <linux/cache.h>

#include "sync/vsm_waiter.h"
#include "vsm_drv.h"

/*
 * With 2^14 buckets, and waiters on 10^5 words, a word shares its bucket with six others on
 * average.
 */
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

#endif
