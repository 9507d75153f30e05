// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tensor copies: boxes with known bytes, and how the copies complete. Other memory stays unchanged.
 * Unit tests check without the device how tensors address their elements.
 */
#include "copies.h"

#define ORIGIN	256	/* offset of the tensors in the buffer */

FIXTURE(tensors)
{
	struct copies s;
};

FIXTURE_VARIANT(tensors) { bool job; };
FIXTURE_VARIANT_ADD(tensors, exec) { .job = false };
FIXTURE_VARIANT_ADD(tensors, job) { .job = true };

FIXTURE_SETUP(tensors)
{
	ASSERT_EQ(0, copies_init(&self->s, variant->job));
}

FIXTURE_TEARDOWN(tensors)
{
	EXPECT_EQ(0, poll_events(self->s.c.fd));
	EXPECT_EQ(0, exec_one(&self->s.c, i_inval(MBAR)));
	EXPECT_EQ(0, copies_fini(&self->s));
}

/* --- tiled tensors -------------------------------------------------------- */

enum { WIDTH = 20, HEIGHT = 6, ROW = 96, BOX_X = 8, BOX_Y = 3, BOX = 4 * BOX_X * BOX_Y };

/* A matrix of 32-bit elements with some bytes between its rows. */
static struct drm_vsm_tensor_map matrix(const struct copies *s)
{
	return (struct drm_vsm_tensor_map){
		.type = DRM_VSM_TENSOR_UINT32, .rank = 2, .mode = DRM_VSM_TENSOR_TILED,
		.buffer = s->b.handle, .offset = ORIGIN,
		.size = { WIDTH, HEIGHT }, .stride = { ROW }, .box = { BOX_X, BOX_Y },
		.element_stride = { 1, 1 },
	};
}

/*
 * Returns the element of the matrix in the expected contents of the buffer, or NULL if it is out of
 * bounds.
 */
static uint32_t *element(const struct copies *s, int64_t x, int64_t y)
{
	if (x < 0 || y < 0 || x >= WIDTH || y >= HEIGHT)
		return NULL;
	return (uint32_t *)(s->global + ORIGIN + ROW * y + 4 * x);
}

/*
 * First elements of boxes: inside the matrix, partly out of bounds at each side, and wholly out of
 * bounds.
 */
static const int32_t corners[][2] = {
	{ 0, 0 }, { 4, 2 }, { 12, 3 }, { 16, 4 }, { -4, -1 }, { -8, 0 }, { 0, 6 }, { 20, -3 },
	{ 0x7ffffff8, 0x7fffffff }, { -0x7ffffff0, -0x7fffffff },
};

/* The same for stores and reductions, which may not begin at a negative coordinate. */
static const int32_t store_corners[][2] = {
	{ 0, 0 }, { 4, 2 }, { 12, 3 }, { 16, 4 }, { 8, 0 }, { 0, 6 }, { 20, 3 },
	{ 0x7ffffff8, 0x7fffffff },
};

/* Computes the expected contents of the window after a load of this box. */
static void expect_box(const struct copies *s, uint32_t addr, const int32_t *corner)
{
	uint32_t *to = expected(s, addr);
	int64_t x, y;

	for (y = 0; y < BOX_Y; y++) {
		for (x = 0; x < BOX_X; x++) {
			uint32_t *from = element(s, corner[0] + x, corner[1] + y);

			*to++ = from ? *from : 0;
		}
	}
}

TEST_F(tensors, a_box_is_loaded_and_is_zero_out_of_bounds)
{
	const struct copies *s = &self->s;
	struct drm_vsm_tensor_map map __attribute__((aligned(64))) = matrix(s);
	uint32_t i;

	for (i = 0; i < ITEMS(corners); i++) {
		uint32_t rank = i % CTAS, to = AT(rank, DATA + 128 * i);

		expect_box(s, to, corners[i]);
		ASSERT_EQ(0, copy_complete(s, i / 2 % CTAS,
					   i_tensor(TENSOR_G2S, &map, .addr = to,
						    .mbar = AT(rank, MBAR),
						    .coords = { corners[i][0], corners[i][1] }),
					   1 << rank, BOX));
		EXPECT_TRUE(as_expected(s)) TH_LOG("box at %d, %d", corners[i][0], corners[i][1]);
	}
}

