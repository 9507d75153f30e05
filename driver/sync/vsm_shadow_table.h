/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The shadows of a cluster's words, and which inits are visible to the cluster.
 */
#ifndef _VSM_SHADOW_TABLE_H_
#define _VSM_SHADOW_TABLE_H_

#include "object/vsm_cluster.h"

/* Number of words whose shadows are in one row. */
#define VSM_SHADOW_ROW	32

/* Find the row of a word's shadow. Returns NULL if no word of the row has ever been an object. */
static inline struct vsm_shadow *vsm_shadow_row(const struct vsm_cluster *cluster, u32 index)
{
	/* Pairs with the release in vsm_shadow_alloc(). */
	struct vsm_shadow **rows = smp_load_acquire(&cluster->shadows);

	/* Pairs with the release in vsm_shadow_alloc() as well: the row is allocated there too. */
	return rows ? smp_load_acquire(&rows[index / VSM_SHADOW_ROW]) : NULL;
}

/* Find the shadow of a word. Returns NULL if no word of its row has ever been an object. */
static inline struct vsm_shadow *vsm_shadow_find(const struct vsm_cluster *cluster, u32 index)
{
	struct vsm_shadow *row = vsm_shadow_row(cluster, index);

	return row ? &row[index % VSM_SHADOW_ROW] : NULL;
}

/* Find the shadow of a word. Returns NULL also if the policy is hardware, which has no shadows. */
static inline struct vsm_shadow *vsm_shadow_find_strict(const struct vsm_cluster *cluster,
							u32 index)
{
	return cluster->geo.strict ? vsm_shadow_find(cluster, index) : NULL;
}

/*
 * May there be a valid object in the @size bytes from @offset on? @offset is the
 * vsm_cluster_offset() of a checked address. In the hardware policy the kernel does not know which
 * words are objects, and there are no rows. The end of the range is inside the windows even if the
 * processor executes this speculatively before @size is checked.
 */
static inline bool vsm_shadow_may_find(const struct vsm_cluster *cluster, u64 offset, u32 size)
{
	/* The pairs are those of vsm_shadow_find(). The memory of rows is not read here. */
	struct vsm_shadow **rows = smp_load_acquire(&cluster->shadows);
	struct vsm_shadow **row, **last;
	unsigned long end;

	if (!rows || !size)
		return false;
	end = array_index_nospec(offset + size - 1, cluster->words * sizeof(u64));
	row = &rows[offset / (VSM_SHADOW_ROW * sizeof(u64))];
	last = &rows[end / (VSM_SHADOW_ROW * sizeof(u64))];
	for (; row <= last; row++)
		if (READ_ONCE(*row))
			return true;
	return false;
}

struct vsm_shadow *vsm_shadow_get_or_create(struct vsm_cluster *cluster, u32 index);
void vsm_shadows_free(struct vsm_cluster *cluster);
bool vsm_shadow_search(const struct vsm_cluster *cluster, u32 addr, u32 size, u64 *word, u32 *info);
enum drm_vsm_fault vsm_shadow_check_wait(const struct vsm_cluster *cluster, u32 index,
					 bool by_parity, u64 state, u64 word);
void vsm_shadow_observe_at(const struct vsm_cluster *cluster, u32 index);
u64 vsm_shadow_number(struct vsm_cluster *cluster, u32 cta);
u64 vsm_shadow_pending(const struct vsm_cluster *cluster, u32 cta);
void vsm_shadow_make_visible(struct vsm_cluster *cluster, u32 cta, u64 number);
int vsm_shadow_fence(struct vsm_cluster *cluster, u32 cta, u32 thread);
void vsm_shadow_update(struct vsm_cluster *cluster, struct vsm_shadow *shadow, u32 cta);

#endif
