// SPDX-License-Identifier: MIT
/*
 * The rules of tensor maps and of the instructions that use them, each at its limits, and the
 * amount of memory that a map spans.
 */
#include "unit.h"

#include <vsm_core.h>

#include "tensor_model.h"

#define T(x)	DRM_VSM_TENSOR_##x
#define R(x)	DRM_VSM_RED_##x

/* A box of 64 x 64 elements of two bytes in a tensor of 512 x 256, as matrix products use it. */
static const struct drm_vsm_tensor_map tile = {
	.type = T(BFLOAT16),
	.rank = 2,
	.mode = T(TILED),
	.swizzle = T(SWIZZLE_128B),
	.size = { 512, 256 },
	.stride = { 1024 },
	.box = { 64, 64 },
	.element_stride = { 1, 1 },
};

/*
 * An interleaved tensor, NC/8HWC8: 5 images of 3 slices of 10 x 12 pixels. A slice of a pixel has 8
 * channels.
 */
static const struct drm_vsm_tensor_map slices = {
	.type = T(UINT16),
	.rank = 4,
	.mode = T(TILED),
	.interleave = T(INTERLEAVE_16B),
	.size = { 12, 10, 3, 5 },
	.stride = { 192, 1920, 5760 },
	.box = { 8, 4, 3, 1 },
	.element_stride = { 1, 1, 1, 1 },
};

/* Like nhwc, but interleaved: 64 images of 14 slices of 9 x 64 pixels. */
static const struct drm_vsm_tensor_map nhwc_interleaved = {
	.type = T(UINT16),
	.rank = 4,
	.mode = T(IM2COL),
	.interleave = T(INTERLEAVE_16B),
	.channels = 8,
	.pixels = 64,
	.size = { 64, 9, 14, 64 },
	.stride = { 1024, 9216, 129024 },
	.lower = { -1, -1 },
	.upper = { -1, -1 },
	.element_stride = { 1, 1, 1, 1 },
};

static const struct drm_vsm_tensor_map line = {
	.type = T(UINT8),
	.rank = 3,
	.mode = T(IM2COL),
	.channels = 16,
	.pixels = 1,
	.size = { 16, 100000, 1 },
	.stride = { 16, 1600000 },
	.element_stride = { 1, 1, 1 },
};

static const struct drm_vsm_tensor_map volume = {
	.type = T(FLOAT32),
	.rank = 5,
	.mode = T(IM2COL),
	.channels = 4,
	.pixels = 1,
	.size = { 4, 40, 40, 40, 1 },
	.stride = { 16, 640, 25600, 1024000 },
	.element_stride = { 1, 1, 1, 1, 1 },
};

/* Sets a field of a map to a value. */
struct poke {
	size_t at, size;
	__u64 value;
};

#define P(field, to) {									\
	offsetof(struct drm_vsm_tensor_map, field),					\
	sizeof(((struct drm_vsm_tensor_map *)0)->field),				\
	to }

struct rule {
	enum drm_vsm_tensor_error error;
	const struct drm_vsm_tensor_map *map;
	struct poke pokes[4];
};

#define RULE(e, m, ...) { .error = T(e), .map = &(m), .pokes = { __VA_ARGS__ } }

