// SPDX-License-Identifier: GPL-2.0-only
/*
 * How threads enter and leave a rendezvous (vsm_rendezvous.h). What happens when all lanes that it
 * needs are in it is in vsm_warp.c for warp operations, and in vsm_barrier.c for barriers.
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
 * vsm_rendezvous_init - Start with all threads alive and none of them in an instruction
 * @rv: vsm_rendezvous_size() bytes, all 0
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

/*
 * enum drm_vsm_op has the warp operations first, then named barriers, then the barrier of the
 * cluster.
 */
static_assert(DRM_VSM_OP_REDUX_SYNC + 1 == DRM_VSM_OP_BARRIER_SYNC &&
	      DRM_VSM_OP_BARRIER_SYNC + 1 == DRM_VSM_OP_BARRIER_ARRIVE &&
	      DRM_VSM_OP_BARRIER_ARRIVE + 1 == DRM_VSM_OP_BARRIER_RED &&
	      DRM_VSM_OP_BARRIER_RED + 1 == DRM_VSM_OP_BARRIER_CLUSTER_ARRIVE,
	      "order of the rendezvous");

static bool vsm_is_named(const struct drm_vsm_insn *insn)
{
	return insn->op >= DRM_VSM_OP_BARRIER_SYNC && insn->op <= DRM_VSM_OP_BARRIER_RED;
}

/* Are two instructions the same rendezvous? Only the values that threads bring may differ. */
static bool vsm_same_rendezvous(const struct drm_vsm_insn *x, const struct drm_vsm_insn *y)
{
	return vsm_insn_head(x) == vsm_insn_head(y) &&
	       x->u.warp.membermask == y->u.warp.membermask &&
	       (!vsm_is_named(x) || (x->u.barrier.barrier == y->u.barrier.barrier &&
				     x->u.barrier.count == y->u.barrier.count));
}

/* Mask of the lanes that must be in the instruction before it can proceed. */
static __u32 vsm_needs(const struct vsm_warp *warp, const struct drm_vsm_insn *insn)
{
	return (vsm_is_warp_op(insn) ? insn->u.warp.membermask : VSM_ALL_LANES) & ~warp->exited;
}

/* The number of the first lane that waits in the instruction; VSM_WARP_SIZE if none does. */
static __u32 vsm_find(const struct vsm_warp *warp, const struct drm_vsm_insn *insn)
{
	__u32 left = warp->waiting;

	while (left) {
		const struct vsm_lane *lead = &warp->lanes[warp->lead[__builtin_ctz(left)]];

		if (vsm_same_rendezvous(&lead->insn, insn))
			return lead->first;
		/* Skip all lanes that wait in this lane's instruction: it is not @insn. */
		left &= ~warp->lanes[lead->first].present;
	}
	return VSM_WARP_SIZE;
}

/*
 * Mask of all lanes that a lane waits for, directly or through other lanes, if it waits for
 * @missing. A lane that waits for other warps waits for no lane of its own warp.
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

/* --- entering and leaving -------------------------------------------------------- */

/* All lanes that the instruction needs are in it: compute the result, or arrive at the barrier. */
static void vsm_proceed(const struct vsm_place *place, __u32 present)
{
	struct vsm_warp *warp = place->warp;
	const struct drm_vsm_insn *insn = &warp->lanes[warp->lead[__builtin_ctz(present)]].insn;
	struct vsm_lane *lead;

	if (vsm_is_named(insn)) {
		vsm_barrier_arrive(place, present, insn);
	} else if (insn->op == DRM_VSM_OP_BARRIER_CLUSTER_ARRIVE) {
		vsm_cluster_barrier_arrive(place, present, insn);
	} else if (insn->op == DRM_VSM_OP_BARRIER_CLUSTER_WAIT) {
		vsm_cluster_barrier_wait(place, present);
	} else {
		vsm_warp_results(place->rv, warp, present);
		while ((lead = vsm_next_lead(warp, &present)))
			vsm_release(place->rv, warp, lead);
	}
}

/* May the instruction proceed once its last lanes are in it? */
static enum drm_vsm_fault vsm_may_proceed(const struct vsm_place *place,
					  const struct drm_vsm_insn *insn, __u32 *info)
{
	return vsm_is_named(insn) ? vsm_barrier_may_arrive(place, insn, info)
				  : DRM_VSM_FAULT_NONE;
}

