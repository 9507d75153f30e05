// SPDX-License-Identifier: MIT
/*
 * Every form of mbarrier operations, and qualifiers.
 */
#include "insn.h"

#define STATE 0x7fff000012345678ULL
#define TOKEN 0x8ffff00000000000ULL

static struct drm_vsm_insn expected(uint16_t op, uint16_t mods)
{
	struct drm_vsm_insn insn;

	memset(&insn, 0, sizeof(insn));
	insn.op = op;
	insn.mods = mods;
	insn.u.mbarrier.addr = ADDR;
	return insn;
}

/* Programs have these numbers compiled in. None of them ever changes. */
static void test_numbers_of_qualifiers(void **state)
{
	(void)state;
	assert_int_equal(VSM_RELAXED, 0x1);
	assert_int_equal(VSM_ACQUIRE, 0x2);
	assert_int_equal(VSM_RELEASE, 0x4);
	assert_int_equal(VSM_ACQ_REL, 0x8);
	assert_int_equal(VSM_CTA, 0x10);
	assert_int_equal(VSM_CLUSTER, 0x20);
	assert_int_equal(VSM_GPU, 0x40);
	assert_int_equal(VSM_SYS, 0x80);
	assert_int_equal(VSM_SHARED_CTA, 0x100);
	assert_int_equal(VSM_SHARED_CLUSTER, 0x200);
	assert_int_equal(VSM_SC, 0x400);
	assert_int_equal(VSM_SINK, 0x1000);
	assert_int_equal(VSM_CG, 0x2000);
	assert_int_equal(VSM_ALIGNED, 0x4000);
	assert_true(VSM_NEVER == -1);
}

static void test_init(void **state)
{
	struct drm_vsm_insn insn = expected(DRM_VSM_OP_MBARRIER_INIT, 0);
	struct vsm_thread t = thread();

	(void)state;
	insn.u.mbarrier.count = 5;
	insn.space = DRM_VSM_SPACE_SHARED_CTA;
	assert_executed(vsm_thread_mbarrier_init(&t, ADDR, 5, VSM_SHARED_CTA), &insn);
}

static void test_inval(void **state)
{
	struct drm_vsm_insn insn = expected(DRM_VSM_OP_MBARRIER_INVAL, 0);
	struct vsm_thread t = thread();

	(void)state;
	assert_executed(vsm_thread_mbarrier_inval(&t, ADDR, 0), &insn);
}

static void test_expect_tx(void **state)
{
	struct drm_vsm_insn insn = expected(DRM_VSM_OP_MBARRIER_EXPECT_TX, 0);
	struct vsm_thread t = thread();

	(void)state;
	insn.u.mbarrier.tx_count = 512;
	insn.sem = DRM_VSM_SEM_RELAXED;
	insn.scope = DRM_VSM_SCOPE_CLUSTER;
	insn.space = DRM_VSM_SPACE_SHARED_CLUSTER;
	assert_executed(vsm_thread_mbarrier_expect_tx(&t, ADDR, 512, VSM_RELAXED | VSM_CLUSTER |
						      VSM_SHARED_CLUSTER), &insn);
}

static void test_complete_tx(void **state)
{
	struct drm_vsm_insn insn = expected(DRM_VSM_OP_MBARRIER_COMPLETE_TX, 0);
	struct vsm_thread t = thread();

	(void)state;
	insn.u.mbarrier.tx_count = 512;
	assert_executed(vsm_thread_mbarrier_complete_tx(&t, ADDR, 512, 0), &insn);
}

/*
 * The four forms of an arrive and the four of an arrive_drop, each with a state
 * and as a sink.
 */
typedef int (*arrive_fn)(const struct vsm_thread *t, uint32_t addr, unsigned int qual,
			 uint64_t *token);
typedef int (*arrive_operand_fn)(const struct vsm_thread *t, uint32_t addr, uint32_t operand,
				 unsigned int qual, uint64_t *token);