static const struct rule rules[] = {
	RULE(OK, tile),
	RULE(OK, slices),
	RULE(OK, nhwc),
	RULE(OK, line),
	RULE(OK, volume),

	RULE(TYPE, tile, P(type, 13)),
	RULE(TYPE, tile, P(type, 255)),
	RULE(OK, tile, P(type, T(TFLOAT32_FTZ)), P(box[0], 32)),
	RULE(MODE, tile, P(mode, 0)),
	RULE(MODE, tile, P(mode, 3)),

	RULE(RANK, tile, P(rank, 0)),
	RULE(RANK, volume, P(rank, 6)),
	RULE(RANK, tile, P(interleave, T(INTERLEAVE_16B))),
	RULE(RANK, tile, P(mode, T(IM2COL))),
	RULE(INTERLEAVE, slices, P(interleave, 3)),
	RULE(SWIZZLE, tile, P(swizzle, 4)),
	RULE(OK, slices, P(interleave, T(INTERLEAVE_32B))),
	RULE(OK, slices, P(interleave, T(INTERLEAVE_32B)), P(swizzle, T(SWIZZLE_64B))),
	RULE(OK, slices, P(swizzle, T(SWIZZLE_128B))),
	RULE(FILL, tile, P(fill, 2)),
	RULE(FILL, slices, P(fill, T(FILL_NAN))),
	RULE(FILL, slices, P(fill, T(FILL_NAN)), P(type, T(INT64))),
	RULE(OK, tile, P(fill, T(FILL_NAN))),
	RULE(OK, tile, P(fill, T(FILL_NAN)), P(type, T(FLOAT16))),
	RULE(L2_PROMOTION, tile, P(l2_promotion, 4)),
	RULE(OK, tile, P(l2_promotion, 3)),

	RULE(RESERVED, tile, P(pad, 1)),
	RULE(RESERVED, tile, P(reserved[0], 1)),
	RULE(RESERVED, tile, P(reserved[4], 0x80)),
	RULE(RESERVED, tile, P(size[2], 1)),
	RULE(RESERVED, tile, P(size[4], 1)),
	RULE(RESERVED, tile, P(stride[1], 16)),
	RULE(RESERVED, tile, P(stride[3], 1ULL << 63)),
	RULE(RESERVED, tile, P(box[2], 1)),
	RULE(RESERVED, tile, P(box[4], 1)),
	RULE(RESERVED, tile, P(element_stride[2], 1)),
	RULE(RESERVED, tile, P(lower[0], 0xffff)),
	RULE(RESERVED, tile, P(upper[2], 1)),
	RULE(RESERVED, tile, P(channels, 1)),
	RULE(RESERVED, tile, P(pixels, 1)),
	RULE(RESERVED, nhwc, P(box[0], 1)),
	RULE(RESERVED, nhwc, P(box[3], 1)),
	RULE(RESERVED, nhwc, P(lower[2], 1)),
	RULE(RESERVED, line, P(upper[1], 1)),

	RULE(OFFSET, tile, P(offset, 8)),
	RULE(OK, tile, P(offset, 16)),
	RULE(OFFSET, slices, P(interleave, T(INTERLEAVE_32B)), P(offset, 16)),
	RULE(SIZE, tile, P(size[0], 0)),
	RULE(SIZE, tile, P(size[1], 0)),
	RULE(SIZE, tile, P(size[1], (1ULL << 32) + 1)),
	RULE(OK, tile, P(size[1], 1ULL << 32)),
	RULE(STRIDE, tile, P(stride[0], 1032)),
	RULE(STRIDE, tile, P(stride[0], 1ULL << 40)),
	RULE(OK, tile, P(stride[0], (1ULL << 40) - 16)),
	RULE(STRIDE, slices, P(interleave, T(INTERLEAVE_32B)), P(stride[0], 208)),
	RULE(ELEMENT_STRIDE, tile, P(element_stride[1], 0)),
	RULE(ELEMENT_STRIDE, tile, P(element_stride[1], 9)),
	RULE(ELEMENT_STRIDE, tile, P(element_stride[0], 0)),
	RULE(OK, tile, P(element_stride[1], 8)),

	RULE(BOX, tile, P(box[1], 0)),
	RULE(BOX, tile, P(box[1], 257)),
	RULE(OK, tile, P(box[1], 256)),
	RULE(BOX_BYTES, tile, P(box[0], 60)),
	RULE(BOX_BYTES, nhwc, P(channels, 4)),
	RULE(BOX_BYTES, slices, P(box[0], 4)),
	RULE(BOX_SWIZZLE, tile, P(box[0], 72)),
	RULE(BOX_SWIZZLE, tile, P(swizzle, T(SWIZZLE_64B)), P(box[0], 40)),
	RULE(BOX_SWIZZLE, tile, P(swizzle, T(SWIZZLE_32B)), P(box[0], 24)),
	RULE(BOX_SWIZZLE, nhwc, P(swizzle, T(SWIZZLE_32B)), P(channels, 24)),
	RULE(OK, tile, P(swizzle, T(SWIZZLE_32B)), P(box[0], 16)),
	RULE(OK, tile, P(swizzle, T(SWIZZLE_NONE)), P(box[0], 256)),
	RULE(OK, slices, P(swizzle, T(SWIZZLE_32B)), P(box[0], 24)),

	/* 0xffef, 0xfff0, 0xff7f and 0xff80 are -17, -16, -129 and -128. */
	RULE(CORNER, volume, P(lower[2], 0xffef)),
	RULE(OK, volume, P(lower[2], 0xfff0)),
	RULE(CORNER, volume, P(upper[0], 16)),
	RULE(OK, volume, P(upper[0], 15)),
	RULE(CORNER, nhwc, P(lower[1], 0xff7f)),
	RULE(OK, nhwc, P(lower[1], 0xff80)),
	RULE(CORNER, nhwc, P(upper[0], 128)),
	RULE(OK, nhwc, P(upper[0], 127)),
	RULE(OK, line, P(lower[0], 0x8000)),
	RULE(OK, line, P(upper[0], 0x8000)),
	RULE(OK, line, P(upper[0], 0x7fff)),
	/* The last of the 9 pixels is number 8. The upper corner of -1 makes it 7. */
	RULE(NO_PIXEL, nhwc, P(lower[0], 8)),
	RULE(OK, nhwc, P(lower[0], 7)),
	RULE(NO_PIXEL, nhwc, P(upper[1], 0xfff0), P(lower[1], 0)),
	RULE(NO_PIXEL, nhwc_interleaved, P(upper[1], 0xfff6)),
	RULE(OK, nhwc_interleaved, P(upper[1], 0xfff7)),
	RULE(CHANNELS, nhwc, P(channels, 0)),
	RULE(CHANNELS, nhwc, P(channels, 264)),
	RULE(OK, nhwc, P(channels, 256)),
	RULE(PIXELS, nhwc, P(pixels, 0)),
	RULE(PIXELS, nhwc, P(pixels, 1025)),
	RULE(OK, nhwc, P(pixels, 1024)),
};

