// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an asynchronous operation does, from its preparation to its end.
 *
 * The data is written before anybody can see the completion: a complete-tx or an arrive
 * is performed as a release here, since the instruction made for it is not .relaxed; the
 * end of a group and of a job are behind a lock.
 */
#include <linux/bitops.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "core/vsm_reduce.h"
#include "core/vsm_tensor.h"
#include "copy/vsm_op.h"

/* Where from, where to, and how. */
#define FROM_BUFFER	BIT(0)
#define FROM_WINDOW	BIT(1)
#define TO_BUFFER	BIT(2)
#define TO_WINDOW	BIT(3)
#define COMPLETES	BIT(4)	/* by complete-tx on an mbarrier */
#define REDUCES		BIT(5)
#define TENSOR		BIT(6)

static const u8 vsm_moves[] = {
	[DRM_VSM_OP_CP_ASYNC] = FROM_BUFFER | TO_WINDOW,
	[DRM_VSM_OP_CP_ASYNC_BULK_G2S] = FROM_BUFFER | TO_WINDOW | COMPLETES,
	[DRM_VSM_OP_CP_ASYNC_BULK_S2G] = FROM_WINDOW | TO_BUFFER,
	[DRM_VSM_OP_CP_ASYNC_BULK_S2S] = FROM_WINDOW | TO_WINDOW | COMPLETES,
	[DRM_VSM_OP_CP_ASYNC_BULK_PREFETCH] = FROM_BUFFER,
	[DRM_VSM_OP_CP_REDUCE_ASYNC_BULK_S2G] = FROM_WINDOW | TO_BUFFER | REDUCES,
	[DRM_VSM_OP_CP_REDUCE_ASYNC_BULK_S2S] = FROM_WINDOW | TO_WINDOW | COMPLETES | REDUCES,
	[DRM_VSM_OP_CP_ASYNC_BULK_TENSOR_G2S] = FROM_BUFFER | TO_WINDOW | COMPLETES | TENSOR,
	[DRM_VSM_OP_CP_ASYNC_BULK_TENSOR_S2G] = FROM_WINDOW | TO_BUFFER | TENSOR,
	[DRM_VSM_OP_CP_REDUCE_ASYNC_BULK_TENSOR] = FROM_WINDOW | TO_BUFFER | REDUCES | TENSOR,
	[DRM_VSM_OP_CP_ASYNC_BULK_PREFETCH_TENSOR] = FROM_BUFFER | TENSOR,
	[DRM_VSM_OP_ST_ASYNC] = TO_WINDOW | COMPLETES,
	[DRM_VSM_OP_RED_ASYNC] = TO_WINDOW | COMPLETES | REDUCES,
};

/* The window's side and the mbarrier are where they are in all of them. */
#define addr_of(async) ((async)->insn.u.copy.addr)
#define mbar_of(async) ((async)->insn.u.copy.mbar)
static_assert(offsetof(struct drm_vsm_tensor_operands, addr) ==
	      offsetof(struct drm_vsm_copy_operands, addr));
static_assert(offsetof(struct drm_vsm_tensor_operands, mbar) ==
	      offsetof(struct drm_vsm_copy_operands, mbar));
static_assert(offsetof(struct drm_vsm_store_operands, addr) ==
	      offsetof(struct drm_vsm_copy_operands, addr));
static_assert(offsetof(struct drm_vsm_store_operands, mbar) ==
	      offsetof(struct drm_vsm_copy_operands, mbar));

static u8 vsm_insn_moves(const struct drm_vsm_insn *insn)
{
	if (insn->op >= ARRAY_SIZE(vsm_moves))
		return 0;
	return vsm_moves[array_index_nospec(insn->op, ARRAY_SIZE(vsm_moves))];
}

static u8 vsm_op_moves(const struct vsm_op *async)
{
	return vsm_insn_moves(&async->insn);
}

static bool vsm_op_is_multicast(const struct vsm_op *async)
{
	return async->insn.mods & DRM_VSM_MOD_MULTICAST;
}

