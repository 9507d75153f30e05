// SPDX-License-Identifier: GPL-2.0-only
/*
 * The named barriers of a CTA (PTX 9.7.13.1) and the barrier of the cluster (9.7.13.3).
 */
#include "vsm_barrier.h"

/* --- named barriers ------------------------------------------------------------- */

static __u32 vsm_barrier_count(const struct vsm_place *place, const struct drm_vsm_insn *insn)
{
	if (insn->mods & DRM_VSM_MOD_COUNT)
		return insn->u.barrier.count;
	return vsm_geometry_warps(&place->rv->geo) * VSM_WARP_SIZE;
}

/*
 * May the warp arrive at the barrier? If the fault is BARRIER_MISMATCH, @info gets the barrier's
 * count.
 */
enum drm_vsm_fault vsm_barrier_may_arrive(const struct vsm_place *place,
					  const struct drm_vsm_insn *insn, __u32 *info)
{
	const struct vsm_barrier *barrier = vsm_place_barrier(place, insn);

	if (!barrier->count)
		return DRM_VSM_FAULT_NONE;
	/*
	 * A warp whose threads wait here is suspended and cannot arrive again. Only a warp that has
	 * arrived without waiting can.
	 */
	if (barrier->passed & place->bit &&
	    vsm_enforces(&place->rv->geo, DRM_VSM_FAULT_BARRIER_OVERFLOW))
		return DRM_VSM_FAULT_BARRIER_OVERFLOW;
	if (barrier->red != insn->red)
		return DRM_VSM_FAULT_BARRIER_MIXED;
	if (barrier->count != vsm_barrier_count(place, insn)) {
		*info = barrier->count;
		return DRM_VSM_FAULT_BARRIER_MISMATCH;
	}
	return DRM_VSM_FAULT_NONE;
}

static __u64 vsm_barrier_result(const struct vsm_barrier *barrier)
{
	switch (barrier->red) {
	case DRM_VSM_RED_POPC:
		return barrier->trues;
	case DRM_VSM_RED_AND:
		return barrier->trues == barrier->voters;
	case DRM_VSM_RED_OR:
		return barrier->trues != 0;
	default:
		return 0;
	}
}

/*
 * Is the barrier complete? It is if all threads of its count have arrived, or if no warp can arrive
 * any more.
 *
 * An arrival adds 32 threads, and counts are multiples of 32. The sum of the arrivals is therefore
 * never above the count.
 *
 * A warp that has exited does not arrive any more. If a warp waits there with an instruction that
 * has no count, the barrier waits for each warp to arrive once. Otherwise a warp may arrive again,
 * unless its threads wait there.
 */
static bool vsm_barrier_is_complete(const struct vsm_rendezvous *rv, const struct vsm_cta *cta,
				    const struct vsm_barrier *barrier)
{
	__u32 absent = cta->live & ~barrier->waiting;

	if (barrier->arrivals == barrier->count)
		return true;
	if (cta->live == vsm_all_warps(&rv->geo))
		return false;
	return !absent || (barrier->for_all && !(absent & ~barrier->passed));
}

void vsm_barrier_check(struct vsm_rendezvous *rv, struct vsm_cta *cta,
		       struct vsm_barrier *barrier)
{
	__u32 i, waiting = barrier->waiting;
	__u64 result;

	if (!barrier->count || !vsm_barrier_is_complete(rv, cta, barrier))
		return;
	result = vsm_barrier_result(barrier);
	*barrier = (struct vsm_barrier) {};
	while (vsm_next(&waiting, &i))
		vsm_release_all(rv, &cta->warps[i], cta->warps[i].arrived, result,
				DRM_VSM_FAULT_NONE, 0);
}

static void vsm_barrier_vote(struct vsm_warp *warp, __u32 lanes, struct vsm_barrier *barrier)
{
	struct vsm_lane *lead;

	barrier->voters += hweight32(lanes);
	while ((lead = vsm_next_lead(warp, &lanes)))
		barrier->trues += lead->insn.u.barrier.pred ? hweight32(lead->set) : 0;
}

void vsm_barrier_arrive(const struct vsm_place *place, __u32 present,
			const struct drm_vsm_insn *insn)
{
	struct vsm_barrier *barrier = vsm_place_barrier(place, insn);
	struct vsm_warp *warp = place->warp;

	if (barrier->passed & place->bit)
		place->rv->noted = DRM_VSM_FAULT_BARRIER_OVERFLOW;
	barrier->count = vsm_barrier_count(place, insn);
	barrier->red = insn->red;
	barrier->arrivals += VSM_WARP_SIZE;
	if (insn->op == DRM_VSM_OP_BARRIER_ARRIVE) {
		barrier->passed |= place->bit;
		vsm_release_all(place->rv, warp, present, 0, DRM_VSM_FAULT_NONE, 0);
	} else {
		barrier->waiting |= place->bit;
		if (!(insn->mods & DRM_VSM_MOD_COUNT))
			barrier->for_all |= place->bit;
		warp->waiting &= ~present;
		warp->arrived |= present;
		if (insn->red)
			vsm_barrier_vote(warp, present, barrier);
	}
	vsm_barrier_check(place->rv, place->cta, barrier);
}

