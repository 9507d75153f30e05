/* SPDX-License-Identifier: MIT */
/*
 * The 128 bytes of a CUtensorMap. Documentation/tensor.rst has the table of the fields, and says
 * where they come from. Words are little-endian, as is every host that has the driver.
 */
#ifndef _CUDA_MAP_H_
#define _CUDA_MAP_H_

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <vsm_tensor.h>

#define CUDA_MAP_BYTES 128

/* A field of a CUtensorMap */
struct cuda_field {
	uint16_t first;		/* first bit, for dimension 0 */
	uint8_t bits;		/* number of bits */
	uint8_t step;		/* bits from the field of a dimension to that of the next one */
};

#define CUDA_FIELD(first, bits, step)	((struct cuda_field){ first, bits, step })

#define CUDA_ADDRESS		CUDA_FIELD(0, 64, 0)
#define CUDA_IM2COL		CUDA_FIELD(64, 1, 0)
#define CUDA_RANK		CUDA_FIELD(68, 3, 0)	/* minus 1 */
#define CUDA_FORMAT		CUDA_FIELD(71, 4, 0)
#define CUDA_INTERLEAVE		CUDA_FIELD(75, 2, 0)
#define CUDA_SWIZZLE		CUDA_FIELD(77, 2, 0)
#define CUDA_FILL		CUDA_FIELD(79, 1, 0)
#define CUDA_TF32		CUDA_FIELD(80, 1, 0)
#define CUDA_L2_PROMOTION	CUDA_FIELD(81, 2, 0)
#define CUDA_STRIDE		CUDA_FIELD(96, 32, 32)	/* in units of 16 bytes, low bits */
#define CUDA_STRIDE_HIGH	CUDA_FIELD(224, 4, 4)	/* the bits above them */
#define CUDA_SIZE		CUDA_FIELD(256, 32, 32)	/* minus 1 */
#define CUDA_ELEMENT_STRIDE	CUDA_FIELD(416, 3, 3)	/* minus 1 */
#define CUDA_BOX		CUDA_FIELD(440, 8, 8)	/* minus 1 */
#define CUDA_CHANNELS		CUDA_FIELD(440, 8, 0)	/* minus 1; im2col, as the next three */
#define CUDA_LOWER(bits)	CUDA_FIELD(448, bits, bits)
#define CUDA_UPPER(bits)	CUDA_FIELD(464, bits, bits)
#define CUDA_PIXELS		CUDA_FIELD(480, 10, 0)	/* minus 1 */
/* These follow from the other fields. */
#define CUDA_BOX_BYTES		CUDA_FIELD(512, 32, 0)
#define CUDA_NO_SWIZZLE		CUDA_FIELD(580, 1, 0)
#define CUDA_SWIZZLE_BIT	CUDA_FIELD(584, 3, 0)

/* Returns the value of a field, for dimension @d. */
static inline uint64_t cuda_get(const void *cuda, struct cuda_field field, unsigned int d)
{
	unsigned int bit = field.first + d * field.step;
	uint64_t word;

	memcpy(&word, (const uint8_t *)cuda + bit / 8, sizeof(word));
	return word >> bit % 8 & ~0ULL >> (64 - field.bits);
}

/* Sets a field, for dimension @d, to the low bits of @value. */
static inline void cuda_put(void *cuda, struct cuda_field field, unsigned int d, uint64_t value)
{
	unsigned int bit = field.first + d * field.step;
	uint64_t mask = ~0ULL >> (64 - field.bits) << bit % 8, word;

	memcpy(&word, (uint8_t *)cuda + bit / 8, sizeof(word));
	word = (word & ~mask) | (value << bit % 8 & mask);
	memcpy((uint8_t *)cuda + bit / 8, &word, sizeof(word));
}