/* The CTAs whose windows it writes, a bit each. */
static unsigned long vsm_op_targets(const struct vsm_op *async)
{
	if (!vsm_op_is_multicast(async))
		return BIT(vsm_addr_rank(addr_of(async)));
	return vsm_op_moves(async) & TENSOR ? async->insn.u.tensor.mask
					       : async->insn.u.copy.mask;
}

static struct vsm_target *vsm_op_target(struct vsm_op *async, u32 rank)
{
	return vsm_op_is_multicast(async) ? &async->more->targets[rank] : &async->target;
}

static u32 vsm_op_at(u32 addr, u32 rank)
{
	return rank << VSM_SHARED_RANK_SHIFT | vsm_addr_offset(addr);
}

static u64 vsm_op_offset(const struct vsm_op *async, u32 addr)
{
	return vsm_cluster_mem(async->cluster, addr) - async->cluster->windows;
}

/* --- preparation ------------------------------------------------------------------ */

static int vsm_op_refuse(struct vsm_op *async, enum drm_vsm_fault fault, u32 info)
{
	async->insn.fault = fault;
	async->insn.info = info;
	return -EPROTO;
}

static int vsm_op_find_buffer(struct vsm_op *async, struct vsm_bo_cache *cache, u32 handle)
{
	if (!cache->buffer || cache->handle != handle) {
		struct vsm_bo *buffer = vsm_buffer_lookup(cache->file, handle);
		int ret;

		if (!buffer)
			return -ENOENT;
		ret = vsm_bo_vmap(buffer);
		if (ret) {
			vsm_bo_put(buffer);
			return ret;
		}
		vsm_bo_put(cache->buffer);
		cache->buffer = buffer;
		cache->handle = handle;
	}
	async->buffer = cache->buffer;
	drm_gem_object_get(&async->buffer->base.base);
	return 0;
}

static int vsm_op_check_bounds(struct vsm_op *async, u64 offset, u64 size)
{
	u64 bytes = async->buffer->base.base.size;

	/* Where nothing is read there need be nothing. */
	if (!size)
		return 0;
	if (size > bytes || offset > bytes - size)
		return vsm_op_refuse(async, DRM_VSM_FAULT_COPY_BOUNDS, 0);
	return 0;
}

/* Does the box, which may have more than 2^32 bytes, fit into the window? */
static int vsm_op_place_tensor(struct vsm_op *async)
{
	const struct drm_vsm_tensor_map *map = &async->more->map;
	u64 size = vsm_tensor_map_window(map);

	if (size > VSM_MAX_SMEM ||
	    vsm_addr_check(&async->cluster->geo, addr_of(async), size, 1))
		return vsm_op_refuse(async, DRM_VSM_FAULT_OUT_OF_WINDOW, 0);
	async->size = size;
	async->tx = vsm_tensor_map_bytes(map);
	return 0;
}

static int vsm_op_prepare_tensor(struct vsm_op *async, struct vsm_bo_cache *cache)
{
	struct drm_vsm_tensor_map *map = &async->more->map;
	struct drm_vsm_insn *insn = &async->insn;
	enum drm_vsm_tensor_error error;
	int ret;

	if (copy_from_user(map, u64_to_user_ptr(insn->u.tensor.map), sizeof(*map)))
		return -EFAULT;
	error = vsm_tensor_map_check(map);
	if (!error)
		error = vsm_tensor_check(map, insn);
	if (error)
		return vsm_op_refuse(async, DRM_VSM_FAULT_TENSOR_MAP, error);

	if (insn->op != DRM_VSM_OP_CP_ASYNC_BULK_PREFETCH_TENSOR) {
		ret = vsm_op_place_tensor(async);
		if (ret)
			return ret;
	}
	ret = vsm_op_find_buffer(async, cache, map->buffer);
	return ret ?: vsm_op_check_bounds(async, map->offset, vsm_tensor_map_extent(map));
}

