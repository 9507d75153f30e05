// SPDX-License-Identifier: GPL-2.0-only
/*
 * The parking lot: who waits for a phase of which word.
 *
 * A word's waiters stand in a bucket that the word hashes to. The first of them
 * is linked there on behalf of all; the others stand in a ring with it. So
 * finding a word costs what its bucket holds of other words, however many wait
 * on them, and any waiter leaves at once.
 *
 * Why no wake-up is lost, and none is given to the wrong phase: every phase of a
 * word completes with that word's bucket locked (vsm_syncs.c), and a waiter
 * looks at the word for the last time and parks under the same lock. So whoever
 * is parked when a phase completes parked during that phase, and is taken by
 * whoever completed it, exactly once. Phases that user space completes by
 * writing the word itself wake nobody.
 */
#include <linux/hash.h>

#include <drm/drm_managed.h>

#include "vsm_drv.h"

/* 10^5 words with waiters share a bucket with six others on average. */
#define VSM_PARK_BITS 14

static void vsm_park_fini(struct drm_device *drm, void *buckets)
{
	kvfree(buckets);
}

int vsm_park_init(struct vsm_device *vdev)
{
	unsigned int i;

	vdev->buckets = kvcalloc(1 << VSM_PARK_BITS, sizeof(*vdev->buckets), GFP_KERNEL);
	if (!vdev->buckets)
		return -ENOMEM;
	for (i = 0; i < 1 << VSM_PARK_BITS; i++)
		spin_lock_init(&vdev->buckets[i].lock);
	return drmm_add_action_or_reset(&vdev->drm, vsm_park_fini, vdev->buckets);
}

/**
 * vsm_park_bucket - The bucket of a word
 * @cluster: Cluster
 * @index: Index of the word
 */
struct vsm_bucket *vsm_park_bucket(const struct vsm_cluster *cluster, u32 index)
{
	return &cluster->vdev->buckets[hash_32(index + cluster->hash, VSM_PARK_BITS)];
}

/* The waiter that stands for all waiters of a word. */
static struct vsm_waiter *vsm_park_find(struct vsm_bucket *bucket,
					const struct vsm_cluster *cluster, u32 index)
{
	struct vsm_waiter *first;

	lockdep_assert_held(&bucket->lock);
	hlist_for_each_entry(first, &bucket->words, node)
		if (first->index == index && first->cluster == cluster)
			return first;
	return NULL;
}

static void vsm_park_remove(struct vsm_bucket *bucket, struct vsm_waiter *waiter)
{
	lockdep_assert_held(&bucket->lock);
	if (!hlist_unhashed(&waiter->node)) {
		if (!list_empty(&waiter->peers)) {
			struct vsm_waiter *heir = list_next_entry(waiter, peers);

			hlist_add_behind(&heir->node, &waiter->node);
		}
		hlist_del_init(&waiter->node);
	}
	list_del_init(&waiter->peers);
	waiter->parked = false;
}

/**
 * vsm_park_enter - Wait, unless there is nothing to wait for
 * @waiter: Who; cluster, index, state and end are set
 * @fault: Why the wait is misuse (out, with -EPROTO)
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

	spin_lock_bh(&bucket->lock);
	/* vsm_park_lose() sets these before it takes the lock. */
	if (READ_ONCE(cluster->vdev->lost)) {
		ret = -ENODEV;
		goto out;
	}
	if (READ_ONCE(cluster->lost)) {
		ret = -EIO;
		goto out;
	}

	*word = smp_load_acquire(vsm_cluster_word(cluster, waiter->index));
	*fault = vsm_syncs_check(cluster, waiter->index, *word);
	if (*fault) {
		ret = -EPROTO;
		goto out;
	}
	if (vsm_mbarrier_wait(*word, waiter->state)) {
		ret = 1;
		goto out;
	}

	first = vsm_park_find(bucket, cluster, waiter->index);
	if (first)
		list_add_tail(&waiter->peers, &first->peers);
	else
		hlist_add_head(&waiter->node, &bucket->words);
	waiter->parked = true;
out:
	spin_unlock_bh(&bucket->lock);
	return ret;
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

	spin_lock_bh(&bucket->lock);
	parked = waiter->parked;
	if (parked)
		vsm_park_remove(bucket, waiter);
	spin_unlock_bh(&bucket->lock);
	return parked;
}

/* End the waits of a word that @word completes, or all with @error. */
static void vsm_park_take(struct vsm_bucket *bucket, struct vsm_waiter *first,
			  const u64 *word, int error)
{
	struct vsm_waiter *waiter, *next;

	list_for_each_entry_safe(waiter, next, &first->peers, peers) {
		if (word && !vsm_mbarrier_wait(*word, waiter->state))
			continue;
		vsm_park_remove(bucket, waiter);
		waiter->end(waiter, error);
	}
	if (!word || vsm_mbarrier_wait(*word, first->state)) {
		vsm_park_remove(bucket, first);
		first->end(first, error);
	}
}

/**
 * vsm_park_wake - End the waits for a phase that has just completed
 * @bucket: Bucket of the word, locked since before the phase completed
 * @cluster: Cluster
 * @index: Index of the word
 * @word: The word in its new phase
 */
void vsm_park_wake(struct vsm_bucket *bucket, const struct vsm_cluster *cluster,
		   u32 index, u64 word)
{
	struct vsm_waiter *first = vsm_park_find(bucket, cluster, index);

	if (first)
		vsm_park_take(bucket, first, &word, 0);
}

/**
 * vsm_park_occupied - Does anybody wait on a word?
 * @bucket: Bucket of the word, locked
 * @cluster: Cluster
 * @index: Index of the word
 */
bool vsm_park_occupied(struct vsm_bucket *bucket, const struct vsm_cluster *cluster, u32 index)
{
	return vsm_park_find(bucket, cluster, index);
}

/**
 * vsm_park_lose - End all waits on a cluster that is lost, or on the device
 * @vdev: Device
 * @cluster: Cluster, whose @lost is set; NULL for all, @lost of @vdev being set
 * @error: What the waits end with
 */
void vsm_park_lose(struct vsm_device *vdev, const struct vsm_cluster *cluster, int error)
{
	struct vsm_waiter *first;
	struct hlist_node *next;
	unsigned int i;

	for (i = 0; i < 1 << VSM_PARK_BITS; i++) {
		struct vsm_bucket *bucket = &vdev->buckets[i];

		spin_lock_bh(&bucket->lock);
		hlist_for_each_entry_safe(first, next, &bucket->words, node)
			if (!cluster || first->cluster == cluster)
				vsm_park_take(bucket, first, NULL, error);
		spin_unlock_bh(&bucket->lock);
		cond_resched();
	}
}
