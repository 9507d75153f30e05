// SPDX-License-Identifier: MIT
/*
 * vsm_exec().
 */
#include "mock.h"

static struct drm_vsm_insn insns[3];

static void fill_insns(void)
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		insns[i] = vsm_prep_mbarrier_arrive(8 * i, 0);
}

static void test_exec_all(void **state)
{
	struct vsm_thread t = vsm_thread_at(cluster, 1, 2);
	uint32_t retired = 0;

	(void)state;
	fill_insns();
	mock.results[2] = 42;
	assert_int_equal(vsm_exec(&t, insns, 3, &retired), 0);
	assert_int_equal(retired, 3);
	assert_int_equal(mock.exec.cluster, vsm_cluster_handle(cluster));
	assert_int_equal(mock.exec.cta, 1);
	assert_int_equal(mock.exec.thread, 2);
	assert_int_equal(mock.exec.count, 3);
	assert_int_equal(insns[2].result, 42);
	assert_int_equal(vsm_exec(&t, insns, 3, NULL), 0);
	assert_int_equal(mock.exec.retired, 0);
}

static void test_exec_continues(void **state)
{
	struct vsm_thread t = vsm_thread_at(cluster, 0, 0);
	uint32_t retired = 0;

	(void)state;
	fill_insns();
	mock.retire = 2;
	assert_int_equal(vsm_exec(&t, insns, 3, &retired), 0);
	assert_int_equal(retired, 2);
	mock.retire = 1;
	assert_int_equal(vsm_exec(&t, insns, 3, &retired), 0);
	assert_int_equal(mock.exec.retired, 2);
	assert_int_equal(mock.exec.deadline, 0);
	assert_int_equal(retired, 3);
}

static void test_exec_flags(void **state)
{
	struct vsm_thread t = vsm_thread_at(cluster, 0, 0);

	(void)state;
	fill_insns();
	assert_int_equal(vsm_exec(&t, insns, 3, NULL), 0);
	assert_int_equal(mock.exec.flags, 0);
	t.exec_flags = DRM_VSM_EXEC_NO_LIMIT;
	assert_int_equal(vsm_exec(&t, insns, 3, NULL), 0);
	assert_int_equal(mock.exec.flags, DRM_VSM_EXEC_NO_LIMIT);
	/* A job has none. */
	assert_int_equal(vsm_submit(&t, insns, 3, NULL, 0, NULL), 0);
	assert_int_equal(mock.submit.flags, 0);
}

static void test_exec_misuse(void **state)
{
	struct vsm_thread t = vsm_thread_at(cluster, 0, 0);
	struct drm_vsm_insn fault;
	uint32_t retired = 0;

	(void)state;
	fill_insns();
	t.fault = &fault;
	mock.retire = 1;
	mock.fault = DRM_VSM_FAULT_ARRIVAL_OVERFLOW;
	assert_int_equal(vsm_exec(&t, insns, 3, &retired), -EPROTO);
	assert_int_equal(retired, 1);
	assert_int_equal(insns[1].fault, DRM_VSM_FAULT_ARRIVAL_OVERFLOW);
	assert_memory_equal(&fault, &insns[1], sizeof(fault));

	/* A place for the fault is not needed. */
	t.fault = NULL;
	assert_int_equal(vsm_exec(&t, insns, 3, NULL), -EPROTO);
}

static void test_exec_error(void **state)
{
	struct vsm_thread t = vsm_thread_at(cluster, 0, 0);
	struct drm_vsm_insn fault;
	uint32_t retired = 1;

	(void)state;
	fill_insns();
	memset(&fault, 0x5a, sizeof(fault));
	t.fault = &fault;
	mock.fail_request = DRM_IOCTL_VSM_EXEC;
	mock.fail_errno = EIO;
	assert_int_equal(vsm_exec(&t, insns, 3, &retired), -EIO);
	assert_int_equal(retired, 1);
	assert_int_equal(fault.op, 0x5a5a);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, mock_setup_cluster, mock_teardown_cluster)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_exec_all),
		TEST(test_exec_continues),
		TEST(test_exec_flags),
		TEST(test_exec_misuse),
		TEST(test_exec_error),
	};

	return cmocka_run_group_tests_name("exec", tests, NULL, NULL);
}
