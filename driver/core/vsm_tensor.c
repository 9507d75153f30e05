// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tensor copies: which instruction fits which tensor map, and the moving of boxes.
 */
#include "vsm_core.h"

/* --- which instruction fits which map -------------------------------------------- */

/* The reduction by @op of elements of @type, or 0 if there is none. */
static __u8 vsm_tensor_red(__u32 type, __u8 op)
{
	static const __u8 types[] = {
		[DRM_VSM_TENSOR_UINT32] = DRM_VSM_TYPE_U32,
		[DRM_VSM_TENSOR_INT32] = DRM_VSM_TYPE_S32,
		[DRM_VSM_TENSOR_UINT64] = DRM_VSM_TYPE_U64,
		[DRM_VSM_TENSOR_INT64] = DRM_VSM_TYPE_S64,
		[DRM_VSM_TENSOR_FLOAT16] = DRM_VSM_TYPE_F16,
		[DRM_VSM_TENSOR_FLOAT32] = DRM_VSM_TYPE_F32,
		[DRM_VSM_TENSOR_FLOAT64] = DRM_VSM_TYPE_F64,
		[DRM_VSM_TENSOR_BFLOAT16] = DRM_VSM_TYPE_BF16,
		[DRM_VSM_TENSOR_FLOAT32_FTZ] = DRM_VSM_TYPE_F32,
		[DRM_VSM_TENSOR_TFLOAT32_FTZ] = 0,
	};
	__u8 red = types[array_index_nospec(type, sizeof(types))];

	if (op >= DRM_VSM_RED_AND && red && !vsm_tensor_type_is_float(type))
		red = vsm_tensor_type_size(type) == 4 ? DRM_VSM_TYPE_B32 : DRM_VSM_TYPE_B64;
	red = DRM_VSM_RED(op, red);
	return vsm_reduce_valid(red, VSM_REDUCE_TENSOR) ? red : 0;
}

static enum drm_vsm_tensor_error vsm_tensor_check_im2col(const struct drm_vsm_tensor_map *map,
							 const struct drm_vsm_tensor_operands *o)
{
	const __s32 *coords = o->coords + vsm_tensor_row_dim(map);
	__u32 d;

	if (o->offsets >> (map->rank - 2) * vsm_tensor_offset_bits(map))
		return DRM_VSM_TENSOR_OFFSETS;
	for (d = 0; d + 2 < map->rank; d++)
		if (coords[d] < map->lower[d] || coords[d] > vsm_tensor_last_pixel(map, d))
			return DRM_VSM_TENSOR_OUTSIDE;
	return DRM_VSM_TENSOR_OK;
}

/*
 * Does the box begin at a negative coordinate? A load may begin there. A store that begins there
 * traps on an H100.
 */
static bool vsm_tensor_begins_negative(const struct drm_vsm_tensor_map *map,
				       const struct drm_vsm_tensor_operands *o)
{
	__u32 d;

	for (d = 0; d < map->rank; d++)
		if (o->coords[d] < 0)
			return true;
	return false;
}

/**
 * vsm_tensor_check - Does an instruction fit a tensor map?
 * @map: A tensor map that vsm_tensor_map_check() accepts
 * @insn: A checked instruction that uses the map
 *
 * Return: The rule that the instruction breaks, or %DRM_VSM_TENSOR_OK.
 */
enum drm_vsm_tensor_error vsm_tensor_check(const struct drm_vsm_tensor_map *map,
					   const struct drm_vsm_insn *insn)
{
	const struct drm_vsm_tensor_operands *o = &insn->u.tensor;
	bool im2col = map->mode == DRM_VSM_TENSOR_IM2COL;
	bool store = insn->op == DRM_VSM_OP_CP_ASYNC_BULK_TENSOR_S2G ||
		     insn->op == DRM_VSM_OP_CP_REDUCE_ASYNC_BULK_TENSOR;

	if (insn->red >> 4 != map->rank)
		return DRM_VSM_TENSOR_DIMS;
	if (!!(insn->mods & DRM_VSM_MOD_IM2COL) != im2col)
		return DRM_VSM_TENSOR_LOAD_MODE;
	if (o->offsets && (store || !im2col))
		return DRM_VSM_TENSOR_OFFSETS;
	if (insn->op == DRM_VSM_OP_CP_REDUCE_ASYNC_BULK_TENSOR &&
	    !vsm_tensor_red(map->type, insn->red & 0xf))
		return DRM_VSM_TENSOR_REDUCTION;
	if (!map->interleave &&
	    (__u32)o->coords[0] * vsm_tensor_type_size(map->type) % VSM_TENSOR_CHUNK)
		return DRM_VSM_TENSOR_ALIGNMENT;
	if (store && vsm_tensor_begins_negative(map, o))
		return DRM_VSM_TENSOR_NEGATIVE;
	return im2col ? vsm_tensor_check_im2col(map, o) : DRM_VSM_TENSOR_OK;
}

