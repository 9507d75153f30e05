/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One mbarrier operation on one word: the misuse checks of the strict policy and, if they pass, the
 * transition of the word. The functions are inline, to be fast in their caller's loop.
 */
#ifndef _VSM_STEP_H_
#define _VSM_STEP_H_

#include "vsm_shadow.h"

/*
 * A step without the lock of the word's bucket returns this instead of a fault: repeat the step
 * with the lock. The first wait to find its phase complete marks the phase observed. Only with the
 * lock are the word that the wait has read and the shadow certain to be in the same phase.
 */
#define VSM_STEP_LOCKED	((enum drm_vsm_fault)0xffff)

/* With an arrive or complete_tx: it is the end of a cp.async.mbarrier.arrive. */
#define VSM_MOD_ASYNC	DRM_VSM_MOD_NOINC

/*
 * Can an operation work on the word at all?
 * @report: Rules that the cluster reports, or 0
 * @shadow: Shadow of the object; NULL if there never was one, or in the hardware policy
 *
 * In the strict policy no operation sets the poison bit or a reserved bit. If such a bit is set,
 * user space has overwritten the word. An H100 traps on the poison bit alone. There is one
 * exception: an operation that breaks a rule that is only reported may set such a bit. Then this
 * function behaves as an H100 does.
 */
static __always_inline enum drm_vsm_fault
vsm_word_check(enum vsm_layout layout, bool strict, __u64 report, const struct vsm_shadow *shadow,
	       __u64 word)
{
	__u64 wrong = layout == VSM_LAYOUT_SM_80 ? VSM_SM_80_RESERVED
						 : VSM_SM_90_POISON | VSM_SM_90_RESERVED;

	if (!strict)
		return layout == VSM_LAYOUT_SM_90 && word & VSM_SM_90_POISON
			? DRM_VSM_FAULT_POISONED : DRM_VSM_FAULT_NONE;
	/* In this layout an init with a count of 0 that was only reported sets a reserved bit. */
	if (layout == VSM_LAYOUT_SM_80 && report & DRM_VSM_RULE(DRM_VSM_FAULT_BAD_COUNT))
		wrong = 0;
	if (!shadow || !READ_ONCE(shadow->live))
		return DRM_VSM_FAULT_NOT_AN_MBARRIER;
	if (layout == VSM_LAYOUT_SM_90 && word & VSM_SM_90_POISON &&
	    report & DRM_VSM_RULE(DRM_VSM_FAULT_ARRIVAL_OVERFLOW))
		return DRM_VSM_FAULT_POISONED;
	return word & wrong ? DRM_VSM_FAULT_NOT_AN_MBARRIER : DRM_VSM_FAULT_NONE;
}

/*
 * Check the tx-count @tx that an operation with the operand @count results in, with @pending
 * arrivals left. In layout sm_90 each cp.async.mbarrier.arrive in flight adds 1 to the tx-count,
 * which is no byte.
 */
static __always_inline enum drm_vsm_fault vsm_tx_check(const struct vsm_geometry *geo,
						       __u64 *broken,
						       const struct vsm_shadow *shadow,
						       __u32 count, __s64 tx, __u32 pending)
{
	__s64 bytes = tx - READ_ONCE(shadow->raised);

	if ((count > VSM_MBARRIER_MAX_TX || tx > VSM_MBARRIER_MAX_TX ||
	     bytes < -VSM_MBARRIER_MAX_TX) &&
	    vsm_rule_refuses(geo, broken, DRM_VSM_FAULT_TX_RANGE))
		return DRM_VSM_FAULT_TX_RANGE;
	if (!pending && bytes < 0 &&
	    vsm_rule_refuses(geo, broken, DRM_VSM_FAULT_TX_OVERDELIVERY))
		return DRM_VSM_FAULT_TX_OVERDELIVERY;
	return DRM_VSM_FAULT_NONE;
}

