// SPDX-License-Identifier: MIT
/*
 * Tensor maps. What CUDA's encoders refuse, vsm_tensor_map_check() refuses; here is
 * what a map cannot hold in the first place.
 */
#include <errno.h>

#include "internal.h"

/*
 * struct vsm_tensor_args - What both ways to encode a map take
 * @map: The map; what it has no room for makes &bad
 * @bad: A number did not fit
 */
struct vsm_tensor_args {
	struct drm_vsm_tensor_map map;
	bool bad;
};

/* A field gets a number. */
#define SET(args, field, number)						\
	do {									\
		(args)->map.field = (number);					\
		(args)->bad |= (args)->map.field != (number);			\
	} while (0)

static void vsm_tensor_set(struct vsm_tensor_args *args, enum drm_vsm_tensor_type type,
			   uint32_t rank, uint64_t offset, const uint64_t *global_dim,
			   const uint64_t *global_strides, const uint32_t *element_strides)
{
	uint32_t d;

	SET(args, type, type);
	SET(args, rank, rank);
	SET(args, offset, offset);
	for (d = 0; d < rank; d++) {
		SET(args, size[d], global_dim[d]);
		SET(args, element_stride[d], element_strides[d]);
		if (d)
			SET(args, stride[d - 1], global_strides[d - 1]);
	}
}

static void vsm_tensor_set_layout(struct vsm_tensor_args *args,
				  enum drm_vsm_tensor_interleave interleave,
				  enum drm_vsm_tensor_swizzle swizzle, uint32_t l2_promotion,
				  enum drm_vsm_tensor_fill fill)
{
	SET(args, interleave, interleave);
	SET(args, swizzle, swizzle);
	SET(args, l2_promotion, l2_promotion);
	SET(args, fill, fill);
}

/* Whole and in its buffer, the map is the caller's. */
static int vsm_tensor_finish(struct vsm_tensor_args *args, const struct vsm_buffer *buffer,
			     struct drm_vsm_tensor_map *map)
{
	uint64_t size = vsm_buffer_size(buffer);

	args->map.buffer = vsm_buffer_handle(buffer);
	if (args->bad || (uintptr_t)map % 64 || vsm_tensor_map_check(&args->map))
		return -EINVAL;
	if (args->map.offset > size || vsm_tensor_map_extent(&args->map) > size - args->map.offset)
		return -EINVAL;
	*map = args->map;
	return 0;
}

int vsm_tensor_map_encode_tiled(struct drm_vsm_tensor_map *map, enum drm_vsm_tensor_type type,
				uint32_t rank, const struct vsm_buffer *buffer, uint64_t offset,
				const uint64_t *global_dim, const uint64_t *global_strides,
				const uint32_t *box_dim, const uint32_t *element_strides,
				enum drm_vsm_tensor_interleave interleave,
				enum drm_vsm_tensor_swizzle swizzle, uint32_t l2_promotion,
				enum drm_vsm_tensor_fill fill)
{
	struct vsm_tensor_args args = { .map.mode = DRM_VSM_TENSOR_TILED };
	uint32_t d;

	/* The arrays have that many elements. */
	if (rank > VSM_TENSOR_MAX_RANK)
		return -EINVAL;
	vsm_tensor_set(&args, type, rank, offset, global_dim, global_strides, element_strides);
	vsm_tensor_set_layout(&args, interleave, swizzle, l2_promotion, fill);
	for (d = 0; d < rank; d++)
		SET(&args, box[d], box_dim[d]);
	return vsm_tensor_finish(&args, buffer, map);
}

int vsm_tensor_map_encode_im2col(struct drm_vsm_tensor_map *map, enum drm_vsm_tensor_type type,
				 uint32_t rank, const struct vsm_buffer *buffer, uint64_t offset,
				 const uint64_t *global_dim, const uint64_t *global_strides,
				 const int *pixel_box_lower_corner,
				 const int *pixel_box_upper_corner, uint32_t channels_per_pixel,
				 uint32_t pixels_per_column, const uint32_t *element_strides,
				 enum drm_vsm_tensor_interleave interleave,
				 enum drm_vsm_tensor_swizzle swizzle, uint32_t l2_promotion,
				 enum drm_vsm_tensor_fill fill)
{
	struct vsm_tensor_args args = { .map.mode = DRM_VSM_TENSOR_IM2COL };
	uint32_t d;

