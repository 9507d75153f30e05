// SPDX-License-Identifier: MIT
/*
 * Tensor copies against public documents: the tables of swizzles and the examples of im2col in PTX
 * 5.5, and cvt.rna.tf32.f32.
 */
#include "unit.h"

#include <vsm_core.h>

#include "tensor_model.h"

#define T(x)	DRM_VSM_TENSOR_##x

#define WINDOW 8192

static unsigned char window[WINDOW] __attribute__((aligned(1024)));

/*
 * Loads a tensor of bytes whose rows are as wide as the swizzle. All bytes of a chunk of 16 bytes
 * are the number of that chunk, so that the window shows where the swizzle has put each chunk.
 */
static void load_numbered(__u8 swizzle, __u32 offset)
{
	static unsigned char tensor[1024];
	struct drm_vsm_tensor_map map = {
		.type = T(UINT8),
		.rank = 2,
		.mode = T(TILED),
		.swizzle = swizzle,
		.size = { 16U << swizzle, 64U >> swizzle },
		.stride = { 16U << swizzle },
		.box = { 16U << swizzle, 64U >> swizzle },
		.element_stride = { 1, 1 },
	};
	struct drm_vsm_tensor_operands o = { 0 };
	unsigned int i;

	for (i = 0; i < sizeof(tensor); i++)
		tensor[i] = i / 16;
	assert_int_equal(vsm_tensor_map_check(&map), T(OK));
	memset(window, 0xff, sizeof(window));
	vsm_tensor_load(&map, &o, tensor, window, offset);
}

/* Checks that line @line of the box has the chunks of row @nth of PTX's table. */
static void check_line(__u32 offset, __u32 line, __u32 swizzle, __u32 nth)
{
	__u32 i;

	for (i = 0; i < 128; i++)
		assert_int_equal(window[offset + line * 128 + i],
				 line * 8 + tensor_model_chunk(swizzle, nth, i / 16));
}

TEST(swizzles_are_those_of_the_tables)
{
	__u32 swizzle, start, i;

	for (swizzle = T(SWIZZLE_32B); swizzle <= T(SWIZZLE_128B); swizzle++)
		for (start = 0; start < 8; start++) {
			/*
			 * The swizzle of a line of 128 bytes is in the row of PTX's table whose
			 * number is the line's address divided by 128, modulo the number of rows.
			 */
			__u32 offset = 2048 + start * 128;

			load_numbered(swizzle, offset);
			for (i = 0; i < 8; i++)
				check_line(offset, i, swizzle, start + i);
			for (i = 0; i < WINDOW; i++)
				if (i < offset || i >= offset + 1024)
					assert_int_equal(window[i], 0xff);
		}
}

/* As cvt.rna.tf32.f32 does: drop 13 bits, ties away from zero. */
TEST(loads_round_to_tf32)
{
	static const struct {
		__u32 from, to;
	} numbers[] = {
		{ 0x3f800000, 0x3f800000 },
		{ 0x3f800fff, 0x3f800000 },
		{ 0x3f801000, 0x3f802000 },
		{ 0xbf803000, 0xbf804000 },
		{ 0x3fffffff, 0x40000000 },
		{ 0x7f7fffff, 0x7f800000 },	/* to infinity */
		{ 0x7f800000, 0x7f800000 },
		{ 0xff800000, 0xff800000 },
		{ 0x00000fff, 0x00000000 },
		{ 0x80001000, 0x80002000 },	/* subnormal */
		{ 0x7f800001, 0x7fffe000 },	/* NaN */
		{ 0xffc00000, 0x7fffe000 },
	};
	struct drm_vsm_tensor_map map = {
		.type = T(TFLOAT32),
		.rank = 1,
		.mode = T(TILED),
		.size = { ARRAY_SIZE(numbers) },
		.box = { ARRAY_SIZE(numbers) },
		.element_stride = { 1 },
	};
	struct drm_vsm_tensor_operands o = { 0 };
	__u32 tensor[ARRAY_SIZE(numbers)], seen[ARRAY_SIZE(numbers)];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++)
		tensor[i] = numbers[i].from;
	for (; map.type <= T(TFLOAT32_FTZ); map.type++) {
		assert_int_equal(vsm_tensor_map_check(&map), T(OK));
		vsm_tensor_load(&map, &o, tensor, window, 0);
		memcpy(seen, window, sizeof(seen));
		for (i = 0; i < ARRAY_SIZE(numbers); i++)
			assert_int_equal(seen[i], numbers[i].to);
	}
	/* Stores, and loads of other types, do not round. */
	map.type = T(TFLOAT32);
	memcpy(window, tensor, sizeof(tensor));
	vsm_tensor_store(&map, &o, seen, window, 0);
	assert_memory_equal(seen, tensor, sizeof(tensor));
	map.type = T(FLOAT32_FTZ);
	vsm_tensor_load(&map, &o, tensor, window, 0);
	assert_memory_equal(window, tensor, sizeof(tensor));
}