/* --- boxes ----------------------------------------------------------------------- */

/*
 * Tensor copies. A box is moved row by row. A row is contiguous in shared memory: it is the
 * innermost dimension of the box, or a slice of one pixel of an interleaved tensor. A row consists
 * of a few runs. A run is contiguous in global memory, or entirely out of bounds.
 */

#ifdef __KERNEL__
#include <linux/string.h>
#else
#include <string.h>
#endif

/* A row is out of bounds at its beginning, then in bounds, then out of bounds again. */
#define VSM_TENSOR_MAX_RUNS	3

#define VSM_TENSOR_OOB_NAN	0x7ff7	/* in every 16 bits, as observed on Hopper */

/*
 * Kinds of move. They are compile-time constants at each use, which gives each kind its own loop.
 */
enum vsm_tensor_move {
	VSM_TENSOR_LOAD,
	VSM_TENSOR_LOAD_TF32,
	VSM_TENSOR_STORE,
	VSM_TENSOR_REDUCE,
};

/**
 * struct vsm_tensor_run - Elements of a row that are moved together
 * @global: Bytes from the row's pixel in global memory to the run
 * @shared: Bytes from the beginning of the row in shared memory to the run
 * @bytes: Bytes of the run
 * @inside: The run is in bounds
 */
struct vsm_tensor_run {
	__u64 global;
	__u16 shared;
	__u16 bytes;
	bool inside;
};

/**
 * struct vsm_tensor_copy - A tensor copy in progress
 * @map: Tensor map
 * @global: Begin of the tensor
 * @window: Begin of the CTA's window
 * @at: Offset of the next row in the window
 * @pitch: Bytes from one row to the next in the window
 * @row: Bytes of a row
 * @swizzle: Mask of the bits of a window offset that the swizzle changes; it XORs them with the
 *	bits of the offset from bit 7 up
 * @red: Reduction, DRM_VSM_RED()
 * @left: Bytes to move before the next call of vsm_core_resched()
 * @count: Number of runs in @runs
 * @runs: Runs of the rows that are being moved
 */
struct vsm_tensor_copy {
	const struct drm_vsm_tensor_map *map;
	__u8 *global;
	__u8 *window;
	__u32 at;
	__u32 pitch;
	__u32 row;
	__u32 swizzle;
	__u8 red;
	__u32 left;
	__u32 count;
	struct vsm_tensor_run runs[VSM_TENSOR_MAX_RUNS];
};

/* Round as cvt.rna.tf32.f32 does. */
static __u32 vsm_tensor_tf32(__u32 bits)
{
	if ((bits & 0x7fffffff) > 0x7f800000)
		return 0x7fffe000;
	return (bits & 0x7fffffff) == 0x7f800000 ? bits : (bits + 0x1000) & ~0x1fffU;
}

static void vsm_tensor_load_tf32(__u8 *to, const __u8 *from, __u32 bytes)
{
	__u32 bits, i;

	for (i = 0; i < bytes; i += sizeof(bits)) {
		memcpy(&bits, from + i, sizeof(bits));
		bits = vsm_tensor_tf32(bits);
		memcpy(to + i, &bits, sizeof(bits));
	}
}

static void vsm_tensor_fill(const struct vsm_tensor_copy *copy, __u8 *to, __u32 bytes)
{
	const __u16 nan = VSM_TENSOR_OOB_NAN;
	__u32 i;

	if (copy->map->fill != DRM_VSM_TENSOR_FILL_NAN) {
		memset(to, 0, bytes);
		return;
	}
	for (i = 0; i < bytes; i += sizeof(nan))
		memcpy(to + i, &nan, sizeof(nan));
}

