// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where the shadows of a cluster's objects are: in rows of 32 words, each made by
 * the first mbarrier.init in it, below a directory made by the first in the
 * cluster. Both stay until the cluster goes, so they are read without a lock.
 */
#include <linux/err.h>
#include <linux/sched.h>
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
 * vsm_shadow_get_or_create - Make sure that a word has a shadow
 * @cluster: Cluster of the strict policy
 * @index: Index of the word
 *
 * Context: may sleep.
 *
 * Return: The shadow, or -ENOSPC or -ENOMEM as a pointer.
 */
struct vsm_shadow *vsm_shadow_get_or_create(struct vsm_cluster *cluster, u32 index)
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

	/* Without shadows there is no init, and therefore no fenced init. */
	if (!cluster->shadows)
		return;
	for (i = 0; i < vsm_shadow_rows(cluster); i++) {
		if (cluster->shadows[i])
			bytes += VSM_SHADOW_ROW * sizeof(*cluster->shadows[i]);
		kvfree(cluster->shadows[i]);
		cond_resched();
	}
	kvfree(cluster->shadows);
	for (i = 0; i < cluster->geo.ctas; i++) {
		if (cluster->published[i].fenced)
			bytes += cluster->geo.threads * sizeof(*cluster->published[i].fenced);
		kvfree(cluster->published[i].fenced);
	}
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
 * vsm_shadow_number - Number the init of an object
 * @cluster: Cluster
 * @cta: Rank of the object's CTA
 *
 * Return: The number. Whoever knows of the object finds it counted.
 */
u64 vsm_shadow_number(struct vsm_cluster *cluster, u32 cta)
{
	u64 number;

	spin_lock(&cluster->publish_lock);
	number = vsm_inits_add(&cluster->published[cta].inits);
	spin_unlock(&cluster->publish_lock);
	return number;
}

/**
 * vsm_shadow_unpublished - What a release by a thread would publish now
 * @cluster: Cluster
 * @cta: Rank of the thread's CTA
 *
 * Return: The number to pass to vsm_shadow_publish(); 0 if all inits that the thread knows of
 * are published. Whoever acquires a later release of this thread then finds them published too.
 */
u64 vsm_shadow_unpublished(const struct vsm_cluster *cluster, u32 cta)
{
	return vsm_inits_unpublished(&cluster->published[cta].inits);
}

/**
 * vsm_shadow_publish - Publish the inits of a CTA to the cluster
 * @cluster: Cluster
 * @cta: Rank of the CTA
 * @number: Those up to this number
 */
void vsm_shadow_publish(struct vsm_cluster *cluster, u32 cta, u64 number)
{
	spin_lock(&cluster->publish_lock);
	vsm_inits_publish(&cluster->published[cta].inits, number);
	spin_unlock(&cluster->publish_lock);
}

/**
 * vsm_shadow_fence - Publish what a thread has initialised (fence.mbarrier_init)
 * @cluster: Cluster
 * @cta: Rank of the thread's CTA
 * @thread: Thread
 *
 * Context: may sleep.
 *
 * Return: 0; -ENOSPC or -ENOMEM, nothing having been published.
 */
int vsm_shadow_fence(struct vsm_cluster *cluster, u32 cta, u32 thread)
{
	struct vsm_published *published = &cluster->published[cta];
	u64 number = vsm_shadow_unpublished(cluster, cta);
	u64 *fenced;

	if (!number)
		return 0;
	/* Pairs with the release in vsm_shadow_alloc(). */
	fenced = smp_load_acquire(&published->fenced);
	if (!fenced)
		fenced = vsm_shadow_alloc(cluster, (void **)&published->fenced,
					  cluster->geo.threads, sizeof(*fenced));
	if (IS_ERR(fenced))
		return PTR_ERR(fenced);
	/* Two tasks may play one thread. */
	spin_lock(&cluster->publish_lock);
	if (fenced[thread] < number)
		fenced[thread] = number;
	spin_unlock(&cluster->publish_lock);
	return 0;
}

/**
 * vsm_shadow_look - Look whether the init of an object has been published meanwhile
 * @cluster: Cluster
 * @shadow: Of the object, with the bucket of its word locked
 * @cta: Rank of its CTA
 *
 * A thread that has acquired a release made after the init was published finds it published
 * here: the number was set before the release, or under the same lock as the release.
 */
void vsm_shadow_look(struct vsm_cluster *cluster, struct vsm_shadow *shadow, u32 cta)
{
	struct vsm_published *published;
	u32 thread = shadow->unfenced;
	u64 *fenced;

	if (!shadow->live || thread == VSM_FENCED)
		return;
	published = &cluster->published[array_index_nospec(cta, VSM_MAX_CTAS)];
	/* Pairs with the release in vsm_shadow_alloc(). */
	fenced = smp_load_acquire(&published->fenced);
	spin_lock(&cluster->publish_lock);
	vsm_shadow_settle(shadow, &published->inits, fenced ? fenced[thread] : 0);
	spin_unlock(&cluster->publish_lock);
}
