// SPDX-License-Identifier: GPL-2.0-only
/*
 * How an operation is issued, moves its bytes, completes, or is dropped. vsm_op.c prepares it.
 */
#include <linux/bitops.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "copy/vsm_op.h"
#include "core/vsm_core.h"
#include "sync/vsm_engine.h"
#include "vsm_drv.h"

/* --- bytes ----------------------------------------------------------------------- */

static noinline void vsm_copy_words(void *to, const void *from, u32 size)
{
	const u64 *source = from;
	u64 *target = to;
	u32 i;

	for (; size >= 16 * sizeof(u64); size -= 16 * sizeof(u64)) {
#pragma GCC unroll 16
		for (i = 0; i < 16; i++)
			WRITE_ONCE(target[i], READ_ONCE(source[i]));
		source += 16;
		target += 16;
	}
	for (; size >= 2 * sizeof(u64); size -= 2 * sizeof(u64)) {
		WRITE_ONCE(target[0], READ_ONCE(source[0]));
		WRITE_ONCE(target[1], READ_ONCE(source[1]));
		source += 2;
		target += 2;
	}
}

/* Copy the bytes whose bit is set in the byteMask. The mask repeats every 16 bytes. */
static void vsm_copy_masked(u8 *to, const u8 *from, u32 size, u16 mask)
{
	u32 i;

	for (i = 0; i < size; i++) {
		if (mask & BIT(i % 16))
			to[i] = from[i];
		if (i % VSM_CORE_PIECE == VSM_CORE_PIECE - 1)
			cond_resched();
	}
}

/* Copy more than a piece, and let other tasks run between two pieces. */
static noinline void vsm_copy_pieces(void *to, const void *from, u32 size)
{
	while (size > VSM_CORE_PIECE) {
		vsm_copy_words(to, from, VSM_CORE_PIECE);
		size -= VSM_CORE_PIECE;
		to += VSM_CORE_PIECE;
		from += VSM_CORE_PIECE;
		cond_resched();
	}
	vsm_copy_words(to, from, size);
}

/* Copy all bytes. Most copies are one piece, and need no loop that lets other tasks run. */
static inline void vsm_copy(void *to, const void *from, u32 size)
{
	if (likely(size <= VSM_CORE_PIECE))
		vsm_copy_words(to, from, size);
	else
		vsm_copy_pieces(to, from, size);
}

/* Move the bytes of an operation into the window of a CTA. */
void vsm_op_move_to_window(struct vsm_op *op, u32 rank)
{
	const struct drm_vsm_insn *insn = &op->insn;
	const struct drm_vsm_copy_operands *o = &insn->u.copy;
	struct vsm_cluster *cluster = op->cluster;
	void *to = vsm_cluster_mem(cluster, vsm_addr_at(o->addr, rank));
	void *global = op->buffer ? op->buffer->map.vaddr : NULL;
	u32 bytes = op->size;

	switch (insn->op) {
	case DRM_VSM_OP_CP_ASYNC:
		if (insn->mods & DRM_VSM_MOD_SRC_SIZE)
			bytes = o->src_size;
		memcpy(to, global + o->offset, bytes);
		memset(to + bytes, 0, o->size - bytes);
		break;
	case DRM_VSM_OP_CP_ASYNC_BULK_G2S:
		vsm_copy(to, global + o->offset, bytes);
		break;
	case DRM_VSM_OP_CP_ASYNC_BULK_S2S:
		vsm_copy(to, vsm_cluster_mem(cluster, o->src), bytes);
		break;
	case DRM_VSM_OP_CP_REDUCE_ASYNC_BULK_S2S:
		vsm_reduce(insn->red, to, vsm_cluster_mem(cluster, o->src), bytes);
		break;
	case DRM_VSM_OP_CP_ASYNC_BULK_TENSOR_G2S:
		vsm_tensor_load(&op->more->map, &insn->u.tensor,
				global + op->more->map.offset,
				to - vsm_addr_offset(o->addr), vsm_addr_offset(o->addr));
		break;
	case DRM_VSM_OP_ST_ASYNC:
		memcpy(to, insn->u.store.value, bytes);
		break;
	case DRM_VSM_OP_RED_ASYNC:
		vsm_reduce(insn->red, to, insn->u.store.value, bytes);
		break;
	}
}

