// SPDX-License-Identifier: MIT
/*
 * Tests the encoders of tensor maps. The tests check that each argument arrives in its field, and
 * that the encoders refuse arguments that do not fit in the map. The tests of the uapi header check
 * all other rules.
 */
#define TEST_SETUP	setup
#define TEST_TEARDOWN	teardown
#include "mock.h"

static const struct vsm_tensor_config tiled = {
	.type = DRM_VSM_TENSOR_FLOAT16,
	.rank = 3,
	.offset = 48,
	.size = { 40, 5, 3 },
	.stride = { 96, 512 },
	.box = { 32, 4, 2 },
	.element_stride = { 1, 2, 1 },
	.swizzle = DRM_VSM_TENSOR_SWIZZLE_64B,
	.l2_promotion = 2,
	.fill = DRM_VSM_TENSOR_FILL_NAN,
};

static const struct vsm_tensor_config im2col = {
	.type = DRM_VSM_TENSOR_UINT16,
	.rank = 4,
	.offset = 16,
	.size = { 16, 6, 5, 2 },
	.stride = { 32, 192, 960 },
	.lower = { -1, -2 },
	.upper = { 1, -1 },
	.channels = 16,
	.pixels = 20,
	.element_stride = { 1, 1, 2, 1 },
	.interleave = DRM_VSM_TENSOR_INTERLEAVE_16B,
	.swizzle = DRM_VSM_TENSOR_SWIZZLE_32B,
	.l2_promotion = 1,
};

static struct vsm_buffer *buffer;

static int setup(void **state)
{
	int err = mock_setup(state);

	return err ? err : vsm_buffer_create(device, 4096, &buffer);
}

static int teardown(void **state)
{
	vsm_buffer_destroy(buffer);
	return mock_teardown(state);
}

static const char *reason;

static int encode_tiled(const struct vsm_tensor_config *config, struct drm_vsm_tensor_map *map)
{
	struct vsm_tensor_config c = *config;

	c.buffer = buffer;
	return vsm_tensor_map_encode_tiled(map, &c, &reason);
}

static int encode_im2col(const struct vsm_tensor_config *config, struct drm_vsm_tensor_map *map)
{
	struct vsm_tensor_config c = *config;

	c.buffer = buffer;
	return vsm_tensor_map_encode_im2col(map, &c, &reason);
}

TEST(test_tiled)
{
	const struct drm_vsm_tensor_map expected = {
		.type = DRM_VSM_TENSOR_FLOAT16,
		.rank = 3,
		.mode = DRM_VSM_TENSOR_TILED,
		.swizzle = DRM_VSM_TENSOR_SWIZZLE_64B,
		.fill = DRM_VSM_TENSOR_FILL_NAN,
		.l2_promotion = 2,
		.buffer = vsm_buffer_handle(buffer),
		.offset = 48,
		.size = { 40, 5, 3 },
		.stride = { 96, 512 },
		.box = { 32, 4, 2 },
		.element_stride = { 1, 2, 1 },
	};
	struct drm_vsm_tensor_map map __attribute__((aligned(64)));

	assert_int_equal(encode_tiled(&tiled, &map), 0);
	assert_memory_equal(&map, &expected, sizeof(map));
	assert_int_equal(vsm_tensor_map_bytes(&map), 2 * 2 * 64);
}

TEST(test_im2col)
{
	const struct drm_vsm_tensor_map expected = {
		.type = DRM_VSM_TENSOR_UINT16,
		.rank = 4,
		.mode = DRM_VSM_TENSOR_IM2COL,
		.interleave = DRM_VSM_TENSOR_INTERLEAVE_16B,
		.swizzle = DRM_VSM_TENSOR_SWIZZLE_32B,
		.l2_promotion = 1,
		.buffer = vsm_buffer_handle(buffer),
		.channels = 16,
		.pixels = 20,
		.offset = 16,
		.size = { 16, 6, 5, 2 },
		.stride = { 32, 192, 960 },
		.lower = { -1, -2 },
		.upper = { 1, -1 },
		.element_stride = { 1, 1, 2, 1 },
	};
	struct drm_vsm_tensor_map map __attribute__((aligned(64)));

	assert_int_equal(encode_im2col(&im2col, &map), 0);
	assert_memory_equal(&map, &expected, sizeof(map));
}

/* The map of the encoders, with an address as a CUtensorMap has it. */
static void make(bool column, struct drm_vsm_tensor_map *map, uint8_t cuda[128])
{
	assert_int_equal(column ? encode_im2col(&im2col, map) : encode_tiled(&tiled, map), 0);
	assert_int_equal(vsm_tensor_map_to_cuda(map, 0x7f0012345680, cuda), 0);
}

TEST(test_cuda_and_back)
{
	struct drm_vsm_tensor_map map __attribute__((aligned(64))), read;
	uint8_t cuda[128];

	for (int column = 0; column < 2; column++) {
		make(column, &map, cuda);
		assert_int_equal(vsm_tensor_map_from_cuda(cuda, &read), 0);
		map.buffer = 0;
		map.offset = 0x7f0012345680;
		assert_memory_equal(&read, &map, sizeof(map));
	}
}