static void check_arrive(uint16_t op, uint16_t mods, arrive_fn plain, arrive_operand_fn operand)
{
	const unsigned int qual = VSM_RELEASE | VSM_CTA | VSM_SHARED_CTA;
	struct drm_vsm_insn insn = expected(op, mods);
	struct vsm_thread t = thread();
	uint64_t token = 0;
	int err;

	insn.sem = DRM_VSM_SEM_RELEASE;
	insn.scope = DRM_VSM_SCOPE_CTA;
	insn.space = DRM_VSM_SPACE_SHARED_CTA;
	if (mods & DRM_VSM_MOD_COUNT)
		insn.u.mbarrier.count = 77;
	if (mods & DRM_VSM_MOD_EXPECT_TX)
		insn.u.mbarrier.tx_count = 77;
	mock.results[0] = TOKEN;
	mock.results[1] = 0;

	err = plain ? plain(&t, ADDR, qual, &token) : operand(&t, ADDR, 77, qual, &token);
	assert_executed(err, &insn);
	assert_true(token == TOKEN);

	insn.mods |= DRM_VSM_MOD_SINK;
	err = plain ? plain(&t, ADDR, qual, NULL) : operand(&t, ADDR, 77, qual, NULL);
	assert_executed(err, &insn);
}

static void test_arrive(void **state)
{
	(void)state;
	check_arrive(DRM_VSM_OP_MBARRIER_ARRIVE, 0, vsm_thread_mbarrier_arrive, NULL);
}

static void test_arrive_count(void **state)
{
	(void)state;
	check_arrive(DRM_VSM_OP_MBARRIER_ARRIVE, DRM_VSM_MOD_COUNT, NULL,
		     vsm_thread_mbarrier_arrive_count);
}

static void test_arrive_expect_tx(void **state)
{
	(void)state;
	check_arrive(DRM_VSM_OP_MBARRIER_ARRIVE, DRM_VSM_MOD_EXPECT_TX, NULL,
		     vsm_thread_mbarrier_arrive_expect_tx);
}

static void test_arrive_nocomplete(void **state)
{
	(void)state;
	check_arrive(DRM_VSM_OP_MBARRIER_ARRIVE, DRM_VSM_MOD_COUNT | DRM_VSM_MOD_NOCOMPLETE, NULL,
		     vsm_thread_mbarrier_arrive_nocomplete);
}

static void test_arrive_drop(void **state)
{
	(void)state;
	check_arrive(DRM_VSM_OP_MBARRIER_ARRIVE_DROP, 0, vsm_thread_mbarrier_arrive_drop, NULL);
}

static void test_arrive_drop_count(void **state)
{
	(void)state;
	check_arrive(DRM_VSM_OP_MBARRIER_ARRIVE_DROP, DRM_VSM_MOD_COUNT, NULL,
		     vsm_thread_mbarrier_arrive_drop_count);
}

static void test_arrive_drop_expect_tx(void **state)
{
	(void)state;
	check_arrive(DRM_VSM_OP_MBARRIER_ARRIVE_DROP, DRM_VSM_MOD_EXPECT_TX, NULL,
		     vsm_thread_mbarrier_arrive_drop_expect_tx);
}

static void test_arrive_drop_nocomplete(void **state)
{
	(void)state;
	check_arrive(DRM_VSM_OP_MBARRIER_ARRIVE_DROP, DRM_VSM_MOD_COUNT | DRM_VSM_MOD_NOCOMPLETE,
		     NULL, vsm_thread_mbarrier_arrive_drop_nocomplete);
}

/* Each wait form answers what the device answers. */
static void assert_answered(int err, const struct drm_vsm_insn *insn, bool complete, int answer)
{
	assert_executed(err, insn);
	assert_int_equal(complete, answer);
}

static void test_test_wait(void **state)
{
	struct drm_vsm_insn insn = expected(DRM_VSM_OP_MBARRIER_TEST_WAIT, 0);
	struct vsm_thread t = thread();
	bool complete = false;
	int answer, err;

	(void)state;
	insn.u.mbarrier.state = STATE;
	insn.sem = DRM_VSM_SEM_ACQUIRE;
	insn.scope = DRM_VSM_SCOPE_CLUSTER;
	for (answer = 0; answer < 2; answer++) {
		mock.results[answer] = answer;
		err = vsm_thread_mbarrier_test_wait(&t, ADDR, STATE, VSM_ACQUIRE | VSM_CLUSTER,
						    &complete);
		assert_answered(err, &insn, complete, answer);
	}
}

