// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events of asynchronous operations. What they complete on an mbarrier is recorded by the engine.
 */
#include "copy/vsm_op_record.h"
#include "copy/vsm_prepare.h"

static struct drm_vsm_trace_event vsm_op_event(const struct vsm_op *op, enum drm_vsm_trace type)
{
	struct drm_vsm_trace_event event = vsm_event_of(&op->origin, type);

	event.id = vsm_number_shown(op->origin.copy);
	event.op = op->insn.op;
	event.mods = op->insn.mods;
	/* All operands with an address have it at this offset. A prefetch has none. */
	event.addr = op->insn.u.copy.addr;
	if (op->moves & VSM_TAKES_MBAR)
		event.mbar = op->insn.u.copy.mbar;
	event.size = op->size;
	if (op->buffer && !(op->moves & VSM_TAKES_TENSOR)) {
		event.buffer = op->insn.u.copy.buffer;
		event.value = op->insn.u.copy.offset;
	}
	return event;
}

/**
 * vsm_op_record_issue - Number an operation, and record that it has been issued
 * @op: The operation
 * @job: Number of the job that issues it, or 0
 */
void vsm_op_record_issue(struct vsm_op *op, u64 job)
{
	struct drm_vsm_trace_event event __uninitialized;

	if (!vsm_recorder_is_on(op->origin.recorder))
		return;
	op->origin.copy = vsm_record_number(op->origin.recorder);
	event = vsm_op_event(op, DRM_VSM_TRACE_COPY_ISSUE);
	event.cause = job;
	vsm_record(op->origin.recorder, &event);
}

/**
 * vsm_op_record_begin - Record that a channel begins to perform an operation
 * @op: The operation
 * @channel: Number of the client's channel
 *
 * If others keep the operation from changing a word, the channel performs it again. That is not
 * recorded.
 */
void vsm_op_record_begin(struct vsm_op *op, u32 channel)
{
	struct drm_vsm_trace_event event __uninitialized;

	if (op->begun || !vsm_recorder_is_on(op->origin.recorder))
		return;
	op->begun = true;
	event = vsm_op_event(op, DRM_VSM_TRACE_COPY_BEGIN);
	event.channel = channel;
	vsm_record(op->origin.recorder, &event);
}

/**
 * vsm_op_record_end - Record that an operation has ended
 * @op: The operation, or one that could not be issued: that is not recorded
 * @error: Error with which it ends, or 0
 */
void vsm_op_record_end(const struct vsm_op *op, int error)
{
	struct drm_vsm_trace_event event __uninitialized;

	if (!op->origin.copy || !vsm_recorder_is_on(op->origin.recorder))
		return;
	event = vsm_op_event(op, DRM_VSM_TRACE_COPY_END);
	event.error = error;
	event.fault = op->insn.fault;
	vsm_record(op->origin.recorder, &event);
}
