// SPDX-License-Identifier: MIT
/* Tests the constructors of warp operations, of barriers and of exit, in every form. */
#include "insn.h"

#define MASK 0x80000006U
#define PRED DRM_VSM_RESULT_PRED
#define WIDE 0xfedcba9876543210ULL

static struct drm_vsm_insn expected(uint16_t op, uint16_t mods, uint8_t red)
{
	struct drm_vsm_insn insn;

	memset(&insn, 0, sizeof(insn));
	insn.op = op;
	insn.mods = mods;
	insn.red = red;
	return insn;
}

static struct drm_vsm_insn expected_warp(uint16_t op, uint8_t red, uint64_t a)
{
	struct drm_vsm_insn insn = expected(op, 0, red);

	insn.u.warp.membermask = MASK;
	insn.u.warp.a = a;
	return insn;
}

static struct drm_vsm_insn expected_barrier(uint16_t op, uint16_t mods, uint8_t red)
{
	struct drm_vsm_insn insn = expected(op, mods, red);

	insn.u.barrier.barrier = 15;
	if (mods & DRM_VSM_MOD_COUNT)
		insn.u.barrier.count = 64;
	return insn;
}

TEST(test_match_any)
{
	struct drm_vsm_insn insn;

	insn = expected_warp(DRM_VSM_OP_MATCH_SYNC,
			     DRM_VSM_MODE(DRM_VSM_MODE_ANY, DRM_VSM_TYPE_B32), 0xffffffff);
	assert_insn(vsm_prep_match_any_sync_b32(0xffffffff, MASK), &insn);
	insn = expected_warp(DRM_VSM_OP_MATCH_SYNC,
			     DRM_VSM_MODE(DRM_VSM_MODE_ANY, DRM_VSM_TYPE_B64), WIDE);
	assert_insn(vsm_prep_match_any_sync_b64(WIDE, MASK), &insn);
}

TEST(test_match_all)
{
	struct drm_vsm_insn insn;

	insn = expected_warp(DRM_VSM_OP_MATCH_SYNC,
			     DRM_VSM_MODE(DRM_VSM_MODE_ALL, DRM_VSM_TYPE_B32), 7);
	assert_insn(vsm_prep_match_all_sync_b32(7, MASK), &insn);
	insn = expected_warp(DRM_VSM_OP_MATCH_SYNC,
			     DRM_VSM_MODE(DRM_VSM_MODE_ALL, DRM_VSM_TYPE_B64), WIDE);
	assert_insn(vsm_prep_match_all_sync_b64(WIDE, MASK), &insn);
}

TEST(test_bar_warp)
{
	struct drm_vsm_insn insn = expected_warp(DRM_VSM_OP_BAR_WARP_SYNC, 0, 0);

	assert_insn(vsm_prep_bar_warp_sync(MASK), &insn);
}

TEST(test_elect)
{
	struct drm_vsm_insn insn = expected_warp(DRM_VSM_OP_ELECT_SYNC, 0, 0);

	assert_insn(vsm_prep_elect_sync(MASK), &insn);
}

TEST(test_vote)
{
	static const enum drm_vsm_mode modes[] = { DRM_VSM_MODE_ALL, DRM_VSM_MODE_ANY,
						   DRM_VSM_MODE_UNI };
	struct drm_vsm_insn insn;
	int i;

	for (i = 0; i < 3; i++) {
		insn = expected_warp(DRM_VSM_OP_VOTE_SYNC, modes[i], i == 1);
		assert_insn(vsm_prep_vote_sync(modes[i], i == 1, MASK), &insn);
	}
	insn = expected_warp(DRM_VSM_OP_VOTE_SYNC, DRM_VSM_MODE_BALLOT, 1);
	assert_insn(vsm_prep_vote_sync_ballot(true, MASK), &insn);
}

TEST(test_shfl)
{
	struct drm_vsm_insn insn;
	enum drm_vsm_mode mode;

	for (mode = DRM_VSM_MODE_UP; mode <= DRM_VSM_MODE_IDX; mode++) {
		insn = expected_warp(DRM_VSM_OP_SHFL_SYNC, mode, 42);
		insn.u.warp.b = 1;
		insn.u.warp.c = 0x1f00;
		assert_insn(vsm_prep_shfl_sync(mode, 42, 1, 0x1f00, MASK), &insn);
	}
}

TEST(test_redux)
{
	struct drm_vsm_insn insn;

	insn = expected_warp(DRM_VSM_OP_REDUX_SYNC,
			     DRM_VSM_RED(DRM_VSM_RED_MIN, DRM_VSM_TYPE_S32), 0xfffffffe);
	assert_insn(vsm_prep_redux_sync(DRM_VSM_RED_MIN, DRM_VSM_TYPE_S32, -2, MASK), &insn);
}

