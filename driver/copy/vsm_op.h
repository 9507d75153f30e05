/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An asynchronous operation: a copy, a store, a reduction, a prefetch, or a
 * cp.async.mbarrier.arrive.
 *
 * An operation is prepared in an ioctl, which may fail because something is missing. It begins
 * when it is issued: by a thread (vsm_stream.c), or by a job among its other instructions
 * (vsm_job.c). From then on it is in flight. It is launched on a channel (vsm_channel.c), and ends
 * when the channel performs or drops it (vsm_perform.c).
 */
#ifndef _VSM_OP_H_
#define _VSM_OP_H_

#include <linux/string.h>
#include <linux/types.h>

#include "base/vsm_client.h"
#include "base/vsm_fault.h"
#include "object/vsm_bo.h"
#include "object/vsm_cluster.h"
#include "sync/vsm_engine.h"

/* --- operations ------------------------------------------------------------------ */

/*
 * The most operations that are launched together. None of them is performed before all have been
 * issued, so conflicts between them are always found.
 */
#define VSM_OP_BATCH	256

/**
 * struct vsm_target - A CTA that an operation writes to
 * @hazard: The bytes that the operation writes in this CTA
 * @binding: The mbarrier in this CTA on which the operation completes
 */
struct vsm_target {
	struct vsm_hazard hazard;
	struct vsm_binding binding;
};

/**
 * struct vsm_op_more - What only tensor copies and multicasts need
 * @map: Tensor map of a tensor copy
 * @targets: CTAs of a multicast, indexed by rank
 */
struct vsm_op_more {
	struct drm_vsm_tensor_map map;
	struct vsm_target targets[];
};

/**
 * struct vsm_op - An asynchronous operation
 * @link: In &vsm_schedule.ops, or in a list of its owner
 * @end: Called once when the operation has been performed (error 0, -EPROTO, -EIO or that of a
 *	rule) or dropped (-ECANCELED or -ENODEV); the operation may be gone when it returns. It is
 *	not called for an operation that cannot be issued
 * @key: Key by which a shuffled batch is sorted
 * @due: When to perform it (CLOCK_MONOTONIC, ns), 0 for at once
 * @cluster: Cluster; the owner has a reference
 * @issue_source: Source of misuse that is found while the operation is issued
 * @source: Source of misuse that is found while the operation is performed
 * @drains: A channel that stops still performs the operation, until the channel's drain deadline
 * @moved: The operation has moved its bytes into windows
 * @begun: An event says that the channel has begun to perform it
 * @moves: From where to where the operation moves bytes (of VSM_OP_MOVES), and VSM_TAKES_* of its
 *	operands
 * @buffer: Buffer of a copy, mapped, or NULL
 * @shares: Another user of @buffer, which ends later, has the reference that the operation needs
 * @more: Allocated for tensor copies and multicasts, else NULL
 * @extra: Bytes of @more, which the client is charged for
 * @inits: &vsm_cluster.inits when the operation began
 * @reported: Rules that the operation has broken and that have been reported
 * @error: Error of the first complete-tx that was refused, or 0
 * @size: Bytes in shared memory
 * @tx: Bytes that the operation completes on each mbarrier: @size, unless a swizzle leaves gaps
 * @left: Bytes of @tx that it still has to complete on the mbarrier that it is working on
 * @bound: Mask of the CTAs to whose mbarriers the operation is bound
 * @incomplete: Mask of the CTAs whose mbarriers still lack a complete-tx, once the bytes have been
 *	moved
 * @busy: How often in a row other writers have kept the operation from changing a word
 * @fails: Positive errno with which the operation ends because a rule says so, or 0
 * @stage: What it has asked the rules of injection, &enum vsm_op_stage
 * @injection: What a rule has done to it that is not over yet
 * @reads: The bytes that the operation reads
 * @target: The CTA that the operation writes to, unless it is a multicast
 * @origin: Thread that issues the operation; its client stays until its channels have stopped
 * @insn: The instruction
 *
 * An operation begins with all fields 0, or with vsm_op_clear().
 */
struct vsm_op {
	struct list_head link;
	void (*end)(struct vsm_op *op, int error);
	u64 key;
	struct vsm_cluster *cluster;
	u8 issue_source;
	u8 source;
	bool drains;
	u32 moves;
	int inits;
	u32 left;
	struct vsm_injection injection;
	struct vsm_hazard reads;
	struct vsm_target target;
	struct vsm_origin origin;
	struct drm_vsm_insn insn;
	struct vsm_bo *buffer;
	u32 extra;
	u32 size;
	u32 tx;
	/* vsm_op_clear() sets the fields from here on to 0. */
	s64 due;
	struct vsm_op_more *more;
	u64 reported;
	int error;
	u16 bound;
	u16 incomplete;
	u16 busy;
	u16 fails;
	bool moved;
	bool begun;
	bool shares;
	u8 stage;
};

