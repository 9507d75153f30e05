// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copies that are refused, at issue or at completion, for threads and for jobs. hazards.c tests
 * copies that overlap each other.
 */
#include <drm/vsm_tensor.h>

#include "copies.h"

#define FREE	AT(1, 0x90)	/* a word of CTA 1 that is no mbarrier */

FIXTURE(copy_rules)
{
	struct copies s;
	struct drm_vsm_insn reported;
};

FIXTURE_VARIANT(copy_rules) { bool job; };
FIXTURE_VARIANT_ADD(copy_rules, exec) { .job = false };
FIXTURE_VARIANT_ADD(copy_rules, job) { .job = true };

FIXTURE_SETUP(copy_rules)
{
	ASSERT_EQ(0, copies_init(&self->s, variant->job));
}

FIXTURE_TEARDOWN(copy_rules)
{
	uint32_t rank;

	/*
	 * Each fault was reported once, no memory has changed, and no copy is bound to an mbarrier.
	 */
	EXPECT_EQ(0, poll_events(self->s.c.fd));
	EXPECT_TRUE(as_expected(&self->s));
	for (rank = 0; rank < CTAS; rank++)
		EXPECT_EQ(0, exec_at(&self->s.c, rank, i_inval(AT(rank, MBAR)), NULL));
	EXPECT_EQ(0, copies_fini(&self->s));
}

/* An instruction that is refused when it is issued, and the fault that it must report. */
struct misuse {
	uint32_t fault;
	struct drm_vsm_insn insn;
};

#define EXPECT_FAULTS(cases) do { \
	size_t n; \
	for (n = 0; n < ITEMS(cases); n++) { \
		EXPECT_EQ((cases)[n].fault, \
			  copy_fault(&self->s, 0, (cases)[n].insn, &self->reported)) \
			TH_LOG("case %zu", n); \
		EXPECT_EQ(0, self->reported.result); \
		EXPECT_EQ(0, self->reported.info); \
	} \
} while (0)

static struct drm_vsm_insn spelled(struct drm_vsm_insn insn, uint8_t space)
{
	insn.space = space;
	return insn;
}

#define CTA(insn)	spelled(insn, DRM_VSM_SPACE_SHARED_CTA)
#define CLUSTER(insn)	spelled(insn, DRM_VSM_SPACE_SHARED_CLUSTER)

/* --- faults of operands --------------------------------------------------- */