static int vsm_op_prepare_copy(struct vsm_op *async, struct vsm_bo_cache *cache)
{
	const struct drm_vsm_insn *insn = &async->insn;
	const struct drm_vsm_copy_operands *o = &insn->u.copy;
	int ret;

	async->size = o->size;
	async->tx = o->size;
	if (!(vsm_op_moves(async) & (FROM_BUFFER | TO_BUFFER)))
		return 0;
	ret = vsm_op_find_buffer(async, cache, o->buffer);
	if (ret)
		return ret;
	return vsm_op_check_bounds(async, o->offset,
				      insn->mods & DRM_VSM_MOD_SRC_SIZE ? o->src_size : o->size);
}

/**
 * vsm_op_extra - Memory that an operation takes beside its &struct vsm_op
 * @cluster: Cluster
 * @insn: Checked instruction
 *
 * Return: Bytes.
 */
u32 vsm_op_extra(const struct vsm_cluster *cluster, const struct drm_vsm_insn *insn)
{
	const struct vsm_op_more *more;

	if (insn->mods & DRM_VSM_MOD_MULTICAST)
		return struct_size(more, targets, cluster->geo.ctas);
	return vsm_insn_moves(insn) & TENSOR ? sizeof(*more) : 0;
}

/**
 * vsm_op_prepare - Get what an operation needs
 * @async: Operation, with a checked instruction whose results are 0, which gets them; charged
 *	to its client, with what vsm_op_extra() says
 * @cache: Of the stream that it comes from
 *
 * Context: ioctl.
 *
 * Return: 0; -EPROTO; -ENOENT, -EFAULT, -ENOMEM or what mapping a buffer ended with.
 * vsm_op_unprepare() is due in any case.
 */
int vsm_op_prepare(struct vsm_op *async, struct vsm_bo_cache *cache)
{
	u8 moves = vsm_op_moves(async);

	if (async->extra) {
		async->more = kzalloc(async->extra, GFP_KERNEL_ACCOUNT);
		if (!async->more)
			return -ENOMEM;
	}
	if (moves & TENSOR)
		return vsm_op_prepare_tensor(async, cache);
	if (moves & (FROM_BUFFER | FROM_WINDOW))
		return vsm_op_prepare_copy(async, cache);
	if (moves) {
		async->size = async->insn.u.store.size;
		async->tx = async->size;
	}
	return 0;
}

/* Tell of rules that are only reported, each once; the operation is issued or it completes. */
static void vsm_op_report(struct vsm_op *async, struct vsm_report *report, bool completes)
{
	enum drm_vsm_source source = completes ? DRM_VSM_SOURCE_ASYNC : DRM_VSM_SOURCE_EXEC;

	report->rules &= ~async->reported;
	if (likely(!report->rules))
		return;
	async->reported |= report->rules;
	vsm_fault_report(async->client, async->job ? DRM_VSM_SOURCE_JOB : source, async->handle,
			 async->cta, async->thread, &async->insn, report);
}

/* A rule is broken: -EPROTO, or 0 if it is only reported, or no rule is. */
static int vsm_op_break(struct vsm_op *async, enum drm_vsm_fault fault, u64 word, u32 info,
			   bool completes)
{
	struct vsm_report report = { .rules = DRM_VSM_RULE(fault), .word = word, .info = info };

	if (likely(!fault))
		return 0;
	if (!(async->cluster->geo.report & report.rules)) {
		async->insn.result = word;
		return vsm_op_refuse(async, fault, info);
	}
	vsm_op_report(async, &report, completes);
	return 0;
}

/* --- issue ------------------------------------------------------------------------ */

static int vsm_op_enter(struct vsm_op *async, struct vsm_hazards *set,
			   struct vsm_hazard *hazard, u64 start, u64 size, enum vsm_use use)
{
	return vsm_op_break(async, vsm_hazard_enter(set, hazard, start, size, use,
						       async->cluster->geo.report), 0, 0, false);
}