/*
 * Take back the votes of lanes that have arrived at a named barrier. The barrier is not complete.
 */
void vsm_barrier_unvote(struct vsm_warp *warp, __u32 lanes, struct vsm_barrier *barrier)
{
	struct vsm_lane *lead;

	if (!barrier->red)
		return;
	barrier->voters -= hweight32(lanes);
	while ((lead = vsm_next_lead(warp, &lanes)))
		barrier->trues -= lead->insn.u.barrier.pred ? hweight32(lead->set) : 0;
}

/* The warp no longer waits at a named barrier. Its arrival stays counted. */
void vsm_barrier_unwait(const struct vsm_place *place, struct vsm_barrier *barrier)
{
	barrier->waiting &= ~place->bit;
	barrier->for_all &= ~place->bit;
}

/*
 * Take back the arrival with which the warp waits at a named barrier. The barrier is not complete.
 * Earlier arrivals of the same warp, with which it does not wait, stay counted.
 */
void vsm_barrier_unarrive(const struct vsm_place *place, __u32 lanes,
			  struct vsm_barrier *barrier)
{
	vsm_barrier_unvote(place->warp, lanes, barrier);
	vsm_barrier_unwait(place, barrier);
	barrier->arrivals -= VSM_WARP_SIZE;
	if (!barrier->arrivals)
		*barrier = (struct vsm_barrier) {};
}

/* --- the barrier of the cluster --------------------------------------------------- */

static void vsm_cluster_barrier_pass(struct vsm_rendezvous *rv, struct vsm_warp *warp, __u32 lanes)
{
	warp->cluster_arrived &= ~lanes;
	vsm_release_all(rv, warp, lanes, 0, DRM_VSM_FAULT_NONE, 0);
}

/* Complete the barrier of the cluster if all threads that have not exited have arrived. */
void vsm_cluster_barrier_check(struct vsm_rendezvous *rv)
{
	struct vsm_cta *cta;
	__u32 i;

	if (!rv->arrived || rv->arrived != rv->live)
		return;
	WRITE_ONCE(rv->phase, rv->phase + 1);
	rv->arrived = 0;
	for (cta = rv->ctas; cta < rv->ctas + rv->geo.ctas; cta++) {
		while (vsm_next(&cta->cluster_waiting, &i))
			vsm_cluster_barrier_pass(rv, &cta->warps[i], cta->warps[i].arrived);
	}
}

/* May lanes of the warp execute the instruction at the barrier of the cluster? */
enum drm_vsm_fault vsm_cluster_barrier_may(const struct vsm_warp *warp, __u32 lanes,
					   const struct drm_vsm_insn *insn)
{
	if (insn->op == DRM_VSM_OP_BARRIER_CLUSTER_ARRIVE && warp->cluster_arrived & lanes)
		return DRM_VSM_FAULT_CLUSTER_ARRIVED;
	if (insn->op == DRM_VSM_OP_BARRIER_CLUSTER_WAIT && ~warp->cluster_arrived & lanes)
		return DRM_VSM_FAULT_CLUSTER_NOT_ARRIVED;
	return DRM_VSM_FAULT_NONE;
}

void vsm_cluster_barrier_arrive(const struct vsm_place *place, __u32 present,
				const struct drm_vsm_insn *insn)
{
	struct vsm_rendezvous *rv = place->rv;

	if (insn->sem != DRM_VSM_SEM_RELAXED)
		rv->release = true;
	place->warp->cluster_arrived |= present;
	place->warp->phase = rv->phase;
	rv->arrived += hweight32(present);
	vsm_release_all(rv, place->warp, present, 0, DRM_VSM_FAULT_NONE, 0);
	vsm_cluster_barrier_check(rv);
}

void vsm_cluster_barrier_wait(const struct vsm_place *place, __u32 present)
{
	if (place->warp->phase != place->rv->phase) {
		vsm_cluster_barrier_pass(place->rv, place->warp, present);
		return;
	}
	place->warp->waiting &= ~present;
	place->warp->arrived |= present;
	place->cta->cluster_waiting |= place->bit;
}