static __always_inline enum drm_vsm_fault vsm_arrive_check(enum vsm_layout layout,
							   const struct vsm_geometry *geo,
							   __u64 *broken,
							   const struct vsm_shadow *shadow,
							   __u64 word, __u16 mods,
							   __u32 count, __u32 drop,
							   __u32 tx)
{
	__u32 pending = vsm_mbarrier_pending(layout, word);

	if (mods & DRM_VSM_MOD_NOCOMPLETE && count >= pending &&
	    (count > pending || !vsm_mbarrier_tx(layout, word)) &&
	    vsm_rule_refuses(geo, broken, DRM_VSM_FAULT_NOCOMPLETE_COMPLETES))
		return DRM_VSM_FAULT_NOCOMPLETE_COMPLETES;
	if (count > pending && vsm_rule_refuses(geo, broken, DRM_VSM_FAULT_ARRIVAL_OVERFLOW))
		return DRM_VSM_FAULT_ARRIVAL_OVERFLOW;
	if (drop && drop >= vsm_mbarrier_expected(layout, word) &&
	    vsm_rule_refuses(geo, broken, DRM_VSM_FAULT_DROP_TO_ZERO))
		return DRM_VSM_FAULT_DROP_TO_ZERO;
	if (layout == VSM_LAYOUT_SM_80 || (!tx && count < pending))
		return DRM_VSM_FAULT_NONE;
	return vsm_tx_check(geo, broken, shadow, tx, (__s64)vsm_mbarrier_tx(layout, word) + tx,
			    pending - count);
}

/* Does an H100 trap on an operation that adds @sign * @count to the tx-count @tx? */
static __always_inline bool vsm_tx_trap(__s64 tx, __u32 count, int sign)
{
	__s64 sum = tx + sign * (__s64)count;

	return count > VSM_MBARRIER_MAX_TX || sum > VSM_MBARRIER_MAX_TX ||
	       sum < -VSM_MBARRIER_MAX_TX;
}

/*
 * Does an H100 trap on this arrive? A trap changes nothing. The hardware policy calls this for
 * every arrive. The strict policy calls it when rules may be only reported, after
 * vsm_arrive_check(). What an A100 does was not recorded: in layout sm_80 counts wrap.
 *
 * Returns the rule for which the operation traps.
 */
static __always_inline enum drm_vsm_fault vsm_arrive_trap(__u64 word, __u32 count, __u32 drop,
							  __u32 tx)
{
	if (count > VSM_MBARRIER_MAX_COUNT)
		return DRM_VSM_FAULT_BAD_COUNT;
	if (count > vsm_mbarrier_pending(VSM_LAYOUT_SM_90, word))
		return DRM_VSM_FAULT_ARRIVAL_OVERFLOW;
	if (drop > vsm_mbarrier_expected(VSM_LAYOUT_SM_90, word))
		return DRM_VSM_FAULT_DROP_TO_ZERO;
	if (tx && vsm_tx_trap(vsm_mbarrier_tx(VSM_LAYOUT_SM_90, word), tx, 1))
		return DRM_VSM_FAULT_TX_RANGE;
	return DRM_VSM_FAULT_NONE;
}

static __always_inline __u64 vsm_arrive_state(enum vsm_layout layout, bool strict,
					      const struct vsm_shadow *shadow,
					      const struct drm_vsm_insn *insn, __u32 thread,
					      __u64 old)
{
	const struct drm_vsm_mbarrier_operands *o = &insn->u.mbarrier;
	__u16 mods = insn->mods;

	if (mods & DRM_VSM_MOD_SINK)
		return 0;
	if (strict)
		return vsm_token(layout, shadow, old, mods & DRM_VSM_MOD_NOCOMPLETE);
	if (mods & DRM_VSM_MOD_NOCOMPLETE)
		return vsm_mbarrier_state_nocomplete(layout, old, 1U << thread % VSM_WARP_SIZE);
	/* An arrive has at most one of these operands. The other is 0. */
	return vsm_mbarrier_state(layout, old, o->count | o->tx_count);
}

