// SPDX-License-Identifier: MIT
/* Tests the constructors of copies, in every form, and those of their groups. */
#include "insn.h"

#define MBAR (ADDR + 512)
#define BUFFER 3 /* an arbitrary handle */
#define OFFSET (1ULL << 40)
#define MAP ((const struct drm_vsm_tensor_map *)(uintptr_t)0x7fc0)

static struct drm_vsm_insn expected(uint16_t op, uint16_t mods)
{
	struct drm_vsm_insn insn;

	memset(&insn, 0, sizeof(insn));
	insn.op = op;
	insn.mods = mods;
	return insn;
}

/*
 * The instruction that a constructor of a copy of 16 bytes must return. Callers set the fields that
 * differ.
 */
static struct drm_vsm_insn expected_copy(uint16_t op, uint16_t mods, uint32_t buffer)
{
	struct drm_vsm_insn insn = expected(op, mods);

	insn.u.copy.addr = ADDR;
	insn.u.copy.size = 16;
	insn.u.copy.buffer = buffer;
	insn.u.copy.offset = OFFSET;
	return insn;
}

TEST(test_cp_async)
{
	struct drm_vsm_insn insn;

	insn = expected_copy(DRM_VSM_OP_CP_ASYNC, 0, BUFFER);
	assert_insn(vsm_prep_cp_async(ADDR, BUFFER, OFFSET, 16, 0), &insn);

	insn = expected_copy(DRM_VSM_OP_CP_ASYNC, DRM_VSM_MOD_CG, BUFFER);
	insn.space = DRM_VSM_SPACE_SHARED_CTA;
	assert_insn(vsm_prep_cp_async(ADDR, BUFFER, OFFSET, 16, VSM_CG | VSM_SHARED_CTA), &insn);

	insn = expected_copy(DRM_VSM_OP_CP_ASYNC, DRM_VSM_MOD_SRC_SIZE | DRM_VSM_MOD_CG, BUFFER);
	insn.u.copy.src_size = 7;
	assert_insn(vsm_prep_cp_async_src_size(ADDR, BUFFER, OFFSET, 16, 7, VSM_CG), &insn);

	/* A src-size of 0 is not the same as no src-size. */
	insn = expected_copy(DRM_VSM_OP_CP_ASYNC, DRM_VSM_MOD_SRC_SIZE, BUFFER);
	assert_insn(vsm_prep_cp_async_src_size(ADDR, BUFFER, OFFSET, 16, 0, 0), &insn);
}

TEST(test_groups)
{
	struct drm_vsm_insn insn;

	insn = expected(DRM_VSM_OP_CP_ASYNC_COMMIT_GROUP, 0);
	assert_insn(vsm_prep_cp_async_commit_group(), &insn);
	insn = expected(DRM_VSM_OP_CP_ASYNC_WAIT_ALL, 0);
	assert_insn(vsm_prep_cp_async_wait_all(), &insn);
	insn = expected(DRM_VSM_OP_CP_ASYNC_WAIT_GROUP, 0);
	assert_insn(vsm_prep_cp_async_wait_group(0), &insn);
	insn.u.mbarrier.count = 3;
	assert_insn(vsm_prep_cp_async_wait_group(3), &insn);
}

TEST(test_bulk_groups)
{
	struct drm_vsm_insn insn;

	insn = expected(DRM_VSM_OP_CP_ASYNC_BULK_COMMIT_GROUP, 0);
	assert_insn(vsm_prep_cp_async_bulk_commit_group(), &insn);
	insn = expected(DRM_VSM_OP_CP_ASYNC_BULK_WAIT_GROUP, 0);
	insn.u.mbarrier.count = 3;
	assert_insn(vsm_prep_cp_async_bulk_wait_group(3), &insn);
	insn.mods = DRM_VSM_MOD_READ;
	assert_insn(vsm_prep_cp_async_bulk_wait_group_read(3), &insn);
}

