// SPDX-License-Identifier: MIT
/*
 * Tensor maps: what the encoders make of their arguments, and what they refuse. The
 * rules that the arguments break are the header's and tested with it; here it counts
 * that each argument gets there, and what does not fit in the map.
 */
#include "mock.h"

/*
 * struct arguments - Of both encoders, in the order of CUDA's
 */
struct arguments {
	int type;
	uint32_t rank;
	uint64_t offset;
	uint64_t dim[5];
	uint64_t strides[4];
	uint32_t box[5];
	int lower[3];
	int upper[3];
	uint32_t channels;
	uint32_t pixels;
	uint32_t element_strides[5];
	int interleave;
	int swizzle;
	uint32_t l2_promotion;
	int fill;
};

static const struct arguments tiled = {
	.type = DRM_VSM_TENSOR_FLOAT16,
	.rank = 3,
	.offset = 48,
	.dim = { 40, 5, 3 },
	.strides = { 96, 512 },
	.box = { 32, 4, 2 },
	.element_strides = { 1, 2, 1 },
	.swizzle = DRM_VSM_TENSOR_SWIZZLE_64B,
	.l2_promotion = 2,
	.fill = DRM_VSM_TENSOR_FILL_NAN,
};

static const struct arguments im2col = {
	.type = DRM_VSM_TENSOR_UINT16,
	.rank = 4,
	.offset = 16,
	.dim = { 16, 6, 5, 2 },
	.strides = { 32, 192, 960 },
	.lower = { -1, -2 },
	.upper = { 1, -1 },
	.channels = 16,
	.pixels = 20,
	.element_strides = { 1, 1, 2, 1 },
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

static int encode_tiled(const struct arguments *a, struct drm_vsm_tensor_map *map)
{
	return vsm_tensor_map_encode_tiled(map, a->type, a->rank, buffer, a->offset, a->dim,
					   a->strides, a->box, a->element_strides, a->interleave,
					   a->swizzle, a->l2_promotion, a->fill);
}

static int encode_im2col(const struct arguments *a, struct drm_vsm_tensor_map *map)
{
	return vsm_tensor_map_encode_im2col(map, a->type, a->rank, buffer, a->offset, a->dim,
					    a->strides, a->lower, a->upper, a->channels, a->pixels,
					    a->element_strides, a->interleave, a->swizzle,
					    a->l2_promotion, a->fill);
}

static void test_tiled(void **state)
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

	(void)state;
	assert_int_equal(encode_tiled(&tiled, &map), 0);
	assert_memory_equal(&map, &expected, sizeof(map));
	assert_int_equal(vsm_tensor_map_bytes(&map), 2 * 2 * 64);
}

static void test_im2col(void **state)
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

	(void)state;
	assert_int_equal(encode_im2col(&im2col, &map), 0);
	assert_memory_equal(&map, &expected, sizeof(map));
}

/* Of a tensor in one dimension there is no stride to tell. */
static void test_no_strides(void **state)
{
	const uint64_t dim = 1024;
	const uint32_t box = 256, element_stride = 1;
	struct drm_vsm_tensor_map map __attribute__((aligned(64)));

	(void)state;
	assert_int_equal(vsm_tensor_map_encode_tiled(&map, DRM_VSM_TENSOR_UINT8, 1, buffer, 0, &dim,
						     NULL, &box, &element_stride, 0, 0, 0, 0), 0);
	assert_int_equal(map.size[0], 1024);
}

/* Refused, and the caller's map is left alone. */
static void assert_refused(int (*encode)(const struct arguments *a, struct drm_vsm_tensor_map *map),
			   const struct arguments *a)
{
	struct drm_vsm_tensor_map map __attribute__((aligned(64)));
	struct drm_vsm_tensor_map untouched;

	memset(&map, 0xa5, sizeof(map));
	memset(&untouched, 0xa5, sizeof(untouched));
	assert_int_equal(encode(a, &map), -EINVAL);
	assert_memory_equal(&map, &untouched, sizeof(map));
}