/*
 * Prepare memory for an operation. The caller sets the fields up to @drains, and @origin, @insn
 * and @extra. To clear the whole operation would take far longer. Compilers clear up to 40 bytes
 * with a store for each word, and more with a string instruction, which is slower: @buffer, @size
 * and @tx are therefore cleared one by one.
 */
static inline void vsm_op_clear(struct vsm_op *op)
{
	op->injection.rule = 0;
	op->reads.set = NULL;
	op->target.hazard.set = NULL;
	op->buffer = NULL;
	op->size = 0;
	op->tx = 0;
	memset_startat(op, 0, due);
}

static inline bool vsm_op_is_arrive(const struct vsm_op *op)
{
	return op->insn.op == DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE;
}

/*
 * The operation has moved its bytes into the windows of @targets, and has to complete there. The
 * caller removes its hazards before that.
 */
static inline void vsm_op_moved(struct vsm_op *op, unsigned long targets)
{
	op->moved = true;
	op->left = op->tx;
	op->incomplete = op->moves & VSM_TAKES_MBAR ? targets : 0;
}

/* Set the fault of an operation's instruction, and return -EPROTO. */
static inline int vsm_op_refuse(struct vsm_op *op, enum drm_vsm_fault fault, u32 info)
{
	op->insn.fault = fault;
	op->insn.info = info;
	return -EPROTO;
}

/* The address of the offset of @addr in the window of CTA @rank. */
static inline u32 vsm_addr_at(u32 addr, u32 rank)
{
	return rank << VSM_SHARED_RANK_SHIFT | vsm_addr_offset(addr);
}

/* --- preparation ----------------------------------------------------------------- */

u32 vsm_op_more_bytes(const struct vsm_cluster *cluster, const struct drm_vsm_insn *insn);
int vsm_op_prepare(struct vsm_op *op, struct vsm_bo_cache *cache);
void vsm_op_unprepare(struct vsm_op *op);

/* Memory that an operation needs in addition to its &struct vsm_op. The result is in bytes. */
static inline u32 vsm_op_extra(const struct vsm_cluster *cluster, const struct drm_vsm_insn *insn)
{
	/* A tensor copy has its number of dimensions in &drm_vsm_insn.red, which is not 0 then. */
	if (likely(!(insn->mods & DRM_VSM_MOD_MULTICAST) && !insn->red))
		return 0;
	return vsm_op_more_bytes(cluster, insn);
}

/* --- performing ------------------------------------------------------------------ */

int vsm_op_begin(struct vsm_op *op);
unsigned long vsm_op_targets(const struct vsm_op *op);
int vsm_op_move_to_windows(struct vsm_op *op);
int vsm_op_perform(struct vsm_op *op);
void vsm_op_drop(struct vsm_op *op);

/* --- bytes ----------------------------------------------------------------------- */

void vsm_op_move_to_window(struct vsm_op *op, u32 rank);

/* --- runs ------------------------------------------------------------------------ */

/* The most operations that are performed together */
#define VSM_RUN_OPS	16

/*
 * May an operation of a thread or a job be performed together with others? An operation is
 * performed alone if a rule of injection has stopped it, if it has to wait for its time, or if its
 * first attempt found a busy word.
 */
static inline bool vsm_op_can_run(const struct vsm_op *op)
{
	return op->bound && op->moves & VSM_OP_TO_WINDOW && op->drains &&
	       !(op->moved | op->stage) && !op->more && !op->due;
}

u64 vsm_ops_perform_run(struct list_head *run);

/* --- injection ------------------------------------------------------------------- */

#define VSM_OP_PLACES	(BIT(DRM_VSM_INJECT_COPY) | BIT(DRM_VSM_INJECT_COMPLETE))

/* The operation is performed later, at &vsm_op.due. This is no error code. */
#define VSM_OP_LATER	2

int vsm_op_perform_injected(struct vsm_op *op, u32 channel);

/* Must vsm_op_perform_injected() perform the operation? */
static inline bool vsm_op_is_injected(const struct vsm_op *op)
{
	return vsm_injects(op->origin.client, VSM_OP_PLACES) || unlikely(op->stage);
}

/* The operation is not due yet. Does it wait for the end of a hang that is over? */
static inline bool vsm_op_is_released(const struct vsm_op *op)
{
	return unlikely(op->injection.rule) &&
	       !vsm_injection_lasts(op->origin.client, &op->injection);
}

/* --- events ---------------------------------------------------------------------- */

/*
 * Events of asynchronous operations. The callers ask vsm_is_recording() before.
 */

void vsm_op_record_issue(struct vsm_op *op, u64 job);
void vsm_op_record_begin(struct vsm_op *op, u32 channel);
void vsm_op_record_end(const struct vsm_op *op, int error);

#endif
