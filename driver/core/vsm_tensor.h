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