static void test_test_wait_parity(void **state)
{
	struct drm_vsm_insn insn = expected(DRM_VSM_OP_MBARRIER_TEST_WAIT, DRM_VSM_MOD_PARITY);
	struct vsm_thread t = thread();
	bool complete = false;
	int answer, err;

	(void)state;
	insn.u.mbarrier.parity = 1;
	for (answer = 0; answer < 2; answer++) {
		mock.results[answer] = answer;
		err = vsm_thread_mbarrier_test_wait_parity(&t, ADDR, 1, 0, &complete);
		assert_answered(err, &insn, complete, answer);
	}
}

static void test_try_wait(void **state)
{
	struct drm_vsm_insn insn = expected(DRM_VSM_OP_MBARRIER_TRY_WAIT, 0);
	struct vsm_thread t = thread();
	bool complete = false;
	int answer, err;

	(void)state;
	insn.u.mbarrier.state = STATE;
	for (answer = 0; answer < 2; answer++) {
		mock.results[answer] = answer;
		err = vsm_thread_mbarrier_try_wait(&t, ADDR, STATE, 0, &complete);
		assert_answered(err, &insn, complete, answer);
	}
}

static void test_try_wait_hint(void **state)
{
	struct drm_vsm_insn insn = expected(DRM_VSM_OP_MBARRIER_TRY_WAIT, DRM_VSM_MOD_HINT);
	struct vsm_thread t = thread();
	bool complete = false;
	int answer, err;

	(void)state;
	insn.u.mbarrier.state = STATE;
	insn.u.mbarrier.hint_ns = 1000;
	for (answer = 0; answer < 2; answer++) {
		mock.results[answer] = answer;
		err = vsm_thread_mbarrier_try_wait_hint(&t, ADDR, STATE, 1000, 0, &complete);
		assert_answered(err, &insn, complete, answer);
	}
}

static void test_try_wait_parity(void **state)
{
	struct drm_vsm_insn insn = expected(DRM_VSM_OP_MBARRIER_TRY_WAIT, DRM_VSM_MOD_PARITY);
	struct vsm_thread t = thread();
	bool complete = false;
	int answer, err;

	(void)state;
	insn.u.mbarrier.parity = 1;
	for (answer = 0; answer < 2; answer++) {
		mock.results[answer] = answer;
		err = vsm_thread_mbarrier_try_wait_parity(&t, ADDR, 1, 0, &complete);
		assert_answered(err, &insn, complete, answer);
	}
}

static void test_try_wait_parity_hint(void **state)
{
	struct drm_vsm_insn insn = expected(DRM_VSM_OP_MBARRIER_TRY_WAIT,
					    DRM_VSM_MOD_PARITY | DRM_VSM_MOD_HINT);
	struct vsm_thread t = thread();
	bool complete = false;
	int answer, err;

	(void)state;
	insn.u.mbarrier.parity = 1;
	insn.u.mbarrier.hint_ns = 1000;
	for (answer = 0; answer < 2; answer++) {
		mock.results[answer] = answer;
		err = vsm_thread_mbarrier_try_wait_parity_hint(&t, ADDR, 1, 1000, 0, &complete);
		assert_answered(err, &insn, complete, answer);
	}
}

/* A try_wait without a limit; if it says False all the same, it has to say it again. */
static void test_wait(void **state)
{
	struct drm_vsm_insn insn = expected(DRM_VSM_OP_MBARRIER_TRY_WAIT, 0);
	struct vsm_thread t = thread();
	int calls = mock.calls;

	(void)state;
	insn.u.mbarrier.state = STATE;
	insn.sem = DRM_VSM_SEM_ACQUIRE;
	insn.scope = DRM_VSM_SCOPE_CTA;
	mock.results[2] = 1;
	assert_executed_with(vsm_thread_mbarrier_wait(&t, ADDR, STATE, VSM_ACQUIRE | VSM_CTA),
			     &insn, DRM_VSM_EXEC_NO_LIMIT);
	assert_int_equal(mock.calls - calls, 3);
	assert_int_equal(t.exec_flags, 0);
}