TEST(each_rule_of_maps_is_checked)
{
	bool seen[T(PIXELS) + 1] = { false };
	size_t i, n;

	for (i = 0; i < ARRAY_SIZE(rules); i++) {
		struct drm_vsm_tensor_map map = *rules[i].map;
		enum drm_vsm_tensor_error error;

		/*
		 * Copying the first bytes of the value is right because the machine is little
		 * endian.
		 */
		for (n = 0; n < ARRAY_SIZE(rules[i].pokes); n++)
			memcpy((char *)&map + rules[i].pokes[n].at, &rules[i].pokes[n].value,
			       rules[i].pokes[n].size);
		error = vsm_tensor_map_check(&map);
		if (error != rules[i].error)
			fail_msg("rule %zu: error %d, not %d", i, error, rules[i].error);
		seen[error] = true;
	}
	for (i = 0; i < ARRAY_SIZE(seen); i++)
		if (!seen[i])
			fail_msg("no rule for error %zu", i);
}

#define LOAD	OP(CP_ASYNC_BULK_TENSOR_G2S)
#define STORE	OP(CP_ASYNC_BULK_TENSOR_S2G)
#define REDUCE	OP(CP_REDUCE_ASYNC_BULK_TENSOR)
#define PREFETCH OP(CP_ASYNC_BULK_PREFETCH_TENSOR)
#define IM2COL	MOD(IM2COL)

