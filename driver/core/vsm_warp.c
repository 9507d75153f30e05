// SPDX-License-Identifier: GPL-2.0-only
/*
 * The results of warp operations, computed from the values of their threads: match.sync (PTX
 * 9.7.13.10), vote.sync (9.7.13.9), shfl.sync (9.7.9.6), redux.sync (9.7.13.12) and elect.sync
 * (9.7.13.14).
 */
#include "vsm_rendezvous.h"

/**
 * vsm_mode_valid - Does PTX have the mode, or the reduction, with this type?
 * @insn: A warp operation that has a mode or a reduction, or a barrier.cta.red; &drm_vsm_insn.red
 *	may be any byte
 */
bool vsm_mode_valid(const struct drm_vsm_insn *insn)
{
	__u8 mode = insn->red & 0xf, type = insn->red >> 4;

	switch (insn->op) {
	case DRM_VSM_OP_MATCH_SYNC:
		return (mode == DRM_VSM_MODE_ANY || mode == DRM_VSM_MODE_ALL) &&
		       (type == DRM_VSM_TYPE_B32 || type == DRM_VSM_TYPE_B64);
	case DRM_VSM_OP_VOTE_SYNC:
		return mode >= DRM_VSM_MODE_ANY && mode <= DRM_VSM_MODE_BALLOT && !type;
	case DRM_VSM_OP_SHFL_SYNC:
		return mode >= DRM_VSM_MODE_UP && mode <= DRM_VSM_MODE_IDX && !type;
	case DRM_VSM_OP_REDUX_SYNC:
		if (mode >= DRM_VSM_RED_AND && mode <= DRM_VSM_RED_XOR)
			return type == DRM_VSM_TYPE_B32;
		return mode >= DRM_VSM_RED_ADD && mode <= DRM_VSM_RED_MAX &&
		       (type == DRM_VSM_TYPE_U32 || type == DRM_VSM_TYPE_S32);
	default: /* DRM_VSM_OP_BARRIER_RED */
		return insn->red == DRM_VSM_RED_POPC || insn->red == DRM_VSM_RED_AND ||
		       insn->red == DRM_VSM_RED_OR;
	}
}

/* The largest value that the instruction takes. */
static __u64 vsm_warp_max(const struct drm_vsm_insn *insn)
{
	switch (insn->op) {
	case DRM_VSM_OP_MATCH_SYNC:
		return insn->red >> 4 == DRM_VSM_TYPE_B64 ? ~0ULL : ~0U;
	case DRM_VSM_OP_SHFL_SYNC:
	case DRM_VSM_OP_REDUX_SYNC:
		return ~0U;
	case DRM_VSM_OP_VOTE_SYNC:
		return 1;
	default:
		return 0;
	}
}

/* Are all operands 0 that the instruction does not take? */
bool vsm_warp_operands_clean(const struct drm_vsm_insn *insn)
{
	const struct drm_vsm_warp_operands *o = &insn->u.warp;

	return o->a <= vsm_warp_max(insn) &&
	       !((insn->op == DRM_VSM_OP_SHFL_SYNC ? 0 : o->b | o->c) | o->pad | o->reserved[0] |
		 o->reserved[1]);
}

/*
 * The lane from which a shfl.sync reads.
 * @pred: Gets whether the computed source lane is in range
 *
 * Returns the source lane, or @lane if the source lane is not in range.
 */
__u32 vsm_shfl_source(const struct drm_vsm_insn *insn, __u32 lane, bool *pred)
{
	__u32 bval = insn->u.warp.b & 31, cval = insn->u.warp.c & 31;
	__u32 segmask = insn->u.warp.c >> 8 & 31;
	/* The last lane of the segment; for .up, the first. */
	__u32 last = (lane & segmask) | (cval & ~segmask);
	__u32 source;

	switch (insn->red) {
	case DRM_VSM_MODE_UP:
		source = lane - bval;
		*pred = (__s32)source >= (__s32)last;
		break;
	case DRM_VSM_MODE_DOWN:
		source = lane + bval;
		*pred = source <= last;
		break;
	case DRM_VSM_MODE_BFLY:
		source = lane ^ bval;
		*pred = source <= last;
		break;
	default: /* DRM_VSM_MODE_IDX */
		source = (lane & segmask) | (bval & ~segmask);
		*pred = source <= last;
	}
	return *pred ? source : lane;
}

static __u64 vsm_lane_value(const struct vsm_warp *warp, __u32 lane)
{
	return warp->lanes[warp->lead[array_index_nospec(lane, VSM_WARP_SIZE)]].insn.u.warp.a;
}

static __u32 vsm_match(struct vsm_warp *warp, __u32 present, __u64 value)
{
	struct vsm_lane *lead;
	__u32 d = 0;

	while ((lead = vsm_next_lead(warp, &present)))
		if (lead->insn.u.warp.a == value)
			d |= lead->set;
	return d;
}

static __u64 vsm_vote(__u32 ballot, __u32 present, __u8 mode)
{
	switch (mode) {
	case DRM_VSM_MODE_ALL:
		return ballot == present;
	case DRM_VSM_MODE_ANY:
		return ballot != 0;
	case DRM_VSM_MODE_UNI:
		return !ballot || ballot == present;
	default: /* DRM_VSM_MODE_BALLOT */
		return ballot;
	}
}

