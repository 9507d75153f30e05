// SPDX-License-Identifier: MIT
/*
 * Every form of what threads meet in, and exit.
 */
#include "insn.h"

#define MASK 0x80000006U
#define PRED DRM_VSM_RESULT_PRED
#define WIDE 0xfedcba9876543210ULL

/* The constructor of a form, and what executes it, make the same of the same operands. */
#define assert_form(insn, name, ...) do { \
	assert_insn(vsm_prep_##name(__VA_ARGS__), insn); \
	assert_executed(vsm_thread_##name(&t, ##__VA_ARGS__), insn); \
} while (0)

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

static void test_match_any(void **state)
{
	struct vsm_thread t = thread();
	struct drm_vsm_insn insn;
	uint32_t d = 0;

	(void)state;
	mock.results[0] = MASK;
	mock.results[1] = 6;
	insn = expected_warp(DRM_VSM_OP_MATCH_SYNC,
			     DRM_VSM_MODE(DRM_VSM_MODE_ANY, DRM_VSM_TYPE_B32), 0xffffffff);
	assert_insn(vsm_prep_match_any_sync_b32(0xffffffff, MASK), &insn);
	assert_executed(vsm_thread_match_any_sync_b32(&t, 0xffffffff, MASK, &d), &insn);
	assert_int_equal(d, MASK);
	insn = expected_warp(DRM_VSM_OP_MATCH_SYNC,
			     DRM_VSM_MODE(DRM_VSM_MODE_ANY, DRM_VSM_TYPE_B64), WIDE);
	assert_insn(vsm_prep_match_any_sync_b64(WIDE, MASK), &insn);
	assert_executed(vsm_thread_match_any_sync_b64(&t, WIDE, MASK, &d), &insn);
	assert_int_equal(d, 6);
}

static void test_match_all(void **state)
{
	struct vsm_thread t = thread();
	struct drm_vsm_insn insn;
	uint32_t d = 0;
	bool p = false;

	(void)state;
	mock.results[0] = MASK | PRED;
	mock.results[1] = 0;
	mock.results[2] = MASK | PRED;
	mock.results[3] = MASK | PRED;
	insn = expected_warp(DRM_VSM_OP_MATCH_SYNC,
			     DRM_VSM_MODE(DRM_VSM_MODE_ALL, DRM_VSM_TYPE_B32), 7);
	assert_insn(vsm_prep_match_all_sync_b32(7, MASK), &insn);
	assert_executed(vsm_thread_match_all_sync_b32(&t, 7, MASK, &d, &p), &insn);
	assert_int_equal(d, MASK);
	assert_true(p);
	insn = expected_warp(DRM_VSM_OP_MATCH_SYNC,
			     DRM_VSM_MODE(DRM_VSM_MODE_ALL, DRM_VSM_TYPE_B64), WIDE);
	assert_insn(vsm_prep_match_all_sync_b64(WIDE, MASK), &insn);
	assert_executed(vsm_thread_match_all_sync_b64(&t, WIDE, MASK, &d, &p), &insn);
	assert_int_equal(d, 0);
	assert_false(p);
	/* Either may be the sink. */
	assert_executed(vsm_thread_match_all_sync_b64(&t, WIDE, MASK, NULL, &p), &insn);
	assert_true(p);
	assert_executed(vsm_thread_match_all_sync_b64(&t, WIDE, MASK, &d, NULL), &insn);
	assert_int_equal(d, MASK);
}

static void test_bar_warp(void **state)
{
	struct drm_vsm_insn insn = expected_warp(DRM_VSM_OP_BAR_WARP_SYNC, 0, 0);
	struct vsm_thread t = thread();

	(void)state;
	assert_form(&insn, bar_warp_sync, MASK);
}

static void test_elect(void **state)
{
	struct drm_vsm_insn insn = expected_warp(DRM_VSM_OP_ELECT_SYNC, 0, 0);
	struct vsm_thread t = thread();
	uint32_t d = 0;
	bool p = false;

	(void)state;
	mock.results[0] = 31 | PRED;
	mock.results[1] = 1;
	assert_insn(vsm_prep_elect_sync(MASK), &insn);
	assert_executed(vsm_thread_elect_sync(&t, MASK, &d, &p), &insn);
	assert_int_equal(d, 31);
	assert_true(p);
	assert_executed(vsm_thread_elect_sync(&t, MASK, NULL, &p), &insn);
	assert_false(p);
}

static void test_vote(void **state)
{
	static const enum drm_vsm_mode modes[] = {
		DRM_VSM_MODE_ALL, DRM_VSM_MODE_ANY, DRM_VSM_MODE_UNI
	};
	struct vsm_thread t = thread();
	struct drm_vsm_insn insn;
	uint32_t d = 0;
	bool p;
	int i;

	(void)state;
	mock.results[0] = 1;
	mock.results[2] = 1;
	for (i = 0; i < 3; i++) {
		p = i == 1;
		insn = expected_warp(DRM_VSM_OP_VOTE_SYNC, modes[i], i == 1);
		assert_insn(vsm_prep_vote_sync(modes[i], i == 1, MASK), &insn);
		assert_executed(vsm_thread_vote_sync(&t, modes[i], i == 1, MASK, &p), &insn);
		assert_int_equal(p, i != 1);
	}
	mock.results[3] = MASK;
	insn = expected_warp(DRM_VSM_OP_VOTE_SYNC, DRM_VSM_MODE_BALLOT, 1);
	assert_insn(vsm_prep_vote_sync_ballot(true, MASK), &insn);
	assert_executed(vsm_thread_vote_sync_ballot(&t, true, MASK, &d), &insn);
	assert_int_equal(d, MASK);
}

static void test_shfl(void **state)
{
	struct vsm_thread t = thread();
	struct drm_vsm_insn insn;
	enum drm_vsm_mode mode;
	uint32_t d = 0;
	bool p = false;

	(void)state;
	mock.results[0] = 0xffffffff | PRED;
	mock.results[1] = 0xffffffff;
	mock.results[2] = PRED;
	for (mode = DRM_VSM_MODE_UP; mode <= DRM_VSM_MODE_IDX; mode++) {
		insn = expected_warp(DRM_VSM_OP_SHFL_SYNC, mode, 42);
		insn.u.warp.b = 1;
		insn.u.warp.c = 0x1f00;
		assert_insn(vsm_prep_shfl_sync(mode, 42, 1, 0x1f00, MASK), &insn);
		assert_executed(vsm_thread_shfl_sync(&t, mode, 42, 1, 0x1f00, MASK, &d, &p),
				&insn);
		assert_int_equal(d, mode == DRM_VSM_MODE_UP || mode == DRM_VSM_MODE_DOWN ?
				    0xffffffff : 0);
		assert_int_equal(p, mode == DRM_VSM_MODE_UP || mode == DRM_VSM_MODE_BFLY);
	}
}

static void test_redux(void **state)
{
	struct vsm_thread t = thread();
	struct drm_vsm_insn insn;
	uint32_t dst = 0;

	(void)state;
	mock.results[0] = 0x80000000;
	insn = expected_warp(DRM_VSM_OP_REDUX_SYNC,
			     DRM_VSM_RED(DRM_VSM_RED_MIN, DRM_VSM_TYPE_S32), 0xfffffffe);
	assert_insn(vsm_prep_redux_sync(DRM_VSM_RED_MIN, DRM_VSM_TYPE_S32, -2, MASK), &insn);
	assert_executed(vsm_thread_redux_sync(&t, DRM_VSM_RED_MIN, DRM_VSM_TYPE_S32, -2, MASK,
					      &dst), &insn);
	assert_int_equal(dst, 0x80000000);
}

static void test_barrier(void **state)
{
	struct vsm_thread t = thread();
	struct drm_vsm_insn insn;

	(void)state;
	insn = expected_barrier(DRM_VSM_OP_BARRIER_SYNC, 0, 0);
	assert_form(&insn, barrier_sync, 15, 0);
	insn.mods = DRM_VSM_MOD_ALIGNED;
	assert_form(&insn, barrier_sync, 15, VSM_ALIGNED);
	insn = expected_barrier(DRM_VSM_OP_BARRIER_SYNC,
				DRM_VSM_MOD_COUNT | DRM_VSM_MOD_ALIGNED, 0);
	assert_form(&insn, barrier_sync_count, 15, 64, VSM_ALIGNED);
	insn = expected_barrier(DRM_VSM_OP_BARRIER_ARRIVE, DRM_VSM_MOD_COUNT, 0);
	assert_form(&insn, barrier_arrive, 15, 64, 0);
}

static void test_barrier_red(void **state)
{
	struct vsm_thread t = thread();
	struct drm_vsm_insn insn;
	bool p = false;

	(void)state;
	mock.results[0] = 1;
	mock.results[1] = 0;
	insn = expected_barrier(DRM_VSM_OP_BARRIER_RED, 0, DRM_VSM_RED_AND);
	assert_insn(vsm_prep_barrier_red(DRM_VSM_RED_AND, 15, false, 0), &insn);
	assert_executed(vsm_thread_barrier_red(&t, DRM_VSM_RED_AND, 15, false, 0, &p), &insn);
	assert_true(p);
	insn = expected_barrier(DRM_VSM_OP_BARRIER_RED,
				DRM_VSM_MOD_COUNT | DRM_VSM_MOD_ALIGNED, DRM_VSM_RED_OR);
	insn.u.barrier.pred = 1;
	assert_insn(vsm_prep_barrier_red_count(DRM_VSM_RED_OR, 15, 64, true, VSM_ALIGNED), &insn);
	assert_executed(vsm_thread_barrier_red_count(&t, DRM_VSM_RED_OR, 15, 64, true,
						     VSM_ALIGNED, &p), &insn);
	assert_false(p);
}

static void test_barrier_popc(void **state)
{
	struct vsm_thread t = thread();
	struct drm_vsm_insn insn;
	uint32_t d = 0;

	(void)state;
	mock.results[0] = 1024;
	mock.results[1] = 3;
	insn = expected_barrier(DRM_VSM_OP_BARRIER_RED, DRM_VSM_MOD_ALIGNED, DRM_VSM_RED_POPC);
	insn.u.barrier.pred = 1;
	assert_insn(vsm_prep_barrier_red_popc(15, true, VSM_ALIGNED), &insn);
	assert_executed(vsm_thread_barrier_red_popc(&t, 15, true, VSM_ALIGNED, &d), &insn);
	assert_int_equal(d, 1024);
	insn = expected_barrier(DRM_VSM_OP_BARRIER_RED, DRM_VSM_MOD_COUNT, DRM_VSM_RED_POPC);
	assert_insn(vsm_prep_barrier_red_popc_count(15, 64, false, 0), &insn);
	assert_executed(vsm_thread_barrier_red_popc_count(&t, 15, 64, false, 0, &d), &insn);
	assert_int_equal(d, 3);
}

static void test_cluster(void **state)
{
	struct vsm_thread t = thread();
	struct drm_vsm_insn insn;

	(void)state;
	insn = expected(DRM_VSM_OP_BARRIER_CLUSTER_ARRIVE, 0, 0);
	assert_form(&insn, barrier_cluster_arrive, 0);
	insn.mods = DRM_VSM_MOD_ALIGNED;
	insn.sem = DRM_VSM_SEM_RELAXED;
	assert_form(&insn, barrier_cluster_arrive, VSM_RELAXED | VSM_ALIGNED);
	insn = expected(DRM_VSM_OP_BARRIER_CLUSTER_WAIT, DRM_VSM_MOD_ALIGNED, 0);
	insn.sem = DRM_VSM_SEM_ACQUIRE;
	assert_form(&insn, barrier_cluster_wait, VSM_ACQUIRE | VSM_ALIGNED);
}

static void test_exit(void **state)
{
	struct drm_vsm_insn insn = expected(DRM_VSM_OP_EXIT, 0, 0);
	struct vsm_thread t = thread();

	(void)state;
	assert_form(&insn, exit);
}

static void test_warp(void **state)
{
	struct vsm_thread warp = vsm_warp_at(cluster, 1, 31);
	bool p = false;

	(void)state;
	assert_int_equal(warp.thread, 31 * 32);
	assert_null(warp.fault);
	mock.results[0] = 5 | PRED;
	assert_int_equal(vsm_thread_match_all_sync_b32(&warp, 5, MASK, NULL, &p), 0);
	assert_true(p);
	assert_int_equal(mock.exec.cta, 1);
	assert_int_equal(mock.exec.thread, 31 * 32);
	assert_int_equal(mock.exec.flags, DRM_VSM_EXEC_WARP);
	/* Which is no hindrance to a wait without a limit. */
	mock.results[1] = 1;
	assert_int_equal(vsm_thread_mbarrier_wait_parity(&warp, ADDR, 0, 0), 0);
	assert_int_equal(mock.exec.flags, DRM_VSM_EXEC_WARP | DRM_VSM_EXEC_NO_LIMIT);
}

/* A refusal leaves the results alone, and says what was refused. */
static void test_misuse(void **state)
{
	struct vsm_thread t = thread();
	uint32_t d = 99;
	bool p = true;

	(void)state;
	mock.fault = DRM_VSM_FAULT_NOT_IN_MASK;
	assert_int_equal(vsm_thread_match_any_sync_b32(&t, 1, MASK, &d), -EPROTO);
	assert_int_equal(refused.op, DRM_VSM_OP_MATCH_SYNC);
	assert_int_equal(refused.fault, DRM_VSM_FAULT_NOT_IN_MASK);
	assert_int_equal(vsm_thread_elect_sync(&t, MASK, &d, &p), -EPROTO);
	assert_int_equal(vsm_thread_vote_sync(&t, DRM_VSM_MODE_ANY, false, MASK, &p), -EPROTO);
	assert_int_equal(vsm_thread_bar_warp_sync(&t, MASK), -EPROTO);
	assert_int_equal(vsm_thread_exit(&t), -EPROTO);
	assert_int_equal(refused.op, DRM_VSM_OP_EXIT);
	mock.fail_request = DRM_IOCTL_VSM_EXEC;
	mock.fail_errno = EIO;
	assert_int_equal(vsm_thread_barrier_red_popc(&t, 0, true, 0, &d), -EIO);
	assert_int_equal(d, 99);
	assert_true(p);
}

/* What does not fit its field turns into nothing that exists. */
static void test_bad_operands(void **state)
{
	(void)state;
	assert_int_equal(vsm_prep_vote_sync((enum drm_vsm_mode)17, true, MASK).red, 0xff);
	assert_int_equal(vsm_prep_redux_sync(DRM_VSM_RED_ADD, (enum drm_vsm_type)16, 0,
					     MASK).red, 0xff);
	assert_int_equal(vsm_prep_barrier_red((enum drm_vsm_red)16, 0, true, 0).red, 0xff);
	assert_true(vsm_prep_barrier_cluster_arrive(VSM_RELAXED | VSM_RELEASE).sem >
		    DRM_VSM_SEM_RELEASE);
	assert_int_equal(vsm_prep_mbarrier_arrive(0, VSM_ALIGNED).mods, DRM_VSM_MOD_ALIGNED);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, mock_setup_cluster, mock_teardown_cluster)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_match_any),
		TEST(test_match_all),
		TEST(test_bar_warp),
		TEST(test_elect),
		TEST(test_vote),
		TEST(test_shfl),
		TEST(test_redux),
		TEST(test_barrier),
		TEST(test_barrier_red),
		TEST(test_barrier_popc),
		TEST(test_cluster),
		TEST(test_exit),
		TEST(test_warp),
		TEST(test_misuse),
		TEST(test_bad_operands),
	};

	return cmocka_run_group_tests_name("rendezvous", tests, NULL, NULL);
}
