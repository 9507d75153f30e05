/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The SYNCS engine: mbarrier operations on words.
 */
#ifndef _VSM_ENGINE_H_
#define _VSM_ENGINE_H_

#include <linux/bitops.h>

#include "base/vsm_fault.h"
#include "core/vsm_step.h"
#include "object/vsm_cluster.h"
#include "sync/vsm_shadow_table.h"

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
bool vsm_engine_arrive_last(struct vsm_cluster *cluster, struct drm_vsm_insn *insn,
			    const struct vsm_origin *origin);
bool vsm_engine_wait_plain(struct vsm_cluster *cluster, struct drm_vsm_insn *insn,
			   const struct vsm_origin *origin);

/* May plain instructions be performed on the word at an address? */
static __always_inline bool vsm_engine_is_plain_word(const struct vsm_cluster *cluster, u32 addr)
{
	/* The rotation makes a very large number of an offset that is no multiple of 8. */
	return ror32(vsm_addr_offset(addr), 3) < READ_ONCE(cluster->plain_words);
}

static __always_inline bool vsm_engine_plain(struct vsm_cluster *cluster, bool strict,
					     struct drm_vsm_insn *insn,
					     const struct vsm_origin *origin, u32 index)
{
	struct vsm_shadow *shadow = NULL;
	u64 *p = vsm_cluster_word(cluster, index);
	u64 old, next;

	if (strict) {
		shadow = vsm_shadow_row(cluster, index);
		if (!shadow)
			return false;
		shadow += index % VSM_SHADOW_ROW;
	}
	/* The acquire keeps the load before those of the shadow. */
	old = smp_load_acquire(p);
	insn->fault = DRM_VSM_FAULT_NONE;
	insn->info = 0;
	if (unlikely(!vsm_step_plain_arrive(strict, shadow, insn, old, &next, &insn->result)))
		return vsm_engine_arrive_last(cluster, insn, origin);
	/* The exchange is a release, as in vsm_engine_exchange(). */
	if (cmpxchg_release(p, old, next) != old)
		return false;
	if (vsm_is_recording() && vsm_recorder_is_on(&cluster->recorder))
		vsm_record_insn(origin, insn, old, next);
	return true;
}

/**
 * vsm_engine_arrive_plain - Perform a plain arrive (vsm_step.h)
 * @cluster: Cluster
 * @insn: The instruction, any bit pattern; gets the results
 * @origin: Executing thread
 *
 * This is a short way for the most frequent instruction. If the arrive completes the phase, this
 * locks the word's bucket and wakes the waiters. It never sleeps and refuses nothing.
 *
 * Return: true; or false if nothing was done, and the caller has to execute the instruction as any
 * other.
 */
static __always_inline bool vsm_engine_arrive_plain(struct vsm_cluster *cluster,
						    struct drm_vsm_insn *insn,
						    const struct vsm_origin *origin)
{
	u32 index;

	if (!vsm_insn_is_plain_arrive(insn, origin->cta) ||
	    !vsm_engine_is_plain_word(cluster, insn->u.mbarrier.addr))
		return false;
	index = vsm_cluster_index(cluster, insn->u.mbarrier.addr);
	return cluster->geo.strict ? vsm_engine_plain(cluster, true, insn, origin, index)
				   : vsm_engine_plain(cluster, false, insn, origin, index);
}

/* Only vsm_bind.c calls this function from outside. */
int vsm_engine_refuse(struct vsm_cluster *cluster, struct drm_vsm_insn *insn,
		      enum drm_vsm_fault fault, u64 word, const struct vsm_report *report);

#endif