#define REFUSED(kind, argument, value)						\
	do {									\
		struct arguments refused = kind;				\
										\
		refused.argument = (value);					\
		assert_refused(encode_##kind, &refused);			\
	} while (0)

static void test_refused(void **state)
{
	(void)state;
	REFUSED(tiled, type, 13);
	REFUSED(tiled, rank, 0);
	REFUSED(tiled, rank, 6);
	REFUSED(tiled, offset, 8);
	REFUSED(tiled, dim[2], 0);
	REFUSED(tiled, strides[1], 520);
	REFUSED(tiled, box[0], 31);
	REFUSED(tiled, box[1], 257);
	REFUSED(tiled, element_strides[1], 0);
	REFUSED(tiled, element_strides[2], 9);
	REFUSED(tiled, interleave, 3);
	REFUSED(tiled, swizzle, DRM_VSM_TENSOR_SWIZZLE_32B);
	REFUSED(tiled, l2_promotion, 4);
	REFUSED(tiled, fill, 2);
	REFUSED(im2col, rank, 2);
	REFUSED(im2col, rank, 6);
	REFUSED(im2col, lower[0], -129);
	REFUSED(im2col, upper[1], 128);
	REFUSED(im2col, lower[1], 4);
	REFUSED(im2col, channels, 0);
	REFUSED(im2col, pixels, 1025);
	REFUSED(im2col, fill, DRM_VSM_TENSOR_FILL_NAN);
}

/* Numbers whose lowest bits, which is what the map has room for, would do. */
static void test_too_wide(void **state)
{
	(void)state;
	REFUSED(tiled, type, 256 + DRM_VSM_TENSOR_FLOAT16);
	REFUSED(tiled, rank, 256 + 3);
	REFUSED(tiled, box[1], (1 << 16) + 4);
	REFUSED(tiled, element_strides[1], 256 + 2);
	REFUSED(tiled, interleave, 256);
	REFUSED(tiled, swizzle, 256 + DRM_VSM_TENSOR_SWIZZLE_64B);
	REFUSED(tiled, swizzle, -256 + DRM_VSM_TENSOR_SWIZZLE_64B);
	REFUSED(tiled, l2_promotion, 256 + 2);
	REFUSED(tiled, fill, 256);
	REFUSED(im2col, lower[0], (1 << 16) - 1);
	REFUSED(im2col, upper[0], (1 << 16) + 1);
	REFUSED(im2col, channels, (1 << 16) + 16);
	REFUSED(im2col, pixels, (1 << 16) + 20);
}

static void test_buffer_is_left(void **state)
{
	struct drm_vsm_tensor_map map __attribute__((aligned(64)));
	struct arguments a = tiled;

	(void)state;
	/* 2 * 512 + 4 * 96 + 40 * 2 = 1488 bytes, of 4096. */
	a.offset = 4096 - 1488;
	assert_int_equal(encode_tiled(&a, &map), 0);
	a.offset += 16;
	assert_refused(encode_tiled, &a);
	a.offset = 1 << 20;
	assert_refused(encode_tiled, &a);
	a.offset = -16ULL;
	assert_refused(encode_tiled, &a);
	REFUSED(tiled, dim[2], 1ULL << 32);
	REFUSED(tiled, strides[1], (1ULL << 40) - 16);
	/* Three images more. */
	REFUSED(im2col, dim[3], 5);
}

/* tensorMap must be aligned to 64 bytes, as the instructions want it. */
static void test_map_is_aligned(void **state)
{
	static unsigned char bytes[192] __attribute__((aligned(64)));

	(void)state;
	assert_int_equal(encode_tiled(&tiled, (struct drm_vsm_tensor_map *)(bytes + 32)), -EINVAL);
	assert_int_equal(encode_tiled(&tiled, (struct drm_vsm_tensor_map *)(bytes + 64)), 0);
}

static void test_error_text(void **state)
{
	const char *unknown = vsm_tensor_error_text(~0U);
	uint32_t a, b;

	(void)state;
	assert_string_equal(vsm_tensor_error_text(DRM_VSM_TENSOR_OK), "nothing is wrong");
	assert_string_equal(vsm_tensor_error_text(DRM_VSM_TENSOR_OUTSIDE + 1), unknown);
	for (a = 0; a <= DRM_VSM_TENSOR_OUTSIDE; a++) {
		assert_string_not_equal(vsm_tensor_error_text(a), unknown);
		for (b = 0; b < a; b++)
			assert_string_not_equal(vsm_tensor_error_text(a), vsm_tensor_error_text(b));
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_tiled, setup, teardown),
		cmocka_unit_test_setup_teardown(test_im2col, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_strides, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(test_too_wide, setup, teardown),
		cmocka_unit_test_setup_teardown(test_buffer_is_left, setup, teardown),
		cmocka_unit_test_setup_teardown(test_map_is_aligned, setup, teardown),
		cmocka_unit_test_setup_teardown(test_error_text, setup, teardown),
	};

	return cmocka_run_group_tests_name("tensor", tests, NULL, NULL);
}