static void test_wait_parity(void **state)
{
	struct drm_vsm_insn insn = expected(DRM_VSM_OP_MBARRIER_TRY_WAIT, DRM_VSM_MOD_PARITY);
	struct vsm_thread t = thread();
	int calls = mock.calls;

	(void)state;
	insn.u.mbarrier.parity = 1;
	mock.results[0] = 1;
	assert_executed_with(vsm_thread_mbarrier_wait_parity(&t, ADDR, 1, 0), &insn,
			     DRM_VSM_EXEC_NO_LIMIT);
	assert_int_equal(mock.calls - calls, 1);
}

static void test_wait_deadlock(void **state)
{
	struct vsm_thread t = thread();
	int calls = mock.calls;

	(void)state;
	mock.fault = DRM_VSM_FAULT_DEADLOCK;
	assert_int_equal(vsm_thread_mbarrier_wait_parity(&t, ADDR, 0, 0), -EPROTO);
	assert_int_equal(mock.calls - calls, 1);
	assert_int_equal(refused.fault, DRM_VSM_FAULT_DEADLOCK);
	assert_int_equal(refused.op, DRM_VSM_OP_MBARRIER_TRY_WAIT);
}

static void test_wait_error(void **state)
{
	struct vsm_thread t = thread();
	int calls = mock.calls;

	(void)state;
	mock.fail_request = DRM_IOCTL_VSM_EXEC;
	mock.fail_errno = EIO;
	assert_int_equal(vsm_thread_mbarrier_wait(&t, ADDR, STATE, 0), -EIO);
	assert_int_equal(mock.calls - calls, 1);
}

static void test_pending_count(void **state)
{
	struct drm_vsm_insn insn = expected(DRM_VSM_OP_MBARRIER_PENDING_COUNT, 0);
	struct vsm_thread t = thread();
	uint32_t count = 0;

	(void)state;
	insn.u.mbarrier.addr = 0;
	insn.u.mbarrier.state = STATE;
	mock.results[0] = 32;
	assert_executed(vsm_thread_mbarrier_pending_count(&t, STATE, &count), &insn);
	assert_int_equal(count, 32);
}

static void test_misuse(void **state)
{
	struct vsm_thread t = thread();
	uint64_t token = 99;
	bool complete = true;
	uint32_t count = 99;

	(void)state;
	mock.retire = 0;
	mock.fail_request = DRM_IOCTL_VSM_EXEC;
	mock.fail_errno = EPROTO;
	assert_int_equal(vsm_thread_mbarrier_arrive(&t, ADDR, 0, &token), -EPROTO);
	assert_int_equal(vsm_thread_mbarrier_test_wait(&t, ADDR, STATE, 0, &complete), -EPROTO);
	assert_int_equal(vsm_thread_mbarrier_pending_count(&t, STATE, &count), -EPROTO);
	assert_int_equal(token, 99);
	assert_true(complete);
	assert_int_equal(count, 99);
}

static void test_fence_mbarrier_init(void **state)
{
	struct drm_vsm_insn insn = expected(DRM_VSM_OP_FENCE_MBARRIER_INIT, 0);
	struct vsm_thread t = thread();

	(void)state;
	insn.u.mbarrier.addr = 0;
	insn.sem = DRM_VSM_SEM_RELEASE;
	insn.scope = DRM_VSM_SCOPE_CLUSTER;
	assert_insn(vsm_prep_fence_mbarrier_init(), &insn);
	assert_executed(vsm_thread_fence_mbarrier_init(&t), &insn);
}

static void test_fence(void **state)
{
	static const struct {
		unsigned int sem;
		enum drm_vsm_sem expected;
	} sems[] = {
		{ 0, DRM_VSM_SEM_DEFAULT }, { VSM_ACQ_REL, DRM_VSM_SEM_ACQ_REL },
		{ VSM_SC, DRM_VSM_SEM_SC }, { VSM_ACQUIRE, DRM_VSM_SEM_ACQUIRE },
		{ VSM_RELEASE, DRM_VSM_SEM_RELEASE },
	};
	static const struct {
		unsigned int scope;
		enum drm_vsm_scope expected;
	} scopes[] = {
		{ VSM_CTA, DRM_VSM_SCOPE_CTA }, { VSM_CLUSTER, DRM_VSM_SCOPE_CLUSTER },
		{ VSM_GPU, DRM_VSM_SCOPE_GPU }, { VSM_SYS, DRM_VSM_SCOPE_SYS },
	};
	struct drm_vsm_insn insn = expected(DRM_VSM_OP_FENCE, 0);
	struct vsm_thread t = thread();
	size_t i;

	(void)state;
	insn.u.mbarrier.addr = 0;
	for (i = 0; i < 5 * 4; i++) {
		unsigned int qual = sems[i % 5].sem | scopes[i / 5].scope;

		insn.sem = sems[i % 5].expected;
		insn.scope = scopes[i / 5].expected;
		assert_insn(vsm_prep_fence(qual), &insn);
		assert_executed(vsm_thread_fence(&t, qual), &insn);
	}
}