TEST_F(copy_rules, of_bulk_copies_between_global_and_shared)
{
	const uint32_t b = self->s.b.handle;
	const uint64_t end = self->s.b.size;
	const struct misuse cases[] = {
		{ DRM_VSM_FAULT_MISALIGNED, i_g2s(DATA + 8, MBAR, 16, b, 0) },
		{ DRM_VSM_FAULT_MISALIGNED, i_g2s(DATA, MBAR, 16, b, 8) },
		{ DRM_VSM_FAULT_MISALIGNED, i_g2s(DATA, MBAR + 4, 16, b, 0) },
		{ DRM_VSM_FAULT_MISALIGNED, i_s2g(DATA + 4, 16, b, 0) },
		{ DRM_VSM_FAULT_MISALIGNED, i_s2g(DATA, 16, b, 1) },
		{ DRM_VSM_FAULT_MISALIGNED, i_prefetch(16, b, 8) },
		{ DRM_VSM_FAULT_MISALIGNED, i_reduce(i_s2g(DATA, 16, b, 8), RED(ADD, U32)) },
		{ DRM_VSM_FAULT_COPY_SIZE, i_g2s(DATA, MBAR, 8, b, 0) },
		{ DRM_VSM_FAULT_COPY_SIZE, i_g2s(DATA, MBAR, 0xffffffff, b, 0) },
		{ DRM_VSM_FAULT_COPY_SIZE, i_s2g(DATA, 17, b, 0) },
		{ DRM_VSM_FAULT_COPY_SIZE, i_prefetch(15, b, 0) },
		{ DRM_VSM_FAULT_COPY_SIZE, i_reduce(i_s2g(DATA, 4, b, 0), RED(ADD, U32)) },
		{ DRM_VSM_FAULT_OUT_OF_WINDOW, i_g2s(SMEM, MBAR, 16, b, 0) },
		{ DRM_VSM_FAULT_OUT_OF_WINDOW, i_g2s(SMEM - 16, MBAR, 32, b, 0) },
		{ DRM_VSM_FAULT_OUT_OF_WINDOW, i_g2s(0xfffff0, MBAR, 16, b, 0) },
		{ DRM_VSM_FAULT_OUT_OF_WINDOW, i_g2s(DATA, MBAR, 0xfffffff0, b, 0) },
		{ DRM_VSM_FAULT_OUT_OF_WINDOW, i_g2s(AT(CTAS, DATA), AT(CTAS, MBAR), 16, b, 0) },
		{ DRM_VSM_FAULT_OUT_OF_WINDOW, i_g2s(DATA, SMEM, 16, b, 0) },
		{ DRM_VSM_FAULT_OUT_OF_WINDOW, i_g2s(DATA, AT(CTAS, MBAR), 16, b, 0) },
		{ DRM_VSM_FAULT_OUT_OF_WINDOW, CTA(i_g2s(AT(1, DATA), AT(1, MBAR), 16, b, 0)) },
		{ DRM_VSM_FAULT_OUT_OF_WINDOW, i_s2g(SMEM - 16, 32, b, 0) },
		{ DRM_VSM_FAULT_OUT_OF_WINDOW, i_s2g(AT(CTAS, DATA), 16, b, 0) },
		{ DRM_VSM_FAULT_OUT_OF_WINDOW, i_multicast(i_g2s(DATA, MBAR, 16, b, 0), 0) },
		{ DRM_VSM_FAULT_OUT_OF_WINDOW, i_multicast(i_g2s(DATA, MBAR, 16, b, 0), 0x10) },
		{ DRM_VSM_FAULT_OUT_OF_WINDOW, i_multicast(i_g2s(DATA, MBAR, 16, b, 0), 0x8001) },
		{ DRM_VSM_FAULT_REMOTE_FORBIDDEN, i_s2g(AT(1, DATA), 16, b, 0) },
		{ DRM_VSM_FAULT_REMOTE_FORBIDDEN, CLUSTER(i_s2g(DATA, 16, b, 0)) },
		{ DRM_VSM_FAULT_REMOTE_FORBIDDEN,
		  i_reduce(i_s2g(AT(1, DATA), 16, b, 0), RED(ADD, U32)) },
		{ DRM_VSM_FAULT_COPY_MBARRIER, i_g2s(DATA, AT(1, MBAR), 16, b, 0) },
		{ DRM_VSM_FAULT_COPY_MBARRIER,
		  i_multicast(i_g2s(AT(2, DATA), MBAR, 16, b, 0), 0xf) },
		{ DRM_VSM_FAULT_COPY_BOUNDS, i_g2s(DATA, MBAR, 16, b, end) },
		{ DRM_VSM_FAULT_COPY_BOUNDS, i_g2s(DATA, MBAR, 32, b, end - 16) },
		{ DRM_VSM_FAULT_COPY_BOUNDS, i_g2s(DATA, MBAR, 16, b, ~0xfULL) },
		{ DRM_VSM_FAULT_COPY_BOUNDS, i_s2g(DATA, 16, b, end) },
		{ DRM_VSM_FAULT_COPY_BOUNDS, i_s2g(DATA, 16, b, 1ULL << 32) },
		{ DRM_VSM_FAULT_COPY_BOUNDS,
		  i_reduce(i_s2g(DATA, 32, b, end - 16), RED(MAX, S64)) },
		{ DRM_VSM_FAULT_COPY_BOUNDS, i_prefetch(end + 16, b, 0) },
		{ DRM_VSM_FAULT_COPY_BOUNDS, i_prefetch(16, b, end) },
		{ DRM_VSM_FAULT_COPY_BOUNDS, i_prefetch(0xfffffff0, b, ~0xfULL) },
	};

	EXPECT_FAULTS(cases);
}