/* Sets the stride from dimension @d to the next one. */
static inline void cuda_put_stride(void *cuda, unsigned int d, uint64_t stride)
{
	cuda_put(cuda, CUDA_STRIDE, d, stride >> 4);
	cuda_put(cuda, CUDA_STRIDE_HIGH, d, stride >> 36);
}

/* The field of a type; TF32 types have that of the type with as many bits, and the bit TF32. */
static inline uint64_t cuda_format(unsigned int type)
{
	static const uint8_t formats[] = {
		[DRM_VSM_TENSOR_UINT8] = 0, [DRM_VSM_TENSOR_UINT16] = 1,
		[DRM_VSM_TENSOR_UINT32] = 2, [DRM_VSM_TENSOR_INT32] = 3,
		[DRM_VSM_TENSOR_UINT64] = 4, [DRM_VSM_TENSOR_INT64] = 5,
		[DRM_VSM_TENSOR_FLOAT16] = 6, [DRM_VSM_TENSOR_FLOAT32] = 7,
		[DRM_VSM_TENSOR_FLOAT64] = 9, [DRM_VSM_TENSOR_BFLOAT16] = 10,
		[DRM_VSM_TENSOR_FLOAT32_FTZ] = 8, [DRM_VSM_TENSOR_TFLOAT32] = 7,
		[DRM_VSM_TENSOR_TFLOAT32_FTZ] = 8,
	};

	return formats[type];
}

/* Returns a number that is no type if no type has these fields. */
static inline uint8_t cuda_type(uint64_t format, bool tf32)
{
	unsigned int type;

	for (type = tf32 ? DRM_VSM_TENSOR_TFLOAT32 : 0; type <= DRM_VSM_TENSOR_TFLOAT32_FTZ; type++)
		if (cuda_format(type) == format)
			return type;
	return UINT8_MAX;
}

/* Bits of a coordinate of a corner. */
static inline unsigned int cuda_corner_bits(unsigned int rank)
{
	return rank == 3 ? 16 : rank == 4 ? 8 : 5;
}

/* The field BOX_BYTES. It rounds down what a copy rounds up. */
static inline uint64_t cuda_box_bytes(const struct drm_vsm_tensor_map *map)
{
	uint64_t bytes = vsm_tensor_type_size(map->type);
	unsigned int d;

	if (map->mode == DRM_VSM_TENSOR_IM2COL)
		return bytes * map->channels * map->pixels;
	for (d = 0; d < map->rank; d++)
		bytes *= map->box[d] / (d || map->interleave ? map->element_stride[d] : 1);
	return bytes;
}

/*
 * Makes a CUtensorMap of a map that vsm_tensor_map_check() accepts. The offset of @map is the
 * address.
 */
static inline void cuda_map_encode(const struct drm_vsm_tensor_map *map, void *cuda)
{
	bool im2col = map->mode == DRM_VSM_TENSOR_IM2COL;
	unsigned int bits = cuda_corner_bits(map->rank), d;

	memset(cuda, 0, CUDA_MAP_BYTES);
	cuda_put(cuda, CUDA_ADDRESS, 0, map->offset);
	cuda_put(cuda, CUDA_IM2COL, 0, im2col);
	cuda_put(cuda, CUDA_RANK, 0, map->rank - 1);
	cuda_put(cuda, CUDA_FORMAT, 0, cuda_format(map->type));
	cuda_put(cuda, CUDA_INTERLEAVE, 0, map->interleave);
	cuda_put(cuda, CUDA_SWIZZLE, 0, map->swizzle);
	cuda_put(cuda, CUDA_FILL, 0, map->fill);
	cuda_put(cuda, CUDA_TF32, 0, map->type >= DRM_VSM_TENSOR_TFLOAT32);
	cuda_put(cuda, CUDA_L2_PROMOTION, 0, map->l2_promotion);
	for (d = 0; d < map->rank; d++) {
		cuda_put(cuda, CUDA_SIZE, d, map->size[d] - 1);
		cuda_put(cuda, CUDA_ELEMENT_STRIDE, d, map->element_stride[d] - 1U);
		if (!im2col)
			cuda_put(cuda, CUDA_BOX, d, map->box[d] - 1U);
		if (d + 1 < map->rank)
			cuda_put_stride(cuda, d, map->stride[d]);
	}
	if (im2col) {
		cuda_put(cuda, CUDA_CHANNELS, 0, map->channels - 1U);
		cuda_put(cuda, CUDA_PIXELS, 0, map->pixels - 1U);
	}
	for (d = 0; im2col && d + 2 < map->rank; d++) {
		cuda_put(cuda, CUDA_LOWER(bits), d, map->lower[d]);
		cuda_put(cuda, CUDA_UPPER(bits), d, map->upper[d]);
	}
	cuda_put(cuda, CUDA_BOX_BYTES, 0, cuda_box_bytes(map));
	cuda_put(cuda, CUDA_NO_SWIZZLE, 0, !map->swizzle);
	cuda_put(cuda, CUDA_SWIZZLE_BIT, 0, 1U << map->swizzle >> 1);
}

