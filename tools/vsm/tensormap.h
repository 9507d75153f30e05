/* SPDX-License-Identifier: MIT */
/*
 * Tensor maps: the values of their keys in a text, and their encoding.
 */
#ifndef _TENSORMAP_H_
#define _TENSORMAP_H_

#include <vsm.h>

#include "names.h"

/**
 * struct tensor - A tensor map. All arrays begin with the innermost dimension
 * @map: Index of the tensor map, for the user of this structure
 * @buffer: Index of the buffer, for the user of this structure
 * @offset: Offset in the buffer
 * @mode: &enum drm_vsm_tensor_mode
 * @rank: Number of dimensions
 * @type: &enum drm_vsm_tensor_type
 * @interleave: &enum drm_vsm_tensor_interleave
 * @swizzle: &enum drm_vsm_tensor_swizzle
 * @fill: &enum drm_vsm_tensor_fill
 * @dims: Elements of each dimension
 * @strides: Bytes from one element to the next, in each dimension except the innermost
 * @element_strides: Distance in elements between elements that are copied, in each dimension
 * @box: Elements of the box in each dimension (tiled)
 * @lower: Lower corner of the bounding box (im2col)
 * @upper: Upper corner of the bounding box (im2col)
 * @channels: Number of channels that are copied of each pixel (im2col)
 * @pixels: Number of pixels that are copied (im2col)
 */
struct tensor {
	unsigned int map;
	unsigned int buffer;
	uint64_t offset;
	unsigned int mode;
	unsigned int rank;
	unsigned int type;
	unsigned int interleave;
	unsigned int swizzle;
	unsigned int fill;
	uint64_t dims[5];
	uint64_t strides[4];
	uint32_t element_strides[5];
	uint32_t box[5];
	int lower[3];
	int upper[3];
	uint32_t channels;
	uint32_t pixels;
};

/** enum tensor_key - What a text says about a tensor map */
enum tensor_key {
	TENSOR_TYPE,
	TENSOR_DIMS,
	TENSOR_STRIDES,
	TENSOR_ELEMENTSTRIDES,
	TENSOR_INTERLEAVE,
	TENSOR_SWIZZLE,
	TENSOR_FILL,
	TENSOR_BOX,
	TENSOR_LOWER,
	TENSOR_UPPER,
	TENSOR_CHANNELS,
	TENSOR_PIXELS,
	TENSOR_KEYS,
};

/**
 * struct tensor_text - The text of a tensor map
 * @tensor: The tensor map
 * @names: Spelling of each key
 * @where: Place of each key in the line; NULL if the key is not given
 * @counts: Number of elements of each list, by the key of the list
 */
struct tensor_text {
	struct tensor *tensor;
	const char *const *names;
	const char *where[TENSOR_KEYS];
	unsigned int counts[TENSOR_KEYS];
};

/* Reads the value of a key. @to is a &struct tensor_text. */
bool parse_tensor_value(struct cursor *c, unsigned int key, void *to);
/* Checks that the keys fit together, and sets what is not given. */
bool tensor_complete(const struct cursor *c, const struct tensor_text *text);
/* Returns the bytes from the first element to the end of the last; UINT64_MAX if there are more. */
uint64_t tensor_bytes(const struct tensor *tensor);
/* Returns 0, or -EINVAL and sets @reason. @map is at a multiple of 64 bytes. */
int tensor_encode(const struct tensor *tensor, const struct vsm_buffer *buffer, uint64_t offset,
		  struct drm_vsm_tensor_map *map, const char **reason);

#endif