static int vsm_op_enter_global(struct vsm_op *async)
{
	const struct drm_vsm_copy_operands *o = &async->insn.u.copy;
	u8 moves = vsm_op_moves(async);
	struct vsm_hazards *set = &async->buffer->hazards;

	/* A tensor's box is not a range of bytes, and neither is what a byteMask leaves. */
	if (moves & TENSOR || async->insn.mods & DRM_VSM_MOD_CP_MASK)
		return 0;
	if (moves & FROM_BUFFER)
		return vsm_op_enter(async, set, &async->source, o->offset,
				       async->insn.mods & DRM_VSM_MOD_SRC_SIZE ? o->src_size
									       : async->size,
				       VSM_USE_READ);
	return vsm_op_enter(async, set, &async->target.hazard, o->offset, async->size,
			       moves & REDUCES ? VSM_USE_REDUCE : VSM_USE_WRITE);
}

/* No object may be in the bytes that it reads or writes. */
static int vsm_op_check(struct vsm_op *async, u32 addr, enum drm_vsm_fault fault,
			   bool completes)
{
	u32 info = 0;
	u64 word = 0;

	if (likely(!vsm_engine_finds_object(async->cluster, addr, async->size, &word, &info)))
		return 0;
	return vsm_op_break(async, fault, word, info, completes);
}

/* The window's address of what it reads there. */
static u32 vsm_op_from(const struct vsm_op *async)
{
	return vsm_op_moves(async) & TO_WINDOW ? async->insn.u.copy.src : addr_of(async);
}

static int vsm_op_check_source(struct vsm_op *async, bool completes)
{
	/* Which bytes a masked copy reads is not told. */
	if (async->insn.mods & DRM_VSM_MOD_CP_MASK)
		return 0;
	return vsm_op_check(async, vsm_op_from(async), DRM_VSM_FAULT_READ_OVER_LIVE,
			       completes);
}

static int vsm_op_enter_window(struct vsm_op *async)
{
	u32 from = vsm_op_from(async);
	int ret = vsm_op_check_source(async, false);

	return ret ?: vsm_op_enter(async, async->cluster->hazards, &async->source,
			       vsm_op_offset(async, from), async->size, VSM_USE_READ);
}

static void vsm_op_leave(struct vsm_op *async)
{
	unsigned long targets;
	u32 rank;

	vsm_hazard_leave(&async->source);
	vsm_hazard_leave(&async->target.hazard);
	if (!vsm_op_is_multicast(async))
		return;
	targets = vsm_op_targets(async);
	for_each_set_bit(rank, &targets, VSM_MAX_CTAS)
		vsm_hazard_leave(&vsm_op_target(async, rank)->hazard);
}

static bool vsm_op_binds(const struct vsm_op *async)
{
	/* Without bytes to come nothing keeps the phase: there is nothing to be late for. */
	return vsm_op_moves(async) & COMPLETES && async->tx;
}

/* Enter a window, and bind to the mbarrier there. */
static int vsm_op_begin_target(struct vsm_op *async, u32 rank)
{
	struct vsm_target *target = vsm_op_target(async, rank);
	struct vsm_cluster *cluster = async->cluster;
	u32 addr = vsm_op_at(addr_of(async), rank);
	u32 mbar = vsm_op_at(mbar_of(async), rank);
	enum drm_vsm_fault fault = DRM_VSM_FAULT_NONE;
	int ret;

	ret = vsm_op_check(async, addr, DRM_VSM_FAULT_WRITE_OVER_LIVE, false);
	if (!ret && cluster->geo.strict)
		ret = vsm_op_enter(async, cluster->hazards, &target->hazard,
				      vsm_op_offset(async, addr), async->size,
				      vsm_op_moves(async) & REDUCES ? VSM_USE_REDUCE
								       : VSM_USE_WRITE);
	if (ret)
		return ret;
	if (!vsm_op_binds(async))
		return 0;
	fault = vsm_engine_bind(cluster, mbar, &target->serial);
	if (fault) {
		async->insn.result = READ_ONCE(*(u64 *)vsm_cluster_mem(cluster, mbar));
		return vsm_op_refuse(async, fault, 0);
	}
	async->bound |= BIT(rank);
	return 0;
}

/* Does a cp.async.mbarrier.arrive count as a pending arrival? Nothing else does. */
static bool vsm_op_raised(const struct vsm_op *async)
{
	return async->insn.op == DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE &&
	       !(async->insn.mods & DRM_VSM_MOD_NOINC);
}

