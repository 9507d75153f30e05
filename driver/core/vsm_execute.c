// SPDX-License-Identifier: GPL-2.0-only
/*
 * How threads come to a rendezvous and leave it (vsm_rendezvous.h). What happens when all have come
 * is in vsm_warp.c for warp operations, and in vsm_barrier.c for barriers.
 */
#include "vsm_barrier.h"
#include "vsm_place.h"

/**
 * vsm_rendezvous_size - Bytes of a cluster's &struct vsm_rendezvous
 * @geo: Geometry of the cluster
 */
size_t vsm_rendezvous_size(const struct vsm_geometry *geo)
{
	return sizeof(struct vsm_rendezvous) +
	       geo->ctas * (sizeof(struct vsm_cta) +
			    vsm_geometry_warps(geo) * sizeof(struct vsm_warp));
}

/**
 * vsm_rendezvous_init - All threads are there, and nobody is in anything
 * @rv: That many bytes, all 0
 * @geo: Geometry of the cluster
 */
void vsm_rendezvous_init(struct vsm_rendezvous *rv, const struct vsm_geometry *geo)
{
	struct vsm_warp *warp = (struct vsm_warp *)&rv->ctas[geo->ctas];
	__u32 warps = vsm_geometry_warps(geo), rest = geo->threads % VSM_WARP_SIZE;
	__u32 i;

	rv->geo = *geo;
	rv->live = geo->ctas * geo->threads;
	for (i = 0; i < geo->ctas; i++, warp += warps) {
		rv->ctas[i].warps = warp;
		rv->ctas[i].live = vsm_all_warps(geo);
		if (rest)
			warp[warps - 1].exited = VSM_ALL_LANES << rest;
	}
}

static bool vsm_is_warp_op(const struct drm_vsm_insn *insn)
{
	return insn->op <= DRM_VSM_OP_REDUX_SYNC;
}

static bool vsm_is_named(const struct drm_vsm_insn *insn)
{
	return insn->op >= DRM_VSM_OP_BARRIER_SYNC && insn->op <= DRM_VSM_OP_BARRIER_RED;
}

/* The same to those who meet at it, whatever values they bring. */
static bool vsm_meets_at(const struct drm_vsm_insn *x, const struct drm_vsm_insn *y)
{
	return vsm_insn_head(x) == vsm_insn_head(y) &&
	       x->u.warp.membermask == y->u.warp.membermask &&
	       (!vsm_is_named(x) || (x->u.barrier.barrier == y->u.barrier.barrier &&
				     x->u.barrier.count == y->u.barrier.count));
}

/* Whom the lanes in an instruction wait for to begin with. */
static __u32 vsm_needs(const struct vsm_warp *warp, const struct drm_vsm_insn *insn)
{
	return (vsm_is_warp_op(insn) ? insn->u.warp.membermask : VSM_ALL_LANES) & ~warp->exited;
}

/* The first lane that waits in an instruction, NULL if none does. */
static struct vsm_lane *vsm_find(struct vsm_warp *warp, const struct drm_vsm_insn *insn)
{
	__u32 left = warp->waiting;

	while (left) {
		struct vsm_lane *lead = &warp->lanes[warp->lead[__builtin_ctz(left)]];

		if (vsm_meets_at(&lead->insn, insn))
			return &warp->lanes[lead->first];
		/* Nor do those who are in the same as this one. */
		left &= ~warp->lanes[lead->first].present;
	}
	return NULL;
}

/*
 * Whom does a lane wait for, directly or not, if it waits for @missing? A lane that waits
 * for other warps waits for nobody in particular.
 */
static __u32 vsm_waits_for(const struct vsm_warp *warp, __u32 missing)
{
	__u32 all = missing, left = missing;

	while (left &= warp->waiting) {
		const struct vsm_lane *lead = &warp->lanes[warp->lead[__builtin_ctz(left)]];
		__u32 present = warp->lanes[lead->first].present;
		__u32 next = vsm_needs(warp, &lead->insn) & ~present;

		left = (left & ~present) | (next & ~all);
		all |= next;
	}
	return all;
}

/* --- coming and going ------------------------------------------------------------- */

