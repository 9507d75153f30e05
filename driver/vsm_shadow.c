// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where the shadows of a cluster's objects are: in rows of 32 words, each made by
 * the first mbarrier.init in it, below a directory made by the first in the
 * cluster. Both stay until the cluster goes, so they are read without a lock.
 */
#include <linux/err.h>
#include <linux/slab.h>

#include "vsm_drv.h"

static u32 vsm_shadow_rows(const struct vsm_cluster *cluster)
{
	u64 words = (u64)cluster->geo.ctas * cluster->window_stride / sizeof(u64);

	return DIV_ROUND_UP(words, VSM_SHADOW_ROW);
}

/*
 * Makes what @place is to point to, unless somebody else is faster. The client that the
 * cluster belongs to is charged for it as for the windows.
 */
static void *vsm_shadow_alloc(struct vsm_cluster *cluster, void **place, u32 count, size_t size)
{
	u64 bytes = (u64)count * size;
	void *made, *other;
	int ret;

	ret = vsm_client_charge(cluster->client, VSM_RES_BYTES, bytes);
	if (ret)
		return ERR_PTR(ret);
	made = kvcalloc(count, size, GFP_KERNEL_ACCOUNT);
	if (!made) {
		vsm_client_uncharge(cluster->client, VSM_RES_BYTES, bytes);
		return ERR_PTR(-ENOMEM);
	}
	/* Pairs with the acquires in vsm_shadow_find(). */
	other = cmpxchg_release(place, NULL, made);
	if (!other)
		return made;
	kvfree(made);
	vsm_client_uncharge(cluster->client, VSM_RES_BYTES, bytes);
	/* Pairs with the release of whoever was faster. */
	smp_rmb();
	return other;
}

/**
 * vsm_shadow_make - Make sure that a word has a shadow
 * @cluster: Cluster of the strict policy
 * @index: Index of the word
 *
 * Context: may sleep.
 *
 * Return: The shadow, or -ENOSPC or -ENOMEM as a pointer.
 */
struct vsm_shadow *vsm_shadow_make(struct vsm_cluster *cluster, u32 index)
{
	struct vsm_shadow *shadow = vsm_shadow_find(cluster, index);
	struct vsm_shadow **rows;
	struct vsm_shadow *row;

	if (shadow)
		return shadow;

	/* Pairs with the release in vsm_shadow_alloc(). */
	rows = smp_load_acquire(&cluster->shadows);
	if (!rows)
		rows = vsm_shadow_alloc(cluster, (void **)&cluster->shadows,
					vsm_shadow_rows(cluster), sizeof(*rows));
	if (IS_ERR(rows))
		return ERR_CAST(rows);
	row = vsm_shadow_alloc(cluster, (void **)&rows[index / VSM_SHADOW_ROW], VSM_SHADOW_ROW,
			       sizeof(*row));
	return IS_ERR(row) ? row : &row[index % VSM_SHADOW_ROW];
}

void vsm_shadow_free(struct vsm_cluster *cluster)
{
	u64 bytes = (u64)vsm_shadow_rows(cluster) * sizeof(*cluster->shadows);
	u32 i;

	if (!cluster->shadows)
		return;
	for (i = 0; i < vsm_shadow_rows(cluster); i++) {
		if (cluster->shadows[i])
			bytes += VSM_SHADOW_ROW * sizeof(*cluster->shadows[i]);
		kvfree(cluster->shadows[i]);
	}
	kvfree(cluster->shadows);
	vsm_client_uncharge(cluster->client, VSM_RES_BYTES, bytes);
}

/**
 * vsm_shadow_live - The first valid object in a range
 * @cluster: Cluster
 * @index: Index of the first word
 * @count: Words
 *
 * Return: Its index, or @index + @count if there is none.
 */
u32 vsm_shadow_live(const struct vsm_cluster *cluster, u32 index, u32 count)
{
	u32 end = index + count;

	while (index < end) {
		const struct vsm_shadow *shadow = vsm_shadow_find(cluster, index);

		if (shadow && READ_ONCE(shadow->live))
			return index;
		index = shadow ? index + 1 : round_down(index, VSM_SHADOW_ROW) + VSM_SHADOW_ROW;
	}
	return end;
}

