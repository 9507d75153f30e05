/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rendezvous: instructions in which threads wait for each other. They are the warp operations (PTX
 * 9.7.13.2, .9, .10, .12 and .14, shfl.sync 9.7.9.6), the named barriers of a CTA (9.7.13.1) and
 * the barrier of the cluster (9.7.13.3). exit (9.7.12.7) is handled here as well.
 *
 * Each instruction has up to two steps. First a thread waits until the other threads of its
 * membermask, or of its warp, execute the same instruction. A warp operation ends with this step.
 * At a barrier the whole warp has then arrived. If the instruction waits, its threads wait for
 * other warps in the second step. The first step waits for no thread that has exited. A named
 * barrier with a count waits for its arrivals, even if no warp is left that could make them.
 *
 * A thread that has executed such an instruction stays in it until its result is taken. Meanwhile
 * it may have no waiter, because its task has left after a signal. It comes back by executing the
 * same instruction again.
 */
#ifndef _VSM_RENDEZVOUS_H_
#define _VSM_RENDEZVOUS_H_

#include "vsm_core.h"

#define VSM_BARRIERS	16
#define VSM_ALL_LANES	(~0U)

/**
 * struct vsm_lane - A thread in its warp
 * @insn: Instruction that the lane executes, if it is a leader; gets the result in the end
 * @waiter: Waiter for the result, or NULL; the core's caller owns it
 * @next: Next lane in &vsm_rendezvous.released
 * @pprev: Pointer that points to this lane in &vsm_rendezvous.released; NULL if the lane is not in
 *	that list
 * @set: Lanes that execute the instruction together, with this lane as their leader; this lane
 *	alone unless the warp is converged
 * @present: All lanes that are in the same instruction; valid in the first of them only
 * @cause: &vsm_rendezvous.cause when the result became ready
 * @first: Number of the lane that was the first in the instruction
 * @converged: The whole warp executes the instruction
 */
struct vsm_lane {
	struct drm_vsm_insn insn;
	void *waiter;
	struct vsm_lane *next;
	struct vsm_lane **pprev;
	__u32 set;
	__u32 present;
	__u32 cause;
	__u8 first;
	bool converged;
};

/**
 * struct vsm_warp - A warp
 * @exited: Lanes that have exited, or that do not exist
 * @waiting: Lanes that wait for lanes of this warp
 * @arrived: Lanes that wait for other warps
 * @released: Leaders whose result is ready and has not been taken
 * @cluster_arrived: Lanes that have arrived at the barrier of the cluster and have not waited since
 * @phase: Value of &vsm_rendezvous.phase when the lanes in @cluster_arrived arrived
 * @lead: Leader of each lane that is in an instruction
 * @lanes: The lanes of the warp
 */
struct vsm_warp {
	__u32 exited;
	__u32 waiting;
	__u32 arrived;
	__u32 released;
	__u32 cluster_arrived;
	__u32 phase;
	__u8 lead[VSM_WARP_SIZE];
	struct vsm_lane lanes[VSM_WARP_SIZE];
};

/**
 * struct vsm_barrier - A named barrier
 * @count: Threads that the barrier waits for, 0 if no warp has arrived
 * @arrivals: Threads that have arrived; each arrival of a warp counts as 32
 * @passed: Warps that have arrived without waiting (.arrive), at least once
 * @waiting: Warps whose threads wait at the barrier
 * @for_all: Warps of @waiting whose instruction has no count
 * @trues: Threads that have arrived with a true predicate (.red)
 * @voters: Threads that have arrived with a predicate (.red)
 * @red: Reduction of the warps that have arrived, or 0
 */
struct vsm_barrier {
	__u32 count;
	__u32 arrivals;
	__u32 passed;
	__u32 waiting;
	__u32 for_all;
	__u32 trues;
	__u32 voters;
	__u8 red;
};

/**
 * struct vsm_cta - A CTA
 * @live: Warps with threads that have not exited
 * @cluster_waiting: Warps whose threads wait at the barrier of the cluster
 * @warps: Warps of the CTA
 * @barriers: Named barriers of the CTA
 */
struct vsm_cta {
	__u32 live;
	__u32 cluster_waiting;
	struct vsm_warp *warps;
	struct vsm_barrier barriers[VSM_BARRIERS];
};

/**
 * struct vsm_rendezvous - The rendezvous of all threads of a cluster
 * @geo: Geometry of the cluster
 * @phase: Number of times that the barrier of the cluster has completed
 * @live: Threads that have not exited
 * @arrived: Live threads that have arrived at the barrier of the cluster in this phase
 * @release: A warp has arrived at the barrier of the cluster with .release; the caller clears it
 * @noted: BARRIER_OVERFLOW, CLUSTER_ARRIVED or CLUSTER_NOT_ARRIVED if a warp has broken that rule
 *	and the cluster does not enforce it; the caller clears it
 * @releases: The result of a lane has become ready; the caller clears it
 * @cause: Number that the caller has given to the instruction that it executes, or 0
 * @released: Lanes that have a waiter and whose result is ready, the last released first
 * @ctas: The CTAs of the cluster
 *
 * The caller serialises all calls on one object.
 */
