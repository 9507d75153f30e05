// SPDX-License-Identifier: MIT
/*
 * Tests the state of clusters: the arguments of the ioctl, the array of the caller, errors and
 * names.
 */
#define TEST_SETUP	mock_setup
#define TEST_TEARDOWN	mock_teardown
#include "mock.h"

static const struct vsm_cluster_config shape = { .ctas = 2, .threads = 64, .smem_bytes = 1024 };

TEST(test_by_handle)
{
	struct drm_vsm_state_entry entries[4];
	struct drm_vsm_cluster_state s;
	struct vsm_cluster *c;

	assert_int_equal(vsm_cluster_create(device, &shape, &c), 0);
	memset(entries, 0x5a, sizeof(entries));
	memset(&s, 0x5a, sizeof(s));
	assert_int_equal(vsm_cluster_state(c, &s, entries, 4), 0);
	assert_int_equal(mock.state.handle, vsm_cluster_handle(c));
	assert_int_equal(mock.state.number | mock.state.flags, 0);
	assert_int_equal(mock.state.stride, sizeof(entries[0]));
	assert_int_equal(mock.state.count, 4);
	assert_ptr_equal((void *)(uintptr_t)mock.state.entries, entries);
	assert_int_equal(s.count, 3);
	assert_int_equal(s.total, 3);
	assert_int_equal(s.live, 77);
	assert_int_equal(entries[2].kind, DRM_VSM_STATE_BARRIER);
	assert_int_equal(entries[3].kind, 0x5a5a5a5a);
	assert_int_equal(vsm_cluster_state(c, &s, NULL, 0), 0);
	assert_int_equal(s.count, 0);
	assert_int_equal(s.total, 3);
	vsm_cluster_destroy(c);
}

TEST(test_by_number)
{
	struct drm_vsm_state_entry entries[2];
	struct drm_vsm_cluster_state s;

	assert_int_equal(vsm_device_state(device, 9, DRM_VSM_STATE_NUMBER, &s, entries, 2), 0);
	assert_int_equal(mock.state.handle, 0);
	assert_int_equal(mock.state.number, 9);
	assert_int_equal(mock.state.flags, DRM_VSM_STATE_NUMBER);
	assert_int_equal(s.count, 2);
	assert_int_equal(s.total, 3);
	assert_int_equal(vsm_device_state(device, 0, DRM_VSM_STATE_NEXT, &s, entries, 2), 0);
	assert_int_equal(mock.state.number, 0);
	assert_int_equal(mock.state.flags, DRM_VSM_STATE_NEXT);
}

TEST(test_errors)
{
	struct drm_vsm_cluster_state s = { .live = 5 };
	struct vsm_device *old;
	struct vsm_cluster *c;
	int calls;

	assert_int_equal(vsm_cluster_create(device, &shape, &c), 0);
	calls = mock.calls;
	assert_int_equal(vsm_device_state(device, 1, 0, &s, NULL, 0), -EINVAL);
	assert_int_equal(vsm_device_state(device, 1, DRM_VSM_STATE_NUMBER | DRM_VSM_STATE_NEXT, &s,
					  NULL, 0), -EINVAL);
	assert_int_equal(mock.calls, calls);
	mock.fail_request = DRM_IOCTL_VSM_CLUSTER_STATE;
	mock.fail_errno = ENOENT;
	assert_int_equal(vsm_device_state(device, 1, DRM_VSM_STATE_NUMBER, &s, NULL, 0), -ENOENT);
	mock.fail_errno = ENOSPC;
	assert_int_equal(vsm_cluster_state(c, &s, NULL, 0), -ENOSPC);
	assert_int_equal(s.live, 5);
	vsm_cluster_destroy(c);

	mock.no_lanes = true;
	assert_int_equal(vsm_device_open_index(0, &old), 0);
	assert_int_equal(vsm_device_state(old, 1, DRM_VSM_STATE_NUMBER, &s, NULL, 0), -EOPNOTSUPP);
	vsm_device_close(old);
}

TEST(test_names)
{
	int kind;

	assert_null(vsm_state_name(0));
	for (kind = DRM_VSM_STATE_PHASE; kind <= DRM_VSM_STATE_JOB; kind++)
		assert_non_null(vsm_state_name(kind));
	assert_null(vsm_state_name(kind));
	assert_string_equal(vsm_state_name(DRM_VSM_STATE_CLUSTER_BARRIER), "cluster-barrier");
	assert_string_equal(vsm_state_name(DRM_VSM_STATE_JOB), "job");
}

TEST_MAIN()