TEST(test_bulk_g2s)
{
	struct drm_vsm_insn insn;

	insn = expected_copy(DRM_VSM_OP_CP_ASYNC_BULK_G2S, 0, BUFFER);
	insn.u.copy.mbar = MBAR;
	assert_insn(vsm_prep_cp_async_bulk_g2s(ADDR, BUFFER, OFFSET, 16, MBAR), &insn);
	insn.mods = DRM_VSM_MOD_MULTICAST;
	insn.u.copy.mask = 0x8001;
	assert_insn(vsm_prep_cp_async_bulk_g2s_multicast(ADDR, BUFFER, OFFSET, 16, MBAR, 0x8001),
		    &insn);
}

TEST(test_bulk_s2g)
{
	struct drm_vsm_insn insn;

	insn = expected_copy(DRM_VSM_OP_CP_ASYNC_BULK_S2G, 0, BUFFER);
	assert_insn(vsm_prep_cp_async_bulk_s2g(BUFFER, OFFSET, ADDR, 16), &insn);
	insn.mods = DRM_VSM_MOD_CP_MASK;
	insn.u.copy.mask = 0xfff0;
	assert_insn(vsm_prep_cp_async_bulk_s2g_mask(BUFFER, OFFSET, ADDR, 16, 0xfff0), &insn);
}

TEST(test_bulk_s2s)
{
	struct drm_vsm_insn insn = expected(DRM_VSM_OP_CP_ASYNC_BULK_S2S, 0);

	insn.u.copy.addr = ADDR;
	insn.u.copy.src = 0x80;
	insn.u.copy.size = 64;
	insn.u.copy.mbar = MBAR;
	assert_insn(vsm_prep_cp_async_bulk_s2s(ADDR, 0x80, 64, MBAR), &insn);
	insn.op = DRM_VSM_OP_CP_REDUCE_ASYNC_BULK_S2S;
	insn.red = DRM_VSM_RED(DRM_VSM_RED_MAX, DRM_VSM_TYPE_S32);
	assert_insn(vsm_prep_cp_reduce_async_bulk_s2s(DRM_VSM_RED_MAX, DRM_VSM_TYPE_S32, ADDR, 0x80,
						      64, MBAR),
		    &insn);
}

TEST(test_bulk_prefetch)
{
	struct drm_vsm_insn insn;

	insn = expected_copy(DRM_VSM_OP_CP_ASYNC_BULK_PREFETCH, 0, BUFFER);
	insn.u.copy.addr = 0;
	assert_insn(vsm_prep_cp_async_bulk_prefetch(BUFFER, OFFSET, 16), &insn);
}

TEST(test_bulk_reduce)
{
	struct drm_vsm_insn insn;

	insn = expected_copy(DRM_VSM_OP_CP_REDUCE_ASYNC_BULK_S2G, 0, BUFFER);
	insn.red = DRM_VSM_RED(DRM_VSM_RED_XOR, DRM_VSM_TYPE_B64);
	assert_insn(vsm_prep_cp_reduce_async_bulk_s2g(DRM_VSM_RED_XOR, DRM_VSM_TYPE_B64, BUFFER,
						      OFFSET, ADDR, 16),
		    &insn);
}

static const int32_t coords[] = { -1, 2, 3, 4, 5 };
static const uint16_t offsets[] = { 7, 8, 9 };

/* The instruction that a constructor must return for @dims dimensions. Other coordinates are 0. */
static struct drm_vsm_insn expected_tensor(uint16_t op, uint16_t mods, unsigned int dims)
{
	struct drm_vsm_insn insn = expected(op, mods);
	unsigned int i;

	insn.red = DRM_VSM_RED_DIMS(0, dims);
	insn.u.tensor.map = (uintptr_t)MAP;
	for (i = 0; i < dims; i++)
		insn.u.tensor.coords[i] = coords[i];
	return insn;
}

