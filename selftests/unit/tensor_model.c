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
	bool store;	/* the copy is a store, not a reduction */
	__u32 size;
	/* Number of elements in a row: of the innermost dimension, or of a slice of a pixel */
	__u32 channels;
	int order[MAX_RANK];	/* dimensions in which the rows differ, the fastest one first */
	int dims;		/* number of dimensions in @order */
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
	int d;

	box->size = tensor_model_size(map->type);
	for (d = 0; d < map->rank; d++)
		if (map->interleave ? d != map->rank - 2 : d != 0)
			box->order[box->dims++] = d;
	if (map->interleave) {
		box->channels = slice_bytes(map) / box->size;
		box->pitch = slice_bytes(map);
		return;
	}
	box->channels = channels;
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
 * The offset of an element. An interleaved tensor consists of pixels' slices: the dimensions say
 * which slice it is, and @channel which element of the slice.
 */
static __u64 global_offset(const struct box *box, const __s64 *coords, __u32 channel)
{
	const struct drm_vsm_tensor_map *map = box->map;
	__u64 offset = channel * box->size;
	int d;

	for (d = 1; d < map->rank; d++)
		offset += (__u64)coords[d] * map->stride[d - 1];
	if (map->interleave)
		offset += (__u64)coords[0] * slice_bytes(map);
	return offset;
}

/* Visits the elements of row number @row in shared memory. It holds the pixel at @coords. */
static void visit_row(const struct box *box, __u64 row, __s64 *coords)
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

		if (!map->interleave)
			coords[0] = (__s64)box->o->coords[0] + i;
		for (d = 0; d < map->rank; d++) {
			__s64 size = map->size[d];

			/* A store writes whole pieces of 16 bytes. */
			if (box->store && d == 0 && !map->interleave)
				size = rounded_up(size * box->size, 16) * 16 / box->size;
			if (coords[d] < 0 || coords[d] >= size)
				element.inside = false;
		}
		if (element.inside)
			element.global = global_offset(box, coords, map->interleave ? i :
						       (__u32)coords[0]);
		box->visit(&element, box->data);
	}
}

/* .tile: the innermost dimension varies fastest from row to row. */
static void visit_tile(const struct box *box)
{
	const struct drm_vsm_tensor_map *map = box->map;
	__u32 counts[MAX_RANK];
	__s64 coords[MAX_RANK];
	__u64 rows = 1, row;
	int i, d;

	for (d = 0; d < map->rank; d++)
		coords[d] = box->o->coords[d];
	for (i = 0; i < box->dims; i++) {
		d = box->order[i];
		counts[i] = rounded_up(map->box[d], map->element_stride[d]);
		rows *= counts[i];
	}
	for (row = 0; row < rows; row++) {
		__u64 rest = row;

		for (i = 0; i < box->dims; i++) {
			d = box->order[i];
			coords[d] = box->o->coords[d] +
				    (__s64)(rest % counts[i]) * map->element_stride[d];
			rest /= counts[i];
		}
		visit_row(box, row, coords);
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
	__u32 pixel;
	int i, d;

	for (d = 0; d < map->rank; d++)
		coords[d] = box->o->coords[d];
	for (pixel = 0; pixel < map->pixels; pixel++) {
		__u32 offsets = box->o->offsets;
		__u64 steps = pixel;

		for (i = 0; i < box->dims - 1; i++) {
			__u64 passed;

			d = box->order[i];
			coords[d] = stepped(box->o->coords[d], map->lower[i],
					    (__s64)map->size[d] - 1 + map->upper[i],
					    map->element_stride[d], steps, &passed);
			coords[d] += offsets % offset_range[map->rank];
			offsets /= offset_range[map->rank];
			steps = passed;
		}
		d = box->order[i];
		coords[d] = box->o->coords[d] + (__s64)steps * map->element_stride[d];
		visit_row(box, pixel, coords);
	}
}

void tensor_model(const struct drm_vsm_tensor_map *map, const struct drm_vsm_tensor_operands *o,
		  __u32 offset, bool store, tensor_visit visit, void *data)
{
	struct box box = {
		.map = map,
		.store = store,
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