	if (rank > VSM_TENSOR_MAX_RANK)
		return -EINVAL;
	vsm_tensor_set(&args, type, rank, offset, global_dim, global_strides, element_strides);
	vsm_tensor_set_layout(&args, interleave, swizzle, l2_promotion, fill);
	for (d = 0; d + 2 < rank; d++) {
		SET(&args, lower[d], pixel_box_lower_corner[d]);
		SET(&args, upper[d], pixel_box_upper_corner[d]);
	}
	SET(&args, channels, channels_per_pixel);
	SET(&args, pixels, pixels_per_column);
	return vsm_tensor_finish(&args, buffer, map);
}

const char *vsm_tensor_error_text(uint32_t error)
{
	/* No default: the compiler says when one is missing. */
	switch ((enum drm_vsm_tensor_error)error) {
	case DRM_VSM_TENSOR_OK:
		return "nothing is wrong";
	case DRM_VSM_TENSOR_TYPE:
		return "there is no such element type";
	case DRM_VSM_TENSOR_MODE:
		return "it is neither tiled nor im2col";
	case DRM_VSM_TENSOR_RANK:
		return "the rank is not 1 to 5, or is below 3 and interleaved or im2col";
	case DRM_VSM_TENSOR_INTERLEAVE:
		return "there is no such interleave";
	case DRM_VSM_TENSOR_SWIZZLE:
		return "there is no such swizzle, or an interleave of 32 bytes does not allow it";
	case DRM_VSM_TENSOR_FILL:
		return "there is no such fill, or the elements are integers";
	case DRM_VSM_TENSOR_L2_PROMOTION:
		return "there is no such L2 promotion";
	case DRM_VSM_TENSOR_RESERVED:
		return "a field that the rank or mode does not use is not 0";
	case DRM_VSM_TENSOR_OFFSET:
		return "the offset is no multiple of 16 (32-byte interleave: 32)";
	case DRM_VSM_TENSOR_SIZE:
		return "the size of a dimension is not 1 to 2^32";
	case DRM_VSM_TENSOR_STRIDE:
		return "a stride is 2^40 or more, or no multiple of 16 (32-byte interleave: 32)";
	case DRM_VSM_TENSOR_BOX:
		return "the box is not 1 to 256 elements long in a dimension";
	case DRM_VSM_TENSOR_BOX_BYTES:
		return "the box is not a multiple of 16 bytes in the innermost dimension";
	case DRM_VSM_TENSOR_BOX_SWIZZLE:
		return "the box is longer in the innermost dimension than the swizzle is wide";
	case DRM_VSM_TENSOR_ELEMENT_STRIDE:
		return "an element stride is not 1 to 8";
	case DRM_VSM_TENSOR_CORNER:
		return "a corner of the bounding box needs more bits than the rank allows";
	case DRM_VSM_TENSOR_NO_PIXEL:
		return "there is no pixel in the bounding box";
	case DRM_VSM_TENSOR_CHANNELS:
		return "the number of channels is not 1 to 256";
	case DRM_VSM_TENSOR_PIXELS:
		return "the number of pixels is not 1 to 1024";
	case DRM_VSM_TENSOR_DIMS:
		return "the instruction has another number of dimensions";
	case DRM_VSM_TENSOR_LOAD_MODE:
		return "the instruction is tiled and the map is im2col, or the other way round";
	case DRM_VSM_TENSOR_OFFSETS:
		return "an im2col offset needs more bits than the rank allows, or a store has one";
	case DRM_VSM_TENSOR_REDUCTION:
		return "there is no such reduction for this element type";
	case DRM_VSM_TENSOR_ALIGNMENT:
		return "the box does not begin at a multiple of 16 bytes";
	case DRM_VSM_TENSOR_OUTSIDE:
		return "the coordinates are outside the bounding box";
	}
	return "this version of libvsm does not know why";
}