/* Move the bytes of an operation from a window into its buffer. */
static void vsm_op_move_to_buffer(struct vsm_op *op)
{
	const struct drm_vsm_insn *insn = &op->insn;
	const struct drm_vsm_copy_operands *o = &insn->u.copy;
	const void *from = vsm_cluster_mem(op->cluster, o->addr);
	const void *window = from - vsm_addr_offset(o->addr);
	void *global = op->buffer->map.vaddr;

	switch (insn->op) {
	case DRM_VSM_OP_CP_ASYNC_BULK_S2G:
		if (insn->mods & DRM_VSM_MOD_CP_MASK)
			vsm_copy_masked(global + o->offset, from, o->size, o->mask);
		else
			vsm_copy(global + o->offset, from, o->size);
		break;
	case DRM_VSM_OP_CP_REDUCE_ASYNC_BULK_S2G:
		vsm_reduce(insn->red, global + o->offset, from, o->size);
		break;
	case DRM_VSM_OP_CP_ASYNC_BULK_TENSOR_S2G:
		vsm_tensor_store(&op->more->map, &insn->u.tensor,
				 global + op->more->map.offset, window,
				 vsm_addr_offset(o->addr));
		break;
	case DRM_VSM_OP_CP_REDUCE_ASYNC_BULK_TENSOR:
		vsm_tensor_reduce(&op->more->map, &insn->u.tensor, insn->red & 0xf,
				  global + op->more->map.offset, window,
				  vsm_addr_offset(o->addr));
		break;
	}
}

/* --- performing ------------------------------------------------------------------ */

/*
 * The order of an operation's data and its completion.
 *
 * The data of an operation is written before any thread can see that the operation is complete. The
 * complete-tx or arrive at its end is a release, because the instruction that this file makes for
 * it is not .relaxed. A thread that waits for a group or a job takes a lock after the operation
 * has.
 */

/* Pieces into which a rule can split an operation */
#define VSM_MAX_PIECES	1024

/* The address in a window and the mbarrier are at the same offset in all kinds of operands. */
#define addr_of(op) ((op)->insn.u.copy.addr)
#define mbar_of(op) ((op)->insn.u.copy.mbar)
static_assert(offsetof(struct drm_vsm_tensor_operands, addr) ==
	      offsetof(struct drm_vsm_copy_operands, addr));
static_assert(offsetof(struct drm_vsm_tensor_operands, mbar) ==
	      offsetof(struct drm_vsm_copy_operands, mbar));
static_assert(offsetof(struct drm_vsm_store_operands, addr) ==
	      offsetof(struct drm_vsm_copy_operands, addr));
static_assert(offsetof(struct drm_vsm_store_operands, mbar) ==
	      offsetof(struct drm_vsm_copy_operands, mbar));

static bool vsm_op_is_multicast(const struct vsm_op *op)
{
	return op->insn.mods & DRM_VSM_MOD_MULTICAST;
}

/* Mask of the CTAs whose windows the operation writes to. */
unsigned long vsm_op_targets(const struct vsm_op *op)
{
	if (!vsm_op_is_multicast(op))
		return BIT(vsm_addr_rank(addr_of(op)));
	return op->moves & VSM_TAKES_TENSOR ? op->insn.u.tensor.mask : op->insn.u.copy.mask;
}

static struct vsm_target *vsm_op_target(struct vsm_op *op, u32 rank)
{
	return vsm_op_is_multicast(op) ? &op->more->targets[rank] : &op->target;
}

/* Record broken rules that are only reported. Each is recorded once for an operation. */
static void vsm_op_report(struct vsm_op *op, enum drm_vsm_source source,
			  struct vsm_report *report)
{
	report->rules &= ~op->reported;
	if (likely(!report->rules))
		return;
	op->reported |= report->rules;
	vsm_fault_report(&op->origin, source, &op->insn, report);
}

/*
 * The operation breaks a rule. If the cluster only reports the rule, record this and return 0: the
 * operation continues. If not, write the fault into the instruction and return -EPROTO; the caller
 * records it.
 */
