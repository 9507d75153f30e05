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

/**
 * vsm_record_arrive - Record that threads have arrived, and whether this releases threads
 * @site: State of the threads. Its @rv.cause is the number of the arrival
 * @origin: The threads that have arrived
 * @insn: The instruction
 */
void vsm_record_arrive(struct vsm_cluster_rendezvous *site, const struct vsm_origin *origin,
		       const struct drm_vsm_insn *insn)
{
	struct drm_vsm_trace_event event = vsm_event_of(origin, DRM_VSM_TRACE_ARRIVE);

	lockdep_assert_held(&site->lock);
	vsm_event_set_rendezvous(&event, insn);
	event.id = site->rv.cause;
	vsm_record(origin->recorder, &event);
	if (!site->rv.releases)
		return;
	event.type = DRM_VSM_TRACE_RELEASE;
	vsm_record(origin->recorder, &event);
}

/* Record that a wait begins. */
void vsm_record_rendezvous(struct vsm_waiter *waiter, const struct drm_vsm_insn *insn)
{
	struct drm_vsm_trace_event event = vsm_waiter_event(waiter);

	vsm_event_set_rendezvous(&event, insn);
	vsm_record_wait(waiter, &event);
}

/* Record that a wait has ended. */
void vsm_record_rendezvous_end(struct vsm_waiter *waiter, const struct drm_vsm_insn *insn,
			       int error)
{
	struct drm_vsm_trace_event event = vsm_waiter_event(waiter);

	vsm_event_set_rendezvous(&event, insn);
	vsm_record_wait_end(waiter, &event, error);
}
