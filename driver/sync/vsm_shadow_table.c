// SPDX-License-Identifier: GPL-2.0-only
/*
 * The shadows of a cluster's words, in rows of 32 words. The first mbarrier.init in the cluster
 * allocates the directory of rows, and the first one in a row allocates the row. Both are freed
 * with the cluster, and can therefore be read without a lock.
 *
 * This file also keeps which inits of each CTA are visible to the other CTAs of the cluster,
 * because a fence or a release has made them visible.
 */
#include <linux/err.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "base/vsm_client.h"
#include "core/vsm_step.h"
#include "sync/vsm_engine.h"

static u32 vsm_shadow_rows(const struct vsm_cluster *cluster)
{
	u64 words = (u64)cluster->geo.ctas * cluster->window_stride / sizeof(u64);

	return DIV_ROUND_UP(words, VSM_SHADOW_ROW);
}

/*
 * Allocate an array, and set @place to it unless another task has set it first. The client of the
 * cluster is charged for the array. Returns the array to which @place points in the end.
 */
static void *vsm_shadow_alloc(struct vsm_cluster *cluster, void **place, u32 count, size_t size)
{
	u64 bytes = (u64)count * size;
	void *made, *other;
	int ret;

	ret = vsm_quota_charge(&cluster->client->quota, VSM_RES_BYTES, bytes);
	if (ret)
		return ERR_PTR(ret);
	made = kvcalloc(count, size, GFP_KERNEL_ACCOUNT);
	if (!made) {
		vsm_quota_uncharge(&cluster->client->quota, VSM_RES_BYTES, bytes);
		return ERR_PTR(-ENOMEM);
	}
	/* Pairs with the acquires in vsm_shadow_find(). */
	other = cmpxchg_release(place, NULL, made);
	if (!other)
		return made;
	kvfree(made);
	vsm_quota_uncharge(&cluster->client->quota, VSM_RES_BYTES, bytes);
	/* Pairs with the release above, in the task that was faster. */
	smp_rmb();
	return other;
}

/**
 * vsm_shadow_get_or_create - Find the shadow of a word, or allocate its row
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

void vsm_shadows_free(struct vsm_cluster *cluster)
{
	u64 bytes = (u64)vsm_shadow_rows(cluster) * sizeof(*cluster->shadows);
	u32 i;

	/* There has been no init, and therefore no array of fenced inits. */
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
		if (cluster->visible[i].fenced)
			bytes += cluster->geo.threads * sizeof(*cluster->visible[i].fenced);
		kvfree(cluster->visible[i].fenced);
	}
	vsm_quota_uncharge(&cluster->client->quota, VSM_RES_BYTES, bytes);
}

/*
 * Find the first valid object among the words from @index to @end. Returns @end if there is none.
 */
static u32 vsm_shadow_find_live(const struct vsm_cluster *cluster, u32 index, u32 end)
{
	while (index < end) {
		const struct vsm_shadow *shadow = vsm_shadow_find(cluster, index);

		if (shadow && READ_ONCE(shadow->live))
			return index;
		index = shadow ? index + 1 : round_down(index, VSM_SHADOW_ROW) + VSM_SHADOW_ROW;
	}
	return end;
}

/*
 * Is there a valid object in a range of bytes?
 * @addr: Checked address of the first byte
 * @size: Bytes, not 0
 * @word: Word of the first object in the range (out, only set if there is one)
 * @info: Cluster shared address of that object (out, only set if there is one)
 */
bool vsm_shadow_search(const struct vsm_cluster *cluster, u32 addr, u32 size, u64 *word, u32 *info)
{
	u32 index = vsm_cluster_index(cluster, addr);
	u32 end = vsm_cluster_index(cluster, addr + size - 1) + 1;
	u32 live = vsm_shadow_find_live(cluster, index, end);

	if (live == end)
		return false;
	*word = READ_ONCE(*vsm_cluster_word(cluster, live));
	*info = round_down(addr, sizeof(u64)) + (live - index) * sizeof(u64);
	return true;
}

/**
 * vsm_shadow_check_wait - Check a wait for a phase of a word
 * @cluster: Cluster
 * @index: Index of the word
 * @by_parity: The program named the phase by its parity; only the parity of @state is valid
 * @state: Token of the phase
 * @word: Value of the word
 *
 * Return: %DRM_VSM_FAULT_NONE, or the rule that the wait breaks.
 */