struct use {
	enum drm_vsm_tensor_error error;
	const struct drm_vsm_tensor_map *map;
	__u16 op;
	__u16 mods;
	__u8 dims;
	__u8 red;
	__u16 offsets;
	__s32 coords[5];
};

#define USE(e, m, o, mod, d, ...) \
	{ .error = T(e), .map = &(m), .op = (o), .mods = (mod), .dims = (d), __VA_ARGS__ }

static const struct use uses[] = {
	USE(OK, tile, LOAD, 0, 2),
	USE(OK, tile, STORE, 0, 2),
	USE(OK, tile, PREFETCH, 0, 2),
	USE(OK, nhwc, LOAD, IM2COL, 4, .coords = { 0, 4, 7, 7 }),
	USE(OK, nhwc, STORE, IM2COL, 4),
	USE(OK, nhwc, PREFETCH, IM2COL, 4),
	USE(OK, nhwc, REDUCE, IM2COL, 4, .red = R(ADD)),

	USE(DIMS, tile, LOAD, 0, 1),
	USE(DIMS, tile, LOAD, 0, 3),
	USE(DIMS, tile, PREFETCH, 0, 5),
	USE(DIMS, nhwc, STORE, IM2COL, 3),

	USE(LOAD_MODE, nhwc, LOAD, 0, 4),
	USE(LOAD_MODE, nhwc, REDUCE, 0, 4, .red = R(ADD)),
	USE(LOAD_MODE, slices, LOAD, IM2COL, 4),
	USE(LOAD_MODE, slices, STORE, IM2COL, 4),

	USE(OK, nhwc, LOAD, IM2COL, 4, .offsets = 0xffff),
	USE(OK, line, LOAD, IM2COL, 3, .offsets = 0xffff),
	USE(OK, volume, LOAD, IM2COL, 5, .offsets = 0x7fff),
	USE(OFFSETS, volume, LOAD, IM2COL, 5, .offsets = 0x8000),
	USE(OFFSETS, volume, PREFETCH, IM2COL, 5, .offsets = 0x8000),
	USE(OFFSETS, nhwc, STORE, IM2COL, 4, .offsets = 1),
	USE(OFFSETS, nhwc, REDUCE, IM2COL, 4, .red = R(ADD), .offsets = 1),
	USE(OFFSETS, tile, LOAD, 0, 2, .offsets = 1),

	USE(OK, tile, LOAD, 0, 2, .coords = { 8, 1 }),
	USE(OK, tile, LOAD, 0, 2, .coords = { -8, -1 }),
	USE(OK, tile, LOAD, 0, 2, .coords = { INT32_MIN, INT32_MAX }),
	USE(ALIGNMENT, tile, LOAD, 0, 2, .coords = { 4 }),
	USE(ALIGNMENT, tile, STORE, 0, 2, .coords = { -1 }),
	USE(ALIGNMENT, tile, PREFETCH, 0, 2, .coords = { INT32_MAX }),
	USE(ALIGNMENT, nhwc, LOAD, IM2COL, 4, .coords = { 2 }),
	/* In an interleaved map, dimension 0 counts pixels. */
	USE(OK, slices, LOAD, 0, 4, .coords = { 1 }),

	USE(NEGATIVE, tile, STORE, 0, 2, .coords = { -8, 0 }),
	USE(NEGATIVE, tile, STORE, 0, 2, .coords = { 0, -1 }),
	USE(NEGATIVE, slices, STORE, 0, 4, .coords = { 0, 0, 0, INT32_MIN }),
	USE(NEGATIVE, nhwc, STORE, IM2COL, 4, .coords = { 0, -1, 0, 0 }),
	USE(NEGATIVE, nhwc, STORE, IM2COL, 4, .coords = { 0, 0, 0, -1 }),
	USE(NEGATIVE, tile, REDUCE, 0, 2, .red = R(ADD), .coords = { 0, -1 }),
	USE(OK, tile, PREFETCH, 0, 2, .coords = { 0, -1 }),

	/* The coordinates may be from -1 to 7, from -1 to 12, and any number for the image. */
	USE(OK, nhwc, LOAD, IM2COL, 4, .coords = { 0, -1, -1, -5 }),
	USE(OK, nhwc, LOAD, IM2COL, 4, .coords = { 0, 7, 12, 500 }),
	USE(OUTSIDE, nhwc, LOAD, IM2COL, 4, .coords = { 0, 8, 0, 0 }),
	USE(OUTSIDE, nhwc, LOAD, IM2COL, 4, .coords = { 0, 0, 13, 0 }),
	USE(OUTSIDE, nhwc, LOAD, IM2COL, 4, .coords = { 0, -2, 0, 0 }),
	USE(OUTSIDE, nhwc, STORE, IM2COL, 4, .coords = { 0, 0, 13, 0 }),
	/* With an interleave: from -1 to 62 and from -1 to 7, and any slice and image. */
	USE(OK, nhwc_interleaved, LOAD, IM2COL, 4, .coords = { 62, 7, 500, -5 }),
	USE(OUTSIDE, nhwc_interleaved, LOAD, IM2COL, 4, .coords = { 63, 0, 0, 0 }),
	USE(OUTSIDE, nhwc_interleaved, LOAD, IM2COL, 4, .coords = { 0, 8, 0, 0 }),
	USE(OUTSIDE, volume, PREFETCH, IM2COL, 5, .coords = { 0, 0, 0, 40, 0 }),
};