TEST_F(tensors, a_multicast_loads_the_box_into_all_windows_of_its_mask)
{
	const struct copies *s = &self->s;
	struct drm_vsm_tensor_map map __attribute__((aligned(64))) = matrix(s);
	uint32_t mask, rank;

	for (mask = 1; mask < 1 << CTAS; mask++) {
		const int32_t *corner = corners[mask % 6];

		for (rank = 0; rank < CTAS; rank++)
			if (mask >> rank & 1)
				expect_box(s, AT(rank, DATA), corner);
		ASSERT_EQ(0, copy_complete(s, mask % CTAS,
					   i_multicast(i_tensor(TENSOR_G2S, &map, .addr = DATA,
								.mbar = MBAR,
								.coords = { corner[0], corner[1] }),
						       mask),
					   mask, BOX));
		EXPECT_TRUE(as_expected(s)) TH_LOG("mask %x", mask);
	}
}

TEST_F(tensors, a_box_is_stored_but_for_what_is_out_of_bounds)
{
	const struct copies *s = &self->s;
	struct drm_vsm_tensor_map map __attribute__((aligned(64))) = matrix(s);
	uint32_t i;
	int x, y;

	for (i = 0; i < ITEMS(store_corners); i++) {
		uint32_t cta = i % CTAS, addr = AT(cta, DATA + 128 * i);
		const int32_t *corner = store_corners[i];
		uint32_t *from = cluster_mem(&s->c, addr);

		for (y = 0; y < BOX_Y; y++) {
			for (x = 0; x < BOX_X; x++, from++) {
				uint32_t *to = element(s, corner[0] + x, corner[1] + y);

				if (to)
					*to = *from;
			}
		}
		ASSERT_EQ(0, copy_run(s, cta, i_tensor(TENSOR_S2G, &map, .addr = addr,
						       .coords = { corner[0], corner[1] })));
		EXPECT_TRUE(as_expected(s)) TH_LOG("box at %d, %d", corner[0], corner[1]);
	}
}

static uint32_t reduced(uint8_t op, uint32_t a, uint32_t b)
{
	switch (op) {
	case DRM_VSM_RED_ADD:
		return a + b;
	case DRM_VSM_RED_MIN:
		return a < b ? a : b;
	case DRM_VSM_RED_MAX:
		return a > b ? a : b;
	case DRM_VSM_RED_INC:
		return a >= b ? 0 : a + 1;
	case DRM_VSM_RED_DEC:
		return !a || a > b ? b : a - 1;
	case DRM_VSM_RED_AND:
		return a & b;
	case DRM_VSM_RED_OR:
		return a | b;
	default:
		return a ^ b;
	}
}

TEST_F(tensors, a_box_is_reduced_but_for_what_is_out_of_bounds)
{
	const struct copies *s = &self->s;
	struct drm_vsm_tensor_map map __attribute__((aligned(64))) = matrix(s);
	uint8_t op;
	int x, y;

	for (op = DRM_VSM_RED_ADD; op <= DRM_VSM_RED_XOR; op++) {
		const int32_t *corner = store_corners[op - 1];
		uint32_t cta = op % CTAS, addr = AT(cta, DATA + 128 * op);
		uint32_t *from = cluster_mem(&s->c, addr);

		for (y = 0; y < BOX_Y; y++) {
			for (x = 0; x < BOX_X; x++, from++) {
				uint32_t *to = element(s, corner[0] + x, corner[1] + y);

				if (to)
					*to = reduced(op, *to, *from);
			}
		}
		ASSERT_EQ(0, copy_run(s, cta, i_reduce(i_tensor(TENSOR_S2G, &map, .addr = addr,
								.coords = { corner[0],
									    corner[1] }), op)));
		EXPECT_TRUE(as_expected(s)) TH_LOG("reduction %u", op);
	}
}

