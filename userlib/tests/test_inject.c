// SPDX-License-Identifier: MIT
/*
 * Tests rules of injection.
 */
#include "mock.h"

static void test_add(void **state)
{
	struct drm_vsm_inject_rule rule = {
		.where = DRM_VSM_INJECT_JOB, .what = DRM_VSM_INJECT_HANG, .first = 3,
	};
	uint32_t number = 99;

	(void)state;
	assert_int_equal(vsm_inject_add(device, &rule, &number), 0);
	assert_int_equal(number, MOCK_RULE);
	assert_memory_equal(&mock.rule, &rule, sizeof(rule));
	number = 99;
	mock.fail_request = DRM_IOCTL_VSM_INJECT_ADD;
	mock.fail_errno = ENOSPC;
	assert_int_equal(vsm_inject_add(device, &rule, &number), -ENOSPC);
	assert_int_equal(number, 99);
}

static void test_query(void **state)
{
	struct drm_vsm_inject_rule rule;

	(void)state;
	assert_int_equal(vsm_inject_query(device, 5, DRM_VSM_INJECT_NEXT, &rule), 0);
	assert_int_equal(mock.query.rule, 5);
	assert_int_equal(mock.query.flags, DRM_VSM_INJECT_NEXT);
	assert_int_equal(mock.query.fired, 0);
	assert_int_equal(rule.fired, 77);
	rule.fired = 8;
	mock.fail_request = DRM_IOCTL_VSM_INJECT_QUERY;
	mock.fail_errno = ENOENT;
	assert_int_equal(vsm_inject_query(device, 5, 0, &rule), -ENOENT);
	assert_int_equal(rule.fired, 8);
}

static void test_wait(void **state)
{
	(void)state;
	assert_int_equal(vsm_inject_wait(device, 5, DRM_VSM_INJECT_OF_DEVICE, 3, 1000), 0);
	assert_int_equal(mock.query.rule, 5);
	assert_int_equal(mock.query.flags, DRM_VSM_INJECT_OF_DEVICE);
	assert_int_equal(mock.query.fired, 3);
	assert_int_equal(mock.query.deadline, 1000);
	assert_int_equal(vsm_inject_wait(device, 5, 0, 3, VSM_NEVER), 0);
	assert_int_equal(mock.query.deadline, INT64_MAX);
	mock.fail_request = DRM_IOCTL_VSM_INJECT_QUERY;
	mock.fail_errno = ETIMEDOUT;
	assert_int_equal(vsm_inject_wait(device, 5, 0, 3, 1000), -ETIMEDOUT);
}

static void test_remove(void **state)
{
	(void)state;
	assert_int_equal(vsm_inject_remove(device, 5, 0), 0);
	assert_int_equal(mock.rule_remove.rule, 5);
	assert_int_equal(mock.rule_remove.flags, 0);
	assert_int_equal(vsm_inject_remove(device, 0, DRM_VSM_INJECT_OF_DEVICE), 0);
	assert_int_equal(mock.rule_remove.rule, 0);
	assert_int_equal(mock.rule_remove.flags, DRM_VSM_INJECT_OF_DEVICE);
	mock.fail_request = DRM_IOCTL_VSM_INJECT_REMOVE;
	mock.fail_errno = ENOENT;
	assert_int_equal(vsm_inject_remove(device, 5, 0), -ENOENT);
}

static void test_old_device(void **state)
{
	struct drm_vsm_inject_rule rule = {};
	struct vsm_device *old;
	uint32_t number;

	(void)state;
	mock.no_reset = true;
	assert_int_equal(vsm_device_open_fd(vsm_device_fd(device), &old), 0);
	assert_int_equal(vsm_inject_add(old, &rule, &number), -EOPNOTSUPP);
	assert_int_equal(vsm_inject_query(old, 1, 0, &rule), -EOPNOTSUPP);
	assert_int_equal(vsm_inject_wait(old, 1, 0, 1, 0), -EOPNOTSUPP);
	assert_int_equal(vsm_inject_remove(old, 0, 0), -EOPNOTSUPP);
	vsm_device_close(old);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, mock_setup_cluster, mock_teardown_cluster)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_add),
		TEST(test_query),
		TEST(test_wait),
		TEST(test_remove),
		TEST(test_old_device),
	};

	return cmocka_run_group_tests_name("inject", tests, NULL, NULL);
}