/* All who have to be are in the instruction: go on to what comes then. */
static void vsm_meet(const struct vsm_place *place, __u32 present)
{
	struct vsm_warp *warp = place->warp;
	const struct drm_vsm_insn *insn = &warp->lanes[warp->lead[__builtin_ctz(present)]].insn;
	struct vsm_lane *lead;
	__u32 left = present;

	if (vsm_is_named(insn)) {
		vsm_barrier_arrive(place, present, insn);
	} else if (insn->op == DRM_VSM_OP_BARRIER_CLUSTER_ARRIVE) {
		vsm_cluster_barrier_arrive(place, present, insn);
	} else if (insn->op == DRM_VSM_OP_BARRIER_CLUSTER_WAIT) {
		vsm_cluster_barrier_wait(place, present);
	} else {
		while ((lead = vsm_next_lead(warp, &left)))
			vsm_warp_result(place->rv, warp, present, lead);
		while ((lead = vsm_next_lead(warp, &present)))
			vsm_release(place->rv, warp, lead);
	}
}

/* May the lanes be in the instruction, the last of which are about to be? */
static enum drm_vsm_fault vsm_may_meet(const struct vsm_place *place,
				       const struct drm_vsm_insn *insn, __u32 *info)
{
	return vsm_is_named(insn) ? vsm_barrier_may_arrive(place, insn, info)
				  : DRM_VSM_FAULT_NONE;
}

/* Is it misuse that the lanes of @set execute the instruction, whoever else does? */
static enum drm_vsm_fault vsm_may_execute(const struct vsm_place *place, __u32 lane, __u32 set,
					  const struct drm_vsm_insn *insn, __u32 *info)
{
	const struct vsm_warp *warp = place->warp;
	__u32 source;
	bool pred;

	if (!vsm_is_warp_op(insn))
		return vsm_cluster_barrier_may(warp, set, insn);
	if (!(insn->u.warp.membermask >> lane & 1))
		return DRM_VSM_FAULT_NOT_IN_MASK;
	if (insn->op != DRM_VSM_OP_SHFL_SYNC ||
	    !vsm_enforces(&place->rv->geo, DRM_VSM_FAULT_SHFL_SOURCE))
		return DRM_VSM_FAULT_NONE;
	source = vsm_shfl_source(insn, lane, &pred);
	if (vsm_needs(warp, insn) >> source & 1)
		return DRM_VSM_FAULT_NONE;
	*info = source;
	return DRM_VSM_FAULT_SHFL_SOURCE;
}

/* Has the instruction come to a circle, in which everybody waits for another? */
static enum drm_vsm_fault vsm_check_circle(const struct vsm_warp *warp, __u32 set, __u32 missing,
					   const struct drm_vsm_insn *insn, __u32 *info)
{
	__u32 left = missing & warp->waiting;

	if (!left || !(vsm_waits_for(warp, missing) & set))
		return DRM_VSM_FAULT_NONE;
	while (vsm_next(&left, info))
		if (vsm_waits_for(warp, 1U << *info) & set)
			break;
	return vsm_is_warp_op(insn) ? DRM_VSM_FAULT_WARP_MISMATCH : DRM_VSM_FAULT_PARTIAL_WARP;
}

static void vsm_enter(struct vsm_warp *warp, __u32 lane, __u32 set, bool converged,
		      struct vsm_lane *first, const struct drm_vsm_insn *insn)
{
	struct vsm_lane *lead = &warp->lanes[lane];
	__u32 i, left = set;

	lead->insn = *insn;
	lead->insn.result = 0;
	lead->insn.fault = DRM_VSM_FAULT_NONE;
	lead->insn.info = 0;
	lead->waiter = NULL;
	lead->set = set;
	lead->converged = converged;
	lead->present = 0;
	if (set == ~warp->exited)
		memset(warp->lead, lane, sizeof(warp->lead));
	else
		while (vsm_next(&left, &i))
			warp->lead[i] = lane;
	if (!first)
		first = lead;
	lead->first = first - warp->lanes;
	first->present |= set;
	warp->waiting |= set;
}

/* Lanes that wait in one instruction wait with each other; the first of them is the first. */
static void vsm_gather(struct vsm_warp *warp, __u32 lanes)
{
	__u8 first = warp->lead[__builtin_ctz(lanes)];
	struct vsm_lane *lead;

	warp->lanes[first].present = lanes;
	while ((lead = vsm_next_lead(warp, &lanes)))
		lead->first = first;
}