static void test_cp_async_mbarrier_arrive(void **state)
{
	struct drm_vsm_insn insn = expected(DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE, 0);
	struct vsm_thread t = thread();

	(void)state;
	insn.space = DRM_VSM_SPACE_SHARED_CTA;
	assert_insn(vsm_prep_cp_async_mbarrier_arrive(ADDR, VSM_SHARED_CTA), &insn);
	assert_executed(vsm_thread_cp_async_mbarrier_arrive(&t, ADDR, VSM_SHARED_CTA), &insn);
	insn.mods = DRM_VSM_MOD_NOINC;
	assert_insn(vsm_prep_cp_async_mbarrier_arrive_noinc(ADDR, VSM_SHARED_CTA), &insn);
	assert_executed(vsm_thread_cp_async_mbarrier_arrive_noinc(&t, ADDR, VSM_SHARED_CTA),
			&insn);
}

/* Two of a group never turn into a third. */
static void test_bad_qualifiers(void **state)
{
	(void)state;
	assert_true(vsm_prep_mbarrier_arrive(0, VSM_RELAXED | VSM_ACQUIRE).sem >
		    DRM_VSM_SEM_SC);
	assert_true(vsm_prep_mbarrier_arrive(0, VSM_RELAXED | VSM_RELEASE).sem >
		    DRM_VSM_SEM_SC);
	assert_true(vsm_prep_fence(VSM_SC | VSM_ACQ_REL).sem > DRM_VSM_SEM_SC);
	assert_true(vsm_prep_mbarrier_arrive(0, VSM_CTA | VSM_CLUSTER).scope >
		    DRM_VSM_SCOPE_SYS);
	assert_true(vsm_prep_fence(VSM_GPU | VSM_SYS).scope > DRM_VSM_SCOPE_SYS);
	assert_true(vsm_prep_mbarrier_arrive(0, VSM_SHARED_CTA | VSM_SHARED_CLUSTER).space >
		    DRM_VSM_SPACE_SHARED_CLUSTER);
	assert_int_equal(vsm_prep_mbarrier_arrive(0, VSM_SINK).mods, DRM_VSM_MOD_SINK);
	assert_int_equal(vsm_prep_mbarrier_arrive(0, VSM_CG).mods, DRM_VSM_MOD_CG);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, mock_setup_cluster, mock_teardown_cluster)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_numbers_of_qualifiers),
		TEST(test_init),
		TEST(test_inval),
		TEST(test_expect_tx),
		TEST(test_complete_tx),
		TEST(test_arrive),
		TEST(test_arrive_count),
		TEST(test_arrive_expect_tx),
		TEST(test_arrive_nocomplete),
		TEST(test_arrive_drop),
		TEST(test_arrive_drop_count),
		TEST(test_arrive_drop_expect_tx),
		TEST(test_arrive_drop_nocomplete),
		TEST(test_test_wait),
		TEST(test_test_wait_parity),
		TEST(test_try_wait),
		TEST(test_try_wait_hint),
		TEST(test_try_wait_parity),
		TEST(test_try_wait_parity_hint),
		TEST(test_wait),
		TEST(test_wait_parity),
		TEST(test_wait_deadlock),
		TEST(test_wait_error),
		TEST(test_pending_count),
		TEST(test_misuse),
		TEST(test_fence_mbarrier_init),
		TEST(test_fence),
		TEST(test_cp_async_mbarrier_arrive),
		TEST(test_bad_qualifiers),
	};

	return cmocka_run_group_tests_name("insn", tests, NULL, NULL);
}