/**
 * vsm_shadow_publish - Publish the init of an object to the cluster
 * @cluster: Cluster
 * @shadow: Of the object
 * @thread: If this thread has initialised it, or %VSM_ANY_THREAD
 */
void vsm_shadow_publish(struct vsm_cluster *cluster, struct vsm_shadow *shadow, u32 thread)
{
	u16 unfenced = READ_ONCE(shadow->unfenced);

	/* Who arrives at the barrier of the cluster may change it meanwhile. */
	do {
		if (unfenced == VSM_FENCED ||
		    (thread != VSM_ANY_THREAD && thread != unfenced &&
		     !vsm_unfenced_arrived(unfenced)))
			return;
	} while (!try_cmpxchg(&shadow->unfenced, &unfenced, VSM_FENCED));
	atomic_dec(&cluster->unfenced);
}

/**
 * vsm_shadow_fence - Publish what a thread has initialised
 * @cluster: Cluster
 * @cta: Rank of the thread's CTA
 * @thread: Thread, or %VSM_ANY_THREAD for all of the CTA
 */
void vsm_shadow_fence(struct vsm_cluster *cluster, u32 cta, u32 thread)
{
	u32 words = cluster->window_stride / sizeof(u64);
	u32 index = cta * words;
	u32 end = index + words;

	if (!atomic_read(&cluster->unfenced))
		return;
	while ((index = vsm_shadow_live(cluster, index, end - index)) < end)
		vsm_shadow_publish(cluster, vsm_shadow_find(cluster, index++), thread);
}

/**
 * vsm_shadow_settle - Publish an object whose phase of the cluster's barrier is over
 * @cluster: Cluster
 * @shadow: Of the object
 *
 * Then for everybody: whoever has waited at the barrier knows of the init, and so may whom he
 * has met since.
 */
void vsm_shadow_settle(struct vsm_cluster *cluster, struct vsm_shadow *shadow)
{
	u16 unfenced = READ_ONCE(shadow->unfenced);

	if (vsm_unfenced_arrived(unfenced) &&
	    unfenced != vsm_unfenced_until(vsm_meet_phase(cluster)))
		vsm_shadow_publish(cluster, shadow, VSM_ANY_THREAD);
}

/**
 * vsm_shadow_settle_all - Publish all objects whose phase of the cluster's barrier is over
 * @cluster: Cluster
 *
 * The numbers of phases come back: once in a while, so that none waits for that.
 */
void vsm_shadow_settle_all(struct vsm_cluster *cluster)
{
	u32 index = 0, end = cluster->geo.ctas * (cluster->window_stride / sizeof(u64));

	if (!atomic_read(&cluster->unfenced))
		return;
	while ((index = vsm_shadow_live(cluster, index, end - index)) < end)
		vsm_shadow_settle(cluster, vsm_shadow_find(cluster, index++));
}

/**
 * vsm_shadow_release - A thread has arrived at the cluster's barrier and releases what it knows
 * @cluster: Cluster, whose rendezvous is locked: nobody knows of the arrival yet
 * @arrival: Of the thread's CTA, as this left it
 * @cta: Its rank
 * @phase: The phase in which the thread has arrived; when it is over, the inits are published
 *
 * That is, all inits of its CTA: they may be known to it. Others who arrive in the same phase
 * find nothing new.
 */
void vsm_shadow_release(struct vsm_cluster *cluster, struct vsm_arrival *arrival, u32 cta,
			u32 phase)
{
	/* Pairs with the release of vsm_syncs_init(): the walk finds what was counted. */
	int inits = atomic_read_acquire(&cluster->inits);
	u32 words = cluster->window_stride / sizeof(u64);
	u32 index = cta * words;
	u32 end = index + words;

	if (!atomic_read(&cluster->unfenced) ||
	    (arrival->phase == phase && arrival->inits == inits))
		return;
	*arrival = (struct vsm_arrival) { .phase = phase, .inits = inits };
	while ((index = vsm_shadow_live(cluster, index, end - index)) < end) {
		struct vsm_shadow *shadow = vsm_shadow_find(cluster, index++);
		u16 unfenced = READ_ONCE(shadow->unfenced);

		if (vsm_unfenced_arrived(unfenced))
			vsm_shadow_settle(cluster, shadow);
		else if (unfenced != VSM_FENCED)
			cmpxchg(&shadow->unfenced, unfenced, vsm_unfenced_until(phase));
	}
}