TEST_F(copy_rules, of_copies_within_shared_memory)
{
	const struct drm_vsm_insn to_other = i_s2s(AT(1, DATA), AT(1, MBAR), 16, DATA);
	const struct misuse cases[] = {
		{ DRM_VSM_FAULT_MISALIGNED, i_s2s(AT(1, DATA + 8), AT(1, MBAR), 16, DATA) },
		{ DRM_VSM_FAULT_MISALIGNED, i_s2s(AT(1, DATA), AT(1, MBAR), 16, DATA + 8) },
		{ DRM_VSM_FAULT_MISALIGNED, i_s2s(AT(1, DATA), AT(1, MBAR + 4), 16, DATA) },
		{ DRM_VSM_FAULT_COPY_SIZE, i_s2s(AT(1, DATA), AT(1, MBAR), 24, DATA) },
		{ DRM_VSM_FAULT_OUT_OF_WINDOW, i_s2s(AT(1, SMEM), AT(1, MBAR), 16, DATA) },
		{ DRM_VSM_FAULT_OUT_OF_WINDOW, i_s2s(AT(1, DATA), AT(1, MBAR), 32, SMEM - 16) },
		{ DRM_VSM_FAULT_OUT_OF_WINDOW, i_s2s(AT(CTAS, DATA), AT(1, MBAR), 16, DATA) },
		{ DRM_VSM_FAULT_OUT_OF_WINDOW, i_s2s(AT(1, DATA), AT(CTAS, MBAR), 16, DATA) },
		{ DRM_VSM_FAULT_OUT_OF_WINDOW, i_s2s(AT(1, DATA), AT(1, MBAR), 16, AT(CTAS, 0)) },
		{ DRM_VSM_FAULT_OUT_OF_WINDOW, CTA(to_other) },
		{ DRM_VSM_FAULT_REMOTE_FORBIDDEN,
		  i_s2s(AT(1, DATA), AT(1, MBAR), 16, AT(1, 0x800)) },
		{ DRM_VSM_FAULT_REMOTE_FORBIDDEN, i_s2s(DATA, MBAR, 16, AT(3, DATA)) },
		{ DRM_VSM_FAULT_COPY_MBARRIER, i_s2s(AT(1, DATA), MBAR, 16, DATA) },
		{ DRM_VSM_FAULT_MISALIGNED, i_reduce(i_s2s(AT(1, DATA), AT(1, MBAR), 16, DATA + 4),
						     RED(ADD, U32)) },
		{ DRM_VSM_FAULT_COPY_SIZE,
		  i_reduce(i_s2s(AT(1, DATA), AT(1, MBAR), 8, DATA), RED(ADD, U64)) },
		{ DRM_VSM_FAULT_REMOTE_FORBIDDEN,
		  i_reduce(i_s2s(DATA, MBAR, 16, AT(1, DATA)), RED(ADD, U32)) },
		{ DRM_VSM_FAULT_COPY_MBARRIER,
		  i_reduce(i_s2s(AT(1, DATA), AT(2, MBAR), 16, DATA), RED(ADD, U32)) },
		/* The destination overlaps the source. */
		{ DRM_VSM_FAULT_COPY_OVERLAP, i_s2s(DATA, MBAR, 32, DATA) },
		{ DRM_VSM_FAULT_COPY_OVERLAP, i_s2s(DATA + 16, MBAR, 32, DATA) },
		{ DRM_VSM_FAULT_COPY_OVERLAP,
		  i_reduce(i_s2s(DATA, MBAR, 32, DATA + 16), RED(ADD, U32)) },
	};

	EXPECT_FAULTS(cases);
}

TEST_F(copy_rules, of_stores)
{
	const struct misuse cases[] = {
		{ DRM_VSM_FAULT_MISALIGNED, i_st_async(DATA + 2, MBAR, 4, 0) },
		{ DRM_VSM_FAULT_MISALIGNED, i_st_async(DATA + 4, MBAR, 8, 0) },
		{ DRM_VSM_FAULT_MISALIGNED, i_st_async(DATA + 8, MBAR, 16, 0) },
		{ DRM_VSM_FAULT_MISALIGNED, i_st_async(DATA, MBAR + 4, 4, 0) },
		{ DRM_VSM_FAULT_OUT_OF_WINDOW, i_st_async(SMEM, MBAR, 4, 0) },
		{ DRM_VSM_FAULT_OUT_OF_WINDOW, i_st_async(AT(CTAS, DATA), MBAR, 4, 0) },
		{ DRM_VSM_FAULT_OUT_OF_WINDOW, i_st_async(DATA, AT(CTAS, MBAR), 4, 0) },
		{ DRM_VSM_FAULT_OUT_OF_WINDOW, CTA(i_st_async(AT(1, DATA), AT(1, MBAR), 4, 0)) },
		{ DRM_VSM_FAULT_COPY_MBARRIER, i_st_async(AT(1, DATA), MBAR, 4, 0) },
		{ DRM_VSM_FAULT_MISALIGNED, i_red_async(RED(ADD, U32), DATA + 2, MBAR, 4, 0) },
		{ DRM_VSM_FAULT_MISALIGNED, i_red_async(RED(ADD, U64), DATA + 4, MBAR, 8, 0) },
		{ DRM_VSM_FAULT_OUT_OF_WINDOW, i_red_async(RED(INC, U32), SMEM, MBAR, 4, 0) },
		{ DRM_VSM_FAULT_COPY_MBARRIER,
		  i_red_async(RED(OR, B32), DATA, AT(3, MBAR), 4, 0) },
	};

	EXPECT_FAULTS(cases);
}

