// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which instruction fits which tensor map, and which reduction it is.
 */
#include "vsm_reduce.h"
#include "vsm_tensor.h"

/* The reduction by @op of elements of @type, or 0 if there is none. */
__u8 vsm_tensor_red(__u32 type, __u8 op)
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
	__u32 d;

	if (o->offsets >> (map->rank - 2) * vsm_tensor_offset_bits(map))
		return DRM_VSM_TENSOR_OFFSETS;
	for (d = 1; d + 1 < map->rank; d++)
		if (o->coords[d] < map->lower[d - 1] ||
		    o->coords[d] > vsm_tensor_last_pixel(map, d))
			return DRM_VSM_TENSOR_OUTSIDE;
	return DRM_VSM_TENSOR_OK;
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
	if ((__u32)o->coords[0] * vsm_tensor_type_size(map->type) % VSM_TENSOR_CHUNK)
		return DRM_VSM_TENSOR_ALIGNMENT;
	return im2col ? vsm_tensor_check_im2col(map, o) : DRM_VSM_TENSOR_OK;
}
