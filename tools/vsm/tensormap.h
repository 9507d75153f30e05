/* SPDX-License-Identifier: MIT */
/* Tensor maps: the values of their keys in a text, and their encoding. */
#ifndef _TENSORMAP_H_
#define _TENSORMAP_H_

#include <vsm.h>

#include "names.h"

/* Bytes of a CUtensorMap, and of what its address is a multiple */
#define CUDA_MAP_BYTES 128
#define CUDA_MAP_ALIGN 64

/* A tensor map. All arrays begin with the innermost dimension */
struct tensor {
	unsigned int map;	/* index of the tensor map, for the user of this structure */
	unsigned int buffer;		/* index of the buffer, for the user of this structure */
	uint64_t offset;		/* offset in the buffer */
	unsigned int mode;		/* enum drm_vsm_tensor_mode */
	unsigned int rank;		/* number of dimensions */
	unsigned int type;		/* enum drm_vsm_tensor_type */
	unsigned int interleave;	/* enum drm_vsm_tensor_interleave */
	unsigned int swizzle;		/* enum drm_vsm_tensor_swizzle */
	unsigned int fill;		/* enum drm_vsm_tensor_fill */
	unsigned int l2_promotion;	/* CUtensorMapL2promotion */
	uint64_t dims[5];		/* elements of each dimension */
	/* Bytes from one element to the next, in each dimension except the innermost */
	uint64_t strides[4];
	/* Distance in elements between elements that are copied, in each dimension */
	uint32_t element_strides[5];
	uint32_t box[5];		/* elements of the box in each dimension (tiled) */
	int lower[3];			/* lower corner of the bounding box (im2col) */
	int upper[3];			/* upper corner of the bounding box (im2col) */
	uint32_t channels;	/* number of channels that are copied of each pixel (im2col) */
	uint32_t pixels;		/* number of pixels that are copied (im2col) */
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

/* The text of a tensor map */
struct tensor_text {
	struct tensor *tensor;		/* the tensor map */
	const char *const *names;	/* spelling of each key */
	/* Place of each key in the line; NULL if the key is not given */
	const char *where[TENSOR_KEYS];
	/* Number of elements of each list, by the key of the list */
	unsigned int counts[TENSOR_KEYS];
	bool encoded;	/* a CUtensorMap takes the place of the keys */
};

/* Reads the value of a key. @to is a &struct tensor_text. */
bool parse_tensor_value(struct cursor *c, unsigned int key, void *to);
/* Sets @tensor, but not its buffer, from a CUtensorMap. Returns false if it is none. */
bool tensor_decode(struct tensor *tensor, const void *cuda);
/* Checks that the keys fit together, and sets what is not given. */
bool tensor_complete(const struct cursor *c, const struct tensor_text *text);
/* Returns the bytes of the dimension that needs most (size times stride), up to UINT64_MAX. */
uint64_t tensor_bytes(const struct tensor *tensor);
/* Returns 0, or -EINVAL and sets @reason. @map is at a multiple of 64 bytes. */
int tensor_encode(const struct tensor *tensor, const struct vsm_buffer *buffer, uint64_t offset,
		  struct drm_vsm_tensor_map *map, const char **reason);

#endif
