// SPDX-License-Identifier: MIT
#include "tensor_model.h"

#define MAX_RANK 5

/*
 * Where the swizzle of 128 bytes puts each chunk of 16 bytes of a line (PTX 5.5.7). The swizzles of
 * 32 and 64 bytes repeat the first two and the first four of these lines.
 */
static const __u8 chunks[8][8] = {
	{ 0, 1, 2, 3, 4, 5, 6, 7 },
	{ 1, 0, 3, 2, 5, 4, 7, 6 },
	{ 2, 3, 0, 1, 6, 7, 4, 5 },
	{ 3, 2, 1, 0, 7, 6, 5, 4 },
	{ 4, 5, 6, 7, 0, 1, 2, 3 },
	{ 5, 4, 7, 6, 1, 0, 3, 2 },
	{ 6, 7, 4, 5, 2, 3, 0, 1 },
	{ 7, 6, 5, 4, 3, 2, 1, 0 },
};

__u32 tensor_model_chunk(__u32 swizzle, __u64 line, __u32 place)
{
	switch (swizzle) {
	case DRM_VSM_TENSOR_SWIZZLE_32B:
		return chunks[line % 2][place];
	case DRM_VSM_TENSOR_SWIZZLE_64B:
		return chunks[line % 4][place];
	case DRM_VSM_TENSOR_SWIZZLE_128B:
		return chunks[line % 8][place];
	default:
		return place;
	}
}

__u32 tensor_model_size(__u32 type)
{
	static const __u8 sizes[] = { 1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4 };

	return sizes[type];
}

static __u64 swizzled(__u32 swizzle, __u64 address)
{
	__u64 line = address / 128;
	__u32 place;

	for (place = 0; tensor_model_chunk(swizzle, line, place) != address % 128 / 16; place++)
		;
	return line * 128 + place * 16 + address % 16;
}

/* The box of elements that a copy moves */
struct box {
	const struct drm_vsm_tensor_map *map;
	const struct drm_vsm_tensor_operands *o;
	__u32 offset;
	__u32 size;
	/* Number of elements in a row: of the innermost dimension, or of a slice of it */
	__u32 channels;
	__u32 slices;	/* number of rows that belong to one pixel */
	__u32 step;	/* distance between consecutive channels of a row, in elements */
	__u32 pitch;	/* distance between consecutive rows in shared memory, in bytes */
	tensor_visit visit;
	void *data;
};

static __u32 slice_bytes(const struct drm_vsm_tensor_map *map)
{
	return map->interleave == DRM_VSM_TENSOR_INTERLEAVE_32B ? 32 : 16;
}

static __u32 rounded_up(__u32 a, __u32 b)
{
	return a % b ? a / b + 1 : a / b;
}

static void box_set_rows(struct box *box)
{
	const struct drm_vsm_tensor_map *map = box->map;
	__u32 channels = map->mode == DRM_VSM_TENSOR_IM2COL ? map->channels : map->box[0];

	box->size = tensor_model_size(map->type);
	if (map->interleave) {
		box->step = map->element_stride[0];
		box->channels = slice_bytes(map) / box->size;
		box->slices = rounded_up(rounded_up(channels, box->step), box->channels);
		box->pitch = slice_bytes(map);
		return;
	}
	box->step = 1;
	box->channels = channels;
	box->slices = 1;
	switch (map->swizzle) {
	case DRM_VSM_TENSOR_SWIZZLE_NONE:
		box->pitch = channels * box->size;
		break;
	case DRM_VSM_TENSOR_SWIZZLE_32B:
		box->pitch = 32;
		break;
	case DRM_VSM_TENSOR_SWIZZLE_64B:
		box->pitch = 64;
		break;
	case DRM_VSM_TENSOR_SWIZZLE_128B:
		box->pitch = 128;
		break;
	}
}

/*
 * The offset of an element. In an interleaved tensor the channels of a slice are adjacent; then
 * follow the other pixels of the image, then the next slice, then the next image.
 */
static __u64 global_offset(const struct box *box, const __s64 *coords)
{
	const struct drm_vsm_tensor_map *map = box->map;
	__u64 channel = coords[0], offset = 0;
	int d;

	for (d = 1; d < map->rank; d++)
		offset += (__u64)coords[d] * map->stride[d - 1];
	if (!map->interleave)
		return offset + channel * box->size;
	return offset + channel % box->channels * box->size +
	       channel / box->channels * map->size[map->rank - 2] * map->stride[map->rank - 3];
}