static __always_inline void vsm_tensor_move_inside(const struct vsm_tensor_copy *copy,
						   enum vsm_tensor_move move, __u8 *shared,
						   __u8 *global, __u32 bytes)
{
	switch (move) {
	case VSM_TENSOR_LOAD:
		memcpy(shared, global, bytes);
		break;
	case VSM_TENSOR_LOAD_TF32:
		vsm_tensor_load_tf32(shared, global, bytes);
		break;
	case VSM_TENSOR_STORE:
		memcpy(global, shared, bytes);
		break;
	case VSM_TENSOR_REDUCE:
		vsm_reduce(copy->red, global, shared, bytes);
		break;
	}
}

/*
 * Move bytes. If @global is NULL, they are out of bounds: a load fills them, a store does nothing.
 */
static __always_inline void vsm_tensor_move(const struct vsm_tensor_copy *copy,
					    enum vsm_tensor_move move, __u8 *shared,
					    __u8 *global, __u32 bytes)
{
	if (global)
		vsm_tensor_move_inside(copy, move, shared, global, bytes);
	else if (move == VSM_TENSOR_LOAD || move == VSM_TENSOR_LOAD_TF32)
		vsm_tensor_fill(copy, shared, bytes);
}

/*
 * A row is never longer than the width of the swizzle. Therefore one pattern holds for all of it.
 */
static __always_inline void vsm_tensor_move_swizzled(const struct vsm_tensor_copy *copy,
						     enum vsm_tensor_move move, __u32 at,
						     __u8 *global, __u32 bytes)
{
	__u32 pattern = at >> 3 & copy->swizzle, n;

	while (bytes) {
		n = VSM_TENSOR_CHUNK - at % VSM_TENSOR_CHUNK;
		if (n > bytes)
			n = bytes;
		vsm_tensor_move(copy, move, copy->window + (at ^ pattern), global, n);
		global = global ? global + n : NULL;
		at += n;
		bytes -= n;
	}
}

/* Move @n rows that have no gaps and are in bounds. Their distance in global memory is @stride. */
static __always_inline void vsm_tensor_move_whole(struct vsm_tensor_copy *copy,
						  enum vsm_tensor_move move, __u8 *global,
						  __u64 stride, __u32 n)
{
	__u32 at = copy->at, row = copy->row, pitch = copy->pitch, swizzle = copy->swizzle, i;
	__u8 *window = copy->window;

	copy->at += n * pitch;
	if (!swizzle && stride == row) {
		vsm_tensor_move_inside(copy, move, window + at, global, n * row);
	} else if (!swizzle) {
		for (; n; n--, at += pitch, global += stride)
			vsm_tensor_move_inside(copy, move, window + at, global, row);
	} else {
		for (; n; n--, at += pitch, global += stride)
			for (i = 0; i < row; i += VSM_TENSOR_CHUNK)
				vsm_tensor_move_inside(copy, move, window +
						       ((at + i) ^ (at >> 3 & swizzle)),
						       global + i, VSM_TENSOR_CHUNK);
	}
}

/* Count @bytes that have been moved, and let other tasks run after each VSM_CORE_PIECE. */
static __always_inline void vsm_tensor_resched(struct vsm_tensor_copy *copy, __u32 bytes)
{
	if (copy->left > bytes) {
		copy->left -= bytes;
		return;
	}
	copy->left = VSM_CORE_PIECE;
	vsm_core_resched();
}

/*
 * Move @n rows that have no gaps and are in bounds. Their distance in global memory is @stride.
 * Other tasks may run in between.
 */
static __always_inline void vsm_tensor_move_block(struct vsm_tensor_copy *copy,
						  enum vsm_tensor_move move, __u8 *global,
						  __u64 stride, __u32 n)
{
	__u32 some = n;

	if (n * copy->row > VSM_CORE_PIECE)
		some = VSM_CORE_PIECE / copy->row;
	for (; n > some; n -= some, global += some * stride) {
		vsm_tensor_move_whole(copy, move, global, stride, some);
		vsm_tensor_resched(copy, some * copy->row);
	}
	vsm_tensor_move_whole(copy, move, global, stride, n);
	vsm_tensor_resched(copy, n * copy->row);
}

