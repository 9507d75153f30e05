/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An asynchronous operation: a copy, a store, a reduction, a prefetch, or a
 * cp.async.mbarrier.arrive.
 *
 * It is prepared in an ioctl, where it may fail for lack of something (vsm_prepare.c). It begins
 * when it is issued, and is in flight from then on. It ends by being performed or dropped
 * (vsm_perform.c). Threads issue operations one by one (vsm_stream.c), a job issues them among its
 * other instructions (vsm_job.c). A channel has them in flight (vsm_schedule.c).
 */
#ifndef _VSM_OP_H_
#define _VSM_OP_H_

#include "base/vsm_fault.h"
#include "object/vsm_bo.h"
#include "object/vsm_cluster.h"
#include "sync/vsm_bind.h"

/*
 * Operations that are launched together at most. None of them is performed before all have been
 * issued, so conflicts between them are always found.
 */
#define VSM_OP_BATCH	256

/**
 * struct vsm_target - A CTA that an operation writes to
 * @hazard: The bytes that it writes
 * @binding: The mbarrier that it completes on
 */
struct vsm_target {
	struct vsm_hazard hazard;
	struct vsm_binding binding;
};

/**
 * struct vsm_op_more - What only few operations have
 * @map: Tensor map
 * @targets: CTAs of a multicast, by the bits of its mask
 */
struct vsm_op_more {
	struct drm_vsm_tensor_map map;
	struct vsm_target targets[];
};

/**
 * struct vsm_op - An asynchronous operation
 * @link: In &vsm_schedule.ops, or in a list of the owner's
 * @end: Called once when the operation has been performed (error 0, -EPROTO or -EIO), has been
 *	dropped by its channel (-ECANCELED), or could not be issued or launched (another
 *	error); the operation may be gone when it returns
 * @key: Orders a batch that is shuffled
 * @due: When to perform it (CLOCK_MONOTONIC, ns), 0 for at once
 * @cluster: Cluster; the owner holds it
 * @origin: Thread that issues it; the client stays until its channels have stopped
 * @issue_source: Where it is issued
 * @source: Where it completes
 * @drains: A channel that stops still performs it, until the channel's drain deadline
 * @moved: It has moved its bytes into windows
 * @moves: From where to where it moves bytes, of VSM_OP_MOVES, and VSM_TAKES_* of its operands
 * @buffer: Buffer of a copy, held and mapped, or NULL
 * @more: Of tensor copies and multicasts, or NULL
 * @extra: Bytes of @more, which the client is charged for
 * @inits: &vsm_cluster.inits when it began
 * @reported: Rules that it has broken and that have been reported
 * @error: Error of the first complete-tx that was refused
 * @size: Bytes in shared memory
 * @tx: Bytes that it completes on each mbarrier: @size, unless a swizzle leaves gaps
 * @left: Bytes of @tx still to complete on the mbarrier whose turn it is
 * @bound: CTAs to whose mbarriers it is bound, a bit each
 * @incomplete: CTAs whose mbarriers it still has to complete on after it has moved its bytes
 * @busy: How often in a row other writers have kept it from changing a word
 * @reads: The bytes that it reads
 * @target: The bytes that it writes, unless it is a multicast
 * @insn: The instruction
 */
struct vsm_op {
	struct list_head link;
	void (*end)(struct vsm_op *op, int error);
	u64 key;
	s64 due;
	struct vsm_cluster *cluster;
	struct vsm_origin origin;
	u8 issue_source;
	u8 source;
	bool drains;
	bool moved;
	u32 moves;
	struct vsm_bo *buffer;
	struct vsm_op_more *more;
	u32 extra;
	int inits;
	u64 reported;
	int error;
	u32 size;
	u32 tx;
	u32 left;
	u16 bound;
	u16 incomplete;
	u16 busy;
	struct vsm_hazard reads;
	struct vsm_target target;
	struct drm_vsm_insn insn;
};

/* The instruction of an operation is refused. */
static inline int vsm_op_refuse(struct vsm_op *op, enum drm_vsm_fault fault, u32 info)
{
	op->insn.fault = fault;
	op->insn.info = info;
	return -EPROTO;
}

/* The same offset in the window of another CTA. */
static inline u32 vsm_addr_at(u32 addr, u32 rank)
{
	return rank << VSM_SHARED_RANK_SHIFT | vsm_addr_offset(addr);
}

#endif