/*
 * Visits the elements of row number @row in shared memory. It holds slice @slice of the pixel at
 * @coords.
 */
static void visit_row(const struct box *box, __u64 row, __u32 slice, __s64 *coords)
{
	const struct drm_vsm_tensor_map *map = box->map;
	__u32 i;
	int d;

	for (i = 0; i < box->channels; i++) {
		__u64 address = box->offset + row * box->pitch + i * box->size;
		struct tensor_element element = {
			.shared = swizzled(map->swizzle, address),
			.inside = true,
			.size = box->size,
		};

		coords[0] = box->o->coords[0] +
			    ((__s64)slice * box->channels + i) * box->step;
		for (d = 0; d < map->rank; d++)
			if (coords[d] < 0 || coords[d] >= (__s64)map->size[d])
				element.inside = false;
		if (element.inside)
			element.global = global_offset(box, coords);
		box->visit(&element, box->data);
	}
}

/*
 * .tile: the innermost dimension varies fastest from row to row. The slices vary just before the
 * outermost dimension.
 */
static void visit_tile(const struct box *box)
{
	const struct drm_vsm_tensor_map *map = box->map;
	__u32 counts[MAX_RANK];
	__s64 coords[MAX_RANK];
	__u64 rows = box->slices, row;
	__u32 slice;
	int d;

	for (d = 1; d < map->rank; d++) {
		counts[d] = rounded_up(map->box[d], map->element_stride[d]);
		rows *= counts[d];
	}
	for (row = 0; row < rows; row++) {
		__u64 rest = row;

		slice = 0;
		for (d = 1; d < map->rank; d++) {
			if (map->interleave && d == map->rank - 1) {
				slice = rest % box->slices;
				rest /= box->slices;
			}
			coords[d] = box->o->coords[d] +
				    (__s64)(rest % counts[d]) * map->element_stride[d];
			rest /= counts[d];
		}
		visit_row(box, row, slice, coords);
	}
}

/*
 * Returns the coordinate that is @steps steps after @from in a dimension of the bounding box. A
 * step beyond the end returns to the beginning. @passed gets the number of such steps.
 */
static __s64 stepped(__s64 from, __s64 low, __s64 high, __s64 step, __u64 steps, __u64 *passed)
{
	__u64 here = from > high ? 1 : (__u64)((high - from) / step + 1);
	__u64 whole = (__u64)((high - low) / step + 1);

	if (steps < here) {
		*passed = 0;
		return from + (__s64)steps * step;
	}
	steps -= here;
	*passed = 1 + steps / whole;
	return low + (__s64)(steps % whole) * step;
}

/*
 * .im2col as in PTX 5.5.4. The offsets of the instruction are added to the position of the filter.
 */
static void visit_columns(const struct box *box)
{
	static const __u32 offset_range[] = { [3] = 1 << 16, [4] = 1 << 8, [5] = 1 << 5 };
	const struct drm_vsm_tensor_map *map = box->map;
	__s64 coords[MAX_RANK];
	__u32 slice, pixel;
	int d;

	for (slice = 0; slice < box->slices; slice++) {
		for (pixel = 0; pixel < map->pixels; pixel++) {
			__u64 steps = pixel;
			__u32 offsets = box->o->offsets;

			for (d = 1; d < map->rank - 1; d++) {
				__u64 passed;

				coords[d] = stepped(box->o->coords[d], map->lower[d - 1],
						    (__s64)map->size[d] - 1 + map->upper[d - 1],
						    map->element_stride[d], steps, &passed);
				coords[d] += offsets % offset_range[map->rank];
				offsets /= offset_range[map->rank];
				steps = passed;
			}
			coords[d] = box->o->coords[d] + (__s64)steps * map->element_stride[d];
			visit_row(box, (__u64)slice * map->pixels + pixel, slice, coords);
		}
	}
}

void tensor_model(const struct drm_vsm_tensor_map *map, const struct drm_vsm_tensor_operands *o,
		  __u32 offset, tensor_visit visit, void *data)
{
	struct box box = {
		.map = map,
		.o = o,
		.offset = offset,
		.visit = visit,
		.data = data,
	};

	box_set_rows(&box);
	if (map->mode == DRM_VSM_TENSOR_IM2COL)
		visit_columns(&box);
	else
		visit_tile(&box);
}