TEST_F(tensors, the_type_of_a_reduction_is_the_map_s)
{
	static const struct {
		uint8_t type, op;
		uint16_t old, operand, value;
	} cases[] = {
		/* 1.5 + 2.25 = 3.75; -1 and 1 */
		{ DRM_VSM_TENSOR_FLOAT16, DRM_VSM_RED_ADD, 0x3e00, 0x4080, 0x4380 },
		{ DRM_VSM_TENSOR_BFLOAT16, DRM_VSM_RED_ADD, 0x3fc0, 0x4010, 0x4070 },
		{ DRM_VSM_TENSOR_FLOAT16, DRM_VSM_RED_MIN, 0x3c00, 0xbc00, 0xbc00 },
		{ DRM_VSM_TENSOR_BFLOAT16, DRM_VSM_RED_MAX, 0xbf80, 0x3f80, 0x3f80 },
	};
	const struct copies *s = &self->s;
	uint16_t *from = cluster_mem(&s->c, DATA), *to = (uint16_t *)(s->b.map + ORIGIN);
	uint32_t i, j;

	for (i = 0; i < ITEMS(cases); i++) {
		struct drm_vsm_tensor_map map __attribute__((aligned(64))) = {
			.type = cases[i].type, .rank = 1, .mode = DRM_VSM_TENSOR_TILED,
			.buffer = s->b.handle, .offset = ORIGIN, .size = { 12 }, .box = { 16 },
			.element_stride = { 1 },
		};

		for (j = 0; j < 16; j++) {
			from[j] = cases[i].operand;
			((uint16_t *)expected(s, DATA))[j] = cases[i].operand;
		}
		for (j = 0; j < 12; j++) {
			to[j] = cases[i].old;
			((uint16_t *)(s->global + ORIGIN))[j] = cases[i].value;
		}
		ASSERT_EQ(0, copy_run(s, 0, i_reduce(i_tensor(TENSOR_S2G, &map, .addr = DATA),
						     cases[i].op)));
		EXPECT_TRUE(as_expected(s)) TH_LOG("case %u", i);
	}
}

TEST_F(tensors, a_prefetch_has_no_effect)
{
	const struct copies *s = &self->s;
	struct drm_vsm_tensor_map map __attribute__((aligned(64))) = matrix(s);
	uint32_t i;

	for (i = 0; i < ITEMS(corners); i++)
		ASSERT_EQ(0, copy_run(s, i % CTAS, i_tensor(PREFETCH_TENSOR, &map,
							    .coords = { corners[i][0],
									corners[i][1] })));
	EXPECT_TRUE(as_expected(s));
}

/* --- swizzle -------------------------------------------------------------- */

/* Bits 7 to 9 of the address in the window select the chunks of 16 bytes that are exchanged. */
TEST_F(tensors, a_swizzle_exchanges_chunks_and_leaves_gaps_alone)
{
	const struct copies *s = &self->s;
	uint32_t bytes, row, chunk;

	/* Test rows that are as wide as the swizzle, and rows half as wide. */
	for (bytes = 128; bytes >= 64; bytes /= 2) {
		struct drm_vsm_tensor_map map __attribute__((aligned(64))) = {
			.type = DRM_VSM_TENSOR_UINT8, .rank = 2, .mode = DRM_VSM_TENSOR_TILED,
			.swizzle = DRM_VSM_TENSOR_SWIZZLE_128B,
			.buffer = s->b.handle, .offset = ORIGIN,
			.size = { 256, 8 }, .stride = { 256 }, .box = { bytes, 8 },
			.element_stride = { 1, 1 },
		};
		/* At 0x200, row 0 is swizzled as row 4 would be at 0x400. */
		uint32_t to = 8 * bytes;
		unsigned char *from = s->global + ORIGIN;

		for (row = 0; row < 8; row++)
			for (chunk = 0; chunk < bytes / 16; chunk++)
				memcpy(expected(s, to + 128 * row +
						   16 * (chunk ^ (to / 128 + row) % 8)),
				       from + 256 * row + 16 * chunk, 16);
		ASSERT_EQ(0, copy_complete(s, 1, i_tensor(TENSOR_G2S, &map, .addr = to,
							  .mbar = MBAR), 1, 8 * bytes));
		EXPECT_TRUE(as_expected(s)) TH_LOG("rows of %u bytes", bytes);

		/* Store the box 32 bytes further to the right. */
		for (row = 0; row < 8; row++)
			memmove(from + 256 * row + 32, from + 256 * row, bytes);
		ASSERT_EQ(0, copy_run(s, 0, i_tensor(TENSOR_S2G, &map, .addr = to,
						     .coords = { 32 })));
		EXPECT_TRUE(as_expected(s)) TH_LOG("rows of %u bytes", bytes);
	}
}

