// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events of rendezvous: threads arrive, and the last of them releases the others.
 */
#include "sync/vsm_rendezvous_record.h"

/* Set what an event says of the instruction. */
static void vsm_event_set_rendezvous(struct drm_vsm_trace_event *event,
				     const struct drm_vsm_insn *insn)
{
	event->op = insn->op;
	event->mods = insn->mods;
	if (insn->op >= DRM_VSM_OP_MATCH_SYNC && insn->op <= DRM_VSM_OP_REDUX_SYNC) {
		event->value = insn->u.warp.membermask;
	} else if (insn->op >= DRM_VSM_OP_BARRIER_SYNC && insn->op <= DRM_VSM_OP_BARRIER_RED) {
		event->addr = insn->u.barrier.barrier;
		event->value = insn->u.barrier.count;
	}
}

/* Give the arrivals that follow a number, if somebody looks at the cluster. */
noinline void vsm_arrivals_number(struct vsm_cluster_rendezvous *site)
{
	struct vsm_recorder *recorder = &site->cluster->recorder;

	if (!vsm_recorder_is_on(recorder))
		return;
	/* The lower half of the number is not 0. */
	do {
		site->number = vsm_record_number(recorder);
		site->rv.cause = site->number;
	} while (!site->rv.cause);
	site->rv.releases = false;
	site->arrived = 0;
}

/*
 * A thread is going to arrive, unless it is in the instruction already and executes it again to get
 * the result. If its instruction is refused, the caller takes it out of @arrived again.
 */
noinline void vsm_arrivals_add(struct vsm_cluster_rendezvous *site, u32 cta, u32 thread)
{
	if (!vsm_rendezvous_is_in(&site->rv, cta, thread))
		site->arrived |= BIT(thread % VSM_WARP_SIZE);
}

/**
 * vsm_arrivals_record - Record that threads have arrived, and whether this releases threads
 * @site: State of the threads
 * @origin: One of the threads; its @lanes are all of them, or 0 if @site knows them
 * @insn: The instruction
 */
noinline void vsm_arrivals_record(struct vsm_cluster_rendezvous *site,
				  const struct vsm_origin *origin, const struct drm_vsm_insn *insn)
{
	struct drm_vsm_trace_event event __uninitialized;

	lockdep_assert_held(&site->lock);
	/* If recording began after vsm_arrivals_begin(), nobody knows who has arrived. */
	if (!site->rv.cause || !site->arrived)
		return;
	event = vsm_event_of(origin, DRM_VSM_TRACE_ARRIVE);
	event.lanes = origin->lanes ?: site->arrived;
	event.thread = round_down(origin->thread, VSM_WARP_SIZE) + __ffs(event.lanes);
	vsm_event_set_rendezvous(&event, insn);
	event.id = site->number;
	vsm_record(origin->recorder, &event);
	if (!site->rv.releases)
		return;
	event.type = DRM_VSM_TRACE_RELEASE;
	vsm_record(origin->recorder, &event);
}

/**
 * vsm_arrivals_split - Record the arrivals so far, if the next lane arrives at something else
 * @site: State of the threads
 * @origin: The last thread that has arrived
 * @insn: Its instruction; the results are not read
 * @next: The instruction of the next thread, with the same operation
 */
noinline void vsm_arrivals_split(struct vsm_cluster_rendezvous *site,
				 const struct vsm_origin *origin, const struct drm_vsm_insn *insn,
				 const struct drm_vsm_insn *next)
{
	struct drm_vsm_trace_event one = {}, other = {};

	vsm_event_set_rendezvous(&one, insn);
	vsm_event_set_rendezvous(&other, next);
	if (one.addr == other.addr && one.value == other.value)
		return;
	vsm_arrivals_record(site, origin, insn);
	vsm_arrivals_begin(site);
}

/* Record that a wait begins. */
noinline void vsm_record_rendezvous(struct vsm_waiter *waiter, const struct drm_vsm_insn *insn)
{
	struct drm_vsm_trace_event event __uninitialized;

	if (!vsm_recorder_is_on(waiter->origin->recorder))
		return;
	event = vsm_waiter_event(waiter);
	vsm_event_set_rendezvous(&event, insn);
	vsm_record_wait(waiter, &event);
}

/* The number of the arrival that made the result of a lane ready, or 0. */
static u64 vsm_lane_cause(const struct vsm_cluster_rendezvous *site, const struct vsm_lane *lane)
{
	/* There have been fewer than 2^32 arrivals since. */
	return lane->cause ? site->number - (u32)((u32)site->number - lane->cause) : 0;
}

/* Record that a wait has ended because the result of the lane is ready. */
noinline void vsm_record_rendezvous_result(const struct vsm_cluster_rendezvous *site,
					   const struct vsm_lane *lane, struct vsm_waiter *waiter,
					   const struct drm_vsm_insn *insn)
{
	lockdep_assert_held(&site->lock);
	waiter->cause = vsm_lane_cause(site, lane);
	vsm_record_rendezvous_end(waiter, insn, insn->fault ? -EPROTO : 0);
}

/* Record that a wait has ended. */
noinline void vsm_record_rendezvous_end(struct vsm_waiter *waiter, const struct drm_vsm_insn *insn,
					int error)
{
	struct drm_vsm_trace_event event __uninitialized;

	if (!vsm_recorder_is_on(waiter->origin->recorder))
		return;
	event = vsm_waiter_event(waiter);
	vsm_event_set_rendezvous(&event, insn);
	vsm_record_wait_end(waiter, &event, error);
}