static noinline int vsm_op_break(struct vsm_op *op, enum drm_vsm_source source,
				 enum drm_vsm_fault fault, u64 word, u32 info)
{
	struct vsm_report report = { .rules = DRM_VSM_RULE(fault), .word = word, .info = info };

	if (!(op->cluster->geo.report & report.rules)) {
		op->insn.result = word;
		return vsm_op_refuse(op, fault, info);
	}
	vsm_op_report(op, source, &report);
	return 0;
}

/* There may be an object in the bytes that the operation reads or writes from @addr on. */
static noinline int vsm_op_search_object(struct vsm_op *op, enum drm_vsm_source source, u32 addr,
					 enum drm_vsm_fault fault)
{
	u32 info;
	u64 word;

	if (!vsm_shadow_search(op->cluster, addr, op->size, &word, &info))
		return 0;
	return vsm_op_break(op, source, fault, word, info);
}

/* Check that no object is in the bytes that the operation reads or writes from @addr on. */
static inline int vsm_op_check_object(struct vsm_op *op, enum drm_vsm_source source, u32 addr,
				      u64 offset, enum drm_vsm_fault fault)
{
	if (likely(!vsm_shadow_may_find(op->cluster, offset, op->size)))
		return 0;
	return vsm_op_search_object(op, source, addr, fault);
}

/* The address of the bytes that the operation reads from a window. */
static u32 vsm_op_from(const struct vsm_op *op)
{
	return op->moves & VSM_OP_TO_WINDOW ? op->insn.u.copy.src : addr_of(op);
}

static int vsm_op_check_source(struct vsm_op *op, enum drm_vsm_source source)
{
	/* PTX does not say which bytes a masked copy reads. */
	if (op->insn.mods & DRM_VSM_MOD_CP_MASK)
		return 0;
	return vsm_op_check_object(op, source, vsm_op_from(op),
				   vsm_cluster_offset(op->cluster, vsm_op_from(op)),
				   DRM_VSM_FAULT_READ_OVER_LIVE);
}

/* --- issue ------------------------------------------------------------------------ */

static inline int vsm_op_enter(struct vsm_op *op, struct vsm_hazards *set,
			       struct vsm_hazard *hazard, u64 start, u64 size, enum vsm_use use)
{
	enum drm_vsm_fault fault = vsm_hazard_enter(set, hazard, start, size, use,
						    op->cluster->geo.report);

	return likely(!fault) ? 0 : vsm_op_break(op, op->issue_source, fault, 0, 0);
}

static int vsm_op_enter_buffer(struct vsm_op *op)
{
	const struct drm_vsm_copy_operands *o = &op->insn.u.copy;
	struct vsm_hazards *set = &op->buffer->hazards;
	u32 moves = op->moves;

	/* Neither a tensor's box nor the bytes of a byteMask are a range of bytes. */
	if (moves & VSM_TAKES_TENSOR || op->insn.mods & DRM_VSM_MOD_CP_MASK)
		return 0;
	if (moves & VSM_OP_FROM_BUFFER)
		return vsm_op_enter(op, set, &op->reads, o->offset,
				    op->insn.mods & DRM_VSM_MOD_SRC_SIZE ? o->src_size : op->size,
				    VSM_USE_READ);
	return vsm_op_enter(op, set, &op->target.hazard, o->offset, op->size,
			    moves & VSM_TAKES_RED ? VSM_USE_REDUCE : VSM_USE_WRITE);
}

static int vsm_op_enter_source(struct vsm_op *op)
{
	int ret = vsm_op_check_source(op, op->issue_source);

	return ret ?: vsm_op_enter(op, op->cluster->hazards, &op->reads,
				   vsm_cluster_offset(op->cluster, vsm_op_from(op)), op->size,
				   VSM_USE_READ);
}

/* Remove the bytes of the operation from those that operations in flight use. */
static void vsm_op_leave(struct vsm_op *op)
{
	unsigned long targets;
	u32 rank;

	vsm_hazard_leave(&op->reads);
	vsm_hazard_leave(&op->target.hazard);
	if (!vsm_op_is_multicast(op))
		return;
	targets = vsm_op_targets(op);
	for_each_set_bit(rank, &targets, VSM_MAX_CTAS)
		vsm_hazard_leave(&vsm_op_target(op, rank)->hazard);
}

