/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tensor copies: which instruction fits which tensor map, and the moving of boxes. The tensor map
 * and the operands must be private copies, because all addresses are computed from them. The memory
 * on both sides may change at any time.
 */
#ifndef _VSM_TENSOR_H_
#define _VSM_TENSOR_H_

#include "vsm_core.h"

#include <drm/vsm_tensor.h>

#define VSM_TENSOR_CHUNK	16	/* bytes that a swizzle keeps together */

/* Number of bits that &drm_vsm_tensor_operands.offsets of an im2col map has for each dimension. */
static inline __u32 vsm_tensor_offset_bits(const struct drm_vsm_tensor_map *map)
{
	return map->rank == 3 ? 16 : map->rank == 4 ? 8 : 5;
}

/* The upper corner of the bounding box is given relative to the last pixel of the image. */
static inline __s64 vsm_tensor_last_pixel(const struct drm_vsm_tensor_map *map, __u32 d)
{
	return (__s64)map->size[d] - 1 + map->upper[d - 1];
}

__u8 vsm_tensor_red(__u32 type, __u8 op);
enum drm_vsm_tensor_error vsm_tensor_check(const struct drm_vsm_tensor_map *map,
					   const struct drm_vsm_insn *insn);
void vsm_tensor_load(const struct drm_vsm_tensor_map *map,
		     const struct drm_vsm_tensor_operands *o, const void *global,
		     void *window, __u32 offset);
void vsm_tensor_store(const struct drm_vsm_tensor_map *map,
		      const struct drm_vsm_tensor_operands *o, void *global,
		      const void *window, __u32 offset);
void vsm_tensor_reduce(const struct drm_vsm_tensor_map *map,
		       const struct drm_vsm_tensor_operands *o, __u8 red, void *global,
		       const void *window, __u32 offset);

#endif
