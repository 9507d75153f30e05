// SPDX-License-Identifier: GPL-2.0-only
/*
 * Around the performing of an operation (vsm_perform.c): its preparation, its events, runs of small
 * operations, and injected failures.
 */
#include <linux/dma-fence.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "copy/vsm_op.h"
#include "core/vsm_core.h"
#include "sync/vsm_waiter.h"
#include "vsm_drv.h"

/* --- preparation ----------------------------------------------------------------- */

#define VSM_OP(NAME, sems, traits) \
	[DRM_VSM_OP_##NAME] = { ((traits) & VSM_OP_MOVES)
#define VSM_FORM(mods, takes) | (takes)
#define VSM_OP_END },
static const struct {
	u32 moves;
} vsm_ops[] = {
#include <drm/vsm_ops.h>
};

/* The value of &vsm_op.moves for a checked instruction. */
static u32 vsm_insn_moves(const struct drm_vsm_insn *insn)
{
	return vsm_ops[array_index_nospec(insn->op, ARRAY_SIZE(vsm_ops))].moves;
}

static __always_inline int vsm_op_find_buffer(struct vsm_op *op, struct vsm_bo_cache *cache,
					      u32 handle)
{
	struct vsm_bo *buffer = vsm_bo_cache_find(cache, handle);

	if (IS_ERR(buffer))
		return PTR_ERR(buffer);
	op->buffer = buffer;
	op->shares = buffer == cache->shared;
	if (!op->shares)
		vsm_bo_begin_use(vsm_bo_get(buffer));
	return 0;
}

static int vsm_op_check_bounds(struct vsm_op *op, u64 offset, u64 size)
{
	u64 bytes = op->buffer->base.base.size;

	/* A copy of no bytes may name any offset. */
	if (!size)
		return 0;
	if (size > bytes || offset > bytes - size)
		return vsm_op_refuse(op, DRM_VSM_FAULT_COPY_BOUNDS, 0);
	return 0;
}

/*
 * Check that the box of a tensor copy, which may have more than 2^32 bytes, fits into the window.
 */
static int vsm_op_place_tensor(struct vsm_op *op)
{
	const struct drm_vsm_tensor_map *map = &op->more->map;
	u64 size = vsm_tensor_map_window(map);

	if (size > VSM_MAX_SMEM ||
	    vsm_addr_check(&op->cluster->geo, op->insn.u.tensor.addr, size, 1))
		return vsm_op_refuse(op, DRM_VSM_FAULT_OUT_OF_WINDOW, 0);
	op->size = size;
	op->tx = vsm_tensor_map_bytes(map);
	return 0;
}

static noinline int vsm_op_prepare_tensor(struct vsm_op *op, struct vsm_bo_cache *cache)
{
	struct drm_vsm_tensor_map *map = &op->more->map;
	struct drm_vsm_insn *insn = &op->insn;
	enum drm_vsm_tensor_error error;
	int ret;

	if (copy_from_user(map, u64_to_user_ptr(insn->u.tensor.map), sizeof(*map)))
		return -EFAULT;
	error = vsm_tensor_map_check(map);
	if (!error)
		error = vsm_tensor_check(map, insn);
	if (error)
		return vsm_op_refuse(op, DRM_VSM_FAULT_TENSOR_MAP, error);

	if (insn->op != DRM_VSM_OP_CP_ASYNC_BULK_PREFETCH_TENSOR) {
		ret = vsm_op_place_tensor(op);
		if (ret)
			return ret;
	}
	ret = vsm_op_find_buffer(op, cache, map->buffer);
	return ret ?: vsm_op_check_bounds(op, map->offset, vsm_tensor_map_extent(map));
}

static int vsm_op_prepare_copy(struct vsm_op *op, struct vsm_bo_cache *cache)
{
	const struct drm_vsm_insn *insn = &op->insn;
	const struct drm_vsm_copy_operands *o = &insn->u.copy;
	int ret;

	op->size = o->size;
	op->tx = o->size;
	if (!(op->moves & (VSM_OP_FROM_BUFFER | VSM_OP_TO_BUFFER)))
		return 0;
	ret = vsm_op_find_buffer(op, cache, o->buffer);
	if (ret)
		return ret;
	return vsm_op_check_bounds(op, o->offset,
				   insn->mods & DRM_VSM_MOD_SRC_SIZE ? o->src_size : o->size);
}

/* vsm_op_extra() for multicasts, and for operations with &drm_vsm_insn.red. */
u32 vsm_op_more_bytes(const struct vsm_cluster *cluster, const struct drm_vsm_insn *insn)
{
	const struct vsm_op_more *more;

	if (insn->mods & DRM_VSM_MOD_MULTICAST)
		return struct_size(more, targets, cluster->geo.ctas);
	return vsm_insn_moves(insn) & VSM_TAKES_TENSOR ? sizeof(*more) : 0;
}

/*
 * Get what an operation needs.
 * @op: Operation with a checked instruction whose results are 0; the instruction gets its fault.
 *	The client has been charged for the operation, and for vsm_op_extra() bytes
 * @cache: Cache of the buffers that the stream names
 *
 * Context: ioctl. Returns 0; -EPROTO; -ENOENT, -EFAULT or -ENOMEM; or the error of vsm_bo_vmap().
 * The caller has to call vsm_op_unprepare() in any case.
 */
int vsm_op_prepare(struct vsm_op *op, struct vsm_bo_cache *cache)
{
	u32 moves = vsm_insn_moves(&op->insn);

	op->moves = moves;
	if (op->extra) {
		op->more = kzalloc(op->extra, GFP_KERNEL_ACCOUNT);
		if (!op->more)
			return -ENOMEM;
	}
	if (moves & VSM_TAKES_TENSOR)
		return vsm_op_prepare_tensor(op, cache);
	if (moves & (VSM_OP_FROM_BUFFER | VSM_OP_FROM_WINDOW))
		return vsm_op_prepare_copy(op, cache);
	if (moves & VSM_OP_MOVES) {
		op->size = op->insn.u.store.size;
		op->tx = op->size;
	}
	return 0;
}

/**
 * vsm_op_unprepare - Put the buffer and free the memory that vsm_op_prepare() has got
 * @op: Operation that is not in flight
 */
void vsm_op_unprepare(struct vsm_op *op)
{
	if (!op->shares)
		vsm_bo_end_use(op->buffer);
	if (unlikely(op->extra)) {
		kfree(op->more);
		vsm_quota_uncharge(&op->origin.client->quota, VSM_RES_BYTES, op->extra);
	}
	op->buffer = NULL;
	op->more = NULL;
	op->extra = 0;
}

/* --- events ---------------------------------------------------------------------- */

/*
 * Events of asynchronous operations. What they complete on an mbarrier is recorded by the engine.
 */

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

/*
 * Number an operation, and record that it has been issued.
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

/*
 * Record that a channel begins to perform an operation. If others keep the operation from changing
 * a word, the channel performs it again. That is not recorded.
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

/* --- runs ------------------------------------------------------------------------ */

/*
 * Runs: small operations of threads that a channel performs together.
 *
 * A program cannot find out whether operations were performed together. An operation that fails, or
 * that needs more than to move its bytes and to complete on one mbarrier, is performed alone
 * (vsm_perform.c).
 */

/*
 * Complete the first operations of a run, which have moved their bytes and complete on the same
 * phase of the same mbarrier, and add their @bytes. Returns false if they have to complete one by
 * one.
 */
static bool vsm_ops_complete(struct list_head *run, u64 *bytes)
{
	struct vsm_op *first = list_first_entry(run, struct vsm_op, link);
	const struct vsm_binding *binding = &first->target.binding;
	struct vsm_op *op, *last = NULL;
	u32 count = 0, tx = 0;
	bool cookie, ended;
	LIST_HEAD(done);

	list_for_each_entry(op, run, link) {
		/* Whether the init of the mbarrier is visible depends on the CTA. */
		if (!op->moved || op->cluster != first->cluster ||
		    op->origin.cta != first->origin.cta ||
		    op->target.binding.addr != binding->addr ||
		    op->target.binding.serial != binding->serial)
			break;
		tx += op->tx;
		count++;
		last = op;
	}
	cookie = dma_fence_begin_signalling();
	ended = last && vsm_binding_complete_run(first->cluster, binding, count, tx,
						 &last->origin);
	dma_fence_end_signalling(cookie);
	if (!ended)
		return false;
	list_cut_position(&done, run, &last->link);
	list_for_each_entry_safe(first, op, &done, link) {
		*bytes += first->size;
		first->bound = 0;
		first->end(first, 0);
	}
	return true;
}

/*
 * Perform operations of a run, as far as no error and no busy word comes up.
 * @run: At most VSM_RUN_OPS operations that vsm_op_can_run(). Afterwards those that have not
 *	ended, which the caller performs one by one
 *
 * First all operations move their bytes. Then neighbours in @run that complete on the same phase
 * of the same mbarrier complete together: their word is exchanged once. If that fails, these
 * operations and all behind them stay in @run. This is also an order in which they might be
 * performed one by one, because asynchronous operations are not ordered.
 *
 * Context: may sleep; allocates nothing. Returns bytes of the operations that have ended.
 */
u64 vsm_ops_perform_run(struct list_head *run)
{
	struct vsm_hazard *reads[VSM_RUN_OPS] __uninitialized;
	struct vsm_hazard *writes[VSM_RUN_OPS] __uninitialized;
	bool cookie = dma_fence_begin_signalling();
	struct vsm_op *op;
	u32 count = 0;
	u64 bytes = 0;

	list_for_each_entry(op, run, link) {
		u32 rank = vsm_addr_rank(op->insn.u.copy.addr);

		/* vsm_op_perform() drops the operation if it has to. */
		if (READ_ONCE(op->cluster->lost) ||
		    atomic_read_acquire(&op->cluster->inits) != op->inits)
			break;
		vsm_op_move_to_window(op, rank);
		vsm_op_moved(op, BIT(rank));
		reads[count] = &op->reads;
		writes[count++] = &op->target.hazard;
	}
	/*
	 * Before the operations complete: a thread that sees the phase complete may issue an
	 * operation on the same bytes at once. The reads are of buffers and the writes of the
	 * cluster. Each array therefore has neighbours of one object, which leave under one lock.
	 */
	vsm_hazards_leave(reads, count);
	vsm_hazards_leave(writes, count);
	dma_fence_end_signalling(cookie);
	cond_resched();
	while (!list_empty(run) && vsm_ops_complete(run, &bytes))
		;
	return bytes;
}

/* --- injection ------------------------------------------------------------------- */

/*
 * Injection of failures into asynchronous operations.
 *
 * An operation asks the rules twice: before it is performed, and, if it completes on mbarriers,
 * when its bytes have been moved. Each question is asked once, however often the operation is tried
 * because it has to wait or a word is busy; &vsm_op.stage remembers that.
 */

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

/*
 * Vsm_op_perform() of an operation for which there may be rules.
 * @op: Operation, whose instruction gets the results
 *
 * Context: may sleep; allocates nothing. Returns as vsm_op_perform(), but 0 also if &vsm_op.fails
 * is set; %VSM_OP_LATER if the operation is still in flight and due at &vsm_op.due.
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