/*
 * Begin the operation in one CTA: enter the bytes that it writes there, and bind it to the
 * mbarrier.
 */
static __always_inline int vsm_op_begin_target(struct vsm_op *op, struct vsm_target *target,
					       u32 rank)
{
	struct vsm_cluster *cluster = op->cluster;
	u32 addr = vsm_addr_at(addr_of(op), rank);
	u64 offset = vsm_cluster_offset(cluster, addr);
	u32 moves = op->moves;
	enum drm_vsm_fault fault;
	int ret;

	ret = vsm_op_check_object(op, op->issue_source, addr, offset,
				  DRM_VSM_FAULT_WRITE_OVER_LIVE);
	if (!ret && cluster->geo.strict)
		ret = vsm_op_enter(op, cluster->hazards, &target->hazard, offset, op->size,
				   moves & VSM_TAKES_RED ? VSM_USE_REDUCE : VSM_USE_WRITE);
	if (ret)
		return ret;
	/*
	 * An operation of no bytes does not keep the phase open. It is not bound, because it may
	 * complete in a later phase.
	 */
	if (!(moves & VSM_TAKES_MBAR) || !op->tx)
		return 0;
	target->binding = (struct vsm_binding) { .addr = vsm_addr_at(mbar_of(op), rank) };
	fault = vsm_binding_enter(cluster, &target->binding);
	if (fault) {
		op->insn.result = READ_ONCE(*(u64 *)vsm_cluster_mem(cluster,
								    target->binding.addr));
		return vsm_op_refuse(op, fault, 0);
	}
	op->bound |= BIT(rank);
	return 0;
}

static void vsm_op_unbind(struct vsm_op *op, u32 rank)
{
	if (!(op->bound & BIT(rank)))
		return;
	op->bound &= ~BIT(rank);
	vsm_binding_drop(op->cluster, &vsm_op_target(op, rank)->binding);
}

static void vsm_op_unbind_all(struct vsm_op *op)
{
	unsigned long bound = op->bound;
	u32 rank;

	for_each_set_bit(rank, &bound, VSM_MAX_CTAS)
		vsm_op_unbind(op, rank);
}

static noinline int vsm_op_begin_multicast(struct vsm_op *op)
{
	unsigned long targets = vsm_op_targets(op);
	u32 rank;
	int ret;

	for_each_set_bit(rank, &targets, VSM_MAX_CTAS) {
		ret = vsm_op_begin_target(op, vsm_op_target(op, rank), rank);
		cond_resched();
		if (ret) {
			vsm_op_unbind_all(op);
			return ret;
		}
	}
	return 0;
}

/* Issue a cp.async.mbarrier.arrive. */
static noinline int vsm_op_begin_arrive(struct vsm_op *op)
{
	u32 addr = op->insn.u.mbarrier.addr;
	struct vsm_report report = {};
	int ret;

	op->target.binding = (struct vsm_binding) {
		.addr = addr,
		.raised = !(op->insn.mods & DRM_VSM_MOD_NOINC),
	};
	ret = vsm_binding_arrive(op->cluster, &op->insn, &op->origin, &op->target.binding, &report);
	vsm_op_report(op, op->issue_source, &report);
	if (!ret)
		op->bound = BIT(vsm_addr_rank(addr));
	return ret;
}

/**
 * vsm_op_begin - Issue an operation: enter its bytes, and bind it to its mbarriers
 * @op: Prepared operation, whose instruction gets the results
 *
 * Return: 0 if the operation is in flight now; otherwise -EPROTO, or -EBUSY if others keep writing
 * the word, and nothing has begun.
 */
