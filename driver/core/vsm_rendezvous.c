// SPDX-License-Identifier: GPL-2.0-only
/*
 * How threads enter and leave a rendezvous: a warp operation, a named barrier of a CTA, or the
 * barrier of the cluster. vsm_warp.c has the results of warp operations.
 */
#include "vsm_rendezvous.h"

/* --- barriers -------------------------------------------------------------------- */

/*
 * The named barriers of a CTA (PTX 9.7.13.1) and the barrier of the cluster (9.7.13.3).
 */

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
static enum drm_vsm_fault vsm_barrier_may_arrive(const struct vsm_place *place,
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
 * Is the barrier complete? It is if all threads of its count have arrived. If a warp waits there
 * with an instruction that has no count, it is also complete if every warp has arrived or exited.
 *
 * An H100 does the same with barriers that have counts at all warps, or at none.
 *
 * An arrival adds 32 threads, and counts are multiples of 32. The sum of the arrivals is therefore
 * never above the count.
 */
static bool vsm_barrier_is_complete(const struct vsm_cta *cta, const struct vsm_barrier *barrier)
{
	return barrier->arrivals == barrier->count ||
	       (barrier->for_all && !(cta->live & ~(barrier->waiting | barrier->passed)));
}

static void vsm_barrier_check(struct vsm_rendezvous *rv, struct vsm_cta *cta,
			      struct vsm_barrier *barrier)
{
	__u32 i, waiting = barrier->waiting;
	__u64 result;

	if (!barrier->count || !vsm_barrier_is_complete(cta, barrier))
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

static void vsm_barrier_arrive(const struct vsm_place *place, __u32 present,
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
static void vsm_barrier_unvote(struct vsm_warp *warp, __u32 lanes, struct vsm_barrier *barrier)
{
	struct vsm_lane *lead;

	if (!barrier->red)
		return;
	barrier->voters -= hweight32(lanes);
	while ((lead = vsm_next_lead(warp, &lanes)))
		barrier->trues -= lead->insn.u.barrier.pred ? hweight32(lead->set) : 0;
}

/* The warp no longer waits at a named barrier. Its arrival stays counted. */
static void vsm_barrier_unwait(const struct vsm_place *place, struct vsm_barrier *barrier)
{
	barrier->waiting &= ~place->bit;
	barrier->for_all &= ~place->bit;
}

/*
 * Take back the arrival with which the warp waits at a named barrier. The barrier is not complete.
 * Earlier arrivals of the same warp, with which it does not wait, stay counted.
 */
static void vsm_barrier_unarrive(const struct vsm_place *place, __u32 lanes,
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
static void vsm_cluster_barrier_check(struct vsm_rendezvous *rv)
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

/* Must arrive and wait alternate? An H100 executes both in any order. */
static bool vsm_cluster_barrier_checks(const struct vsm_geometry *geo, enum drm_vsm_fault rule)
{
	return geo->strict && !(geo->report & DRM_VSM_RULE(rule));
}

/* May lanes of the warp execute the instruction at the barrier of the cluster? */
static enum drm_vsm_fault vsm_cluster_barrier_may(const struct vsm_geometry *geo,
						  const struct vsm_warp *warp, __u32 lanes,
						  const struct drm_vsm_insn *insn)
{
	enum drm_vsm_fault rule = DRM_VSM_FAULT_NONE;

	if (insn->op == DRM_VSM_OP_BARRIER_CLUSTER_ARRIVE && warp->cluster_arrived & lanes)
		rule = DRM_VSM_FAULT_CLUSTER_ARRIVED;
	if (insn->op == DRM_VSM_OP_BARRIER_CLUSTER_WAIT && ~warp->cluster_arrived & lanes)
		rule = DRM_VSM_FAULT_CLUSTER_NOT_ARRIVED;
	return rule && vsm_cluster_barrier_checks(geo, rule) ? rule : DRM_VSM_FAULT_NONE;
}

/* A second arrive without a wait between adds nothing. */
static void vsm_cluster_barrier_arrive(const struct vsm_place *place, __u32 present,
				       const struct drm_vsm_insn *insn)
{
	struct vsm_rendezvous *rv = place->rv;

	if (place->warp->cluster_arrived & present) {
		rv->noted = DRM_VSM_FAULT_CLUSTER_ARRIVED;
	} else {
		if (insn->sem != DRM_VSM_SEM_RELAXED)
			rv->release = true;
		place->warp->cluster_arrived |= present;
		place->warp->phase = rv->phase;
		rv->arrived += hweight32(present);
	}
	vsm_release_all(rv, place->warp, present, 0, DRM_VSM_FAULT_NONE, 0);
	vsm_cluster_barrier_check(rv);
}

/* A wait without an arrive does not wait. */
static void vsm_cluster_barrier_wait(const struct vsm_place *place, __u32 present)
{
	bool arrived = place->warp->cluster_arrived & present;

	if (!arrived)
		place->rv->noted = DRM_VSM_FAULT_CLUSTER_NOT_ARRIVED;
	if (!arrived || place->warp->phase != place->rv->phase) {
		vsm_cluster_barrier_pass(place->rv, place->warp, present);
		return;
	}
	place->warp->waiting &= ~present;
	place->warp->arrived |= present;
	place->cta->cluster_waiting |= place->bit;
}

/* --- threads enter and leave ----------------------------------------------------- */

/*
 * vsm_rendezvous.h says what a rendezvous is. When all lanes that it needs are in it, vsm_warp.c
 * computes the results of a warp operation, and the section "barriers" above lets a warp arrive.
 */

/* Bytes of a cluster's &struct vsm_rendezvous. */
size_t vsm_rendezvous_size(const struct vsm_geometry *geo)
{
	return sizeof(struct vsm_rendezvous) +
	       geo->ctas * (sizeof(struct vsm_cta) +
			    vsm_geometry_warps(geo) * sizeof(struct vsm_warp));
}

/*
 * Start with all threads alive and none of them in an instruction.
 * @rv: vsm_rendezvous_size() bytes, all 0
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

/* --- all lanes are in ------------------------------------------------------------- */

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
		return vsm_cluster_barrier_may(&rv->geo, warp, set, insn);
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

/*
 * Are lanes of a warp in the same rendezvous?
 * @lanes: The lanes, at least one
 * @insn: The instruction of one of them
 *
 * Returns true if all lanes have executed the instruction, each by itself, and the results of all
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

/*
 * The warps that have exited without an arrival, if that is why the barrier is not complete: if
 * every warp that lives has arrived.
 */
static __u32 vsm_barrier_exits(const struct vsm_rendezvous *rv, const struct vsm_cta *cta,
			       const struct vsm_barrier *barrier)
{
	const __u32 arrived = barrier->waiting | barrier->passed;

	return cta->live & ~arrived ? 0 : vsm_all_warps(&rv->geo) & ~(cta->live | arrived);
}

/*
 * No thread of the cluster can continue. Each lane of the CTA that is in an instruction at a named
 * barrier gets the state of the barrier as its result: %DRM_VSM_FAULT_DEADLOCK says how. The
 * caller withdraws the lanes afterwards.
 */
void vsm_rendezvous_note_deadlock(struct vsm_rendezvous *rv, __u32 cta)
{
	__u32 i, warps = rv->ctas[cta].live;

	while (vsm_next(&warps, &i)) {
		struct vsm_place place = vsm_place(rv, cta, i);
		__u32 lanes = place.warp->waiting | place.warp->arrived;
		struct vsm_lane *lead;

		while ((lead = vsm_next_lead(place.warp, &lanes))) {
			const struct vsm_barrier *barrier;

			if (!vsm_is_named(&lead->insn))
				continue;
			barrier = vsm_place_barrier(&place, &lead->insn);
			lead->insn.result =
				(__u64)vsm_barrier_exits(rv, place.cta, barrier) << 32 |
				barrier->arrivals;
		}
	}
}

/*
 * Undo the execution of the instruction that a thread is in.
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

/*
 * Undo the execution of the instruction that lanes wait in.
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
