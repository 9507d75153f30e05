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

int vsm_engine_run(struct vsm_cluster *cluster, struct drm_vsm_insn *insn,
		   const struct vsm_origin *origin);
bool vsm_engine_arrive_lanes(struct vsm_cluster *cluster, struct drm_vsm_insn *insn,
			     const struct vsm_origin *origin, u32 lanes, u64 *step);
int vsm_engine_release(struct vsm_cluster *cluster, struct drm_vsm_insn *insn,
		       const struct vsm_origin *origin);
int vsm_engine_run_reporting(struct vsm_cluster *cluster, struct drm_vsm_insn *insn,
			     const struct vsm_origin *origin, struct vsm_report *report);
void vsm_engine_count_busy(struct vsm_cluster *cluster, u16 *busy);

/* Only vsm_bind.c calls this function from outside. */
int vsm_engine_refuse(struct vsm_cluster *cluster, struct drm_vsm_insn *insn,
		      enum drm_vsm_fault fault, u64 word, const struct vsm_report *report);

#endif