static enum drm_vsm_tensor_error check_use(const struct use *use, __u8 type)
{
	struct drm_vsm_tensor_map map = *use->map;
	struct drm_vsm_insn insn = {
		.op = use->op,
		.mods = use->mods,
		.red = DRM_VSM_RED_DIMS(use->red, use->dims),
		.u.tensor.offsets = use->offsets,
	};

	map.type = type;
	memcpy(insn.u.tensor.coords, use->coords, sizeof(use->coords));
	return vsm_tensor_check(&map, &insn);
}

TEST(each_rule_of_instructions_is_checked)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(uses); i++) {
		__u8 type = uses[i].op == REDUCE ? T(UINT32) : uses[i].map->type;
		enum drm_vsm_tensor_error error = check_use(&uses[i], type);

		if (error != uses[i].error)
			fail_msg("use %zu: error %d, not %d", i, error, uses[i].error);
	}
}

/* The table of PTX 9.7.9.25.5.3: for each operation, a mask of the types of tensor. */
TEST(reductions_are_those_of_the_table)
{
	static const __u16 types[] = {
		[R(ADD)] = 1 << T(UINT32) | 1 << T(INT32) | 1 << T(UINT64) | 1 << T(FLOAT16) |
			     1 << T(FLOAT32) | 1 << T(BFLOAT16) | 1 << T(FLOAT32_FTZ),
		[R(MIN)] = 1 << T(UINT32) | 1 << T(INT32) | 1 << T(UINT64) | 1 << T(INT64) |
			     1 << T(FLOAT16) | 1 << T(BFLOAT16),
		[R(MAX)] = 1 << T(UINT32) | 1 << T(INT32) | 1 << T(UINT64) | 1 << T(INT64) |
			     1 << T(FLOAT16) | 1 << T(BFLOAT16),
		[R(INC)] = 1 << T(UINT32),
		[R(DEC)] = 1 << T(UINT32),
		[R(AND)] = 1 << T(UINT32) | 1 << T(INT32) | 1 << T(UINT64) | 1 << T(INT64),
		[R(OR)] = 1 << T(UINT32) | 1 << T(INT32) | 1 << T(UINT64) | 1 << T(INT64),
		[R(XOR)] = 1 << T(UINT32) | 1 << T(INT32) | 1 << T(UINT64) | 1 << T(INT64),
	};
	__u8 op, type;

	for (op = 1; op < 16; op++)
		for (type = T(UINT8); type <= T(TFLOAT32_FTZ); type++) {
			struct use use = { .map = &tile, .op = REDUCE, .dims = 2, .red = op };
			bool there = op < ARRAY_SIZE(types) && types[op] >> type & 1;

			assert_int_equal(check_use(&use, type), there ? T(OK) : T(REDUCTION));
		}
}