TEST(test_tensor_g2s)
{
	struct drm_vsm_insn insn;
	unsigned int dims;

	for (dims = 1; dims <= 5; dims++) {
		insn = expected_tensor(DRM_VSM_OP_CP_ASYNC_BULK_TENSOR_G2S, 0, dims);
		insn.u.tensor.addr = ADDR;
		insn.u.tensor.mbar = MBAR;
		assert_insn(vsm_prep_cp_async_bulk_tensor_g2s(dims, ADDR, MAP, coords, MBAR),
			    &insn);
		insn.mods = DRM_VSM_MOD_MULTICAST;
		insn.u.tensor.mask = 0x8001;
		assert_insn(vsm_prep_cp_async_bulk_tensor_g2s_multicast(dims, ADDR, MAP, coords,
									MBAR, 0x8001),
			    &insn);
	}
}

TEST(test_tensor_g2s_im2col)
{
	static const uint16_t packed[] = { [3] = 7, [4] = 7 | 8 << 8, [5] = 7 | 8 << 5 | 9 << 10 };
	struct drm_vsm_insn insn;
	unsigned int dims;

	for (dims = 3; dims <= 5; dims++) {
		insn = expected_tensor(DRM_VSM_OP_CP_ASYNC_BULK_TENSOR_G2S, DRM_VSM_MOD_IM2COL,
				       dims);
		insn.u.tensor.addr = ADDR;
		insn.u.tensor.mbar = MBAR;
		insn.u.tensor.offsets = packed[dims];
		assert_insn(vsm_prep_cp_async_bulk_tensor_g2s_im2col(dims, ADDR, MAP, coords, MBAR,
								     offsets),
			    &insn);
		insn.mods |= DRM_VSM_MOD_MULTICAST;
		insn.u.tensor.mask = 0x8001;
		assert_insn(vsm_prep_cp_async_bulk_tensor_g2s_im2col_multicast(dims, ADDR, MAP,
									       coords, MBAR,
									       offsets, 0x8001),
			    &insn);
		insn = expected_tensor(DRM_VSM_OP_CP_ASYNC_BULK_PREFETCH_TENSOR,
				       DRM_VSM_MOD_IM2COL, dims);
		insn.u.tensor.offsets = packed[dims];
		assert_insn(vsm_prep_cp_async_bulk_prefetch_tensor_im2col(dims, MAP, coords,
									  offsets),
			    &insn);
	}
}

/* The largest offset sets all bits of its field. A larger offset does not change the next field. */
TEST(test_im2col_offsets)
{
	static const uint16_t full[] = { 0xffff, 0, 0xffff };

	assert_int_equal(__vsm_im2col_offsets(3, full), 0xffff);
	assert_int_equal(__vsm_im2col_offsets(4, full), 0x00ff);
	assert_int_equal(__vsm_im2col_offsets(5, full), 0x7c1f);
}

TEST(test_tensor_s2g)
{
	struct drm_vsm_insn insn;
	unsigned int dims;

	for (dims = 1; dims <= 5; dims++) {
		insn = expected_tensor(DRM_VSM_OP_CP_ASYNC_BULK_TENSOR_S2G, 0, dims);
		insn.u.tensor.addr = ADDR;
		assert_insn(vsm_prep_cp_async_bulk_tensor_s2g(dims, MAP, coords, ADDR), &insn);
		insn.mods = DRM_VSM_MOD_IM2COL;
		assert_insn(vsm_prep_cp_async_bulk_tensor_s2g_im2col(dims, MAP, coords, ADDR),
			    &insn);
		insn.op = DRM_VSM_OP_CP_REDUCE_ASYNC_BULK_TENSOR;
		insn.red = DRM_VSM_RED_DIMS(DRM_VSM_RED_MIN, dims);
		assert_insn(vsm_prep_cp_reduce_async_bulk_tensor_im2col(DRM_VSM_RED_MIN, dims, MAP,
									coords, ADDR),
			    &insn);
		insn.mods = 0;
		assert_insn(vsm_prep_cp_reduce_async_bulk_tensor(DRM_VSM_RED_MIN, dims, MAP, coords,
								 ADDR),
			    &insn);
		insn = expected_tensor(DRM_VSM_OP_CP_ASYNC_BULK_PREFETCH_TENSOR, 0, dims);
		assert_insn(vsm_prep_cp_async_bulk_prefetch_tensor(dims, MAP, coords), &insn);
	}
}