TEST(test_barrier)
{
	struct drm_vsm_insn insn;

	insn = expected_barrier(DRM_VSM_OP_BARRIER_SYNC, 0, 0);
	assert_insn(vsm_prep_barrier_sync(15, 0), &insn);
	insn.mods = DRM_VSM_MOD_ALIGNED;
	assert_insn(vsm_prep_barrier_sync(15, VSM_ALIGNED), &insn);
	insn = expected_barrier(DRM_VSM_OP_BARRIER_SYNC,
				DRM_VSM_MOD_COUNT | DRM_VSM_MOD_ALIGNED, 0);
	assert_insn(vsm_prep_barrier_sync_count(15, 64, VSM_ALIGNED), &insn);
	insn = expected_barrier(DRM_VSM_OP_BARRIER_ARRIVE, DRM_VSM_MOD_COUNT, 0);
	assert_insn(vsm_prep_barrier_arrive(15, 64, 0), &insn);
}

TEST(test_barrier_red)
{
	struct drm_vsm_insn insn;

	insn = expected_barrier(DRM_VSM_OP_BARRIER_RED, 0, DRM_VSM_RED_AND);
	assert_insn(vsm_prep_barrier_red(DRM_VSM_RED_AND, 15, false, 0), &insn);
	insn = expected_barrier(DRM_VSM_OP_BARRIER_RED,
				DRM_VSM_MOD_COUNT | DRM_VSM_MOD_ALIGNED, DRM_VSM_RED_OR);
	insn.u.barrier.pred = 1;
	assert_insn(vsm_prep_barrier_red_count(DRM_VSM_RED_OR, 15, 64, true, VSM_ALIGNED), &insn);
}

TEST(test_barrier_popc)
{
	struct drm_vsm_insn insn;

	insn = expected_barrier(DRM_VSM_OP_BARRIER_RED, DRM_VSM_MOD_ALIGNED, DRM_VSM_RED_POPC);
	insn.u.barrier.pred = 1;
	assert_insn(vsm_prep_barrier_red_popc(15, true, VSM_ALIGNED), &insn);
	insn = expected_barrier(DRM_VSM_OP_BARRIER_RED, DRM_VSM_MOD_COUNT, DRM_VSM_RED_POPC);
	assert_insn(vsm_prep_barrier_red_popc_count(15, 64, false, 0), &insn);
}

TEST(test_cluster)
{
	struct drm_vsm_insn insn;

	insn = expected(DRM_VSM_OP_BARRIER_CLUSTER_ARRIVE, 0, 0);
	assert_insn(vsm_prep_barrier_cluster_arrive(0), &insn);
	insn.mods = DRM_VSM_MOD_ALIGNED;
	insn.sem = DRM_VSM_SEM_RELAXED;
	assert_insn(vsm_prep_barrier_cluster_arrive(VSM_RELAXED | VSM_ALIGNED), &insn);
	insn = expected(DRM_VSM_OP_BARRIER_CLUSTER_WAIT, DRM_VSM_MOD_ALIGNED, 0);
	insn.sem = DRM_VSM_SEM_ACQUIRE;
	assert_insn(vsm_prep_barrier_cluster_wait(VSM_ACQUIRE | VSM_ALIGNED), &insn);
}

TEST(test_exit)
{
	struct drm_vsm_insn insn = expected(DRM_VSM_OP_EXIT, 0, 0);

	assert_insn(vsm_prep_exit(), &insn);
}

TEST_WITH(test_warp, mock_setup_cluster, mock_teardown_cluster)
{
	struct vsm_thread warp = vsm_warp_at(cluster, 1, 31);
	uint64_t result = 0;

	assert_int_equal(warp.thread, 31 * 32);
	mock.results[0] = 5 | PRED;
	assert_int_equal(vsm_execute(&warp, vsm_prep_match_all_sync_b32(5, MASK), &result), 0);
	assert_int_equal(vsm_result_value(result), 5);
	assert_true(vsm_result_pred(result));
	assert_false(vsm_result_pred(5));
	assert_int_equal(mock.exec.cta, 1);
	assert_int_equal(mock.exec.thread, 31 * 32);
	assert_int_equal(mock.exec.flags, DRM_VSM_EXEC_WARP);
	/* vsm_await_parity() with VSM_NEVER adds NO_LIMIT to the flag of the warp. */
	mock.results[1] = 1;
	assert_int_equal(vsm_await_parity(&warp, ADDR, 0, 0, VSM_NEVER), 0);
	assert_int_equal(mock.exec.flags, DRM_VSM_EXEC_WARP | DRM_VSM_EXEC_NO_LIMIT);
}

/* A value that does not fit in its field never becomes another value that exists. */
TEST(test_bad_operands)
{
	assert_int_equal(vsm_prep_vote_sync((enum drm_vsm_mode)17, true, MASK).red, 0xff);
	assert_int_equal(vsm_prep_redux_sync(DRM_VSM_RED_ADD, (enum drm_vsm_type)16, 0,
					     MASK).red, 0xff);
	assert_int_equal(vsm_prep_barrier_red((enum drm_vsm_red)16, 0, true, 0).red, 0xff);
	assert_true(vsm_prep_barrier_cluster_arrive(VSM_RELAXED | VSM_RELEASE).sem >
		    DRM_VSM_SEM_RELEASE);
	assert_int_equal(vsm_prep_mbarrier_arrive(0, VSM_ALIGNED).mods, DRM_VSM_MOD_ALIGNED);
}

TEST_MAIN()