TEST(test_cuda_address)
{
	struct drm_vsm_tensor_map map __attribute__((aligned(64)));
	uint8_t cuda[128], untouched[128];

	make(false, &map, cuda);
	memcpy(untouched, cuda, sizeof(cuda));
	assert_int_equal(vsm_tensor_map_to_cuda(&map, 24, cuda), -EINVAL);
	map.offset = 8;	/* it has no effect */
	assert_int_equal(vsm_tensor_map_to_cuda(&map, 0x7f0012345680, cuda), 0);
	assert_memory_equal(cuda, untouched, sizeof(cuda));
	map.rank = 6;
	assert_int_equal(vsm_tensor_map_to_cuda(&map, 0, cuda), -EINVAL);
	assert_memory_equal(cuda, untouched, sizeof(cuda));
}

/* Each bit of a CUtensorMap matters: with another one it is refused, or is that of another map. */
TEST(test_cuda_bits)
{
	struct drm_vsm_tensor_map map __attribute__((aligned(64))), read;
	uint8_t cuda[128], again[128];
	unsigned int bit, accepted = 0, refused = 0;

	for (int column = 0; column < 2; column++) {
		make(column, &map, cuda);
		for (bit = 0; bit < 1024; bit++) {
			cuda[bit / 8] ^= 1 << bit % 8;
			if (vsm_tensor_map_from_cuda(cuda, &read)) {
				refused++;
			} else {
				accepted++;
				assert_int_equal(vsm_tensor_map_to_cuda(&read, read.offset, again),
						 0);
				assert_memory_equal(again, cuda, sizeof(cuda));
			}
			cuda[bit / 8] ^= 1 << bit % 8;
		}
	}
	/* At least the bits of the address, the sizes, and the strides of both can change. */
	assert_true(accepted > 400 && refused > 1024);
}

/* A refused CUtensorMap is read all the same: its fields say which rule they break. */
TEST(test_cuda_refused)
{
	struct drm_vsm_tensor_map map __attribute__((aligned(64))), read;
	uint8_t cuda[128] = { 0 };

	assert_int_equal(vsm_tensor_map_from_cuda(cuda, &read), -EINVAL);
	assert_int_equal(vsm_tensor_map_check(&read), DRM_VSM_TENSOR_BOX_BYTES);
	assert_int_equal(read.rank, 1);
	make(false, &map, cuda);
	cuda[8] = (cuda[8] & 0x8f) | 0x70;
	assert_int_equal(vsm_tensor_map_from_cuda(cuda, &read), -EINVAL);
	assert_int_equal(vsm_tensor_map_check(&read), DRM_VSM_TENSOR_RANK);
	memset(cuda, 0xff, sizeof(cuda));
	assert_int_equal(vsm_tensor_map_from_cuda(cuda, &read), -EINVAL);
	assert_int_equal(vsm_tensor_map_check(&read), DRM_VSM_TENSOR_TYPE);
}

/* Check that the encoder refuses @c for the reason @why, and does not change the caller's map. */
static void assert_refused(int (*encode)(const struct vsm_tensor_config *config,
					 struct drm_vsm_tensor_map *map),
			   const struct vsm_tensor_config *config, const char *why)
{
	struct drm_vsm_tensor_map map __attribute__((aligned(64)));
	struct drm_vsm_tensor_map untouched;

	memset(&map, 0xa5, sizeof(map));
	memset(&untouched, 0xa5, sizeof(untouched));
	reason = NULL;
	assert_int_equal(encode(config, &map), -EINVAL);
	assert_memory_equal(&map, &untouched, sizeof(map));
	assert_string_equal(reason, why);
}