static void vsm_op_unbind(struct vsm_op *async, u32 rank, u32 mbar)
{
	if (!(async->bound & BIT(rank)))
		return;
	async->bound &= ~BIT(rank);
	vsm_engine_unbind(async->cluster, vsm_op_at(mbar, rank), vsm_op_raised(async),
			 vsm_op_target(async, rank)->serial);
}

static void vsm_op_unbind_all(struct vsm_op *async, u32 mbar)
{
	unsigned long bound = async->bound;
	u32 rank;

	for_each_set_bit(rank, &bound, VSM_MAX_CTAS)
		vsm_op_unbind(async, rank, mbar);
}

static int vsm_op_begin_targets(struct vsm_op *async)
{
	unsigned long targets = vsm_op_targets(async);
	u32 rank;
	int ret;

	for_each_set_bit(rank, &targets, VSM_MAX_CTAS) {
		ret = vsm_op_begin_target(async, rank);
		cond_resched();
		if (ret) {
			vsm_op_unbind_all(async, mbar_of(async));
			return ret;
		}
	}
	return 0;
}

/* A cp.async.mbarrier.arrive, which is in its own CTA. */
static int vsm_op_begin_arrive(struct vsm_op *async)
{
	u32 rank = vsm_addr_rank(async->insn.u.mbarrier.addr);
	struct vsm_report report = {};
	int ret;

	ret = vsm_engine_issue(async->cluster, &async->insn, async->cta, async->thread,
			      &async->target.serial, &report);
	vsm_op_report(async, &report, false);
	if (!ret)
		async->bound = BIT(rank);
	return ret;
}

/**
 * vsm_op_begin - An operation is issued: what it begins, and what it must not meet
 * @async: Prepared operation, whose instruction gets the results
 *
 * Return: 0, the operation being in flight; or as vsm_engine_issue(), nothing having begun.
 */
int vsm_op_begin(struct vsm_op *async)
{
	struct vsm_cluster *cluster = async->cluster;
	u8 moves = vsm_op_moves(async);
	int ret = 0;

	if (async->insn.op == DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE)
		return vsm_op_begin_arrive(async);

	/* A prefetch moves nothing, so it is in nobody's way. */
	if (!(moves & (TO_BUFFER | TO_WINDOW)))
		return 0;
	/* Pairs with the increment in vsm_engine_init(): what counts here is seen from here on. */
	async->inits = atomic_read_acquire(&cluster->inits);
	if (cluster->geo.strict && moves & (FROM_BUFFER | TO_BUFFER))
		ret = vsm_op_enter_global(async);
	if (cluster->geo.strict && !ret && moves & FROM_WINDOW)
		ret = vsm_op_enter_window(async);
	if (!ret && moves & TO_WINDOW)
		ret = vsm_op_begin_targets(async);
	if (ret)
		vsm_op_leave(async);
	return ret;
}

/* --- completion ------------------------------------------------------------------- */

/* An operation on the mbarrier of a window; if it is the @last one there, unbind from it. */
static int vsm_op_complete(struct vsm_op *async, struct drm_vsm_insn *complete, u32 rank,
			      bool last)
{
	struct vsm_cluster *cluster = async->cluster;
	struct vsm_report report = {};
	int ret;

	if (last && async->bound & BIT(rank)) {
		ret = vsm_engine_run_bound(cluster, complete, async->cta, async->thread,
					  vsm_op_raised(async),
					  vsm_op_target(async, rank)->serial, &report);
		if (ret != -EBUSY)
			async->bound &= ~BIT(rank);
	} else {
		ret = vsm_engine_run(cluster, complete, async->cta, async->thread);
	}
	if (ret == VSM_REPORTS)
		ret = vsm_engine_run_reporting(cluster, complete, async->cta, async->thread,
					      &report);
	vsm_op_report(async, &report, true);
	/* Of several only the first is told of. */
	if (ret == -EPROTO && !async->insn.fault) {
		async->insn.fault = complete->fault;
		async->insn.result = complete->result;
		async->insn.info = complete->info;
	}
	return ret;
}