int vsm_op_begin(struct vsm_op *op)
{
	struct vsm_cluster *cluster = op->cluster;
	u32 moves = op->moves;
	int ret = 0;

	if (vsm_op_is_arrive(op))
		return vsm_op_begin_arrive(op);

	/* A prefetch moves no bytes and conflicts with nothing. */
	if (!(moves & (VSM_OP_TO_BUFFER | VSM_OP_TO_WINDOW)))
		return 0;
	/*
	 * Pairs with the increment in vsm_engine_init(): objects that are counted here are found
	 * below.
	 */
	op->inits = atomic_read_acquire(&cluster->inits);
	if (cluster->geo.strict) {
		if (moves & (VSM_OP_FROM_BUFFER | VSM_OP_TO_BUFFER))
			ret = vsm_op_enter_buffer(op);
		if (!ret && moves & VSM_OP_FROM_WINDOW)
			ret = vsm_op_enter_source(op);
	}
	if (!ret && moves & VSM_OP_TO_WINDOW)
		ret = vsm_op_is_multicast(op)
			? vsm_op_begin_multicast(op)
			: vsm_op_begin_target(op, &op->target, vsm_addr_rank(addr_of(op)));
	if (ret)
		vsm_op_leave(op);
	return ret;
}

/* --- completion ------------------------------------------------------------------- */

/*
 * Perform a complete-tx or arrive on the mbarrier of CTA @rank. If it is the @last one there, it
 * also unbinds the operation.
 */
static int vsm_op_complete(struct vsm_op *op, struct drm_vsm_insn *complete, u32 rank, bool last)
{
	struct vsm_cluster *cluster = op->cluster;
	struct vsm_report report = {};
	int ret;

	if (last && op->bound & BIT(rank)) {
		ret = vsm_binding_complete(cluster, complete, &op->origin,
					   &vsm_op_target(op, rank)->binding, &report);
		if (ret != -EBUSY)
			op->bound &= ~BIT(rank);
	} else {
		ret = vsm_engine_run(cluster, complete, &op->origin);
	}
	if (ret == VSM_REPORTS)
		ret = vsm_engine_run_reporting(cluster, complete, &op->origin, &report);
	vsm_op_report(op, op->source, &report);
	/* If several complete-tx are refused, the first one is recorded, or the one that traps. */
	if (ret == -EPROTO &&
	    (!op->insn.fault || vsm_fault_is_trap(&cluster->geo, complete->fault))) {
		op->insn.fault = complete->fault;
		op->insn.result = complete->result;
		op->insn.info = complete->info;
	}
	return ret;
}

static int vsm_op_arrive(struct vsm_op *op)
{
	u32 addr = op->insn.u.mbarrier.addr;
	struct drm_vsm_insn complete = {
		.op = DRM_VSM_OP_MBARRIER_ARRIVE,
		.mods = DRM_VSM_MOD_SINK | VSM_MOD_ASYNC,
		.u.mbarrier.addr = addr,
	};

	if (op->target.binding.raised && op->cluster->geo.layout == VSM_LAYOUT_SM_90) {
		complete.op = DRM_VSM_OP_MBARRIER_COMPLETE_TX;
		complete.mods = VSM_MOD_ASYNC;
		complete.u.mbarrier.tx_count = 1;
	}
	return vsm_op_complete(op, &complete, vsm_addr_rank(addr), true);
}

/*
 * The largest number of bytes of one complete-tx, or 0 for no limit. A rule cannot ask for so many
 * pieces that other channels wait long for their turn.
 */
static u32 vsm_op_split(const struct vsm_op *op)
{
	if (unlikely(op->injection.rule) && op->injection.what == DRM_VSM_INJECT_SPLIT)
		return clamp_t(u64, op->injection.arg, DIV_ROUND_UP(op->tx, VSM_MAX_PIECES),
			       U32_MAX);
	return READ_ONCE(op->cluster->vdev->model.split_bytes);
}

static int vsm_op_complete_tx(struct vsm_op *op, u32 rank)
{
	u32 split = vsm_op_split(op);
	struct drm_vsm_insn complete = {
		.op = DRM_VSM_OP_MBARRIER_COMPLETE_TX,
		.u.mbarrier.addr = vsm_addr_at(mbar_of(op), rank),
	};
	int ret;

	do {
		u32 bytes = split ? min(op->left, split) : op->left;

		complete.u.mbarrier.tx_count = bytes;
		/* The last complete-tx unbinds the operation: the phase cannot end before it. */
		ret = vsm_op_complete(op, &complete, rank, bytes == op->left);
		if (ret == -EBUSY)
			return ret;
		op->busy = 0;
		op->left -= bytes;
		cond_resched();
	} while (op->left && !ret);
	vsm_op_unbind(op, rank);
	return ret;
}

