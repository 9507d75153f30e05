/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The SYNCS engine: mbarrier operations on words.
 */
#ifndef _VSM_ENGINE_H_
#define _VSM_ENGINE_H_

#include "base/vsm_fault.h"
#include "object/vsm_cluster.h"

/* How often one call tries to change a word that others keep writing. */
#define VSM_ENGINE_TRIES	BIT(10)
/* The cluster is killed when this many calls in a row have ended with -EBUSY. */
#define VSM_MAX_BUSY	BIT(10)

struct vsm_bucket;
struct vsm_release;
struct vsm_wakes;

int vsm_engine_run(struct vsm_cluster *cluster, struct drm_vsm_insn *insn, u32 cta, u32 thread);
bool vsm_engine_arrive_lanes(struct vsm_cluster *cluster, struct drm_vsm_insn *insn, u32 cta,
			     u32 thread, u32 lanes, u64 *step);
int vsm_engine_release(struct vsm_cluster *cluster, struct drm_vsm_insn *insn, u32 cta,
		       u32 thread);
int vsm_engine_run_reporting(struct vsm_cluster *cluster, struct drm_vsm_insn *insn, u32 cta,
			     u32 thread, struct vsm_report *report);
void vsm_engine_count_busy(struct vsm_cluster *cluster, u16 *busy);

/* Only vsm_bind.c calls these functions from outside. */
int vsm_engine_refuse(struct vsm_cluster *cluster, struct drm_vsm_insn *insn,
		      enum drm_vsm_fault fault, u64 word, const struct vsm_report *report);
bool vsm_engine_complete_locked(struct vsm_cluster *cluster, struct vsm_bucket *bucket,
				struct vsm_shadow *shadow, u32 index, u64 old, u64 next,
				const struct vsm_release *release, struct vsm_wakes *wakes);

#endif