/* --- faults of tensor copies ---------------------------------------------- */

/* A tensor with rows of 64 bytes and elements of 4 bytes. One box covers the whole tensor. */
static struct drm_vsm_tensor_map rows_map(const struct copies *s, uint16_t rows)
{
	return (struct drm_vsm_tensor_map){
		.type = DRM_VSM_TENSOR_UINT32, .rank = 2, .mode = DRM_VSM_TENSOR_TILED,
		.buffer = s->b.handle, .size = { 16, rows }, .stride = { 64 },
		.box = { 16, rows }, .element_stride = { 1, 1 },
	};
}

#define LOAD(map, ...)	i_tensor(TENSOR_G2S, map, .mbar = MBAR, __VA_ARGS__)
#define STORE(map, ...)	i_tensor(TENSOR_S2G, map, __VA_ARGS__)

static struct drm_vsm_insn map_at(struct drm_vsm_insn insn, uint64_t map)
{
	insn.u.tensor.map = map;
	return insn;
}

TEST_F(copy_rules, of_tensor_copies)
{
	const struct copies *s = &self->s;
	struct drm_vsm_tensor_map map __attribute__((aligned(64))) = rows_map(s, 4);
	struct drm_vsm_tensor_map wide __attribute__((aligned(64))) = rows_map(s, 8);
	struct drm_vsm_tensor_map beyond __attribute__((aligned(64))) = rows_map(s, 4);
	struct drm_vsm_tensor_map far __attribute__((aligned(64))) = rows_map(s, 4);
	struct drm_vsm_tensor_map swizzled __attribute__((aligned(64))) = rows_map(s, 4);
	const struct misuse cases[] = {
		{ DRM_VSM_FAULT_MISALIGNED, map_at(LOAD(&map, .addr = DATA), 32) },
		{ DRM_VSM_FAULT_MISALIGNED,
		  map_at(STORE(&map, .addr = DATA), (uintptr_t)&map + 8) },
		{ DRM_VSM_FAULT_MISALIGNED, LOAD(&map, .addr = DATA + 64) },
		{ DRM_VSM_FAULT_MISALIGNED, STORE(&map, .addr = DATA + 16) },
		{ DRM_VSM_FAULT_OUT_OF_WINDOW, LOAD(&map, .addr = SMEM) },
		{ DRM_VSM_FAULT_OUT_OF_WINDOW, LOAD(&map, .addr = AT(CTAS, DATA)) },
		{ DRM_VSM_FAULT_OUT_OF_WINDOW, LOAD(&map, .addr = SMEM - 128) },
		{ DRM_VSM_FAULT_OUT_OF_WINDOW, STORE(&map, .addr = SMEM - 128) },
		{ DRM_VSM_FAULT_OUT_OF_WINDOW, STORE(&wide, .addr = SMEM - 384) },
		/* With the swizzle each row takes 128 bytes. */
		{ DRM_VSM_FAULT_OUT_OF_WINDOW, LOAD(&swizzled, .addr = SMEM - 256) },
		{ DRM_VSM_FAULT_OUT_OF_WINDOW, STORE(&swizzled, .addr = SMEM - 384) },
		{ DRM_VSM_FAULT_OUT_OF_WINDOW, i_multicast(LOAD(&map, .addr = DATA), 0) },
		{ DRM_VSM_FAULT_OUT_OF_WINDOW, i_multicast(LOAD(&map, .addr = DATA), 0x11) },
		{ DRM_VSM_FAULT_OUT_OF_WINDOW,
		  CTA(i_tensor(TENSOR_G2S, &map, .addr = AT(1, DATA), .mbar = AT(1, MBAR))) },
		{ DRM_VSM_FAULT_REMOTE_FORBIDDEN, STORE(&map, .addr = AT(1, DATA)) },
		{ DRM_VSM_FAULT_REMOTE_FORBIDDEN,
		  i_reduce(STORE(&map, .addr = AT(1, DATA)), DRM_VSM_RED_ADD) },
		{ DRM_VSM_FAULT_COPY_MBARRIER, LOAD(&map, .addr = AT(1, DATA)) },
		{ DRM_VSM_FAULT_MISALIGNED, i_tensor(TENSOR_G2S, &map, .addr = DATA, .mbar = 4) },
		{ DRM_VSM_FAULT_COPY_BOUNDS, LOAD(&beyond, .addr = DATA) },
		{ DRM_VSM_FAULT_COPY_BOUNDS, STORE(&beyond, .addr = DATA) },
		{ DRM_VSM_FAULT_COPY_BOUNDS,
		  i_reduce(STORE(&beyond, .addr = DATA), DRM_VSM_RED_XOR) },
		{ DRM_VSM_FAULT_COPY_BOUNDS, i_tensor(PREFETCH_TENSOR, &beyond) },
		/*
		 * The whole tensor must lie in the buffer: it is not enough that the copied box
		 * does. The second tensor has more than 2^64 bytes.
		 */
		{ DRM_VSM_FAULT_COPY_BOUNDS, LOAD(&beyond, .addr = DATA, .coords = { 0, -4 }) },
		{ DRM_VSM_FAULT_COPY_BOUNDS, i_tensor(PREFETCH_TENSOR, &far) },
	};

	beyond.offset = s->b.size - 4 * 64 + 16;
	far.size[1] = 1ULL << 32;
	far.stride[0] = (1ULL << 40) - 16;
	swizzled.swizzle = DRM_VSM_TENSOR_SWIZZLE_128B;
	EXPECT_FAULTS(cases);
	beyond.offset -= 16;
	EXPECT_EQ(0, copy_run(s, 0, i_tensor(PREFETCH_TENSOR, &beyond)));
}

