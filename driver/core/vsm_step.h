/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One mbarrier operation on one word: the misuse checks of the strict policy
 * and, if they pass, the transition. Inline, for the loop around it.
 */
#ifndef _VSM_STEP_H_
#define _VSM_STEP_H_

#include "vsm_core.h"

/**
 * vsm_word_check - Can the word be operated on at all?
 * @geo: Geometry of the cluster
 * @word: mbarrier word
 *
 * No operation sets the poison bit or a reserved bit, so in the strict policy
 * somebody else wrote the word. Silicon traps on poison alone.
 */
static inline enum drm_vsm_fault vsm_word_check(const struct vsm_geometry *geo, __u64 word)
{
	if (geo->layout == VSM_LAYOUT_SM_80)
		return geo->strict && word & VSM_SM_80_RESERVED ? DRM_VSM_FAULT_NOT_AN_MBARRIER
								: DRM_VSM_FAULT_NONE;
	if (geo->strict)
		return word & (VSM_SM_90_POISON | VSM_SM_90_RESERVED)
			? DRM_VSM_FAULT_NOT_AN_MBARRIER : DRM_VSM_FAULT_NONE;
	return word & VSM_SM_90_POISON ? DRM_VSM_FAULT_POISONED : DRM_VSM_FAULT_NONE;
}

/* The tx-count after an operation, with @pending arrivals left. */
static inline enum drm_vsm_fault vsm_tx_check(__s64 tx, __u32 pending)
{
	if (tx > VSM_MBARRIER_MAX_TX || tx < -VSM_MBARRIER_MAX_TX)
		return DRM_VSM_FAULT_TX_RANGE;
	if (!pending && tx < 0)
		return DRM_VSM_FAULT_TX_OVERDELIVERY;
	return DRM_VSM_FAULT_NONE;
}

static inline enum drm_vsm_fault vsm_arrive_check(enum vsm_layout layout, __u64 word, __u16 mods,
						  __u32 count, __u32 drop, __u32 tx)
{
	__u32 pending = vsm_mbarrier_pending(layout, word);

	if (mods & DRM_VSM_MOD_NOCOMPLETE && count >= pending)
		return DRM_VSM_FAULT_NOCOMPLETE_COMPLETES;
	if (count > pending)
		return DRM_VSM_FAULT_ARRIVAL_OVERFLOW;
	if (drop && drop >= vsm_mbarrier_expected(layout, word))
		return DRM_VSM_FAULT_DROP_TO_ZERO;
	if (!tx && count < pending)
		return DRM_VSM_FAULT_NONE;
	return vsm_tx_check((__s64)vsm_mbarrier_tx(layout, word) + tx, pending - count);
}

static inline enum drm_vsm_fault vsm_step_arrive(const struct vsm_geometry *geo,
						 const struct drm_vsm_insn *insn, __u32 thread,
						 __u64 old, __u64 *next, __u64 *result)
{
	__u32 count = insn->mods & DRM_VSM_MOD_COUNT ? insn->u.mbarrier.count : 1;
	__u32 drop = insn->op == DRM_VSM_OP_MBARRIER_ARRIVE_DROP ? count : 0;
	__u32 tx = insn->u.mbarrier.tx_count;

	if (geo->strict) {
		enum drm_vsm_fault fault = vsm_arrive_check(geo->layout, old, insn->mods,
							    count, drop, tx);
		if (fault)
			return fault;
	}

	*next = vsm_mbarrier_arrive(geo->layout, old, count, drop, tx);
	if (insn->mods & DRM_VSM_MOD_SINK)
		*result = 0;
	else if (insn->mods & DRM_VSM_MOD_NOCOMPLETE)
		*result = vsm_mbarrier_state_nocomplete(geo->layout, old,
							1U << thread % VSM_WARP_SIZE);
	else
		*result = vsm_mbarrier_state(geo->layout, old);
	return DRM_VSM_FAULT_NONE;
}

static inline enum drm_vsm_fault vsm_step_tx(const struct vsm_geometry *geo,
					     const struct drm_vsm_insn *insn,
					     __u64 old, __u64 *next)
{
	bool complete = insn->op == DRM_VSM_OP_MBARRIER_COMPLETE_TX;
	__u32 count = insn->u.mbarrier.tx_count;

	if (geo->strict) {
		__s64 tx = vsm_mbarrier_tx(geo->layout, old);
		__u32 pending = vsm_mbarrier_pending(geo->layout, old);
		enum drm_vsm_fault fault;

		fault = complete ? vsm_tx_check(tx - count, pending)
				 : vsm_tx_check(tx + count, 1);
		if (fault)
			return fault;
	}
	*next = complete ? vsm_mbarrier_complete_tx(old, count)
			 : vsm_mbarrier_expect_tx(old, count);
	return DRM_VSM_FAULT_NONE;
}

/**
 * vsm_mbarrier_step - Perform an operation on the value of a word
 * @geo: Geometry of the cluster
 * @insn: A checked mbarrier instruction with an address, neither init nor inval
 * @thread: Executing thread in its CTA
 * @old: The word, any bit pattern
 * @next: The word afterwards (out)
 * @result: The instruction's result (out); for a try_wait that would suspend 0
 *
 * Return: %DRM_VSM_FAULT_NONE, or why the operation is refused, @next and @result
 * then being undefined.
 */
static inline enum drm_vsm_fault vsm_mbarrier_step(const struct vsm_geometry *geo,
						   const struct drm_vsm_insn *insn, __u32 thread,
						   __u64 old, __u64 *next, __u64 *result)
{
	const struct drm_vsm_mbarrier_operands *o = &insn->u.mbarrier;
	enum drm_vsm_fault fault = vsm_word_check(geo, old);
	__u16 op = insn->op;

	if (fault)
		return fault;

	if (op == DRM_VSM_OP_MBARRIER_ARRIVE || op == DRM_VSM_OP_MBARRIER_ARRIVE_DROP)
		return vsm_step_arrive(geo, insn, thread, old, next, result);
	*result = 0;
	if (op == DRM_VSM_OP_MBARRIER_EXPECT_TX || op == DRM_VSM_OP_MBARRIER_COMPLETE_TX)
		return vsm_step_tx(geo, insn, old, next);
	*next = old;
	*result = vsm_mbarrier_wait(old, insn->mods & DRM_VSM_MOD_PARITY
					 ? vsm_mbarrier_parity(o->parity) : o->state);
	return DRM_VSM_FAULT_NONE;
}

#endif
