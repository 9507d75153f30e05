// SPDX-License-Identifier: MIT
/*
 * Making tensor maps. vsm_tensor_map_check() checks the rules of CUDA's encoders. This file also
 * refuses numbers that do not fit in the fields of a map.
 */
#include <errno.h>

#include "syntax/cuda_map.h"
#include "internal.h"

/*
 * Set a field of a map to @number. If the number does not fit, set @error to the rule of the field.
 */
#define SET(error, field, number, rule)					\
	do {								\
		(field) = (number);					\
		if ((field) != (number) && !*(error))			\
			*(error) = DRM_VSM_TENSOR_##rule;		\
	} while (0)

static void set_dimensions(struct drm_vsm_tensor_map *map, const struct vsm_tensor_config *config,
			   enum drm_vsm_tensor_error *error)
{
	uint32_t d;

	for (d = 0; d < VSM_TENSOR_MAX_RANK; d++) {
		map->size[d] = config->size[d];
		if (d)
			map->stride[d - 1] = config->stride[d - 1];
		SET(error, map->element_stride[d], config->element_stride[d], ELEMENT_STRIDE);
		SET(error, map->box[d], config->box[d], BOX);
	}
	for (d = 0; d + 2 < VSM_TENSOR_MAX_RANK; d++) {
		SET(error, map->lower[d], config->lower[d], CORNER);
		SET(error, map->upper[d], config->upper[d], CORNER);
	}
}

/* Set the fields of the map from those of @config. */
static enum drm_vsm_tensor_error set_map(struct drm_vsm_tensor_map *map,
					 enum drm_vsm_tensor_mode mode,
					 const struct vsm_tensor_config *config)
{
	enum drm_vsm_tensor_error error = DRM_VSM_TENSOR_OK;

	SET(&error, map->type, config->type, TYPE);
	SET(&error, map->rank, config->rank, RANK);
	SET(&error, map->mode, mode, MODE);
	SET(&error, map->interleave, config->interleave, INTERLEAVE);
	SET(&error, map->swizzle, config->swizzle, SWIZZLE);
	SET(&error, map->fill, config->fill, FILL);
	SET(&error, map->l2_promotion, config->l2_promotion, L2_PROMOTION);
	SET(&error, map->channels, config->channels, CHANNELS);
	SET(&error, map->pixels, config->pixels, PIXELS);
	map->offset = config->offset;
	map->buffer = vsm_buffer_handle(config->buffer);
	set_dimensions(map, config, &error);
	return error ? error : vsm_tensor_map_check(map);
}

static bool leaves_buffer(const struct drm_vsm_tensor_map *map, const struct vsm_buffer *buffer)
{
	uint64_t size = vsm_buffer_size(buffer);

	return map->offset > size || vsm_tensor_map_extent(map) > size - map->offset;
}

/* Fill @map. Return why @config is refused, or NULL. */
static const char *refuse(struct drm_vsm_tensor_map *map, enum drm_vsm_tensor_mode mode,
			  const struct vsm_tensor_config *config)
{
	enum drm_vsm_tensor_error error = set_map(map, mode, config);

	if (error)
		return vsm_tensor_error_text(error);
	return leaves_buffer(map, config->buffer) ? "the tensor leaves the buffer" : NULL;
}

static int encode(struct drm_vsm_tensor_map *map, enum drm_vsm_tensor_mode mode,
		  const struct vsm_tensor_config *config, const char **reason)
{
	struct drm_vsm_tensor_map made = { 0 };
	const char *wrong = (uintptr_t)map % 64 ? "the map is not at a multiple of 64 bytes" :
						  refuse(&made, mode, config);

	if (!wrong)
		*map = made;
	else if (reason)
		*reason = wrong;
	return wrong ? -EINVAL : 0;
}

int vsm_tensor_map_encode_tiled(struct drm_vsm_tensor_map *map,
				const struct vsm_tensor_config *config, const char **reason)
{
	return encode(map, DRM_VSM_TENSOR_TILED, config, reason);
}

int vsm_tensor_map_encode_im2col(struct drm_vsm_tensor_map *map,
				 const struct vsm_tensor_config *config, const char **reason)
{
	return encode(map, DRM_VSM_TENSOR_IM2COL, config, reason);
}

int vsm_tensor_map_to_cuda(const struct drm_vsm_tensor_map *map, uint64_t address, void *cuda)
{
	struct drm_vsm_tensor_map at = *map;

	at.offset = address;
	if (vsm_tensor_map_check(&at))
		return -EINVAL;
	cuda_map_encode(&at, cuda);
	return 0;
}

int vsm_tensor_map_from_cuda(const void *cuda, struct drm_vsm_tensor_map *map)
{
	uint8_t again[CUDA_MAP_BYTES];

	cuda_map_decode(cuda, map);
	if (vsm_tensor_map_check(map))
		return -EINVAL;
	cuda_map_encode(map, again);
	return memcmp(cuda, again, sizeof(again)) ? -EINVAL : 0;
}

const char *vsm_tensor_error_text(uint32_t error)
{
	/* There is no default: the compiler then warns about an enumerator that is missing here. */
	switch ((enum drm_vsm_tensor_error)error) {
	case DRM_VSM_TENSOR_OK:
		return "nothing is wrong";
	case DRM_VSM_TENSOR_TYPE:
		return "there is no such element type";
	case DRM_VSM_TENSOR_MODE:
		return "it is neither tiled nor im2col";
	case DRM_VSM_TENSOR_RANK:
		return "the rank is not 1 to 5, or is below 3 for an interleaved or im2col map";
	case DRM_VSM_TENSOR_INTERLEAVE:
		return "there is no such interleave";
	case DRM_VSM_TENSOR_SWIZZLE:
		return "there is no such swizzle";
	case DRM_VSM_TENSOR_FILL:
		return "there is no such fill, or the fill is NaN for integer elements";
	case DRM_VSM_TENSOR_L2_PROMOTION:
		return "there is no such L2 promotion";
	case DRM_VSM_TENSOR_RESERVED:
		return "a field that the rank or mode does not use is not 0";
	case DRM_VSM_TENSOR_OFFSET:
		return "the offset is not a multiple of 16 (interleave 32B: 32)";
	case DRM_VSM_TENSOR_SIZE:
		return "the size of a dimension is not 1 to 2^32";
	case DRM_VSM_TENSOR_STRIDE:
		return "a stride is 2^40 or more, or not a multiple of 16 (interleave 32B: 32)";
	case DRM_VSM_TENSOR_BOX:
		return "the box is not 1 to 256 elements long in a dimension";
	case DRM_VSM_TENSOR_BOX_BYTES:
		return "the box is not a multiple of 16 bytes in the innermost dimension";
	case DRM_VSM_TENSOR_BOX_SWIZZLE:
		return "the innermost dimension of the box is longer than the width of the swizzle";
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
	case DRM_VSM_TENSOR_NEGATIVE:
		return "a store or reduction begins at a negative coordinate";
	}
	return "this version of libvsm does not know why";
}