/* Expects a fault from a copy whose map breaks one rule. The fault's info must name the rule. */
#define EXPECT_RULE(rule, copy, ...) do { \
	struct drm_vsm_tensor_map map __attribute__((aligned(64))) = good; \
	__VA_ARGS__; \
	EXPECT_EQ(DRM_VSM_FAULT_TENSOR_MAP, copy_fault(&self->s, 0, copy, &self->reported)); \
	EXPECT_EQ(DRM_VSM_TENSOR_##rule, self->reported.info); \
} while (0)

TEST_F(copy_rules, of_tensor_maps)
{
	const struct drm_vsm_tensor_map good = rows_map(&self->s, 4);
	const struct drm_vsm_insn matrix = LOAD(&good, .addr = DATA);

	EXPECT_RULE(TYPE, LOAD(&map, .addr = DATA), map.type = 99);
	EXPECT_RULE(MODE, LOAD(&map, .addr = DATA), map.mode = 0);
	EXPECT_RULE(RANK, map_at(matrix, (uintptr_t)&map), map.rank = 0);
	EXPECT_RULE(RESERVED, STORE(&map, .addr = DATA), map.reserved[4] = 1);
	EXPECT_RULE(OFFSET, STORE(&map, .addr = DATA), map.offset = 8);
	EXPECT_RULE(SIZE, i_tensor(PREFETCH_TENSOR, &map), map.size[1] = 0);
	EXPECT_RULE(STRIDE, i_tensor(PREFETCH_TENSOR, &map), map.stride[0] = 72);
	EXPECT_RULE(BOX, i_reduce(STORE(&map, .addr = DATA), 1), map.box[0] = 0);
	EXPECT_RULE(BOX_BYTES, LOAD(&map, .addr = DATA), map.box[0] = 15);
	EXPECT_RULE(BOX_SWIZZLE, LOAD(&map, .addr = DATA),
		    map.swizzle = DRM_VSM_TENSOR_SWIZZLE_32B);
	EXPECT_RULE(DIMS, map_at(matrix, (uintptr_t)&map), map.rank = 1, map.size[1] = 0,
		    map.stride[0] = 0, map.box[1] = 0, map.element_stride[1] = 0);
	EXPECT_RULE(DIMS, map_at(matrix, (uintptr_t)&map), map.rank = 3, map.size[2] = 1,
		    map.stride[1] = 256, map.box[2] = 1, map.element_stride[2] = 1);
	EXPECT_RULE(ALIGNMENT, LOAD(&map, .addr = DATA, .coords = { 1 }), (void)map);
	EXPECT_RULE(ALIGNMENT, STORE(&map, .addr = DATA, .coords = { -2 }), (void)map);
	EXPECT_RULE(NEGATIVE, STORE(&map, .addr = DATA, .coords = { 0, -1 }), (void)map);
	EXPECT_RULE(NEGATIVE, i_reduce(STORE(&map, .addr = DATA, .coords = { 0, -1 }),
				       DRM_VSM_RED_ADD), (void)map);
	EXPECT_RULE(REDUCTION, i_reduce(STORE(&map, .addr = DATA), DRM_VSM_RED_INC),
		    map.type = DRM_VSM_TENSOR_INT32);
	EXPECT_RULE(REDUCTION, i_reduce(STORE(&map, .addr = DATA), DRM_VSM_RED_MIN),
		    map.type = DRM_VSM_TENSOR_FLOAT32);
	EXPECT_RULE(REDUCTION, i_reduce(STORE(&map, .addr = DATA), DRM_VSM_RED_ADD),
		    map.type = DRM_VSM_TENSOR_UINT8, map.size[0] = 64, map.box[0] = 64);
}

