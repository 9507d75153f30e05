// SPDX-License-Identifier: GPL-2.0-only
/*
 * Preparation of an asynchronous operation: its buffer, its tensor map, its bounds.
 */
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "copy/vsm_prepare.h"
#include "core/vsm_tensor.h"

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

/**
 * vsm_op_prepare - Get what an operation needs
 * @op: Operation with a checked instruction whose results are 0; the instruction gets its fault.
 *	The client has been charged for the operation, and for vsm_op_extra() bytes
 * @cache: Cache of the buffers that the stream names
 *
 * Context: ioctl.
 *
 * Return: 0; -EPROTO; -ENOENT, -EFAULT or -ENOMEM; or the error of vsm_bo_vmap(). The caller has to
 * call vsm_op_unprepare() in any case.
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