/*
 * Look for objects in the operation's bytes once more if there has been an init since the operation
 * was issued. If an object is found and that is misuse, the operation is dropped.
 */
static int vsm_op_check_again(struct vsm_op *op)
{
	unsigned long targets = vsm_op_targets(op);
	u32 moves = op->moves;
	int ret = 0;
	u32 rank;

	if (atomic_read_acquire(&op->cluster->inits) == op->inits)
		return 0;
	if (moves & VSM_OP_FROM_WINDOW)
		ret = vsm_op_check_source(op, op->source);
	if (!(moves & VSM_OP_TO_WINDOW))
		targets = 0;
	for_each_set_bit(rank, &targets, VSM_MAX_CTAS) {
		u32 addr = vsm_addr_at(addr_of(op), rank);

		if (ret)
			break;
		ret = vsm_op_check_object(op, op->source, addr,
					  vsm_cluster_offset(op->cluster, addr),
					  DRM_VSM_FAULT_WRITE_OVER_LIVE);
	}
	if (ret)
		vsm_op_drop(op);
	return ret;
}

/* Move the bytes of an operation that is in flight. Afterwards it has to complete. */
int vsm_op_move_to_windows(struct vsm_op *op)
{
	unsigned long targets = vsm_op_targets(op);
	u32 rank;
	int ret;

	ret = vsm_op_check_again(op);
	if (ret)
		return ret;
	for_each_set_bit(rank, &targets, VSM_MAX_CTAS) {
		vsm_op_move_to_window(op, rank);
		cond_resched();
	}
	vsm_op_leave(op);
	vsm_op_moved(op, targets);
	return 0;
}

static int vsm_op_perform_to_windows(struct vsm_op *op)
{
	unsigned long targets;
	u32 rank;
	int ret;

	if (!op->moved) {
		ret = vsm_op_move_to_windows(op);
		if (ret)
			return ret;
	}
	targets = op->incomplete;
	for_each_set_bit(rank, &targets, VSM_MAX_CTAS) {
		ret = vsm_op_complete_tx(op, rank);
		if (ret == -EBUSY)
			return ret;
		op->left = op->tx;
		op->incomplete &= ~BIT(rank);
		if (ret && !op->error)
			op->error = ret;
		/* After a trap nothing more of the operation happens. */
		if (ret == -EPROTO && vsm_fault_is_trap(&op->cluster->geo, op->insn.fault)) {
			vsm_op_unbind_all(op);
			break;
		}
	}
	return op->error;
}

/*
 * Perform an operation that is in flight, and complete it.
 * @op: Operation, whose instruction gets the results
 *
 * Context: may sleep; allocates nothing. Returns 0, -EPROTO or -EIO; -EBUSY if others keep writing
 * a word on which the operation completes. The operation is then still in flight, and the caller
 * calls this again later.
 */
int vsm_op_perform(struct vsm_op *op)
{
	u32 moves = op->moves;

	if (READ_ONCE(op->cluster->lost)) {
		vsm_op_drop(op);
		return -EIO;
	}
	if (vsm_op_is_arrive(op))
		return vsm_op_arrive(op);
	if (moves & VSM_OP_TO_WINDOW)
		return vsm_op_perform_to_windows(op);
	if (moves & VSM_OP_TO_BUFFER) {
		int ret = vsm_op_check_again(op);

		if (ret)
			return ret;
		vsm_op_move_to_buffer(op);
	}
	vsm_op_leave(op);
	return 0;
}

/*
 * End an operation that is in flight, as if it had not been issued. Bytes that the operation has
 * moved, and complete-tx that it has performed, are not undone.
 */
void vsm_op_drop(struct vsm_op *op)
{
	vsm_op_unbind_all(op);
	vsm_op_leave(op);
}