static __u32 vsm_redux_one(__u8 red, __u32 x, __u32 y)
{
	bool less = red >> 4 == DRM_VSM_TYPE_S32 ? (__s32)x < (__s32)y : x < y;

	switch (red & 0xf) {
	case DRM_VSM_RED_ADD:
		return x + y;
	case DRM_VSM_RED_MIN:
		return less ? x : y;
	case DRM_VSM_RED_MAX:
		return less ? y : x;
	case DRM_VSM_RED_AND:
		return x & y;
	case DRM_VSM_RED_OR:
		return x | y;
	default: /* DRM_VSM_RED_XOR */
		return x ^ y;
	}
}

static __u32 vsm_redux(const struct vsm_warp *warp, __u32 present, __u8 red)
{
	__u32 lane = __builtin_ctz(present);
	__u32 d = vsm_lane_value(warp, lane);

	while (++lane < VSM_WARP_SIZE)
		if (present >> lane & 1)
			d = vsm_redux_one(red, d, vsm_lane_value(warp, lane));
	return d;
}

/*
 * PTX does not define what a lane reads from a lane that does not take part. Here it reads its own
 * value, and the instruction gets a fault. The fault refuses the instruction only if the cluster
 * enforces that rule.
 */
static void vsm_shfl(const struct vsm_rendezvous *rv, const struct vsm_warp *warp, __u32 present,
		     __u32 self, struct drm_vsm_insn *insn)
{
	bool pred;
	__u32 source = vsm_shfl_source(insn, self, &pred);

	if (!(present >> source & 1)) {
		insn->fault = DRM_VSM_FAULT_SHFL_SOURCE;
		insn->info = source;
		if (vsm_rendezvous_refuses(rv, DRM_VSM_FAULT_SHFL_SOURCE))
			return;
		source = self;
	}
	insn->result = (__u32)vsm_lane_value(warp, source) | (pred ? DRM_VSM_RESULT_PRED : 0);
}

/* The slots of a hash table: twice as many as there can be values. */
#define VSM_MATCH_BITS		6
#define VSM_MATCH_SLOTS		(1U << VSM_MATCH_BITS)
#define VSM_MATCH_EMPTY		0xff

/* The slot at which the search for a value begins. */
static __u32 vsm_match_slot(__u64 value)
{
	return ((__u32)(value ^ value >> 32) * 0x9e3779b1U) >> (32 - VSM_MATCH_BITS);
}

/*
 * match.any: each lane gets the lanes that have its value. A hash table has the first leader with
 * each value. If a program chooses values that all begin at the same slot, each lane is compared
 * with each other lane.
 */
static void vsm_match_any(struct vsm_warp *warp, __u32 present)
{
	__u8 firsts[VSM_MATCH_SLOTS];
	__u32 same[VSM_WARP_SIZE];
	__u32 left = present;
	struct vsm_lane *lead;

	memset(firsts, VSM_MATCH_EMPTY, sizeof(firsts));
	while ((lead = vsm_next_lead(warp, &left))) {
		__u64 value = lead->insn.u.warp.a;
		__u32 slot = vsm_match_slot(value);

		while (firsts[slot] != VSM_MATCH_EMPTY &&
		       warp->lanes[firsts[slot]].insn.u.warp.a != value)
			slot = (slot + 1) % VSM_MATCH_SLOTS;
		if (firsts[slot] == VSM_MATCH_EMPTY) {
			firsts[slot] = lead - warp->lanes;
			same[firsts[slot]] = 0;
		}
		same[firsts[slot]] |= lead->set;
		/* The second loop replaces the leader's number by the lanes. */
		lead->insn.result = firsts[slot];
	}
	while ((lead = vsm_next_lead(warp, &present)))
		lead->insn.result = same[lead->insn.result];
}

/* The result that is the same for all lanes; 0 for operations that have none. */
static __u64 vsm_warp_common(struct vsm_warp *warp, __u32 present,
			     const struct drm_vsm_insn *insn)
{
	switch (insn->op) {
	case DRM_VSM_OP_MATCH_SYNC:
		return vsm_match(warp, present, insn->u.warp.a) == present
			? present | DRM_VSM_RESULT_PRED : 0;
	case DRM_VSM_OP_ELECT_SYNC:
		return __builtin_ctz(present);
	case DRM_VSM_OP_VOTE_SYNC:
		return vsm_vote(vsm_match(warp, present, 1), present, insn->red);
	case DRM_VSM_OP_REDUX_SYNC:
		return vsm_redux(warp, present, insn->red);
	default: /* DRM_VSM_OP_BAR_WARP_SYNC */
		return 0;
	}
}

/*
 * Compute the results of a warp operation for all of its lanes.
 * @present: Lanes that have executed the instruction: all of the membermask that have not exited.
 *	Their leaders get the results, or the faults
 */
void vsm_warp_results(const struct vsm_rendezvous *rv, struct vsm_warp *warp, __u32 present)
{
	const __u32 first = __builtin_ctz(present);
	const struct drm_vsm_insn *insn = &warp->lanes[warp->lead[first]].insn;
	__u32 left = present;
	struct vsm_lane *lead;
	__u64 common;

	if (insn->op == DRM_VSM_OP_SHFL_SYNC) {
		while ((lead = vsm_next_lead(warp, &left)))
			vsm_shfl(rv, warp, present, lead - warp->lanes, &lead->insn);
		return;
	}
	if (insn->op == DRM_VSM_OP_MATCH_SYNC && (insn->red & 0xf) == DRM_VSM_MODE_ANY) {
		vsm_match_any(warp, present);
		return;
	}
	common = vsm_warp_common(warp, present, insn);
	while ((lead = vsm_next_lead(warp, &left)))
		lead->insn.result = common;
	lead = &warp->lanes[first];
	if (insn->op == DRM_VSM_OP_ELECT_SYNC && warp->lead[first] == first)
		lead->insn.result |= DRM_VSM_RESULT_PRED;
}