/* Take lanes out of the instruction that they wait in for others of their warp. */
static void vsm_leave(struct vsm_warp *warp, struct vsm_lane *lead)
{
	struct vsm_lane *first = &warp->lanes[lead->first];
	__u32 left = first->present & ~lead->set;

	warp->waiting &= ~lead->set;
	first->present = left;
	if (first == lead && left)
		vsm_gather(warp, left);
}

/* Lanes that wait for other warps wait for those of their own again. */
static void vsm_unarrive(const struct vsm_place *place, const struct drm_vsm_insn *insn)
{
	struct vsm_warp *warp = place->warp;
	__u32 lanes = warp->arrived;

	if (vsm_is_named(insn))
		vsm_barrier_unarrive(place, lanes, vsm_place_barrier(place, insn));
	else
		place->cta->cluster_waiting &= ~place->bit;
	warp->arrived = 0;
	warp->waiting |= lanes;
	vsm_gather(warp, lanes);
}

/* Lanes have exited that waited for other warps: those are not waited for any more. */
static void vsm_abandon(const struct vsm_place *place, struct vsm_lane *lead)
{
	struct vsm_barrier *barrier = vsm_place_barrier(place, &lead->insn);
	bool named = vsm_is_named(&lead->insn);
	struct vsm_warp *warp = place->warp;

	warp->arrived &= ~lead->set;
	if (named)
		vsm_barrier_unvote(warp, lead->set, barrier);
	if (warp->arrived)
		return;
	if (named)
		vsm_barrier_unwait(place, barrier);
	else
		place->cta->cluster_waiting &= ~place->bit;
}

/* Whoever waits for lanes of the warp has perhaps waited for those that have exited. */
static void vsm_check_warp(const struct vsm_place *place)
{
	struct vsm_warp *warp = place->warp;
	__u32 left = warp->waiting;

	while (left) {
		struct vsm_lane *lead = &warp->lanes[warp->lead[__builtin_ctz(left)]];
		__u32 present = warp->lanes[lead->first].present;
		enum drm_vsm_fault fault;
		__u32 info = 0;

		left &= ~present;
		if (vsm_needs(warp, &lead->insn) & ~present)
			continue;
		fault = vsm_may_meet(place, &lead->insn, &info);
		if (fault)
			vsm_release_all(place->rv, warp, present, 0, fault, info);
		else
			vsm_meet(place, present);
	}
}

static void vsm_exit(const struct vsm_place *place, __u32 set)
{
	struct vsm_rendezvous *rv = place->rv;
	struct vsm_warp *warp = place->warp;
	__u32 arrived = set & warp->cluster_arrived;
	__u32 i;

	WRITE_ONCE(warp->exited, warp->exited | set);
	rv->live -= hweight32(set);
	warp->cluster_arrived &= ~set;
	if (warp->phase == rv->phase)
		rv->arrived -= hweight32(arrived);

	vsm_check_warp(place);
	if (warp->exited == VSM_ALL_LANES) {
		place->cta->live &= ~place->bit;
		for (i = 0; i < VSM_BARRIERS; i++)
			vsm_barrier_check(rv, place->cta, &place->cta->barriers[i]);
	}
	vsm_cluster_barrier_check(rv);
}

/* A thread that is in an instruction executes one: if it is the same, it goes on. */
static enum drm_vsm_fault vsm_resume(const struct vsm_warp *warp, __u32 lane, bool converged,
				     const struct drm_vsm_insn *insn)
{
	const struct vsm_lane *lead = &warp->lanes[lane];

	if (warp->lead[lane] != lane || lead->waiter || lead->converged != converged ||
	    memcmp(insn, &lead->insn, offsetof(struct drm_vsm_insn, result)))
		return DRM_VSM_FAULT_THREAD_SUSPENDED;
	return DRM_VSM_FAULT_NONE;
}

/*
 * Threads that exit leave what they are in, in which nobody waits for them; of those who
 * are in it as one, all do or none.
 */