/* Move one row. @pixel is NULL if its pixel is out of bounds. */
static __always_inline void vsm_tensor_move_row(struct vsm_tensor_copy *copy,
						enum vsm_tensor_move move, __u8 *pixel)
{
	const struct vsm_tensor_run none = { .bytes = copy->row };
	const struct vsm_tensor_run *run = pixel ? copy->runs : &none;
	const struct vsm_tensor_run *end = run + (pixel ? copy->count : 1);

	for (; run < end; run++) {
		__u8 *global = run->inside ? pixel + run->global : NULL;
		__u32 at = copy->at + run->shared;

		if (copy->swizzle)
			vsm_tensor_move_swizzled(copy, move, at, global, run->bytes);
		else
			vsm_tensor_move(copy, move, copy->window + at, global, run->bytes);
	}
	copy->at += copy->pitch;
	vsm_tensor_resched(copy, copy->row);
}

/* Append elements to the row: to its last run if they are contiguous with it, else as a new run. */
static void vsm_tensor_add_run(struct vsm_tensor_copy *copy, bool inside, __u64 global,
			       __u32 bytes)
{
	struct vsm_tensor_run *run = &copy->runs[copy->count];
	__u32 shared = 0;

	if (!bytes)
		return;
	if (copy->count) {
		struct vsm_tensor_run *last = run - 1;

		if (inside == last->inside && (!inside || global == last->global + last->bytes)) {
			last->bytes += bytes;
			return;
		}
		shared = last->shared + last->bytes;
	}
	run->global = global;
	run->shared = shared;
	run->bytes = bytes;
	run->inside = inside;
	copy->count++;
}

/*
 * Compute the runs of a row. All rows of a box begin at @coord in dimension 0 and have the same
 * runs. A store writes whole chunks: it also writes the bytes between the end of the tensor's row
 * and the next multiple of 16 bytes.
 */
static void vsm_tensor_set_runs(struct vsm_tensor_copy *copy, enum vsm_tensor_move move,
				__s32 coord)
{
	const struct drm_vsm_tensor_map *map = copy->map;
	__u32 bytes = vsm_tensor_type_size(map->type), n = copy->row / bytes;
	__s64 c = coord, size = map->size[0], before, after;

	copy->count = 0;
	if (map->interleave) {
		vsm_tensor_add_run(copy, true, 0, copy->row);
		return;
	}
	if (move == VSM_TENSOR_STORE)
		size = (size * bytes + VSM_TENSOR_CHUNK - 1) / VSM_TENSOR_CHUNK *
		       VSM_TENSOR_CHUNK / bytes;
	before = c >= 0 ? 0 : -c < n ? -c : n;
	after = c + n <= size ? 0 : c + n - size < n ? c + n - size : n;
	vsm_tensor_add_run(copy, false, 0, before * bytes);
	vsm_tensor_add_run(copy, true, (__u64)(c + before) * bytes, (n - before - after) * bytes);
	vsm_tensor_add_run(copy, false, 0, after * bytes);
}

static bool vsm_tensor_inside(const struct drm_vsm_tensor_map *map, __u32 d, __s64 coord)
{
	return coord >= 0 && coord < (__s64)map->size[d];
}

/* Move all rows that differ only in the dimension of the rows. */
static __always_inline void vsm_tensor_move_rows(struct vsm_tensor_copy *copy,
						 enum vsm_tensor_move move,
						 const struct drm_vsm_tensor_operands *o,
						 __u8 *plane)
{
	const struct drm_vsm_tensor_map *map = copy->map;
	__u32 dim = vsm_tensor_row_dim(map);
	__u32 n = vsm_tensor_map_count(map, dim), step = map->element_stride[dim];
	__u64 stride = vsm_tensor_dim_stride(map, dim);
	__s64 coord = o->coords[dim];
	bool whole = plane && copy->count == 1 && copy->runs[0].inside && coord >= 0 &&
		     coord + (n - 1) * step < (__s64)map->size[dim];

	if (whole) {
		vsm_tensor_move_block(copy, move, plane + (__u64)coord * stride +
				      copy->runs[0].global, step * stride, n);
		return;
	}
	for (; n; n--, coord += step)
		vsm_tensor_move_row(copy, move, plane && vsm_tensor_inside(map, dim, coord) ?
				    plane + (__u64)coord * stride : NULL);
}

