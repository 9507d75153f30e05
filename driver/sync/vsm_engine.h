/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The SYNCS engine, which performs mbarrier operations on words; the shadows of words; bindings of
 * asynchronous operations to phases.
 */
#ifndef _VSM_ENGINE_H_
#define _VSM_ENGINE_H_

#include <linux/bitops.h>

#include "base/vsm_fault.h"
#include "core/vsm_step.h"
#include "object/vsm_cluster.h"

/* --- shadows --------------------------------------------------------------------- */

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

/* --- operations ------------------------------------------------------------------ */

/* How often one call tries to change a word that others keep writing. */
#define VSM_ENGINE_TRIES	BIT(10)
/* The cluster is killed when this many calls in a row have ended with -EBUSY. */
#define VSM_MAX_BUSY	BIT(10)

int vsm_engine_run(struct vsm_cluster *cluster, struct drm_vsm_insn *insn,
		   const struct vsm_origin *origin);
bool vsm_engine_arrive_lanes(struct vsm_cluster *cluster, struct drm_vsm_insn *insn,
			     const struct vsm_origin *origin, u32 lanes, u64 *step);
int vsm_engine_release(struct vsm_cluster *cluster, struct drm_vsm_insn *insn,
		       const struct vsm_origin *origin);
int vsm_engine_run_reporting(struct vsm_cluster *cluster, struct drm_vsm_insn *insn,
			     const struct vsm_origin *origin, struct vsm_report *report);
void vsm_engine_count_busy(struct vsm_cluster *cluster, u16 *busy);

/* --- bindings -------------------------------------------------------------------- */

/**
 * struct vsm_binding - Phase in which an asynchronous operation has to complete
 * @addr: Checked address of the mbarrier
 * @raised: The operation is a pending arrival of the phase (cp.async.mbarrier.arrive without
 *	.noinc)
 * @serial: Serial number of the phase
 */
struct vsm_binding {
	u32 addr;
	bool raised;
	u32 serial;
};

enum drm_vsm_fault vsm_binding_enter(struct vsm_cluster *cluster, struct vsm_binding *binding);
int vsm_binding_arrive(struct vsm_cluster *cluster, struct drm_vsm_insn *insn,
		       const struct vsm_origin *origin, struct vsm_binding *binding,
		       struct vsm_report *report);
void vsm_binding_drop(struct vsm_cluster *cluster, const struct vsm_binding *binding);
int vsm_binding_complete(struct vsm_cluster *cluster, struct drm_vsm_insn *insn,
			 const struct vsm_origin *origin, const struct vsm_binding *binding,
			 struct vsm_report *report);
bool vsm_binding_complete_run(struct vsm_cluster *cluster, const struct vsm_binding *binding,
			      u32 count, u32 tx, const struct vsm_origin *origin);

#endif