TEST_F(copy_rules, of_im2col_maps)
{
	const struct drm_vsm_tensor_map good __attribute__((aligned(64))) = {
		.type = DRM_VSM_TENSOR_UINT32, .rank = 4, .mode = DRM_VSM_TENSOR_IM2COL,
		.buffer = self->s.b.handle, .channels = 4, .pixels = 8, .size = { 4, 6, 6, 2 },
		.stride = { 16, 96, 576 }, .lower = { -1, -1 }, .upper = { -1, -1 },
		.element_stride = { 1, 1, 1, 1 },
	};
	struct drm_vsm_insn tile = LOAD(&good, .addr = DATA), im2col = tile;

	tile.mods = 0;
	EXPECT_RULE(LOAD_MODE, tile, (void)map);
	EXPECT_RULE(LOAD_MODE, map_at(im2col, (uintptr_t)&map), map = rows_map(&self->s, 4),
		    map.rank = 4, map.size[2] = 1, map.size[3] = 1, map.stride[1] = 16,
		    map.stride[2] = 16, map.box[2] = 1, map.box[3] = 1, map.element_stride[2] = 1,
		    map.element_stride[3] = 1);
	EXPECT_RULE(NO_PIXEL, LOAD(&map, .addr = DATA), map.upper[0] = -7);
	EXPECT_RULE(CORNER, LOAD(&map, .addr = DATA), map.lower[1] = -129);
	EXPECT_RULE(CHANNELS, LOAD(&map, .addr = DATA), map.channels = 257);
	EXPECT_RULE(PIXELS, LOAD(&map, .addr = DATA), map.pixels = 0);
	EXPECT_RULE(OUTSIDE, LOAD(&map, .addr = DATA, .coords = { 0, 5 }), (void)map);
	EXPECT_RULE(OUTSIDE, STORE(&map, .addr = DATA, .coords = { 0, 0, 5 }), (void)map);
}

/* Returns the errno of a copy that fails without a fault. */
static int attempt(const struct copies *s, struct drm_vsm_insn insn)
{
	struct drm_vsm_insn reported;

	return copy_fault(s, 0, insn, &reported);
}