static __always_inline enum drm_vsm_fault vsm_step_arrive(enum vsm_layout layout, bool strict,
							  const struct vsm_geometry *geo,
							  __u64 *broken,
							  const struct vsm_shadow *shadow,
							  const struct drm_vsm_insn *insn,
							  __u32 thread, __u64 old, __u64 *next,
							  __u64 *result)
{
	__u32 count = insn->mods & DRM_VSM_MOD_COUNT ? insn->u.mbarrier.count : 1;
	__u32 drop = insn->op == DRM_VSM_OP_MBARRIER_ARRIVE_DROP ? count : 0;
	__u32 tx = insn->u.mbarrier.tx_count;

	if (strict) {
		enum drm_vsm_fault fault = vsm_arrive_check(layout, geo, broken, shadow, old,
							    insn->mods, count, drop, tx);

		if (fault)
			return fault;
	}
	if (layout == VSM_LAYOUT_SM_90 && (!strict || broken)) {
		enum drm_vsm_fault fault = vsm_arrive_trap(old, count, drop, tx);

		if (fault && insn->mods & VSM_MOD_ASYNC) {
			*next = old | VSM_SM_90_POISON;
			*result = 0;
			return DRM_VSM_FAULT_NONE;
		}
		if (fault)
			return fault;
	}
	*next = vsm_mbarrier_arrive(layout, old, count, drop, tx);
	*result = vsm_arrive_state(layout, strict, shadow, insn, thread, old);
	return DRM_VSM_FAULT_NONE;
}

static __always_inline enum drm_vsm_fault vsm_step_tx(enum vsm_layout layout, bool strict,
						      const struct vsm_geometry *geo,
						      __u64 *broken,
						      const struct vsm_shadow *shadow,
						      const struct drm_vsm_insn *insn,
						      __u64 old, __u64 *next)
{
	bool complete = insn->op == DRM_VSM_OP_MBARRIER_COMPLETE_TX;
	__u32 count = insn->u.mbarrier.tx_count;

	if (strict) {
		__s64 tx = vsm_mbarrier_tx(layout, old);
		__u32 pending = vsm_mbarrier_pending(layout, old);
		enum drm_vsm_fault fault;

		fault = complete ? vsm_tx_check(geo, broken, shadow, count, tx - count, pending)
				 : vsm_tx_check(geo, broken, shadow, count, tx + count, 1);
		if (fault)
			return fault;
	}
	if ((!strict || broken) && !(insn->mods & VSM_MOD_ASYNC) &&
	    vsm_tx_trap(vsm_mbarrier_tx(layout, old), count, complete ? -1 : 1))
		return DRM_VSM_FAULT_TX_RANGE;
	*next = complete ? vsm_mbarrier_complete_tx(old, count)
			 : vsm_mbarrier_expect_tx(old, count);
	return DRM_VSM_FAULT_NONE;
}

static __always_inline enum drm_vsm_fault vsm_step_wait(enum vsm_layout layout, bool strict,
							bool locked,
							const struct vsm_geometry *geo,
							__u64 *broken, struct vsm_shadow *shadow,
							const struct drm_vsm_insn *insn,
							__u64 old, __u64 *result)
{
	const struct drm_vsm_mbarrier_operands *o = &insn->u.mbarrier;

	if (insn->mods & DRM_VSM_MOD_PARITY) {
		*result = vsm_mbarrier_wait(old, vsm_mbarrier_parity(o->parity));
	} else {
		if (strict) {
			enum drm_vsm_fault fault = vsm_token_check(layout, shadow, o->state);

			if (fault && vsm_rule_refuses(geo, broken, fault))
				return fault;
		}
		*result = vsm_mbarrier_wait(old, o->state);
	}
	if (!strict || !*result || READ_ONCE(shadow->observed))
		return DRM_VSM_FAULT_NONE;
	if (!locked)
		return VSM_STEP_LOCKED;
	vsm_shadow_observe(shadow);
	return DRM_VSM_FAULT_NONE;
}