/*
 * Compute the global address for the coordinates of the dimensions after the dimension of the rows.
 * Returns NULL if they are out of bounds.
 */
static __u8 *vsm_tensor_plane(const struct vsm_tensor_copy *copy,
			      const struct drm_vsm_tensor_operands *o, const __u32 *index)
{
	const struct drm_vsm_tensor_map *map = copy->map;
	__u64 offset = 0;
	__u32 d;

	for (d = vsm_tensor_row_dim(map) + 1; d < map->rank; d++) {
		__s64 coord = (__s64)o->coords[d] + (__s64)index[d] * map->element_stride[d];

		if (!vsm_tensor_inside(map, d, coord))
			return NULL;
		offset += (__u64)coord * map->stride[d - 1];
	}
	return copy->global + offset;
}

/* Move a tile. Shared memory has the order of the dimensions. */
static __always_inline void vsm_tensor_move_tile(struct vsm_tensor_copy *copy,
						 enum vsm_tensor_move move,
						 const struct drm_vsm_tensor_operands *o)
{
	const struct drm_vsm_tensor_map *map = copy->map;
	__u32 index[VSM_TENSOR_MAX_RANK] = { 0 }, d;

	if (map->rank == 1) {
		vsm_tensor_move_row(copy, move, copy->global);
		return;
	}
	do {
		vsm_tensor_move_rows(copy, move, o, vsm_tensor_plane(copy, o, index));
		for (d = vsm_tensor_row_dim(map) + 1; d < map->rank; d++) {
			if (++index[d] < vsm_tensor_map_count(map, d))
				break;
			index[d] = 0;
		}
	} while (d < map->rank);
}

/* Move a column: pixel by pixel through the bounding box, image by image. */
static __always_inline void vsm_tensor_move_column(struct vsm_tensor_copy *copy,
						   enum vsm_tensor_move move,
						   const struct drm_vsm_tensor_operands *o)
{
	const struct drm_vsm_tensor_map *map = copy->map;
	__u32 bits = vsm_tensor_offset_bits(map), row = vsm_tensor_row_dim(map);
	__u32 image = map->rank - 1, d, i, n;
	__s64 coords[VSM_TENSOR_MAX_RANK];

	for (d = row; d < map->rank; d++)
		coords[d] = o->coords[d];
	for (n = map->pixels; n; n--) {
		__u8 *pixel = copy->global;

		for (d = row, i = 0; pixel && d < map->rank; d++, i++) {
			__s64 at = coords[d];

			if (i + 2 < map->rank)
				at += o->offsets >> i * bits & ((1 << bits) - 1);
			pixel = vsm_tensor_inside(map, d, at) ?
				pixel + (__u64)at * vsm_tensor_dim_stride(map, d) : NULL;
		}
		vsm_tensor_move_row(copy, move, pixel);
		for (i = 0, d = row; i + 2 < map->rank; i++, d++) {
			coords[d] += map->element_stride[d];
			if (coords[d] <= vsm_tensor_last_pixel(map, i))
				break;
			coords[d] = map->lower[i];
		}
		if (i + 2 == map->rank)
			coords[image] += map->element_stride[image];
	}
}

/*
 * Move a tile of two dimensions that is entirely in bounds, as most tiles are. It needs no search
 * for runs, which would take longer than the move of a small tile. Returns false if the tile is not
 * of this kind.
 */
static __always_inline bool vsm_tensor_move_inner(struct vsm_tensor_copy *copy,
						  enum vsm_tensor_move move,
						  const struct drm_vsm_tensor_operands *o)
{
	const struct drm_vsm_tensor_map *map = copy->map;
	__s64 x = o->coords[0], y = o->coords[1], last;
	__u32 n;

	if (map->rank != 2 || map->interleave || map->mode != DRM_VSM_TENSOR_TILED)
		return false;
	n = vsm_tensor_map_count(map, 1);
	last = y + (n - 1) * map->element_stride[1];
	if (x < 0 || x + map->box[0] > (__s64)map->size[0] || y < 0 || last >= (__s64)map->size[1])
		return false;
	vsm_tensor_move_block(copy, move, copy->global + y * map->stride[0] +
			      x * vsm_tensor_type_size(map->type),
			      map->element_stride[1] * map->stride[0], n);
	return true;
}