TEST_F(copy_rules, what_is_not_there_is_no_fault)
{
	const struct copies *s = &self->s;
	struct drm_vsm_tensor_map map __attribute__((aligned(64))) = rows_map(s, 4);
	unsigned char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const uint32_t handles[] = { 0, 0xffff, s->c.handle };
	size_t i;

	memcpy(pages + 4096 - 64, &map, sizeof(map));
	EXPECT_EQ(0, copy_run(s, 0, map_at(i_tensor(PREFETCH_TENSOR, &map),
					   (uintptr_t)pages + 4096 - 64)));
	munmap(pages + 4096, 4096);
	EXPECT_EQ(-EFAULT, attempt(s, map_at(LOAD(&map, .addr = DATA), (uintptr_t)pages + 4032)));
	EXPECT_EQ(-EFAULT, attempt(s, map_at(STORE(&map, .addr = DATA), (uintptr_t)pages + 4096)));
	EXPECT_EQ(-EFAULT, attempt(s, map_at(LOAD(&map, .addr = DATA), 0)));
	EXPECT_EQ(-EFAULT, attempt(s, map_at(LOAD(&map, .addr = DATA), ~63ULL)));
	munmap(pages, 4096);
	for (i = 0; i < ITEMS(handles); i++) {
		map.buffer = handles[i];
		EXPECT_EQ(-ENOENT, attempt(s, LOAD(&map, .addr = DATA)));
		EXPECT_EQ(-ENOENT, attempt(s, i_tensor(PREFETCH_TENSOR, &map)));
		EXPECT_EQ(-ENOENT, attempt(s, i_g2s(DATA, MBAR, 16, handles[i], 0)));
		EXPECT_EQ(-ENOENT, attempt(s, i_s2g(DATA, 16, handles[i], 0)));
		EXPECT_EQ(-ENOENT, attempt(s, i_prefetch(16, handles[i], 0)));
	}
}

TEST_F(copy_rules, sm_80_has_none_of_them)
{
	struct copies old = self->s;
	struct drm_vsm_tensor_map map __attribute__((aligned(64))) = rows_map(&old, 4);
	const struct drm_vsm_insn insns[] = {
		i_g2s(DATA, MBAR, 16, old.b.handle, 0),
		i_multicast(i_g2s(DATA, MBAR, 16, old.b.handle, 0), 1),
		i_s2g(DATA, 16, old.b.handle, 0), i_cp_mask(i_s2g(DATA, 16, old.b.handle, 0), 1),
		i_s2s(DATA, MBAR, 16, 0x800), i_prefetch(16, old.b.handle, 0),
		i_reduce(i_s2g(DATA, 16, old.b.handle, 0), RED(ADD, U32)),
		i_reduce(i_s2s(DATA, MBAR, 16, 0x800), RED(ADD, U32)),
		LOAD(&map, .addr = DATA), STORE(&map, .addr = DATA),
		i_reduce(STORE(&map, .addr = DATA), DRM_VSM_RED_ADD),
		i_tensor(PREFETCH_TENSOR, &map), i_st_async(DATA, MBAR, 8, 0),
		i_red_async(RED(ADD, U32), DATA, MBAR, 4, 0),
	};
	size_t i;

	ASSERT_EQ(0, cluster_create(&old.c, old.c.fd, VSM_LAYOUT_SM_80, DRM_VSM_POLICY_STRICT));
	for (i = 0; i < ITEMS(insns); i++)
		EXPECT_EQ(-EOPNOTSUPP, attempt(&old, insns[i])) TH_LOG("case %zu", i);
	EXPECT_EQ(-EOPNOTSUPP, exec_one(&old.c, i_bulk_commit()));
	EXPECT_EQ(-EOPNOTSUPP, exec_one(&old.c, i_bulk_wait(0)));
	EXPECT_EQ(-EOPNOTSUPP, exec_one(&old.c, i_bulk_wait_read(0)));
	EXPECT_EQ(0, cluster_destroy(&old.c));
}

/* --- faults of the mbarrier ----------------------------------------------- */