static enum drm_vsm_fault vsm_exit_from(const struct vsm_place *place, __u32 set)
{
	struct vsm_warp *warp = place->warp;
	__u32 waiting = set & warp->waiting, arrived = set & warp->arrived;
	__u32 left = waiting | arrived;
	struct vsm_lane *lead;

	while ((lead = vsm_next_lead(warp, &left)))
		if (lead->waiter || lead->set & ~set)
			return DRM_VSM_FAULT_THREAD_SUSPENDED;
	while ((lead = vsm_next_lead(warp, &waiting)))
		vsm_leave(warp, lead);
	while ((lead = vsm_next_lead(warp, &arrived)))
		vsm_abandon(place, lead);
	warp->released &= ~set;
	return DRM_VSM_FAULT_NONE;
}

static enum drm_vsm_fault vsm_execute_exit(const struct vsm_place *place, __u32 lane,
					   bool converged)
{
	struct vsm_warp *warp = place->warp;
	__u32 set = converged ? ~warp->exited : 1U << lane;
	enum drm_vsm_fault fault;

	fault = vsm_exit_from(place, set);
	if (!fault)
		vsm_exit(place, set);
	return fault;
}

/**
 * vsm_rendezvous_execute - A thread executes an instruction
 * @rv: Of the cluster
 * @cta: Rank of the thread's CTA
 * @thread: Thread
 * @converged: All of its warp executes it (%DRM_VSM_EXEC_WARP)
 * @insn: Checked instruction that meets; gets the info of a fault
 *
 * Unless it is refused, the thread is in the instruction afterwards, and the result is there
 * or not; after exit it is in none. Of a thread that is in an instruction without a waiter,
 * the same instruction changes nothing.
 *
 * Return: %DRM_VSM_FAULT_NONE, or why it is refused, nothing having changed.
 */
enum drm_vsm_fault vsm_rendezvous_execute(struct vsm_rendezvous *rv, __u32 cta, __u32 thread,
					  bool converged, struct drm_vsm_insn *insn)
{
	struct vsm_place place = vsm_place(rv, cta, thread / VSM_WARP_SIZE);
	__u32 lane = thread % VSM_WARP_SIZE, set = 1U << lane;
	struct vsm_warp *warp = place.warp;
	enum drm_vsm_fault fault;
	struct vsm_lane *first;
	__u32 busy, missing;

	if (warp->exited & set)
		return DRM_VSM_FAULT_THREAD_EXITED;
	if (insn->op == DRM_VSM_OP_EXIT)
		return vsm_execute_exit(&place, lane, converged);
	busy = warp->waiting | warp->arrived | warp->released;
	if (busy & set)
		return vsm_resume(warp, lane, converged, insn);
	if (converged)
		set |= vsm_needs(warp, insn);
	if (busy & set)
		return DRM_VSM_FAULT_THREAD_SUSPENDED;

	fault = vsm_may_execute(&place, lane, set, insn, &insn->info);
	if (fault)
		return fault;
	first = vsm_find(warp, insn);
	missing = vsm_needs(warp, insn) & ~set & ~(first ? first->present : 0);
	fault = missing ? vsm_check_circle(warp, set, missing, insn, &insn->info)
			: vsm_may_meet(&place, insn, &insn->info);
	if (fault)
		return fault;

	/* Nothing can fail any more. */
	vsm_enter(warp, lane, set, converged, first, insn);
	if (!missing)
		vsm_meet(&place, warp->lanes[warp->lanes[lane].first].present);
	return DRM_VSM_FAULT_NONE;
}

/**
 * vsm_rendezvous_withdraw - A thread has not executed the instruction that it is in
 * @rv: Of the cluster
 * @cta: Rank of the thread's CTA
 * @thread: Thread that is in one whose result is not there
 *
 * If its warp has arrived at a barrier, it has not.
 */
void vsm_rendezvous_withdraw(struct vsm_rendezvous *rv, __u32 cta, __u32 thread)
{
	struct vsm_place place = vsm_place(rv, cta, thread / VSM_WARP_SIZE);
	__u32 lane = thread % VSM_WARP_SIZE;
	struct vsm_lane *lead = &place.warp->lanes[place.warp->lead[lane]];

	if (place.warp->arrived >> lane & 1)
		vsm_unarrive(&place, &lead->insn);
	vsm_leave(place.warp, lead);
	lead->waiter = NULL;
}