static int vsm_op_arrive(struct vsm_op *async)
{
	u32 addr = async->insn.u.mbarrier.addr;
	struct drm_vsm_insn complete = {
		.op = DRM_VSM_OP_MBARRIER_ARRIVE,
		.mods = DRM_VSM_MOD_SINK,
		.u.mbarrier.addr = addr,
	};

	if (vsm_op_raised(async) && async->cluster->geo.layout == VSM_LAYOUT_SM_90) {
		complete.op = DRM_VSM_OP_MBARRIER_COMPLETE_TX;
		complete.mods = 0;
		complete.u.mbarrier.tx_count = 1;
	}
	return vsm_op_complete(async, &complete, vsm_addr_rank(addr), true);
}

static int vsm_op_complete_tx(struct vsm_op *async, u32 rank)
{
	u32 split = READ_ONCE(async->cluster->vdev->model.split_bytes);
	struct drm_vsm_insn complete = {
		.op = DRM_VSM_OP_MBARRIER_COMPLETE_TX,
		.u.mbarrier.addr = vsm_op_at(mbar_of(async), rank),
	};
	int ret;

	do {
		u32 bytes = split ? min(async->left, split) : async->left;

		complete.u.mbarrier.tx_count = bytes;
		/* The last bytes unbind it: the phase cannot end before them. */
		ret = vsm_op_complete(async, &complete, rank, bytes == async->left);
		if (ret == -EBUSY)
			return ret;
		async->busy = 0;
		async->left -= bytes;
		cond_resched();
	} while (async->left && !ret);
	vsm_op_unbind(async, rank, mbar_of(async));
	return ret;
}

/*
 * As memcpy(), for multiples of 16, word by word: whoever looks at the memory meanwhile sees no
 * word in halves. And where instructions are emulated one by one it is much faster than the
 * string instruction that memcpy() is on most processors.
 */
static void vsm_copy_words(void *to, const void *from, u32 size)
{
	const u64 *source = from;
	u64 *target = to;
	u32 i;

	for (; size >= 8 * sizeof(u64); size -= 8 * sizeof(u64)) {
#pragma GCC unroll 8
		for (i = 0; i < 8; i++)
			WRITE_ONCE(target[i], READ_ONCE(source[i]));
		source += 8;
		target += 8;
	}
	for (i = 0; i < size / sizeof(u64); i++)
		WRITE_ONCE(target[i], READ_ONCE(source[i]));
}

/* byteMask: a bit for each byte of 16. */
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

/* All bytes of a copy, in pieces between which others may have the processor. */
static void vsm_copy(void *to, const void *from, u32 size)
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