/* --- im2col --------------------------------------------------------------- */

enum { CHANNELS = 8, PIXELS = 6, IMAGES = 2, COLUMN = 8 };

/*
 * Two images of one row of six pixels each. The filter reaches one pixel to the right: the
 * bounding box has pixels -1 to 4.
 */
static struct drm_vsm_tensor_map images(const struct copies *s)
{
	return (struct drm_vsm_tensor_map){
		.type = DRM_VSM_TENSOR_UINT32, .rank = 3, .mode = DRM_VSM_TENSOR_IM2COL,
		.buffer = s->b.handle, .channels = 4, .pixels = COLUMN, .offset = ORIGIN,
		.size = { CHANNELS, PIXELS, IMAGES },
		.stride = { 4 * CHANNELS, 4 * CHANNELS * PIXELS },
		.lower = { -1 }, .upper = { -1 }, .element_stride = { 1, 1, 1 },
	};
}

/* The pixels of a column and their images. The column begins at pixel 3 of the first image. */
static const int column[COLUMN][2] = {
	{ 3, 0 }, { 4, 0 }, { -1, 1 }, { 0, 1 }, { 1, 1 }, { 2, 1 }, { 3, 1 }, { 4, 1 },
};

/* Returns channels 4 to 7 of a pixel. */
static unsigned char *pixel(const struct copies *s, int x, int image)
{
	if (x < 0 || x >= PIXELS)
		return NULL;
	return s->global + ORIGIN + 4 * (CHANNELS * (x + PIXELS * image) + 4);
}

TEST_F(tensors, a_column_goes_through_the_bounding_box_image_by_image)
{
	const struct copies *s = &self->s;
	struct drm_vsm_tensor_map map __attribute__((aligned(64))) = images(s);
	uint32_t offset, i, rank;

	for (offset = 0; offset <= 2; offset++) {
		struct drm_vsm_insn insn = i_tensor(TENSOR_G2S, &map, .addr = DATA, .mbar = MBAR,
						    .coords = { 4, 3, 0 }, .offsets = offset);

		if (offset == 2)
			insn = i_multicast(insn, 0xe);
		for (rank = 0; rank < CTAS; rank++) {
			if (!(offset == 2 ? rank : !rank))
				continue;
			for (i = 0; i < COLUMN; i++) {
				unsigned char *from = pixel(s, column[i][0] + (int)offset,
							    column[i][1]);
				unsigned char *to = expected(s, AT(rank, DATA + 16 * i));

				memset(to, 0, 16);
				if (from)
					memcpy(to, from, 16);
			}
		}
		ASSERT_EQ(0, copy_complete(s, 3, insn, offset == 2 ? 0xe : 1, 16 * COLUMN));
		EXPECT_TRUE(as_expected(s)) TH_LOG("offset %u", offset);
		ASSERT_EQ(0, copy_run(s, 0, i_tensor(PREFETCH_TENSOR, &map, .coords = { 4, 3, 0 },
						     .offsets = offset)));
		EXPECT_TRUE(as_expected(s));
	}
}

