/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Equal arrives of several lanes as one step of the word.
 */
#ifndef _VSM_COMBINE_H_
#define _VSM_COMBINE_H_

#include "vsm_step.h"

/**
 * vsm_step_arrives - Compute the result of equal arrives that come one after the other
 * @layout: Layout of the cluster, a compile-time constant
 * @strict: The cluster's policy is strict, a compile-time constant
 * @geo: Geometry of the cluster
 * @shadow: Shadow of the object; NULL if there never was one, or in the hardware policy
 * @insn: The checked instruction, which all lanes execute
 * @cta: Rank of the executing threads' CTA
 * @thread: One of the executing threads
 * @lanes: Number of lanes, more than 0
 * @old: The word before the first arrive, any bit pattern
 * @next: Gets the word after the last arrive
 * @result: Gets the result of the first arrive
 * @step: Gets the difference between the results of an arrive and of the one before it
 *
 * Why this gives the same words, results and faults as the single arrives: the first and the last
 * arrive are computed here with their own words. Before the last arrive at least one arrival is
 * pending. Therefore no earlier arrive completes the phase, or arrives more often than is pending,
 * and each only adds its count to the field of pending arrivals, whose bits do not overflow. An
 * arrive without expect_tx that leaves an arrival pending is checked for nothing else than the
 * first one. The other bits of the word stay the same, and so does everything that a check of the
 * first arrive looks at.
 *
 * Return: true if the arrives can be performed together; false if the caller has to perform them
 * one by one, for example because one of them breaks a rule.
 */
static __always_inline bool vsm_step_arrives(enum vsm_layout layout, bool strict,
					     const struct vsm_geometry *geo,
					     struct vsm_shadow *shadow,
					     const struct drm_vsm_insn *insn, __u32 cta,
					     __u32 thread, __u32 lanes, __u64 old, __u64 *next,
					     __u64 *result, __u64 *step)
{
	__u32 count = insn->mods & DRM_VSM_MOD_COUNT ? insn->u.mbarrier.count : 1;
	__u64 before = (__u64)(lanes - 1) * count;
	__u64 ignored;

	if (layout != VSM_LAYOUT_SM_90 || insn->op != DRM_VSM_OP_MBARRIER_ARRIVE ||
	    insn->mods & (DRM_VSM_MOD_NOCOMPLETE | DRM_VSM_MOD_EXPECT_TX) || !count ||
	    before >= vsm_mbarrier_pending(layout, old))
		return false;
	if (vsm_step(layout, strict, false, geo, NULL, shadow, insn, cta, thread, old, &ignored,
		     result) ||
	    vsm_step(layout, strict, false, geo, NULL, shadow, insn, cta, thread,
		     old + (before << VSM_SM_90_PENDING_SHIFT), next, &ignored))
		return false;
	*step = insn->mods & DRM_VSM_MOD_SINK ? 0 : (__u64)count << VSM_SM_90_PENDING_SHIFT;
	return true;
}

#endif