static void vsm_op_move_to_window(struct vsm_op *async, u32 rank)
{
	const struct drm_vsm_insn *insn = &async->insn;
	const struct drm_vsm_copy_operands *o = &insn->u.copy;
	struct vsm_cluster *cluster = async->cluster;
	void *to = vsm_cluster_mem(cluster, vsm_op_at(o->addr, rank));
	void *global = async->buffer ? async->buffer->map.vaddr : NULL;
	u32 bytes = async->size;

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
		vsm_tensor_load(&async->more->map, &insn->u.tensor,
				global + async->more->map.offset,
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

static void vsm_op_move_to_buffer(struct vsm_op *async)
{
	const struct drm_vsm_insn *insn = &async->insn;
	const struct drm_vsm_copy_operands *o = &insn->u.copy;
	const void *from = vsm_cluster_mem(async->cluster, o->addr);
	const void *window = from - vsm_addr_offset(o->addr);
	void *global = async->buffer->map.vaddr;

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
		vsm_tensor_store(&async->more->map, &insn->u.tensor,
				 global + async->more->map.offset, window,
				 vsm_addr_offset(o->addr));
		break;
	case DRM_VSM_OP_CP_REDUCE_ASYNC_BULK_TENSOR:
		vsm_tensor_reduce(&async->more->map, &insn->u.tensor, insn->red & 0xf,
				  global + async->more->map.offset, window,
				  vsm_addr_offset(o->addr));
		break;
	}
}

/* There may be an object by now that was not there when the copy was issued. */
static int vsm_op_check_again(struct vsm_op *async)
{
	unsigned long targets = vsm_op_targets(async);
	u8 moves = vsm_op_moves(async);
	int ret = 0;
	u32 rank;

	if (atomic_read_acquire(&async->cluster->inits) == async->inits)
		return 0;
	if (moves & FROM_WINDOW)
		ret = vsm_op_check_source(async, true);
	if (!(moves & TO_WINDOW))
		targets = 0;
	for_each_set_bit(rank, &targets, VSM_MAX_CTAS) {
		if (ret)
			break;
		ret = vsm_op_check(async, vsm_op_at(addr_of(async), rank),
				      DRM_VSM_FAULT_WRITE_OVER_LIVE, true);
	}
	if (ret)
		vsm_op_drop(async);
	return ret;
}

static int vsm_op_move_to_windows(struct vsm_op *async)
{
	unsigned long targets = vsm_op_targets(async);
	u32 rank;
	int ret;

	ret = vsm_op_check_again(async);
	if (ret)
		return ret;
	for_each_set_bit(rank, &targets, VSM_MAX_CTAS) {
		vsm_op_move_to_window(async, rank);
		cond_resched();
	}
	vsm_op_leave(async);
	async->moved = true;
	async->left = async->tx;
	async->incomplete = vsm_op_moves(async) & COMPLETES ? targets : 0;
	return 0;
}

static int vsm_op_perform_to_window(struct vsm_op *async)
{
	unsigned long targets;
	u32 rank;
	int ret;

	if (!async->moved) {
		ret = vsm_op_move_to_windows(async);
		if (ret)
			return ret;
	}
	targets = async->incomplete;
	for_each_set_bit(rank, &targets, VSM_MAX_CTAS) {
		ret = vsm_op_complete_tx(async, rank);
		if (ret == -EBUSY)
			return ret;
		async->left = async->tx;
		async->incomplete &= ~BIT(rank);
		if (ret && !async->error)
			async->error = ret;
	}
	return async->error;
}

/**
 * vsm_op_perform - Perform an operation that is in flight, and complete it
 * @async: Operation, whose instruction gets the results
 *
 * Context: may sleep; allocates nothing.
 *
 * Return: 0, -EPROTO or -EIO; -EBUSY if somebody else keeps writing a word that it completes
 * on: it is in flight still, and to be performed once more.
 */
int vsm_op_perform(struct vsm_op *async)
{
	u8 moves = vsm_op_moves(async);

	if (READ_ONCE(async->cluster->lost)) {
		vsm_op_drop(async);
		return -EIO;
	}
	if (async->insn.op == DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE)
		return vsm_op_arrive(async);
	if (moves & TO_WINDOW)
		return vsm_op_perform_to_window(async);
	if (moves & TO_BUFFER) {
		int ret = vsm_op_check_again(async);

		if (ret)
			return ret;
		vsm_op_move_to_buffer(async);
	}
	vsm_op_leave(async);
	return 0;
}

/**
 * vsm_op_drop - End an operation that is in flight, as if it had not been issued
 * @async: Operation
 *
 * What of it has happened already stays.
 */
void vsm_op_drop(struct vsm_op *async)
{
	if (async->insn.op == DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE) {
		vsm_op_unbind_all(async, async->insn.u.mbarrier.addr);
		return;
	}
	vsm_op_unbind_all(async, mbar_of(async));
	vsm_op_leave(async);
}

/**
 * vsm_op_unprepare - Put what vsm_op_prepare() has got
 * @async: Operation that is not in flight
 */
void vsm_op_unprepare(struct vsm_op *async)
{
	vsm_bo_put(async->buffer);
	if (unlikely(async->extra)) {
		kfree(async->more);
		vsm_client_uncharge(async->client, VSM_RES_BYTES, async->extra);
	}
	async->buffer = NULL;
	async->more = NULL;
	async->extra = 0;
}