/* Is it misuse that the lanes of @set execute the instruction, whichever other lanes do? */
static enum drm_vsm_fault vsm_may_execute(const struct vsm_rendezvous *rv,
					  const struct vsm_warp *warp, __u32 lane, __u32 set,
					  const struct drm_vsm_insn *insn, __u32 *info)
{
	__u32 source;
	bool pred;

	if (vsm_is_named(insn))
		return DRM_VSM_FAULT_NONE;
	if (!vsm_is_warp_op(insn))
		return vsm_cluster_barrier_may(warp, set, insn);
	if (!(insn->u.warp.membermask >> lane & 1))
		return DRM_VSM_FAULT_NOT_IN_MASK;
	if (insn->op != DRM_VSM_OP_SHFL_SYNC ||
	    !vsm_enforces(&rv->geo, DRM_VSM_FAULT_SHFL_SOURCE))
		return DRM_VSM_FAULT_NONE;
	source = vsm_shfl_source(insn, lane, &pred);
	if (vsm_needs(warp, insn) >> source & 1)
		return DRM_VSM_FAULT_NONE;
	*info = source;
	return DRM_VSM_FAULT_SHFL_SOURCE;
}

/*
 * Does the instruction wait for lanes that wait for lanes of @set, directly or through others? Then
 * none of them could ever proceed. @info gets the number of the first such lane.
 */
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

/* Put @lane and the lanes that it leads into the instruction. @first is from vsm_find(). */
static inline void vsm_enter(struct vsm_warp *warp, __u32 lane, __u32 set, bool converged,
			     __u32 first, const struct drm_vsm_insn *insn)
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
	if (first == VSM_WARP_SIZE)
		first = lane;
	lead->first = first;
	warp->lanes[first].present |= set;
	warp->waiting |= set;
}

/* Give lanes that wait in one instruction a first lane: the leader of the lowest of them. */
static void vsm_gather(struct vsm_warp *warp, __u32 lanes)
{
	__u8 first = warp->lead[__builtin_ctz(lanes)];
	struct vsm_lane *lead;

	warp->lanes[first].present = lanes;
	while ((lead = vsm_next_lead(warp, &lanes)))
		lead->first = first;
}

/* Take lanes out of the instruction in which they wait for others of their warp. */
static void vsm_leave(struct vsm_warp *warp, struct vsm_lane *lead)
{
	struct vsm_lane *first = &warp->lanes[lead->first];
	__u32 left = first->present & ~lead->set;

	warp->waiting &= ~lead->set;
	first->present = left;
	if (first == lead && left)
		vsm_gather(warp, left);
}

/* Take back the warp's arrival at a barrier: its lanes wait for lanes of their own warp again. */
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

/* Lanes that waited for other warps have exited: they leave the barrier. */
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

/* Lanes of the warp have exited. Let instructions proceed that waited only for them. */
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
		fault = vsm_may_proceed(place, &lead->insn, &info);
		if (fault)
			vsm_release_all(place->rv, warp, present, 0, fault, info);
		else
			vsm_proceed(place, present);
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

/* A thread that is in an instruction executes one. It may only repeat the same instruction. */
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
 * Exiting threads leave the instruction that they are in. A thread cannot leave if a waiter waits
 * for it there. Lanes that have executed an instruction as one converged warp exit together or not
 * at all.
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

static noinline enum drm_vsm_fault vsm_execute_exit(struct vsm_rendezvous *rv, __u32 cta,
						    __u32 thread, bool converged)
{
	struct vsm_place place = vsm_place(rv, cta, thread / VSM_WARP_SIZE);
	__u32 set = converged ? ~place.warp->exited : 1U << thread % VSM_WARP_SIZE;
	enum drm_vsm_fault fault;

	fault = vsm_exit_from(&place, set);
	if (!fault)
		vsm_exit(&place, set);
	return fault;
}

/* The lanes of @set are the last ones that the instruction needs. @first is from vsm_find(). */
static noinline enum drm_vsm_fault vsm_execute_last(struct vsm_rendezvous *rv, __u32 cta,
						    __u32 thread, __u32 set, bool converged,
						    __u32 first, struct drm_vsm_insn *insn)
{
	struct vsm_place place = vsm_place(rv, cta, thread / VSM_WARP_SIZE);
	__u32 lane = thread % VSM_WARP_SIZE;
	enum drm_vsm_fault fault;

	fault = vsm_may_proceed(&place, insn, &insn->info);
	if (fault)
		return fault;
	/* Nothing can fail any more. */
	vsm_enter(place.warp, lane, set, converged, first, insn);
	vsm_proceed(&place, place.warp->lanes[place.warp->lanes[lane].first].present);
	return DRM_VSM_FAULT_NONE;
}

/**
 * vsm_rendezvous_execute - A thread executes an instruction
 * @rv: Rendezvous of the cluster
 * @cta: Rank of the thread's CTA
 * @thread: Thread in its CTA
 * @converged: The whole warp executes the instruction (%DRM_VSM_EXEC_WARP)
 * @insn: Checked instruction for which vsm_insn_is_rendezvous(); gets the info of a fault
 *
 * If the instruction is not refused, the thread is in it afterwards; vsm_rendezvous_is_released()
 * says whether its result is ready. After exit the thread is in no instruction. If the thread is
 * already in this instruction and has no waiter, the call changes nothing.
 *
 * Return: %DRM_VSM_FAULT_NONE, or the rule for which the instruction is refused. A refused
 * instruction changes nothing.
 */
