// SPDX-License-Identifier: GPL-2.0-only
/*
 * Injection of failures into asynchronous operations.
 *
 * An operation asks the rules twice: before it is performed, and, if it completes on mbarriers,
 * when its bytes have been moved. Each question is asked once, however often the operation is tried
 * because it has to wait or a word is busy; &vsm_op.stage remembers that.
 */
#include "copy/vsm_move.h"
#include "copy/vsm_op_inject.h"
#include "copy/vsm_perform.h"
#include "sync/vsm_kill.h"
#include "vsm_drv.h"

/**
 * enum vsm_op_stage - How far an operation is
 * @VSM_OP_ASKED_NOT: It has asked nothing
 * @VSM_OP_ASKED_COPY: It has asked the rules for copies
 * @VSM_OP_ASKED_COMPLETE: It has asked the rules for completions
 * @VSM_OP_COMPLETED: It has completed, and has to move its bytes or to complete once more
 * @VSM_OP_WAITED: It has to move its bytes, and the time for it has come
 */
enum vsm_op_stage {
	VSM_OP_ASKED_NOT,
	VSM_OP_ASKED_COPY,
	VSM_OP_ASKED_COMPLETE,
	VSM_OP_COMPLETED,
	VSM_OP_WAITED,
};

/* What vsm_op_inject_copy() and vsm_op_inject_complete() return if the operation goes on. */
#define VSM_OP_GOES_ON	1

/* The rows that a tensor copy writes to global memory are far apart. */
static bool vsm_op_can_flip(const struct vsm_op *op)
{
	return op->size && (op->moves & VSM_OP_TO_WINDOW ||
			    (op->moves & VSM_OP_TO_BUFFER && !(op->moves & VSM_TAKES_TENSOR)));
}

static bool vsm_op_asks(struct vsm_op *op, enum drm_vsm_inject_where where, u32 channel)
{
	const struct vsm_inject_at at = {
		.client = op->origin.client,
		.where = where,
		.channel = channel,
		.number = op->cluster->number,
		.cluster = op->cluster,
		.bo = op->buffer,
		.no_flip = !vsm_op_can_flip(op),
	};

	op->injection.rule = 0;
	return vsm_injects(at.client, BIT(where)) && vsm_inject(&at, &op->injection);
}

/* The operation ends, with an errno or 0, and as if it had not been issued. */
static int vsm_op_fail(struct vsm_op *op, u16 fails)
{
	vsm_op_drop(op);
	/* A bit that flipped and was detected may have made it fail before. */
	if (fails)
		op->fails = fails;
	return 0;
}

/*
 * The operation faults. That of a job tells its job, which resets the channel. That of a thread
 * takes the cluster with it.
 */
static int vsm_op_fault(struct vsm_op *op)
{
	if (op->source != DRM_VSM_SOURCE_JOB)
		vsm_cluster_lose(op->cluster);
	return vsm_op_fail(op, EIO);
}

/* What may happen to an operation both before and after it has moved its bytes. */
static int vsm_op_inject(struct vsm_op *op)
{
	switch (op->injection.what) {
	case DRM_VSM_INJECT_ERROR:
		return vsm_op_fail(op, op->injection.error);
	case DRM_VSM_INJECT_FAULT:
		return vsm_op_fault(op);
	case DRM_VSM_INJECT_LOSE:
		return vsm_op_fail(op, 0);
	case DRM_VSM_INJECT_LOSE_CLUSTER:
		vsm_cluster_lose(op->cluster);
		return vsm_op_fail(op, EIO);
	}
	if (!vsm_injection_stalls(&op->injection))
		return VSM_OP_GOES_ON;
	op->due = vsm_injection_until(&op->injection, op->size);
	return VSM_OP_LATER;
}

static void vsm_flip(void *bytes, u32 size, u64 bit)
{
	u8 *byte;

	bit %= size * (u64)BITS_PER_BYTE;
	byte = bytes + bit / BITS_PER_BYTE;
	/* Others may write the byte at the same time. Their bits or these get lost. */
	WRITE_ONCE(*byte, READ_ONCE(*byte) ^ BIT(bit % BITS_PER_BYTE));
}

/* Invert a bit of what the operation has moved. */
static void vsm_op_flip(struct vsm_op *op)
{
	const struct drm_vsm_copy_operands *o = &op->insn.u.copy;
	unsigned long targets = vsm_op_targets(op);
	u64 bit = op->injection.arg;
	u32 rank;

	if (op->moves & VSM_OP_TO_BUFFER) {
		vsm_flip(op->buffer->map.vaddr + o->offset, op->size, bit);
		return;
	}
	/* All operands have the address in a window at the same offset. */
	for_each_set_bit(rank, &targets, VSM_MAX_CTAS)
		vsm_flip(vsm_cluster_mem(op->cluster, vsm_addr_at(o->addr, rank)), op->size, bit);
}