TEST(sizes_are_those_of_whole_boxes)
{
	struct drm_vsm_tensor_map map = tile;

	assert_int_equal(vsm_tensor_map_bytes(&map), 64 * 64 * 2);
	assert_int_equal(vsm_tensor_map_window(&map), 64 * 64 * 2);
	assert_int_equal(vsm_tensor_map_extent(&map), 255 * 1024 + 1024);

	/* Except in the first dimension a box has ceil(boxDim / elementStride) elements. */
	map.element_stride[0] = 8;
	map.element_stride[1] = 3;
	assert_int_equal(vsm_tensor_map_bytes(&map), 22 * 64 * 2);

	/* In the window a row is as wide as the swizzle. */
	map.box[0] = 24;
	assert_int_equal(vsm_tensor_map_bytes(&map), 22 * 24 * 2);
	assert_int_equal(vsm_tensor_map_window(&map), 22 * 128);

	/* A row of the tensor ends at a multiple of 16 bytes. */
	map.size[0] = 5;
	assert_int_equal(vsm_tensor_map_extent(&map), 255 * 1024 + 16);

	/*
	 * A box has one slice of each pixel, 16 bytes: the extent of the box in the dimension of
	 * the slices has no effect.
	 */
	map = slices;
	assert_int_equal(vsm_tensor_map_bytes(&map), 8 * 4 * 16);
	map.element_stride[0] = 3;
	map.box[1] = 3;
	map.swizzle = T(SWIZZLE_128B);
	assert_int_equal(vsm_tensor_map_bytes(&map), 3 * 3 * 16);
	assert_int_equal(vsm_tensor_map_window(&map), 256);
	assert_int_equal(vsm_tensor_map_extent(&map), 5 * 5760);
	assert_int_equal(vsm_tensor_map_bytes(&nhwc_interleaved), 64 * 16);

	assert_int_equal(vsm_tensor_map_bytes(&nhwc), 64 * 16);
	assert_int_equal(vsm_tensor_map_extent(&nhwc), 64ULL * 14 * 9 * 128);
}

TEST(what_no_buffer_has_is_more_than_any)
{
	struct drm_vsm_tensor_map map = volume;
	int d;

	for (d = 0; d < 5; d++)
		map.size[d] = 1ULL << 32;
	for (d = 0; d < 4; d++)
		map.stride[d] = (1ULL << 40) - 16;
	assert_int_equal(vsm_tensor_map_check(&map), T(OK));
	assert_true(vsm_tensor_map_extent(&map) == ~0ULL);

	map = slices;
	map.size[2] = 1ULL << 32;
	map.stride[1] = (1ULL << 40) - 16;
	assert_int_equal(vsm_tensor_map_check(&map), T(OK));
	assert_true(vsm_tensor_map_extent(&map) == ~0ULL);

	/*
	 * The largest extent that is computed is about 2^60. Every larger one is ~0: no buffer is
	 * so large.
	 */
	map = tile;
	map.size[1] = 1ULL << 32;
	map.stride[0] = 1ULL << 29;
	assert_true(vsm_tensor_map_extent(&map) == ~0ULL);
	map.stride[0] = 1ULL << 28;
	assert_int_equal(vsm_tensor_map_extent(&map), ((1ULL << 32) - 1) * (1ULL << 28) + 1024);
}
