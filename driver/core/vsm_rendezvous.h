/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What threads meet at: warp operations (PTX 9.7.13.2, .9, .10, .12 and .14, shfl.sync
 * 9.7.9.6), the named barriers of a CTA (9.7.13.1), the barrier of the cluster (9.7.13.3), and
 * exit (9.7.12.7).
 *
 * Two steps lead through each. First a thread waits for the others of its membermask, or of
 * its warp, to execute the same instruction; that is all of a warp operation. Then the warp
 * has arrived at the barrier, as one, and its threads wait for other warps if the instruction
 * says so. Who has exited is waited for nowhere.
 *
 * A thread that has executed such an instruction stays in it until its result is taken. It
 * may be left alone meanwhile, and come back by executing the same once more.
 */
#ifndef _VSM_RENDEZVOUS_H_
#define _VSM_RENDEZVOUS_H_

#include "vsm_core.h"

#define VSM_BARRIERS	16
#define VSM_ALL_LANES	(~0U)

/**
 * struct vsm_lane - A thread, by its place in its warp
 * @insn: What it executes, if it leads; in the end with the result
 * @waiter: Who waits for the end, or NULL; the caller's own
 * @next: In &vsm_rendezvous.released
 * @pprev: What points to it there, NULL if it is not in there
 * @set: The lanes that execute it together, of which this one leads; a single one unless
 *	the warp is converged
 * @present: The lanes that are in the same instruction, if this one was the first of them
 * @first: Who was
 * @converged: The whole warp executes it
 */
struct vsm_lane {
	struct drm_vsm_insn insn;
	void *waiter;
	struct vsm_lane *next;
	struct vsm_lane **pprev;
	__u32 set;
	__u32 present;
	__u8 first;
	bool converged;
};

/**
 * struct vsm_warp - A warp
 * @exited: Lanes that have exited, or do not exist
 * @waiting: Lanes that wait for lanes of this warp
 * @arrived: Lanes that wait for other warps
 * @released: Lanes whose result is there
 * @cluster_arrived: Lanes that have arrived at the barrier of the cluster, and not waited
 * @phase: &vsm_rendezvous.phase in which they have
 * @lead: Who leads each lane that is in an instruction
 * @lanes: The lanes
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
 * @count: Threads that it waits for, 0 if no warp has arrived
 * @arrivals: Threads that have arrived, 32 for each arrival of a warp
 * @passed: Warps that have arrived without waiting (.arrive), once or more often
 * @waiting: Warps whose threads wait
 * @for_all: Warps of @waiting whose instruction has no count
 * @trues: Threads that have arrived with a predicate that is true (.red)
 * @voters: Threads that have arrived (.red)
 * @red: The reduction, or 0
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
 * @warps: Its warps
 * @barriers: Its named barriers
 */
struct vsm_cta {
	__u32 live;
	__u32 cluster_waiting;
	struct vsm_warp *warps;
	struct vsm_barrier barriers[VSM_BARRIERS];
};

/**
 * struct vsm_rendezvous - All of a cluster
 * @geo: Geometry of the cluster
 * @phase: How often the barrier of the cluster has completed
 * @live: Threads that have not exited
 * @arrived: Those that have arrived at the barrier of the cluster in this phase
 * @release: A warp has arrived at the barrier of the cluster with .release; the caller's to clear
 * @noted: BARRIER_OVERFLOW if a warp has arrived again and the cluster does not enforce that rule;
 *	the caller's to clear
 * @released: Lanes with a waiter whose result is there, the last released first
 * @ctas: The CTAs
 *
 * Whoever calls makes sure that one call is through before the next begins.
 */
struct vsm_rendezvous {
	struct vsm_geometry geo;
	__u32 phase;
	__u32 live;
	__u32 arrived;
	bool release;
	enum drm_vsm_fault noted;
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

/* Has the thread exited? May be asked beside a call. */
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

/* Is there the result of what the thread is in? */
static inline bool vsm_rendezvous_is_released(struct vsm_rendezvous *rv, __u32 cta, __u32 thread)
{
	return vsm_rendezvous_warp(rv, cta, thread)->released >> thread % VSM_WARP_SIZE & 1;
}

/* Is there a result that the waiter of the lane has not been told of? */
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

/**
 * vsm_rendezvous_next - A thread with a waiter whose result is there now
 * @rv: Of the cluster
 *
 * Return: Its lane, each once, or NULL.
 */
static inline struct vsm_lane *vsm_rendezvous_next(struct vsm_rendezvous *rv)
{
	struct vsm_lane *lane = rv->released;

	if (lane)
		vsm_lane_unlink(lane);
	return lane;
}

/**
 * vsm_rendezvous_take - Take the result of a thread, which goes on without a waiter
 * @rv: Of the cluster
 * @cta: Rank of the thread's CTA
 * @thread: Thread whose result is there
 * @insn: The instruction; gets result, fault and info
 *
 * If vsm_rendezvous_refuses() says so, the fault is why there is no result; otherwise the
 * instruction has a result and has broken that rule.
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

/* Is an instruction that was executed refused in the end if it broke the rule? */
static inline bool vsm_rendezvous_refuses(const struct vsm_rendezvous *rv, enum drm_vsm_fault rule)
{
	return rule != DRM_VSM_FAULT_SHFL_SOURCE || vsm_enforces(&rv->geo, rule);
}

size_t vsm_rendezvous_size(const struct vsm_geometry *geo);
void vsm_rendezvous_init(struct vsm_rendezvous *rv, const struct vsm_geometry *geo);
enum drm_vsm_fault vsm_rendezvous_execute(struct vsm_rendezvous *rv, __u32 cta, __u32 thread,
					  bool converged, struct drm_vsm_insn *insn);
void vsm_rendezvous_withdraw(struct vsm_rendezvous *rv, __u32 cta, __u32 thread);

/* vsm_warp.c */
bool vsm_mode_valid(const struct drm_vsm_insn *insn);
bool vsm_warp_operands_clean(const struct drm_vsm_insn *insn);
__u32 vsm_shfl_source(const struct drm_vsm_insn *insn, __u32 lane, bool *pred);
void vsm_warp_result(const struct vsm_rendezvous *rv, struct vsm_warp *warp, __u32 present,
		     struct vsm_lane *lane);

#endif