#define REFUSED(kind, member, value, rule)					\
	do {									\
		struct vsm_tensor_config refused = kind;			\
										\
		refused.member = (value);					\
		assert_refused(encode_##kind, &refused,				\
			       vsm_tensor_error_text(DRM_VSM_TENSOR_##rule));	\
	} while (0)

TEST(test_refused)
{
	REFUSED(tiled, type, 13, TYPE);
	REFUSED(tiled, rank, 0, RANK);
	REFUSED(tiled, rank, 6, RANK);
	REFUSED(tiled, offset, 8, OFFSET);
	REFUSED(tiled, size[2], 0, SIZE);
	REFUSED(tiled, stride[1], 520, STRIDE);
	REFUSED(tiled, box[0], 31, BOX_BYTES);
	REFUSED(tiled, box[1], 257, BOX);
	REFUSED(tiled, element_stride[1], 0, ELEMENT_STRIDE);
	REFUSED(tiled, element_stride[2], 9, ELEMENT_STRIDE);
	REFUSED(tiled, interleave, 3, INTERLEAVE);
	REFUSED(tiled, swizzle, DRM_VSM_TENSOR_SWIZZLE_32B, BOX_SWIZZLE);
	REFUSED(tiled, l2_promotion, 4, L2_PROMOTION);
	REFUSED(tiled, fill, 2, FILL);
	REFUSED(im2col, rank, 2, RANK);
	REFUSED(im2col, rank, 6, RANK);
	REFUSED(im2col, lower[0], -129, CORNER);
	REFUSED(im2col, upper[1], 128, CORNER);
	REFUSED(im2col, lower[1], 5, NO_PIXEL);
	REFUSED(im2col, channels, 0, CHANNELS);
	REFUSED(im2col, pixels, 1025, PIXELS);
	REFUSED(im2col, fill, DRM_VSM_TENSOR_FILL_NAN, FILL);
}

/* Members that the rank or the mode does not use must be 0. */
TEST(test_unused)
{
	REFUSED(tiled, size[3], 1, RESERVED);
	REFUSED(tiled, stride[2], 16, RESERVED);
	REFUSED(tiled, element_stride[3], 1, RESERVED);
	REFUSED(tiled, box[4], 1, RESERVED);
	REFUSED(tiled, lower[0], -1, RESERVED);
	REFUSED(tiled, channels, 16, RESERVED);
	REFUSED(im2col, box[0], 16, RESERVED);
	REFUSED(im2col, upper[2], 1, RESERVED);
}

/* Numbers that do not fit in the map are refused, even if their lowest bits would be valid. */
TEST(test_too_wide)
{
	REFUSED(tiled, type, 256 + DRM_VSM_TENSOR_FLOAT16, TYPE);
	REFUSED(tiled, rank, 256 + 3, RANK);
	REFUSED(tiled, box[1], (1 << 16) + 4, BOX);
	REFUSED(tiled, element_stride[1], 256 + 2, ELEMENT_STRIDE);
	REFUSED(tiled, interleave, 256, INTERLEAVE);
	REFUSED(tiled, swizzle, 256 + DRM_VSM_TENSOR_SWIZZLE_64B, SWIZZLE);
	REFUSED(tiled, swizzle, -256 + DRM_VSM_TENSOR_SWIZZLE_64B, SWIZZLE);
	REFUSED(tiled, l2_promotion, 256 + 2, L2_PROMOTION);
	REFUSED(tiled, fill, 256, FILL);
	REFUSED(im2col, lower[0], (1 << 16) - 1, CORNER);
	REFUSED(im2col, upper[0], (1 << 16) + 1, CORNER);
	REFUSED(im2col, channels, (1 << 16) + 16, CHANNELS);
	REFUSED(im2col, pixels, (1 << 16) + 20, PIXELS);
}

static void assert_leaves(const struct vsm_tensor_config *config)
{
	assert_refused(config->pixels ? encode_im2col : encode_tiled, config,
		       "the tensor leaves the buffer");
}

TEST(test_buffer_is_left)
{
	struct drm_vsm_tensor_map map __attribute__((aligned(64)));
	struct vsm_tensor_config c = tiled;

	/* The tensor has 2 * 512 + 4 * 96 + 40 * 2 = 1488 bytes, and the buffer 4096. */
	c.offset = 4096 - 1488;
	assert_int_equal(encode_tiled(&c, &map), 0);
	c.offset += 16;
	assert_leaves(&c);
	c.offset = 1 << 20;
	assert_leaves(&c);
	c.offset = -16ULL;
	assert_leaves(&c);
	c = tiled;
	c.size[2] = 1ULL << 32;
	assert_leaves(&c);
	c = tiled;
	c.stride[1] = (1ULL << 40) - 16;
	assert_leaves(&c);
	/* The tensor has three more images than the buffer. */
	c = im2col;
	c.size[3] = 5;
	assert_leaves(&c);
}

/*
 * The encoders refuse a map that is not aligned to 64 bytes, because instructions would refuse it.
 */
TEST(test_map_is_aligned)
{
	static unsigned char bytes[192] __attribute__((aligned(64)));

	assert_int_equal(encode_tiled(&tiled, (struct drm_vsm_tensor_map *)(bytes + 32)), -EINVAL);
	assert_string_equal(reason, "the map is not at a multiple of 64 bytes");
	assert_int_equal(encode_tiled(&tiled, (struct drm_vsm_tensor_map *)(bytes + 64)), 0);
}

TEST(test_no_reason)
{
	struct drm_vsm_tensor_map map __attribute__((aligned(64)));
	struct vsm_tensor_config config = tiled;

	config.buffer = buffer;
	assert_int_equal(vsm_tensor_map_encode_tiled(&map, &config, NULL), 0);
	config.rank = 0;
	assert_int_equal(vsm_tensor_map_encode_tiled(&map, &config, NULL), -EINVAL);
}

TEST(test_error_text)
{
	const char *unknown = vsm_tensor_error_text(~0U);
	uint32_t a, b;

	assert_string_equal(vsm_tensor_error_text(DRM_VSM_TENSOR_OK), "nothing is wrong");
	assert_string_equal(vsm_tensor_error_text(DRM_VSM_TENSOR_NEGATIVE + 1), unknown);
	for (a = 0; a <= DRM_VSM_TENSOR_NEGATIVE; a++) {
		assert_string_not_equal(vsm_tensor_error_text(a), unknown);
		for (b = 0; b < a; b++)
			assert_string_not_equal(vsm_tensor_error_text(a), vsm_tensor_error_text(b));
	}
}

TEST_MAIN()
