/* SPDX-License-Identifier: MIT */
/*
 * A slow model of tensor copies, element by element, from the text and the tables of PTX 5.5.
 * It shares only the structures with the driver.
 */
#ifndef VSM_UNIT_TENSOR_MODEL_H
#define VSM_UNIT_TENSOR_MODEL_H

#include <stdbool.h>

#include <drm/vsm_drm.h>

/* Example 1 of PTX 5.5.4.1: NHWC of 64 x 14 x 9 x 64, with a filter of 3 x 3 pixels. */
static const struct drm_vsm_tensor_map nhwc = {
	.type = DRM_VSM_TENSOR_UINT16,
	.rank = 4,
	.mode = DRM_VSM_TENSOR_IM2COL,
	.channels = 8,
	.pixels = 64,
	.size = { 64, 9, 14, 64 },
	.stride = { 128, 1152, 16128 },
	.lower = { -1, -1 },
	.upper = { -1, -1 },
	.element_stride = { 1, 1, 1, 1 },
};

/* An element of a box */
struct tensor_element {
	__u64 shared;	/* offset of the element in the window, in bytes */
	__u64 global;	/* offset of the element in the tensor, in bytes, if it is in bounds */
	bool inside;	/* the element is in bounds */
	__u32 size;	/* size of the element in bytes */
};

typedef void (*tensor_visit)(const struct tensor_element *element, void *data);

/*
 * Visits all elements of the box, in the order of their addresses without a swizzle. @store: the
 * copy is a store, not a reduction, and writes whole chunks of 16 bytes.
 */
void tensor_model(const struct drm_vsm_tensor_map *map, const struct drm_vsm_tensor_operands *o,
		  __u32 offset, bool store, tensor_visit visit, void *data);

/* Returns the number of the 16-byte chunk that is at @place in a line of 128 bytes. */
__u32 tensor_model_chunk(__u32 swizzle, __u64 line, __u32 place);

__u32 tensor_model_size(__u32 type);

#endif