TEST(test_st_async)
{
	const uint64_t value[] = { 0x1122334455667788, 0x99aabbccddeeff00 };
	struct drm_vsm_insn insn = expected(DRM_VSM_OP_ST_ASYNC, 0);

	insn.u.store.addr = ADDR;
	insn.u.store.mbar = MBAR;
	insn.u.store.size = 16;
	memcpy(insn.u.store.value, value, 16);
	assert_insn(vsm_prep_st_async(16, ADDR, value, MBAR, 0), &insn);
	insn.u.store.size = 8;
	insn.u.store.value[1] = 0;
	assert_insn(vsm_prep_st_async(8, ADDR, value, MBAR, 0), &insn);
	insn.space = DRM_VSM_SPACE_SHARED_CLUSTER;
	insn.u.store.size = 4;
	insn.u.store.value[0] = 0x55667788;
	assert_insn(vsm_prep_st_async(4, ADDR, value, MBAR, VSM_SHARED_CLUSTER), &insn);
}

TEST(test_red_async)
{
	struct drm_vsm_insn insn = expected(DRM_VSM_OP_RED_ASYNC, 0);

	insn.u.store.addr = ADDR;
	insn.u.store.mbar = MBAR;
	insn.u.store.size = 4;
	insn.u.store.value[0] = 0xffffffff;
	insn.red = DRM_VSM_RED(DRM_VSM_RED_ADD, DRM_VSM_TYPE_S32);
	assert_insn(vsm_prep_red_async(DRM_VSM_RED_ADD, DRM_VSM_TYPE_S32, ADDR, (uint64_t)-1, MBAR,
				       0),
		    &insn);
	insn.space = DRM_VSM_SPACE_SHARED_CTA;
	insn.u.store.size = 8;
	insn.u.store.value[0] = (uint64_t)-1;
	insn.red = DRM_VSM_RED(DRM_VSM_RED_ADD, DRM_VSM_TYPE_U64);
	assert_insn(vsm_prep_red_async(DRM_VSM_RED_ADD, DRM_VSM_TYPE_U64, ADDR, (uint64_t)-1, MBAR,
				       VSM_SHARED_CTA),
		    &insn);
}

/*
 * Wrong arguments never make an instruction that exists. No constructor reads beyond its arguments.
 */
TEST(test_malformed)
{
	const uint64_t value[] = { 1, 2 };
	struct drm_vsm_insn insn;

	insn = vsm_prep_cp_async_bulk_tensor_s2g(17, MAP, coords, ADDR);
	assert_true(insn.red >> 4 > 5);
	insn = vsm_prep_cp_reduce_async_bulk_tensor((enum drm_vsm_red)17, 2, MAP, coords, ADDR);
	assert_true((insn.red & 0xf) > DRM_VSM_RED_XOR);
	insn = vsm_prep_cp_async_bulk_prefetch_tensor_im2col(2, MAP, coords, NULL);
	assert_int_equal(insn.u.tensor.offsets, 0);
	insn = vsm_prep_cp_async_bulk_prefetch_tensor_im2col(6, MAP, coords, offsets);
	assert_int_equal(insn.red >> 4, 6);
	insn = vsm_prep_st_async(32, ADDR, value, MBAR, 0);
	assert_int_equal(insn.u.store.size, 32);
	assert_memory_equal(insn.u.store.value, value, sizeof(value));
	insn = vsm_prep_red_async(DRM_VSM_RED_ADD, DRM_VSM_TYPE_F32, ADDR, 1, MBAR, 0);
	assert_int_equal(insn.u.store.size, 0);
}

TEST_MAIN()