enum drm_vsm_fault vsm_shadow_check_wait(const struct vsm_cluster *cluster, u32 index,
					 bool by_parity, u64 state, u64 word)
{
	const struct vsm_shadow *shadow = vsm_shadow_find_strict(cluster, index);
	const struct vsm_geometry *geo = &cluster->geo;
	enum drm_vsm_fault fault;

	fault = vsm_word_check(geo->layout, geo->strict, geo->report, shadow, word);
	if (fault || !geo->strict || by_parity)
		return fault;
	return vsm_token_check(geo->layout, shadow, state);
}

/* Mark that a wait has found the last phase of a word complete. The wait has been checked. */
void vsm_shadow_observe_at(const struct vsm_cluster *cluster, u32 index)
{
	struct vsm_shadow *shadow = vsm_shadow_find_strict(cluster, index);

	if (shadow)
		vsm_shadow_observe(shadow);
}

/*
 * Give an init its number. Returns the number of the init. The init is counted before the object
 * can be seen: a thread that knows of the object finds @last of the CTA's inits not below this
 * number.
 */
u64 vsm_shadow_number(struct vsm_cluster *cluster, u32 cta)
{
	u64 number;

	spin_lock(&cluster->visible_lock);
	number = vsm_inits_add(&cluster->visible[cta].inits);
	spin_unlock(&cluster->visible_lock);
	return number;
}

/*
 * The inits that a release by a thread would make visible now. Returns the number to pass to
 * vsm_shadow_make_visible(); 0 if all inits that the thread knows of are visible already. In that
 * case a thread that acquires a later release of this thread also finds them visible.
 */
u64 vsm_shadow_pending(const struct vsm_cluster *cluster, u32 cta)
{
	return vsm_inits_pending(&cluster->visible[cta].inits);
}

/*
 * Make inits of a CTA visible to the cluster.
 * @number: Inits up to this number become visible
 */
void vsm_shadow_make_visible(struct vsm_cluster *cluster, u32 cta, u64 number)
{
	spin_lock(&cluster->visible_lock);
	vsm_inits_make_visible(&cluster->visible[cta].inits, number);
	spin_unlock(&cluster->visible_lock);
}

/*
 * Make the inits of a thread visible (fence.mbarrier_init). Context: may sleep. Returns 0; or
 * -ENOSPC or -ENOMEM, and no init has become visible.
 */
int vsm_shadow_fence(struct vsm_cluster *cluster, u32 cta, u32 thread)
{
	struct vsm_visible *visible = &cluster->visible[cta];
	u64 number = vsm_shadow_pending(cluster, cta);
	u64 *fenced;

	if (!number)
		return 0;
	/* Pairs with the release in vsm_shadow_alloc(). */
	fenced = smp_load_acquire(&visible->fenced);
	if (!fenced)
		fenced = vsm_shadow_alloc(cluster, (void **)&visible->fenced,
					  cluster->geo.threads, sizeof(*fenced));
	if (IS_ERR(fenced))
		return PTR_ERR(fenced);
	/* Two tasks may play the same thread. Keep the higher number. */
	spin_lock(&cluster->visible_lock);
	if (fenced[thread] < number)
		fenced[thread] = number;
	spin_unlock(&cluster->visible_lock);
	return 0;
}

/*
 * Find out whether the init of an object has become visible.
 * @shadow: Shadow of the object; the bucket of its word is locked
 *
 * A thread that has acquired a release finds all inits visible that the release has made visible:
 * their number was set before the release, or under @visible_lock together with the release.
 */
void vsm_shadow_update(struct vsm_cluster *cluster, struct vsm_shadow *shadow, u32 cta)
{
	struct vsm_visible *visible;
	u32 thread = shadow->initialiser;
	u64 *fenced;

	if (!shadow->live || thread == VSM_VISIBLE)
		return;
	visible = &cluster->visible[array_index_nospec(cta, VSM_MAX_CTAS)];
	/* Pairs with the release in vsm_shadow_alloc(). */
	fenced = smp_load_acquire(&visible->fenced);
	spin_lock(&cluster->visible_lock);
	vsm_shadow_set_visible(shadow, &visible->inits, fenced ? fenced[thread] : 0);
	spin_unlock(&cluster->visible_lock);
}