enum drm_vsm_fault vsm_rendezvous_execute(struct vsm_rendezvous *rv, __u32 cta, __u32 thread,
					  bool converged, struct drm_vsm_insn *insn)
{
	struct vsm_warp *warp = vsm_rendezvous_warp(rv, cta, thread);
	__u32 lane = thread % VSM_WARP_SIZE, set = 1U << lane;
	__u32 busy, first, missing;
	enum drm_vsm_fault fault;

	if (warp->exited & set)
		return DRM_VSM_FAULT_THREAD_EXITED;
	if (insn->op == DRM_VSM_OP_EXIT)
		return vsm_execute_exit(rv, cta, thread, converged);
	busy = warp->waiting | warp->arrived | warp->released;
	if (busy & set)
		return vsm_resume(warp, lane, converged, insn);
	if (converged)
		set |= vsm_needs(warp, insn);
	if (busy & set)
		return DRM_VSM_FAULT_THREAD_SUSPENDED;

	fault = vsm_may_execute(rv, warp, lane, set, insn, &insn->info);
	if (fault)
		return fault;
	missing = vsm_needs(warp, insn) & ~set;
	first = vsm_find(warp, insn);
	if (first != VSM_WARP_SIZE)
		missing &= ~warp->lanes[first].present;
	if (!missing)
		return vsm_execute_last(rv, cta, thread, set, converged, first, insn);
	fault = vsm_check_circle(warp, set, missing, insn, &insn->info);
	if (fault)
		return fault;

	/* Nothing can fail any more. */
	vsm_enter(warp, lane, set, converged, first, insn);
	return DRM_VSM_FAULT_NONE;
}

/**
 * vsm_rendezvous_are_in - Are lanes of a warp in the same rendezvous?
 * @rv: Rendezvous of the cluster
 * @cta: Rank of the threads' CTA
 * @thread: A thread of the warp
 * @lanes: The lanes, at least one
 * @insn: The instruction of one of them
 *
 * Return: true if all lanes have executed the instruction, each by itself, and the results of all
 * of them or of none of them are ready.
 */
bool vsm_rendezvous_are_in(struct vsm_rendezvous *rv, __u32 cta, __u32 thread, __u32 lanes,
			   const struct drm_vsm_insn *insn)
{
	const struct vsm_warp *warp = vsm_rendezvous_warp(rv, cta, thread);
	__u32 i, left = lanes;

	if (lanes & ~(warp->waiting | warp->arrived) && lanes & ~warp->released)
		return false;
	while (vsm_next(&left, &i))
		if (warp->lead[i] != i || warp->lanes[i].converged ||
		    !vsm_same_rendezvous(&warp->lanes[i].insn, insn))
			return false;
	return true;
}

/**
 * vsm_rendezvous_withdraw - Undo the execution of the instruction that a thread is in
 * @rv: Rendezvous of the cluster
 * @cta: Rank of the thread's CTA
 * @thread: Thread that is in an instruction whose result is not ready
 *
 * If the thread's warp has arrived at a barrier with this instruction, that arrival is taken back.
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

/**
 * vsm_rendezvous_withdraw_lanes - Undo the execution of the instruction that lanes wait in
 * @rv: Rendezvous of the cluster
 * @cta: Rank of the threads' CTA
 * @thread: Thread that is in the instruction, and whose result is not ready
 * @lanes: Lanes of its warp that waited together with it
 *
 * Each of these lanes has executed the instruction by itself. The end of another wait may have
 * withdrawn one of them since then, and it may be in another instruction now. Such a lane stays in
 * that one. A lane that has a waiter of its own stays, too.
 */
void vsm_rendezvous_withdraw_lanes(struct vsm_rendezvous *rv, __u32 cta, __u32 thread,
				   __u32 lanes)
{
	struct vsm_warp *warp = vsm_rendezvous_warp(rv, cta, thread);
	__u32 self = thread % VSM_WARP_SIZE, i;

	vsm_rendezvous_withdraw(rv, cta, thread);
	lanes &= (warp->waiting | warp->arrived) & ~(1U << self);
	while (vsm_next(&lanes, &i))
		if (!warp->lanes[i].waiter &&
		    vsm_rendezvous_are_in(rv, cta, thread, 1U << i, &warp->lanes[self].insn))
			vsm_rendezvous_withdraw(rv, cta, thread - self + i);
}