TEST_F(tensors, a_column_is_stored_and_reduced)
{
	const struct copies *s = &self->s;
	struct drm_vsm_tensor_map map __attribute__((aligned(64))) = images(s);
	struct drm_vsm_insn store = i_tensor(TENSOR_S2G, &map, .addr = AT(2, DATA),
					     .coords = { 4, 3, 0 });
	unsigned char *from = cluster_mem(&s->c, AT(2, DATA));
	uint32_t i, j;

	for (i = 0; i < COLUMN; i++)
		if (column[i][0] >= 0)
			memcpy(pixel(s, column[i][0], column[i][1]), from + 16 * i, 16);
	ASSERT_EQ(0, copy_run(s, 2, store));
	EXPECT_TRUE(as_expected(s));
	for (i = 0; i < COLUMN; i++)
		for (j = 0; j < 4 && column[i][0] >= 0; j++)
			((uint32_t *)pixel(s, column[i][0], column[i][1]))[j] *= 2;
	ASSERT_EQ(0, copy_run(s, 2, i_reduce(store, DRM_VSM_RED_ADD)));
	EXPECT_TRUE(as_expected(s));
}

/* --- when the map is read ------------------------------------------------- */

TEST_F(tensors, the_map_is_read_as_the_copy_is_issued)
{
	const struct copies *s = &self->s;
	struct drm_vsm_tensor_map map __attribute__((aligned(64))) = matrix(s);
	struct drm_vsm_insn insn = i_tensor(TENSOR_G2S, &map, .addr = DATA, .mbar = MBAR,
					    .coords = { 4, 2 });
	uint32_t out = syncobj_create(s->c.fd), in;
	struct hold hold;

	ASSERT_EQ(0, exec_one(&s->c, i_arrive_expect_tx(MBAR, BOX)));
	expect_box(s, DATA, corners[1]);
	*(uint64_t *)expected(s, MBAR) = word_of(VSM_LAYOUT_SM_90, 1, 0, 1, 1);
	if (!s->job) {
		ASSERT_EQ(0, cluster_hold(&s->c, DRM_VSM_HOLD));
		ASSERT_EQ(0, exec_one(&s->c, insn));
		memset(&map, 0xff, sizeof(map));
		ASSERT_EQ(0, async_release(&s->c));
	} else {
		if (hold_init(&hold) == -ENODEV)
			SKIP(return, "needs vgem");
		in = syncobj_import(s->c.fd, hold.file);
		ASSERT_EQ(0, submit_sync(&s->c, &insn, 1, in, out));
		memset(&map, 0xff, sizeof(map));
		ASSERT_EQ(0, hold_release(&hold));
		ASSERT_EQ(1, syncobj_status(s->c.fd, out));
	}
	EXPECT_TRUE(as_expected(s));
}

TEST_F(tensors, data_is_there_when_the_phase_is)
{
	const struct copies *s = &self->s;
	struct drm_vsm_tensor_map map __attribute__((aligned(64))) = matrix(s);
	struct drm_vsm_insn copy = i_tensor(TENSOR_G2S, &map, .addr = AT(1, DATA),
					    .mbar = AT(1, MBAR), .coords = { 4, 2 });
	volatile uint32_t *target = cluster_mem(&s->c, AT(1, DATA));
	int i, x, y, rounds = repeat(1000);

	for (i = 0; i < rounds; i++) {
		struct drm_vsm_insn wait[] = {
			i_arrive_expect_tx(AT(1, MBAR), BOX),
			i_try_parity(AT(1, MBAR), i % 2, LONG_HINT),
		};

		for (y = 0; y < HEIGHT; y++)
			for (x = 0; x < WIDTH; x++)
				*(uint32_t *)(s->b.map + ORIGIN + ROW * y + 4 * x) =
					i << 16 | y << 8 | x;
		ASSERT_EQ(0, s->job ? submit_sync(&s->c, &copy, 1, 0, 0) : exec_one(&s->c, copy));
		ASSERT_EQ(0, exec_stream(&s->c, 1, wait, 2, NULL)) TH_LOG("round %d", i);
		ASSERT_EQ(1, wait[1].result);
		for (y = BOX_Y - 1; y >= 0; y--)
			for (x = BOX_X - 1; x >= 0; x--)
				ASSERT_EQ(i << 16 | (y + 2) << 8 | (x + 4),
					  (int)target[BOX_X * y + x]);
	}
}

TEST_HARNESS_MAIN
