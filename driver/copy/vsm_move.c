// SPDX-License-Identifier: GPL-2.0-only
/*
 * Moving the bytes of an asynchronous operation.
 */
#include <linux/sched.h>
#include <linux/string.h>

#include "copy/vsm_move.h"
#include "copy/vsm_op.h"
#include "core/vsm_reduce.h"
#include "core/vsm_tensor.h"

/*
 * Copy a multiple of 16 bytes, word by word. A reader of the memory therefore never sees half of a
 * word. In an emulated machine this is also much faster than memcpy(), which is a string
 * instruction on most processors.
 */
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
void vsm_op_move_to_buffer(struct vsm_op *op)
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