TEST_F(copy_rules, a_copy_needs_an_mbarrier)
{
	const struct copies *s = &self->s;
	struct drm_vsm_tensor_map map __attribute__((aligned(64))) = rows_map(s, 4);
	const struct drm_vsm_insn insns[] = {
		i_g2s(AT(1, DATA), FREE, 16, s->b.handle, 0),
		/* Every window of the mask needs an mbarrier; that of CTA 1 has none. */
		i_multicast(i_g2s(DATA, FREE & 0xffffff, 16, s->b.handle, 0), 0xf),
		i_s2s(AT(1, DATA), FREE, 16, DATA),
		i_reduce(i_s2s(AT(1, DATA), FREE, 16, DATA), RED(ADD, U32)),
		i_st_async(AT(1, DATA), FREE, 8, 0),
		i_red_async(RED(ADD, U32), AT(1, DATA), FREE, 4, 0),
		i_tensor(TENSOR_G2S, &map, .addr = AT(1, DATA), .mbar = FREE),
	};
	uint32_t i, rank;

	for (i = 0; i < ITEMS(insns); i++) {
		if (insns[i].mods & DRM_VSM_MOD_MULTICAST) {
			for (rank = 0; rank < CTAS; rank++)
				if (rank != 1)
					ASSERT_EQ(0, exec_at(&s->c, rank,
							     i_init(AT(rank, 0x90), 1), NULL));
		}
		EXPECT_EQ(DRM_VSM_FAULT_NOT_AN_MBARRIER,
			  copy_fault(s, 0, insns[i], &self->reported))
			TH_LOG("case %u", i);
		EXPECT_EQ(word(&s->c, FREE), self->reported.result);
		/* The refused multicast is not bound to the mbarriers that exist. */
		for (rank = 0; rank < CTAS && insns[i].mods & DRM_VSM_MOD_MULTICAST; rank++) {
			if (rank == 1)
				continue;
			EXPECT_EQ(0, exec_at(&s->c, rank, i_inval(AT(rank, 0x90)), NULL));
			memcpy(expected(s, AT(rank, 0x90)), cluster_mem(&s->c, AT(rank, 0x90)), 8);
		}
		EXPECT_TRUE(as_expected(s)) TH_LOG("case %u", i);
	}
}

TEST_F(copy_rules, a_copy_over_an_object_is_refused_wherever_it_goes)
{
	const struct copies *s = &self->s;
	struct drm_vsm_tensor_map map __attribute__((aligned(64))) = rows_map(s, 4);
	const uint32_t object = AT(2, DATA + 24), to = AT(2, DATA), mbar = AT(2, MBAR);
	const struct drm_vsm_insn insns[] = {
		i_g2s(to, mbar, 32, s->b.handle, 0), i_g2s(to + 16, mbar, 16, s->b.handle, 0),
		i_multicast(i_g2s(DATA, MBAR, 64, s->b.handle, 0), 0xf),
		i_multicast(i_g2s(DATA, MBAR, 64, s->b.handle, 0), 4),
		i_s2s(to, mbar, 32, 0x800),
		i_reduce(i_s2s(to, mbar, 32, 0x800), RED(ADD, U32)),
		i_st_async(to + 24, mbar, 4, 0), i_st_async(to + 28, mbar, 4, 0),
		i_st_async(to + 24, mbar, 8, 0), i_st_async(to + 16, mbar, 16, 0),
		i_red_async(RED(ADD, U32), to + 28, mbar, 4, 0),
		i_tensor(TENSOR_G2S, &map, .addr = to, .mbar = mbar),
		i_multicast(LOAD(&map, .addr = DATA), 0xe),
	};
	const struct drm_vsm_insn beside[] = {
		i_g2s(to, mbar, 16, s->b.handle, 0),
		i_multicast(i_g2s(DATA, MBAR, 64, s->b.handle, 0), 0xb),
		i_st_async(to + 20, mbar, 4, 0), i_st_async(to + 32, mbar, 8, 0),
		i_red_async(RED(ADD, U32), to + 32, mbar, 4, 0),
	};
	uint32_t i, rank;

	ASSERT_EQ(0, exec_at(&s->c, 2, i_init(object, 3), NULL));
	memcpy(expected(s, object), cluster_mem(&s->c, object), 8);
	for (i = 0; i < ITEMS(insns); i++) {
		EXPECT_EQ(DRM_VSM_FAULT_WRITE_OVER_LIVE,
			  copy_fault(s, 0, insns[i], &self->reported))
			TH_LOG("case %u", i);
		EXPECT_EQ(object, self->reported.info);
		EXPECT_EQ(word(&s->c, object), self->reported.result);
		EXPECT_TRUE(as_expected(s)) TH_LOG("case %u", i);
	}
	for (i = 0; i < ITEMS(beside); i++)
		EXPECT_EQ(0, copy_run(s, 0, beside[i])) TH_LOG("case %u", i);
	/* The copies above have changed DATA and the tx-count of MBAR. Take both as expected. */
	for (rank = 0; rank < CTAS; rank++) {
		memcpy(expected(s, AT(rank, DATA)), cluster_mem(&s->c, AT(rank, DATA)), 64);
		memcpy(expected(s, AT(rank, MBAR)), cluster_mem(&s->c, AT(rank, MBAR)), 8);
	}
}

TEST_HARNESS_MAIN