/* Makes a tensor of two-byte elements. The value of an element is made from its coordinates. */
static __u16 *image_of(const struct drm_vsm_tensor_map *map)
{
	__u16 *tensor = calloc(1, vsm_tensor_map_extent(map));
	__u32 n, h, w;

	assert_non_null(tensor);
	for (n = 0; n < map->size[3]; n++)
		for (h = 0; h < map->size[2]; h++)
			for (w = 0; w < map->size[1]; w++)
				tensor[(n * map->stride[2] + h * map->stride[1] +
					w * map->stride[0]) / 2] = 0x8000 | n << 8 | h << 4 | w;
	return tensor;
}

static void check_pixel(__u32 pixel, int n, int h, int w, bool inside)
{
	__u16 seen;

	memcpy(&seen, window + pixel * 16, sizeof(seen));
	assert_int_equal(seen, inside ? 0x8000 | n << 8 | h << 4 | w : 0);
}

/*
 * The examples of PTX 5.5.4.1 and 5.5.4.2. The pixels of each box begin in the middle of a line and
 * continue in the next lines. Their coordinates stay in the bounding box; the offsets are added
 * after that.
 */
TEST(columns_are_those_of_the_examples)
{
	struct drm_vsm_tensor_map map = nhwc;
	struct drm_vsm_tensor_operands o = { .coords = { 0, 4, 7, 7 } };
	__u16 *tensor = image_of(&map);
	int i, n, h, w;

	vsm_tensor_load(&map, &o, tensor, window, 0);
	for (i = 0, n = 7, h = 7, w = 4; i < 64; i++) {
		check_pixel(i, n, h, w, h >= 0 && w >= 0);
		if (++w > 7) {
			w = -1;
			if (++h > 12) {
				h = -1;
				n++;
			}
		}
	}

	/* Example 2: w goes from 0 to 6, h from 0 to 11, and both offsets are 2. */
	map.lower[0] = 0;
	map.lower[1] = 0;
	map.upper[0] = -2;
	map.upper[1] = -2;
	o.offsets = 2 | 2 << 8;
	vsm_tensor_load(&map, &o, tensor, window, 0);
	for (i = 0, n = 7, h = 7, w = 4; i < 64; i++) {
		check_pixel(i, n, h + 2, w + 2, true);
		if (++w > 6) {
			w = 0;
			if (++h > 11) {
				h = 0;
				n++;
			}
		}
	}
	free(tensor);

	/*
	 * Example 3: every second pixel of a line of 8, with w from -1 to 6, and every second line.
	 */
	map = nhwc;
	map.size[1] = 8;
	map.channels = 8;
	map.pixels = 32;
	map.element_stride[1] = 2;
	map.element_stride[2] = 2;
	o = (struct drm_vsm_tensor_operands) { .coords = { 0, 5, 7, 7 }, .offsets = 1 | 1 << 8 };
	tensor = image_of(&map);
	vsm_tensor_load(&map, &o, tensor, window, 0);
	for (i = 0, n = 7, h = 7, w = 5; i < 32; i++) {
		check_pixel(i, n, h + 1, w + 1, true);
		w += 2;
		if (w > 6) {
			w = -1;
			h += 2;
			if (h > 12) {
				h = -1;
				n++;
			}
		}
	}
	free(tensor);
}