static __always_inline void vsm_tensor_move_box(const struct drm_vsm_tensor_map *map,
						enum vsm_tensor_move move,
						const struct drm_vsm_tensor_operands *o, __u8 red,
						const void *global, const void *window,
						__u32 offset)
{
	__u32 span = vsm_tensor_swizzle_bytes(map);
	struct vsm_tensor_copy copy;

	/* The const qualifiers are dropped: the kind of move decides which side is written. */
	copy.map = map;
	copy.global = (__u8 *)global;
	copy.window = (__u8 *)window;
	copy.at = offset;
	copy.row = vsm_tensor_map_row(map);
	copy.pitch = span && !map->interleave ? span : copy.row;
	copy.swizzle = span ? span - VSM_TENSOR_CHUNK : 0;
	copy.red = red;
	copy.left = VSM_CORE_PIECE;

	if (vsm_tensor_move_inner(&copy, move, o))
		return;
	vsm_tensor_set_runs(&copy, move, o->coords[0]);
	if (map->mode == DRM_VSM_TENSOR_TILED)
		vsm_tensor_move_tile(&copy, move, o);
	else
		vsm_tensor_move_column(&copy, move, o);
}

/*
 * Copy a box from global to shared memory.
 * @map: A tensor map that vsm_tensor_map_check() accepts
 * @o: Operands; the instruction need not have passed vsm_tensor_check()
 * @global: Begin of the tensor, at &drm_vsm_tensor_map.offset of the buffer, with at least
 *	vsm_tensor_map_extent() bytes
 * @offset: Offset of the box in the window, a multiple of 128, with at least
 *	vsm_tensor_map_window() bytes behind it
 *
 * Elements out of bounds become 0 or NaN. TFLOAT32 elements are rounded.
 */
void vsm_tensor_load(const struct drm_vsm_tensor_map *map,
		     const struct drm_vsm_tensor_operands *o, const void *global,
		     void *window, __u32 offset)
{
	if (map->type == DRM_VSM_TENSOR_TFLOAT32 || map->type == DRM_VSM_TENSOR_TFLOAT32_FTZ)
		vsm_tensor_move_box(map, VSM_TENSOR_LOAD_TF32, o, 0, global, window, offset);
	else
		vsm_tensor_move_box(map, VSM_TENSOR_LOAD, o, 0, global, window, offset);
}

/*
 * Copy a box from shared to global memory.
 * @map: A tensor map that vsm_tensor_map_check() accepts
 * @o: Operands; the instruction need not have passed vsm_tensor_check()
 * @global: Begin of the tensor in the buffer, as for vsm_tensor_load()
 * @offset: Offset of the box in the window, as for vsm_tensor_load()
 *
 * Elements out of bounds are not written. The innermost dimension ends at the next multiple of 16
 * bytes here.
 */
void vsm_tensor_store(const struct drm_vsm_tensor_map *map,
		      const struct drm_vsm_tensor_operands *o, void *global,
		      const void *window, __u32 offset)
{
	vsm_tensor_move_box(map, VSM_TENSOR_STORE, o, 0, global, window, offset);
}

/*
 * Reduce a box of shared memory into global memory.
 * @map: A tensor map that vsm_tensor_map_check() accepts
 * @o: Operands; the instruction need not have passed vsm_tensor_check()
 * @red: &drm_vsm_insn.red of an instruction that passed vsm_tensor_check()
 * @global: Begin of the tensor in the buffer, as for vsm_tensor_load()
 * @offset: Offset of the box in the window, as for vsm_tensor_load()
 *
 * Each element is reduced by an atomic operation of its own. Elements out of bounds are not
 * written.
 */
void vsm_tensor_reduce(const struct drm_vsm_tensor_map *map,
		       const struct drm_vsm_tensor_operands *o, __u8 red, void *global,
		       const void *window, __u32 offset)
{
	vsm_tensor_move_box(map, VSM_TENSOR_REDUCE, o, vsm_tensor_red(map->type, red & 0xf), global,
			    window, offset);
}