/* Move the bytes, and invert a bit before the operation completes. */
static int vsm_op_perform_flipped(struct vsm_op *op)
{
	int ret;

	if (op->moves & VSM_OP_TO_WINDOW)
		ret = vsm_op_move_to_windows(op);
	else
		ret = vsm_op_perform(op);
	if (ret)
		return ret;
	vsm_op_flip(op);
	/* If this is detected, the operation completes all the same. */
	op->fails = op->injection.error;
	return op->moves & VSM_OP_TO_WINDOW ? VSM_OP_GOES_ON : 0;
}

static int vsm_op_inject_copy(struct vsm_op *op, u32 channel)
{
	op->stage = VSM_OP_ASKED_COPY;
	if (vsm_op_is_arrive(op) || !vsm_op_asks(op, DRM_VSM_INJECT_COPY, channel))
		return VSM_OP_GOES_ON;
	if (op->injection.what == DRM_VSM_INJECT_FLIP)
		return vsm_op_perform_flipped(op);
	return vsm_op_inject(op);
}

/* The operation has to complete, on all its mbarriers. */
static void vsm_op_set_incomplete(struct vsm_op *op)
{
	op->moved = true;
	op->left = op->tx;
	op->incomplete = vsm_op_targets(op);
}

static int vsm_op_inject_complete(struct vsm_op *op, u32 channel)
{
	bool arrives = vsm_op_is_arrive(op);
	int ret;

	op->stage = VSM_OP_ASKED_COMPLETE;
	if (!(arrives || op->moves & VSM_TAKES_MBAR) ||
	    !vsm_op_asks(op, DRM_VSM_INJECT_COMPLETE, channel))
		return VSM_OP_GOES_ON;
	if (!arrives) {
		if (op->injection.what == DRM_VSM_INJECT_SHORT)
			op->tx -= min_t(u64, op->tx, op->injection.arg);
		if (op->injection.what == DRM_VSM_INJECT_EARLY) {
			/* After a flip the bytes are there already. */
			if (op->moved)
				op->injection.rule = 0;
			else
				vsm_op_set_incomplete(op);
			return VSM_OP_GOES_ON;
		}
		ret = op->moved ? 0 : vsm_op_move_to_windows(op);
		if (ret)
			return ret;
		op->left = op->tx;
	}
	return vsm_op_inject(op);
}

/* The operation has completed before it has moved its bytes. It moves them after a time. */
static int vsm_op_move_late(struct vsm_op *op)
{
	if (op->stage == VSM_OP_COMPLETED && op->injection.arg) {
		op->stage = VSM_OP_WAITED;
		op->due = vsm_injection_until(&op->injection, op->size);
		return VSM_OP_LATER;
	}
	return vsm_op_move_to_windows(op);
}

/**
 * vsm_op_perform_injected - vsm_op_perform() of an operation for which there may be rules
 * @op: Operation, whose instruction gets the results
 * @channel: Number of its channel
 *
 * Context: may sleep; allocates nothing.
 *
 * Return: As vsm_op_perform(), but 0 also if &vsm_op.fails is set; %VSM_OP_LATER if the operation
 * is still in flight and due at &vsm_op.due.
 */
int vsm_op_perform_injected(struct vsm_op *op, u32 channel)
{
	bool again, early;
	int ret = VSM_OP_GOES_ON;

	/* A rule that comes when the operation has begun, and the word was busy, comes too late. */
	if (READ_ONCE(op->cluster->lost) ||
	    (op->stage == VSM_OP_ASKED_NOT && (op->moved || op->busy)))
		return vsm_op_perform(op);
	if (op->stage == VSM_OP_ASKED_NOT)
		ret = vsm_op_inject_copy(op, channel);
	if (ret == VSM_OP_GOES_ON && op->stage == VSM_OP_ASKED_COPY)
		ret = vsm_op_inject_complete(op, channel);
	if (ret != VSM_OP_GOES_ON)
		return ret;
	again = op->injection.rule && op->injection.what == DRM_VSM_INJECT_TWICE;
	early = op->injection.rule && op->injection.what == DRM_VSM_INJECT_EARLY;
	if (op->stage == VSM_OP_ASKED_COMPLETE || !early) {
		ret = vsm_op_perform(op);
		/* The bytes that have not been moved count as in flight until the drop. */
		if (early && ret && ret != -EBUSY)
			vsm_op_drop(op);
		if (ret || op->stage == VSM_OP_COMPLETED || !(again || early))
			return ret;
		op->stage = VSM_OP_COMPLETED;
	}
	if (early)
		return vsm_op_move_late(op);
	if (!vsm_op_is_arrive(op))
		vsm_op_set_incomplete(op);
	return vsm_op_perform(op);
}
