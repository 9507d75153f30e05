// SPDX-License-Identifier: MIT
/* Tests rules of injection. */
#define TEST_SETUP	mock_setup_cluster
#define TEST_TEARDOWN	mock_teardown_cluster
#include "mock.h"

TEST(test_add)
{
	struct drm_vsm_inject_rule rule = {
		.where = DRM_VSM_INJECT_JOB, .what = DRM_VSM_INJECT_HANG, .first = 3,
	};
	uint32_t number = 99;

	assert_int_equal(vsm_inject_add(device, &rule, &number), 0);
	assert_int_equal(number, MOCK_RULE);
	assert_memory_equal(&mock.rule, &rule, sizeof(rule));
	number = 99;
	mock.fail_request = DRM_IOCTL_VSM_INJECT_ADD;
	mock.fail_errno = ENOSPC;
	assert_int_equal(vsm_inject_add(device, &rule, &number), -ENOSPC);
	assert_int_equal(number, 99);
}

TEST(test_query)
{
	struct drm_vsm_inject_rule rule;

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

TEST(test_wait)
{
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

TEST(test_remove)
{
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

TEST(test_old_device)
{
	struct drm_vsm_inject_rule rule = {};
	struct vsm_device *old;
	uint32_t number;

	mock.no_reset = true;
	assert_int_equal(vsm_device_open_fd(vsm_device_fd(device), &old), 0);
	assert_int_equal(vsm_inject_add(old, &rule, &number), -EOPNOTSUPP);
	assert_int_equal(vsm_inject_query(old, 1, 0, &rule), -EOPNOTSUPP);
	assert_int_equal(vsm_inject_wait(old, 1, 0, 1, 0), -EOPNOTSUPP);
	assert_int_equal(vsm_inject_remove(old, 0, 0), -EOPNOTSUPP);
	vsm_device_close(old);
}

TEST_MAIN()