/*
 * Issue of cp.async.mbarrier.arrive. PTX counts the arrival that is to come as pending; sm_90
 * counts it as a transaction. With .noinc the count of the init already contains it.
 */
static inline enum drm_vsm_fault vsm_step_issue(enum vsm_layout layout, bool strict,
						const struct vsm_geometry *geo, __u64 *broken,
						const struct vsm_shadow *shadow,
						const struct drm_vsm_insn *insn,
						__u64 old, __u64 *next)
{
	*next = old;
	if (insn->mods & DRM_VSM_MOD_NOINC)
		return DRM_VSM_FAULT_NONE;
	if (strict && vsm_mbarrier_pending(layout, old) +
		      (layout == VSM_LAYOUT_SM_80 ? 0 : READ_ONCE(shadow->raised)) >=
		      VSM_MBARRIER_MAX_COUNT &&
	    vsm_rule_refuses(geo, broken, DRM_VSM_FAULT_PENDING_RANGE))
		return DRM_VSM_FAULT_PENDING_RANGE;
	if (layout == VSM_LAYOUT_SM_80) {
		*next = vsm_field_add(old, VSM_SM_80_PENDING_SHIFT, VSM_SM_80_PENDING_BITS, -1ULL);
		return DRM_VSM_FAULT_NONE;
	}
	if (strict && vsm_mbarrier_tx(layout, old) >= VSM_MBARRIER_MAX_TX &&
	    vsm_rule_refuses(geo, broken, DRM_VSM_FAULT_TX_RANGE))
		return DRM_VSM_FAULT_TX_RANGE;
	*next = vsm_mbarrier_add_tx(old, 1);
	return DRM_VSM_FAULT_NONE;
}

static inline bool vsm_insn_arrives(const struct drm_vsm_insn *insn)
{
	return insn->op == DRM_VSM_OP_MBARRIER_ARRIVE ||
	       insn->op == DRM_VSM_OP_MBARRIER_ARRIVE_DROP ||
	       insn->op == DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE;
}

/*
 * The object is not VSM_SHADOW_READY: its init may not be visible to the cluster, or no wait has
 * observed its last phase. Check whether that forbids the instruction. By the letter of PTX no
 * arrive-on may come in a phase before the phase before it was observed.
 */
static inline enum drm_vsm_fault vsm_ready_check(const struct vsm_geometry *geo, __u64 *broken,
						 const struct vsm_shadow *shadow,
						 const struct drm_vsm_insn *insn, __u32 cta)
{
	if (READ_ONCE(shadow->initialiser) != VSM_VISIBLE &&
	    vsm_addr_rank(insn->u.mbarrier.addr) != cta &&
	    vsm_rule_refuses(geo, broken, DRM_VSM_FAULT_INIT_NOT_FENCED))
		return DRM_VSM_FAULT_INIT_NOT_FENCED;
	if (!READ_ONCE(shadow->observed) &&
	    geo->enforce & DRM_VSM_RULE(DRM_VSM_FAULT_PHASE_UNOBSERVED) &&
	    vsm_insn_arrives(insn) &&
	    vsm_rule_refuses(geo, broken, DRM_VSM_FAULT_PHASE_UNOBSERVED))
		return DRM_VSM_FAULT_PHASE_UNOBSERVED;
	return DRM_VSM_FAULT_NONE;
}

/*
 * Two phases must not complete without an observation in between. A waiter for the first phase
 * would find its own parity again and could not see that the phase is over. Refuse the step that
 * completes the second phase.
 */
static __always_inline enum drm_vsm_fault vsm_phase_check(const struct vsm_geometry *geo,
							  __u64 *broken,
							  const struct vsm_shadow *shadow,
							  __u64 old, __u64 next)
{
	if ((old ^ next) & VSM_MBARRIER_PHASE && !READ_ONCE(shadow->observed) &&
	    vsm_rule_refuses(geo, broken, DRM_VSM_FAULT_PHASE_UNOBSERVED))
		return DRM_VSM_FAULT_PHASE_UNOBSERVED;
	return DRM_VSM_FAULT_NONE;
}