/* Returns a coordinate of a corner, which is signed. */
static inline int16_t cuda_get_corner(const void *cuda, struct cuda_field field, unsigned int d)
{
	return (int16_t)(cuda_get(cuda, field, d) << (16 - field.bits)) >> (16 - field.bits);
}

/*
 * Reads the fields of a CUtensorMap, any bytes, except those that follow from others. The offset of
 * @map becomes the address, its buffer 0.
 */
static inline void cuda_map_decode(const void *cuda, struct drm_vsm_tensor_map *map)
{
	bool im2col = cuda_get(cuda, CUDA_IM2COL, 0);
	unsigned int rank = cuda_get(cuda, CUDA_RANK, 0) + 1, bits = cuda_corner_bits(rank), d;

	*map = (struct drm_vsm_tensor_map){
		.type = cuda_type(cuda_get(cuda, CUDA_FORMAT, 0), cuda_get(cuda, CUDA_TF32, 0)),
		.rank = rank,
		.mode = im2col ? DRM_VSM_TENSOR_IM2COL : DRM_VSM_TENSOR_TILED,
		.interleave = cuda_get(cuda, CUDA_INTERLEAVE, 0),
		.swizzle = cuda_get(cuda, CUDA_SWIZZLE, 0),
		.fill = cuda_get(cuda, CUDA_FILL, 0),
		.l2_promotion = cuda_get(cuda, CUDA_L2_PROMOTION, 0),
		.channels = im2col ? cuda_get(cuda, CUDA_CHANNELS, 0) + 1 : 0,
		.pixels = im2col ? cuda_get(cuda, CUDA_PIXELS, 0) + 1 : 0,
		.offset = cuda_get(cuda, CUDA_ADDRESS, 0),
	};
	for (d = 0; d < rank && d < VSM_TENSOR_MAX_RANK; d++) {
		map->size[d] = cuda_get(cuda, CUDA_SIZE, d) + 1;
		map->element_stride[d] = cuda_get(cuda, CUDA_ELEMENT_STRIDE, d) + 1;
		if (!im2col)
			map->box[d] = cuda_get(cuda, CUDA_BOX, d) + 1;
		if (d + 1 < rank && d + 1 < VSM_TENSOR_MAX_RANK)
			map->stride[d] = (cuda_get(cuda, CUDA_STRIDE_HIGH, d) << 32 |
					  cuda_get(cuda, CUDA_STRIDE, d)) << 4;
	}
	for (d = 0; im2col && d + 2 < rank && d + 2 < VSM_TENSOR_MAX_RANK; d++) {
		map->lower[d] = cuda_get_corner(cuda, CUDA_LOWER(bits), d);
		map->upper[d] = cuda_get_corner(cuda, CUDA_UPPER(bits), d);
	}
}

#endif
