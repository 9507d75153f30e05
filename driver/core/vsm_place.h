/* SPDX-License-Identifier: GPL-2.0-only */
/* A warp whose lanes execute a rendezvous, and the release of its lanes. */
#ifndef _VSM_PLACE_H_
#define _VSM_PLACE_H_

#include "vsm_rendezvous.h"

/* A warp with its CTA and the rendezvous of its cluster. */
struct vsm_place {
	struct vsm_rendezvous *rv;
	struct vsm_cta *cta;
	struct vsm_warp *warp;
	__u32 bit; /* the warp's bit in masks of the CTA's warps */
};

/* Take the lowest bit (a lane or a warp) out of @left. Returns false if none is left. */
static inline bool vsm_next(__u32 *left, __u32 *lane)
{
	if (!*left)
		return false;
	*lane = __builtin_ctz(*left);
	*left &= *left - 1;
	return true;
}

/* Is the rendezvous a warp operation? The others are barriers. */
static inline bool vsm_is_warp_op(const struct drm_vsm_insn *insn)
{
	return insn->op <= DRM_VSM_OP_REDUX_SYNC;
}

/* Take the lowest lane out of @left, with all lanes that share its leader. Returns the leader. */
static inline struct vsm_lane *vsm_next_lead(struct vsm_warp *warp, __u32 *left)
{
	struct vsm_lane *lead;

	if (!*left)
		return NULL;
	lead = &warp->lanes[warp->lead[__builtin_ctz(*left)]];
	*left &= ~lead->set;
	return lead;
}

static inline struct vsm_place vsm_place(struct vsm_rendezvous *rv, __u32 cta, __u32 warp)
{
	return (struct vsm_place) {
		.rv = rv,
		.cta = &rv->ctas[cta],
		.warp = &rv->ctas[cta].warps[warp],
		.bit = 1U << warp,
	};
}

/*
 * The named barrier of a checked instruction. The index stays inside the array even if the
 * processor executes this speculatively before the check.
 */
static inline struct vsm_barrier *vsm_place_barrier(const struct vsm_place *place,
						    const struct drm_vsm_insn *insn)
{
	return &place->cta->barriers[array_index_nospec(insn->u.barrier.barrier, VSM_BARRIERS)];
}

static inline __u32 vsm_all_warps(const struct vsm_geometry *geo)
{
	return VSM_ALL_LANES >> (VSM_WARP_SIZE - vsm_geometry_warps(geo));
}

/* The result of a leader's lanes is ready. Queue the leader if it has a waiter. */
static inline void vsm_release(struct vsm_rendezvous *rv, struct vsm_warp *warp,
			       struct vsm_lane *lane)
{
	warp->waiting &= ~lane->set;
	warp->arrived &= ~lane->set;
	warp->released |= 1U << (lane - warp->lanes);
	lane->cause = rv->cause;
	rv->releases = true;
	if (!lane->waiter)
		return;
	lane->next = rv->released;
	lane->pprev = &rv->released;
	if (lane->next)
		lane->next->pprev = &lane->next;
	rv->released = lane;
}

/* Release lanes that all get the same result. */
static inline void vsm_release_all(struct vsm_rendezvous *rv, struct vsm_warp *warp, __u32 lanes,
				   __u64 result, enum drm_vsm_fault fault, __u32 info)
{
	struct vsm_lane *lead;

	while ((lead = vsm_next_lead(warp, &lanes))) {
		lead->insn.result = result;
		lead->insn.fault = fault;
		lead->insn.info = info;
		vsm_release(rv, warp, lead);
	}
}

#endif