struct vsm_rendezvous {
	struct vsm_geometry geo;
	__u32 phase;
	__u32 live;
	__u32 arrived;
	bool release;
	bool releases;
	enum drm_vsm_fault noted;
	__u32 cause;
	struct vsm_lane *released;
	struct vsm_cta ctas[];
};

static inline struct vsm_warp *vsm_rendezvous_warp(struct vsm_rendezvous *rv, __u32 cta,
						   __u32 thread)
{
	return &rv->ctas[cta].warps[thread / VSM_WARP_SIZE];
}

static inline struct vsm_lane *vsm_rendezvous_lane(struct vsm_rendezvous *rv, __u32 cta,
						   __u32 thread)
{
	return &vsm_rendezvous_warp(rv, cta, thread)->lanes[thread % VSM_WARP_SIZE];
}

/* Has the thread exited? This function may run concurrently with a call that changes the object. */
static inline bool vsm_rendezvous_exited(struct vsm_rendezvous *rv, __u32 cta, __u32 thread)
{
	const struct vsm_warp *warp = vsm_rendezvous_warp(rv, cta, thread);

	return READ_ONCE(warp->exited) >> thread % VSM_WARP_SIZE & 1;
}

/* Is the thread in an instruction? */
static inline bool vsm_rendezvous_is_in(struct vsm_rendezvous *rv, __u32 cta, __u32 thread)
{
	const struct vsm_warp *warp = vsm_rendezvous_warp(rv, cta, thread);

	return (warp->waiting | warp->arrived | warp->released) >> thread % VSM_WARP_SIZE & 1;
}

/* Is the thread in an instruction whose result is ready? */
static inline bool vsm_rendezvous_is_released(struct vsm_rendezvous *rv, __u32 cta, __u32 thread)
{
	return vsm_rendezvous_warp(rv, cta, thread)->released >> thread % VSM_WARP_SIZE & 1;
}

/* Is the lane in the list of released lanes: is its result ready, and its waiter not yet woken? */
static inline bool vsm_lane_is_due(const struct vsm_lane *lane)
{
	return lane->pprev;
}

static inline void vsm_lane_unlink(struct vsm_lane *lane)
{
	*lane->pprev = lane->next;
	if (lane->next)
		lane->next->pprev = lane->pprev;
	lane->pprev = NULL;
}

/*
 * Take the next lane out of the list of released lanes. Returns a lane that has a waiter and whose
 * result is ready, or NULL if there is no further one.
 */
static inline struct vsm_lane *vsm_rendezvous_next(struct vsm_rendezvous *rv)
{
	struct vsm_lane *lane = rv->released;

	if (lane)
		vsm_lane_unlink(lane);
	return lane;
}

/*
 * Take the result of a thread.
 * @insn: The instruction; gets result, fault and info
 *
 * The thread is in no instruction afterwards and has no waiter. If a fault is set and
 * vsm_rendezvous_refuses() returns true for it, there is no result and the fault says why. If it
 * returns false, the instruction has broken that rule but has a result.
 */
static inline void vsm_rendezvous_take(struct vsm_rendezvous *rv, __u32 cta, __u32 thread,
				       struct drm_vsm_insn *insn)
{
	struct vsm_warp *warp = vsm_rendezvous_warp(rv, cta, thread);
	struct vsm_lane *lane = &warp->lanes[thread % VSM_WARP_SIZE];

	insn->result = lane->insn.result;
	insn->fault = lane->insn.fault;
	insn->info = lane->insn.info;
	lane->waiter = NULL;
	if (vsm_lane_is_due(lane))
		vsm_lane_unlink(lane);
	warp->released &= ~(1U << thread % VSM_WARP_SIZE);
}

/*
 * Is an instruction refused that broke this rule while it executed? If not, it has a result in
 * addition to the fault.
 */
static inline bool vsm_rendezvous_refuses(const struct vsm_rendezvous *rv, enum drm_vsm_fault rule)
{
	return rule != DRM_VSM_FAULT_SHFL_SOURCE || vsm_enforces(&rv->geo, rule);
}

size_t vsm_rendezvous_size(const struct vsm_geometry *geo);
void vsm_rendezvous_init(struct vsm_rendezvous *rv, const struct vsm_geometry *geo);
enum drm_vsm_fault vsm_rendezvous_execute(struct vsm_rendezvous *rv, __u32 cta, __u32 thread,
					  bool converged, struct drm_vsm_insn *insn);
bool vsm_rendezvous_are_in(struct vsm_rendezvous *rv, __u32 cta, __u32 thread, __u32 lanes,
			   const struct drm_vsm_insn *insn);
void vsm_rendezvous_note_deadlock(struct vsm_rendezvous *rv, __u32 cta);
void vsm_rendezvous_withdraw(struct vsm_rendezvous *rv, __u32 cta, __u32 thread);
void vsm_rendezvous_withdraw_lanes(struct vsm_rendezvous *rv, __u32 cta, __u32 thread,
				   __u32 lanes);

/* These functions are in vsm_warp.c. */
bool vsm_mode_valid(const struct drm_vsm_insn *insn);
bool vsm_warp_operands_clean(const struct drm_vsm_insn *insn);
__u32 vsm_shfl_source(const struct drm_vsm_insn *insn, __u32 lane, bool *pred);
void vsm_warp_results(const struct vsm_rendezvous *rv, struct vsm_warp *warp, __u32 present);

/* --- one warp -------------------------------------------------------------------- */

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