/*
 * vsm_mbarrier_step() for one layout and one policy, with the lock of the word's bucket held
 * (@locked) or not. All three are compile-time constants. Without the lock @broken is NULL.
 */
static __always_inline enum drm_vsm_fault vsm_step(enum vsm_layout layout, bool strict,
						   bool locked, const struct vsm_geometry *geo,
						   __u64 *broken, struct vsm_shadow *shadow,
						   const struct drm_vsm_insn *insn, __u32 cta,
						   __u32 thread, __u64 old, __u64 *next,
						   __u64 *result)
{
	enum drm_vsm_fault fault = vsm_word_check(layout, strict, locked ? geo->report : 0,
						  shadow, old);
	__u16 op = insn->op;

	if (!fault && strict && READ_ONCE(shadow->state) != VSM_SHADOW_READY)
		fault = vsm_ready_check(geo, broken, shadow, insn, cta);
	/* Neither the issue nor the end of a cp.async.mbarrier.arrive traps. */
	if (fault == DRM_VSM_FAULT_POISONED &&
	    (op == DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE || insn->mods & VSM_MOD_ASYNC)) {
		*next = old;
		*result = 0;
		return DRM_VSM_FAULT_NONE;
	}
	if (fault)
		return fault;

	if (op == DRM_VSM_OP_MBARRIER_ARRIVE || op == DRM_VSM_OP_MBARRIER_ARRIVE_DROP) {
		fault = vsm_step_arrive(layout, strict, geo, broken, shadow, insn, thread, old,
					next, result);
	} else if (op == DRM_VSM_OP_MBARRIER_EXPECT_TX || op == DRM_VSM_OP_MBARRIER_COMPLETE_TX) {
		*result = 0;
		fault = vsm_step_tx(layout, strict, geo, broken, shadow, insn, old, next);
	} else if (op == DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE) {
		*result = 0;
		fault = vsm_step_issue(layout, strict, geo, broken, shadow, insn, old, next);
	} else {
		*next = old;
		fault = vsm_step_wait(layout, strict, locked, geo, broken, shadow, insn, old,
				      result);
	}
	if (fault || !strict)
		return fault;
	fault = vsm_phase_check(geo, broken, shadow, old, *next);
	if (fault)
		*next = old;
	return fault;
}

/* Call vsm_step() with the layout and the policy of a cluster as constants. */
static __always_inline enum drm_vsm_fault vsm_step_choose(bool locked,
							  const struct vsm_geometry *geo,
							  __u64 *broken,
							  struct vsm_shadow *shadow,
							  const struct drm_vsm_insn *insn,
							  __u32 cta, __u32 thread, __u64 old,
							  __u64 *next, __u64 *result)
{
	if (geo->layout == VSM_LAYOUT_SM_80)
		return geo->strict ? vsm_step(VSM_LAYOUT_SM_80, true, locked, geo, broken, shadow,
					      insn, cta, thread, old, next, result)
				   : vsm_step(VSM_LAYOUT_SM_80, false, locked, geo, NULL, NULL,
					      insn, cta, thread, old, next, result);
	return geo->strict ? vsm_step(VSM_LAYOUT_SM_90, true, locked, geo, broken, shadow, insn,
				      cta, thread, old, next, result)
			   : vsm_step(VSM_LAYOUT_SM_90, false, locked, geo, NULL, NULL, insn,
				      cta, thread, old, next, result);
}

/*
 * Perform an operation on the value of a word.
 * @shadow: Shadow of the object; NULL if there never was one, or in the hardware policy. A wait
 *	that returns True marks the phase observed; nothing else is changed
 * @insn: A checked mbarrier instruction that has an address and is neither init nor inval
 * @cta: Rank of the executing thread's CTA
 * @old: The word, any bit pattern
 * @next: Gets the word after the operation
 * @result: Gets the result of the instruction; 0 for a try_wait that would suspend
 * @broken: Gets the rules that the operation breaks and that the cluster only reports, which then
 *	do not refuse it; NULL if every breach refuses the operation
 *
 * Context: the caller holds the lock of the word's bucket. Returns %DRM_VSM_FAULT_NONE, or the
 * rule for which the operation is refused; @next and @result are then undefined.
 */
