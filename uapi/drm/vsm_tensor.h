/* SPDX-License-Identifier: MIT */
/*
 * Tensor maps: which maps are valid, and how much memory a copy with a map uses. The result of each
 * function depends only on the map. Documentation/tensor.rst describes what a copy does with a map.
 */
#ifndef _UAPI_VSM_TENSOR_H_
#define _UAPI_VSM_TENSOR_H_

#include "vsm_drm.h"

#if defined(__cplusplus)
extern "C" {
#endif

/**
 * define VSM_TENSOR_MAX_RANK - Largest number of dimensions of a tensor (cuTensorMapEncodeTiled)
 */
#define VSM_TENSOR_MAX_RANK 5

/**
 * enum drm_vsm_tensor_error - Rule that a tensor map, or an instruction with it, breaks
 * @DRM_VSM_TENSOR_OK: No rule is broken
 * @DRM_VSM_TENSOR_TYPE: &drm_vsm_tensor_map.type is not in &enum drm_vsm_tensor_type
 *	(tensorDataType of cuTensorMapEncodeTiled)
 * @DRM_VSM_TENSOR_MODE: &drm_vsm_tensor_map.mode is not in &enum drm_vsm_tensor_mode
 * @DRM_VSM_TENSOR_RANK: The number of dimensions is not 1 to 5, or not 3 to 5 although the map is
 *	interleaved or im2col (tensorRank of cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col)
 * @DRM_VSM_TENSOR_INTERLEAVE: &drm_vsm_tensor_map.interleave is not in &enum
 *	drm_vsm_tensor_interleave (interleave)
 * @DRM_VSM_TENSOR_SWIZZLE: &drm_vsm_tensor_map.swizzle is not in &enum drm_vsm_tensor_swizzle
 *	(swizzle)
 * @DRM_VSM_TENSOR_FILL: &drm_vsm_tensor_map.fill is not in &enum drm_vsm_tensor_fill, or is NaN
 *	although the elements are integers (oobFill)
 * @DRM_VSM_TENSOR_L2_PROMOTION: &drm_vsm_tensor_map.l2_promotion is above 3 (l2Promotion)
 * @DRM_VSM_TENSOR_RESERVED: A pad, or a field that the rank or the mode does not use, is not 0
 * @DRM_VSM_TENSOR_OFFSET: The offset is not a multiple of 16, or of 32 with
 *	%DRM_VSM_TENSOR_INTERLEAVE_32B (globalAddress)
 * @DRM_VSM_TENSOR_SIZE: A size is not 1 to 2^32 (globalDim)
 * @DRM_VSM_TENSOR_STRIDE: A stride is 2^40 or more, or is not a multiple of 16, or of 32 with
 *	%DRM_VSM_TENSOR_INTERLEAVE_32B (globalStrides)
 * @DRM_VSM_TENSOR_BOX: An extent of the box is not 1 to 256 (boxDim)
 * @DRM_VSM_TENSOR_BOX_BYTES: The innermost dimension of the box, or a pixel, is not a multiple of
 *	16 bytes (boxDim; PTX 5.5.3.1). With interleave, dimension 0 of the box counts pixels, and
 *	this rule applies to their number times the size of an element
 * @DRM_VSM_TENSOR_BOX_SWIZZLE: The map is not interleaved, and the innermost dimension of the box,
 *	or a pixel, is longer than the width of the swizzle (boxDim, channelsPerPixel)
 * @DRM_VSM_TENSOR_ELEMENT_STRIDE: An element stride is not 1 to 8 (elementStrides)
 * @DRM_VSM_TENSOR_CORNER: A coordinate of a corner of the bounding box does not fit in 16 bits with
 *	three dimensions, in 8 bits with four, or in 5 bits with five (pixelBoxLowerCorner,
 *	pixelBoxUpperCorner)
 * @DRM_VSM_TENSOR_NO_PIXEL: No pixel is inside the bounding box (pixelBoxUpperCorner)
 * @DRM_VSM_TENSOR_CHANNELS: The number of channels is not 1 to 256 (channelsPerPixel)
 * @DRM_VSM_TENSOR_PIXELS: The number of pixels is not 1 to 1024 (pixelsPerColumn)
 * @DRM_VSM_TENSOR_DIMS: The numbers of dimensions of the instruction and of the map differ (PTX
 *	9.7.9.25.5.2)
 * @DRM_VSM_TENSOR_LOAD_MODE: The instruction is .im2col and the map is not, or the map is im2col
 *	and the instruction is not (PTX 9.7.9.25.5.2)
 * @DRM_VSM_TENSOR_OFFSETS: The im2colOffsets have more bits than the number of dimensions allows,
 *	or the instruction does not take im2colOffsets (PTX 5.5.4.1)
 * @DRM_VSM_TENSOR_REDUCTION: The reduction does not exist for elements of this type (PTX
 *	9.7.9.25.5.3)
 * @DRM_VSM_TENSOR_ALIGNMENT: The map is not interleaved, and the box does not begin at a multiple
 *	of 16 bytes (PTX 5.5.3.1)
 * @DRM_VSM_TENSOR_OUTSIDE: The tensorCoords name a pixel outside the bounding box (PTX 5.5.4.1)
 * @DRM_VSM_TENSOR_NEGATIVE: A store or a reduction begins at a negative coordinate. Such a store
 *	traps on an H100
 *
 * The rules up to %DRM_VSM_TENSOR_PIXELS depend only on the map; the others also depend on the
 * instruction. Names in parentheses are parameters of CUDA's encoders; numbers are sections of the
 * PTX ISA.
 */
enum drm_vsm_tensor_error {
	DRM_VSM_TENSOR_OK = 0,
	DRM_VSM_TENSOR_TYPE = 1,
	DRM_VSM_TENSOR_MODE = 2,
	DRM_VSM_TENSOR_RANK = 3,
	DRM_VSM_TENSOR_INTERLEAVE = 4,
	DRM_VSM_TENSOR_SWIZZLE = 5,
	DRM_VSM_TENSOR_FILL = 6,
	DRM_VSM_TENSOR_L2_PROMOTION = 7,
	DRM_VSM_TENSOR_RESERVED = 8,
	DRM_VSM_TENSOR_OFFSET = 9,
	DRM_VSM_TENSOR_SIZE = 10,
	DRM_VSM_TENSOR_STRIDE = 11,
	DRM_VSM_TENSOR_BOX = 12,
	DRM_VSM_TENSOR_BOX_BYTES = 13,
	DRM_VSM_TENSOR_BOX_SWIZZLE = 14,
	DRM_VSM_TENSOR_ELEMENT_STRIDE = 15,
	DRM_VSM_TENSOR_CORNER = 16,
	DRM_VSM_TENSOR_NO_PIXEL = 17,
	DRM_VSM_TENSOR_CHANNELS = 18,
	DRM_VSM_TENSOR_PIXELS = 19,
	DRM_VSM_TENSOR_DIMS = 20,
	DRM_VSM_TENSOR_LOAD_MODE = 21,
	DRM_VSM_TENSOR_OFFSETS = 22,
	DRM_VSM_TENSOR_REDUCTION = 23,
	DRM_VSM_TENSOR_ALIGNMENT = 24,
	DRM_VSM_TENSOR_OUTSIDE = 25,
	DRM_VSM_TENSOR_NEGATIVE = 26,
};

/**
 * vsm_tensor_type_size - Bytes of an element
 * @type: &enum drm_vsm_tensor_type, or any other number
 *
 * Return: 1, 2, 4 or 8, or 0 if there is no such type.
 */
static inline __u32 vsm_tensor_type_size(__u32 type)
{
	switch (type) {
	case DRM_VSM_TENSOR_UINT8:
		return 1;
	case DRM_VSM_TENSOR_UINT16:
	case DRM_VSM_TENSOR_FLOAT16:
	case DRM_VSM_TENSOR_BFLOAT16:
		return 2;
	case DRM_VSM_TENSOR_UINT32:
	case DRM_VSM_TENSOR_INT32:
	case DRM_VSM_TENSOR_FLOAT32:
	case DRM_VSM_TENSOR_FLOAT32_FTZ:
	case DRM_VSM_TENSOR_TFLOAT32:
	case DRM_VSM_TENSOR_TFLOAT32_FTZ:
		return 4;
	case DRM_VSM_TENSOR_UINT64:
	case DRM_VSM_TENSOR_INT64:
	case DRM_VSM_TENSOR_FLOAT64:
		return 8;
	}
	return 0;
}

/* Bytes of a slice: channels that are contiguous in memory. 0 if the map is not interleaved. */
static inline __u32 vsm_tensor_slice_bytes(const struct drm_vsm_tensor_map *map)
{
	return map->interleave ? 8U << map->interleave : 0;
}

/*
 * The first dimension in which the rows of a box differ: 1, or 0 with interleave. With interleave a
 * row is one slice of a pixel, and the dimensions are W, H, D, slices, N.
 */
static inline __u32 vsm_tensor_row_dim(const struct drm_vsm_tensor_map *map)
{
	return !map->interleave;
}

/* Bytes in global memory from one element of dimension @d to the next. */
static inline __u64 vsm_tensor_dim_stride(const struct drm_vsm_tensor_map *map, __u32 d)
{
	if (d)
		return map->stride[d - 1];
	return map->interleave ? vsm_tensor_slice_bytes(map) : vsm_tensor_type_size(map->type);
}

/*
 * Width of the swizzle: it permutes 16-byte chunks within this many bytes. 0 if there is no
 * swizzle.
 */
static inline __u32 vsm_tensor_swizzle_bytes(const struct drm_vsm_tensor_map *map)
{
	return map->swizzle ? 16U << map->swizzle : 0;
}

/*
 * Number of elements that a copy moves in dimension @d of a checked tiled map. A copy with an
 * interleaved map moves one slice of each pixel, whatever the box of that dimension is.
 */
static inline __u32 vsm_tensor_map_count(const struct drm_vsm_tensor_map *map, __u32 d)
{
	if (map->interleave && d + 2 == map->rank)
		return 1;
	if ((!d && !map->interleave) || map->element_stride[d] == 1)
		return map->box[d];
	return (map->box[d] + map->element_stride[d] - 1U) / map->element_stride[d];
}

/* The last coordinate of the bounding box in dimension @d of an image (0 is W). */
static inline __s64 vsm_tensor_last_pixel(const struct drm_vsm_tensor_map *map, __u32 d)
{
	return (__s64)map->size[vsm_tensor_row_dim(map) + d] - 1 + map->upper[d];
}

/*
 * Bytes of the innermost dimension of the box: of dimension 0, or of the channels of a pixel. With
 * interleave the result is used only for the rule BOX_BYTES.
 */
static inline __u32 vsm_tensor_box_bytes(const struct drm_vsm_tensor_map *map)
{
	return (map->mode == DRM_VSM_TENSOR_IM2COL ? map->channels : map->box[0]) *
	       vsm_tensor_type_size(map->type);
}

/* Bytes of a row, which is contiguous in shared memory. */
static inline __u32 vsm_tensor_map_row(const struct drm_vsm_tensor_map *map)
{
	return map->interleave ? vsm_tensor_slice_bytes(map) : vsm_tensor_box_bytes(map);
}

/* Number of rows of the box. vsm_tensor_map_row() says what a row is. */
static inline __u64 vsm_tensor_map_rows(const struct drm_vsm_tensor_map *map)
{
	__u64 rows = 1;
	__u32 d;

	if (map->mode == DRM_VSM_TENSOR_IM2COL)
		return map->pixels;
	for (d = vsm_tensor_row_dim(map); d < map->rank; d++)
		rows *= vsm_tensor_map_count(map, d);
	return rows;
}

/**
 * vsm_tensor_map_bytes - Number of bytes that a copy moves, and of its complete-tx
 * @map: A tensor map that vsm_tensor_map_check() accepts
 *
 * Return: The bytes of the whole box, including elements out of bounds.
 */
static inline __u64 vsm_tensor_map_bytes(const struct drm_vsm_tensor_map *map)
{
	return vsm_tensor_map_rows(map) * vsm_tensor_map_row(map);
}

/**
 * vsm_tensor_map_window - Bytes of shared memory that a copy occupies
 * @map: A tensor map that vsm_tensor_map_check() accepts
 *
 * If the innermost dimension of the box is shorter than the width of the swizzle, each row occupies
 * the width of the swizzle, and a copy neither reads nor writes the rest of it. The result is then
 * more than vsm_tensor_map_bytes() (CUDA C++ Programming Guide, Tensor Memory Access, swizzle).
 *
 * Return: Bytes from the beginning of the box in the window to its end.
 */
static inline __u64 vsm_tensor_map_window(const struct drm_vsm_tensor_map *map)
{
	__u32 span = vsm_tensor_swizzle_bytes(map);

	if (!span)
		return vsm_tensor_map_bytes(map);
	if (!map->interleave)
		return vsm_tensor_map_rows(map) * span;
	return (vsm_tensor_map_bytes(map) + span - 1) & ~(__u64)(span - 1);
}

/* @count (at most 2^32) times @stride, or ~0 if the product is larger than any buffer. */
static inline __u64 vsm_tensor_span(__u64 count, __u64 stride)
{
	return count && (stride >> 40 || (count * (stride >> 16)) >> 44) ? ~0ULL : count * stride;
}

/**
 * vsm_tensor_map_extent - Bytes from the tensor's first element to the end of its last one
 * @map: A tensor map that vsm_tensor_map_check() accepts
 *
 * A row of the tensor ends at a multiple of 16 bytes, because a store writes whole pieces of 16
 * bytes.
 *
 * Return: Bytes that the buffer must have from &drm_vsm_tensor_map.offset on; ~0 if they are more
 * than any buffer has.
 */
static inline __u64 vsm_tensor_map_extent(const struct drm_vsm_tensor_map *map)
{
	__u64 extent = vsm_tensor_slice_bytes(map), part;
	__u32 d;

	if (!extent)
		extent = (map->size[0] * vsm_tensor_type_size(map->type) + 15) & ~15ULL;
	for (d = vsm_tensor_row_dim(map); d < map->rank; d++) {
		part = vsm_tensor_span(map->size[d] - 1, vsm_tensor_dim_stride(map, d));
		if (part == ~0ULL)
			return part;
		extent += part;
	}
	return extent;
}

static inline int vsm_tensor_type_is_float(__u32 type)
{
	return type >= DRM_VSM_TENSOR_FLOAT16 && type <= DRM_VSM_TENSOR_TFLOAT32_FTZ;
}

/* Check the fields that do not belong to a dimension. */
static inline enum drm_vsm_tensor_error
vsm_tensor_map_check_head(const struct drm_vsm_tensor_map *map)
{
	if (!vsm_tensor_type_size(map->type))
		return DRM_VSM_TENSOR_TYPE;
	if (map->mode != DRM_VSM_TENSOR_TILED && map->mode != DRM_VSM_TENSOR_IM2COL)
		return DRM_VSM_TENSOR_MODE;
	if (map->interleave > DRM_VSM_TENSOR_INTERLEAVE_32B)
		return DRM_VSM_TENSOR_INTERLEAVE;
	if (map->rank > VSM_TENSOR_MAX_RANK ||
	    map->rank < (map->interleave || map->mode == DRM_VSM_TENSOR_IM2COL ? 3 : 1))
		return DRM_VSM_TENSOR_RANK;
	if (map->swizzle > DRM_VSM_TENSOR_SWIZZLE_128B)
		return DRM_VSM_TENSOR_SWIZZLE;
	if (map->fill > DRM_VSM_TENSOR_FILL_NAN ||
	    (map->fill == DRM_VSM_TENSOR_FILL_NAN && !vsm_tensor_type_is_float(map->type)))
		return DRM_VSM_TENSOR_FILL;
	if (map->l2_promotion > 3)
		return DRM_VSM_TENSOR_L2_PROMOTION;
	return DRM_VSM_TENSOR_OK;
}

static inline enum drm_vsm_tensor_error
vsm_tensor_map_check_reserved(const struct drm_vsm_tensor_map *map)
{
	int im2col = map->mode == DRM_VSM_TENSOR_IM2COL;
	__u64 bits = map->pad;
	__u32 d;

	for (d = 0; d < VSM_TENSOR_MAX_RANK; d++) {
		bits |= map->reserved[d];
		if (d >= map->rank)
			bits |= map->size[d] | map->element_stride[d] | map->stride[d - 1];
		if (im2col || d >= map->rank)
			bits |= map->box[d];
	}
	for (d = 0; d < 3; d++)
		if (!im2col || d + 2 >= map->rank)
			bits |= (__u16)map->lower[d] | (__u16)map->upper[d];
	if (!im2col)
		bits |= map->channels | map->pixels;
	return bits ? DRM_VSM_TENSOR_RESERVED : DRM_VSM_TENSOR_OK;
}

static inline enum drm_vsm_tensor_error
vsm_tensor_map_check_tensor(const struct drm_vsm_tensor_map *map)
{
	__u32 align = map->interleave == DRM_VSM_TENSOR_INTERLEAVE_32B ? 32 : 16, d;

	if (map->offset & (align - 1))
		return DRM_VSM_TENSOR_OFFSET;
	for (d = 0; d < map->rank; d++)
		if (!map->size[d] || map->size[d] > 1ULL << 32)
			return DRM_VSM_TENSOR_SIZE;
	for (d = 0; d + 1 < map->rank; d++)
		if (map->stride[d] & (align - 1) || map->stride[d] >> 40)
			return DRM_VSM_TENSOR_STRIDE;
	for (d = 0; d < map->rank; d++)
		if (!map->element_stride[d] || map->element_stride[d] > 8)
			return DRM_VSM_TENSOR_ELEMENT_STRIDE;
	return DRM_VSM_TENSOR_OK;
}

static inline enum drm_vsm_tensor_error
vsm_tensor_map_check_box(const struct drm_vsm_tensor_map *map)
{
	__u32 d;

	for (d = 0; d < map->rank; d++)
		if (!map->box[d] || map->box[d] > 256)
			return DRM_VSM_TENSOR_BOX;
	return DRM_VSM_TENSOR_OK;
}

/* The upper corner is relative to the last pixel of the image. */
static inline enum drm_vsm_tensor_error
vsm_tensor_map_check_im2col(const struct drm_vsm_tensor_map *map)
{
	__s32 limit = map->rank == 3 ? 1 << 15 : map->rank == 4 ? 1 << 7 : 1 << 4;
	__u32 d;

	for (d = 0; d + 2 < map->rank; d++)
		if (map->lower[d] < -limit || map->lower[d] >= limit ||
		    map->upper[d] < -limit || map->upper[d] >= limit)
			return DRM_VSM_TENSOR_CORNER;
	for (d = 0; d + 2 < map->rank; d++)
		if (vsm_tensor_last_pixel(map, d) < map->lower[d])
			return DRM_VSM_TENSOR_NO_PIXEL;
	if (!map->channels || map->channels > 256)
		return DRM_VSM_TENSOR_CHANNELS;
	if (!map->pixels || map->pixels > 1024)
		return DRM_VSM_TENSOR_PIXELS;
	return DRM_VSM_TENSOR_OK;
}

/**
 * vsm_tensor_map_check - Check a tensor map
 * @map: A tensor map, any bit pattern
 *
 * The rules are those of cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col. The caller must check,
 * with vsm_tensor_map_extent(), whether the tensor fits in its buffer.
 *
 * Return: The rule that the map breaks, or %DRM_VSM_TENSOR_OK.
 */
static inline enum drm_vsm_tensor_error
vsm_tensor_map_check(const struct drm_vsm_tensor_map *map)
{
	enum drm_vsm_tensor_error error = vsm_tensor_map_check_head(map);
	__u32 row, span;

	if (!error)
		error = vsm_tensor_map_check_reserved(map);
	if (!error)
		error = vsm_tensor_map_check_tensor(map);
	if (!error)
		error = map->mode == DRM_VSM_TENSOR_IM2COL ? vsm_tensor_map_check_im2col(map) :
							     vsm_tensor_map_check_box(map);
	if (error)
		return error;
	row = vsm_tensor_box_bytes(map);
	span = vsm_tensor_swizzle_bytes(map);
	if (row & 15)
		return DRM_VSM_TENSOR_BOX_BYTES;
	return span && row > span && !map->interleave ? DRM_VSM_TENSOR_BOX_SWIZZLE :
							DRM_VSM_TENSOR_OK;
}

#if defined(__cplusplus)
}
#endif

#endif