static inline enum drm_vsm_fault vsm_mbarrier_step(const struct vsm_geometry *geo,
						   struct vsm_shadow *shadow,
						   const struct drm_vsm_insn *insn, __u32 cta,
						   __u32 thread, __u64 old, __u64 *next,
						   __u64 *result, __u64 *broken)
{
	return vsm_step_choose(true, geo, broken, shadow, insn, cta, thread, old, next, result);
}

/*
 * vsm_mbarrier_step() for a caller without the lock. Every breach of a rule refuses the operation.
 * It may return %VSM_STEP_LOCKED.
 */
static inline enum drm_vsm_fault vsm_mbarrier_try_step(const struct vsm_geometry *geo,
						       struct vsm_shadow *shadow,
						       const struct drm_vsm_insn *insn, __u32 cta,
						       __u32 thread, __u64 old, __u64 *next,
						       __u64 *result)
{
	return vsm_step_choose(false, geo, NULL, shadow, insn, cta, thread, old, next, result);
}

/*
 * May an object begin here?
 * @shadow: Shadow of the word, in the strict policy
 * @info: Gets the &enum drm_vsm_mbarrier_state of an object that is there already
 * @broken: Mask that gets the broken rules that are only reported, or NULL
 */
static inline enum drm_vsm_fault vsm_init_check(const struct vsm_geometry *geo,
						const struct vsm_shadow *shadow, __u64 word,
						__u32 *info, __u64 *broken)
{
	if (!geo->strict || !shadow->live)
		return DRM_VSM_FAULT_NONE;
	*info = vsm_object_state(geo->layout, shadow, word);
	return vsm_rule_refuses(geo, broken, DRM_VSM_FAULT_INIT_OVER_LIVE)
		? DRM_VSM_FAULT_INIT_OVER_LIVE : DRM_VSM_FAULT_NONE;
}

/*
 * May the object end?
 * @shadow: Shadow of the object, in the strict policy; NULL if there never was one
 * @waited: A wait is suspended or armed on the object
 * @info: Gets the number of asynchronous operations bound to the object, if it is in use
 * @broken: Mask that gets the broken rules that are only reported, or NULL
 */
static inline enum drm_vsm_fault vsm_inval_check(const struct vsm_geometry *geo,
						 const struct vsm_shadow *shadow, bool waited,
						 __u32 *info, __u64 *broken)
{
	if (!shadow || !shadow->live)
		return DRM_VSM_FAULT_NOT_AN_MBARRIER;
	if (!waited && !shadow->bound)
		return DRM_VSM_FAULT_NONE;
	*info = shadow->bound;
	return vsm_rule_refuses(geo, broken, DRM_VSM_FAULT_INVAL_IN_USE)
		? DRM_VSM_FAULT_INVAL_IN_USE : DRM_VSM_FAULT_NONE;
}

/* Check that the phase to which an operation was bound, @serial, is still in progress. */
static inline enum drm_vsm_fault vsm_late_check(const struct vsm_shadow *shadow, __u32 serial)
{
	return vsm_shadow_in_phase(shadow, serial) ? DRM_VSM_FAULT_NONE
						    : DRM_VSM_FAULT_LATE_COMPLETION;
}

/* --- equal arrives of several lanes ---------------------------------------------- */

/*
 * Compute the result of equal arrives that come one after the other.
 * @layout: Layout of the cluster, a compile-time constant
 * @strict: The cluster's policy is strict, a compile-time constant
 * @shadow: Shadow of the object; NULL if there never was one, or in the hardware policy
 * @insn: The checked instruction, which all lanes execute
 * @cta: Rank of the executing threads' CTA
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
 * Returns true if the arrives can be performed together; false if the caller has to perform them
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
