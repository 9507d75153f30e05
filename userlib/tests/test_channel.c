// SPDX-License-Identifier: MIT
/* Tests copy channels and their jobs. */
#define TEST_SETUP	mock_setup_cluster
#define TEST_TEARDOWN	mock_teardown_cluster
#include "mock.h"

static struct drm_vsm_insn insns[3];

static void fill_insns(void)
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		insns[i] = vsm_prep_mbarrier_arrive(8 * i, VSM_SINK);
}

TEST(test_submit)
{
	struct drm_vsm_sync syncs[] = {
		{ .handle = 5, .flags = DRM_VSM_SYNC_WAIT },
		{ .handle = 6, .flags = DRM_VSM_SYNC_SIGNAL },
	};
	struct vsm_thread t = vsm_thread_at(cluster, 1, 2);
	uint32_t refused = 9;

	fill_insns();
	assert_int_equal(vsm_submit(&t, insns, 2, syncs, 2, &refused), 0);
	assert_int_equal(refused, 9);
	assert_int_equal(mock.submit.cluster, vsm_cluster_handle(cluster));
	assert_int_equal(mock.submit.cta, 1);
	assert_int_equal(mock.submit.thread, 2);
	assert_int_equal(mock.submit.count, 2);
	assert_int_equal(mock.submit.sync_count, 2);
	assert_int_equal(mock.submit.channel, 0);
	assert_int_equal(mock.submit.flags, 0);
	assert_int_equal(mock.submit.site, 0);
	assert_memory_equal(mock.insns, insns, 2 * sizeof(insns[0]));
	assert_memory_equal(mock.syncs, syncs, sizeof(syncs));

	assert_int_equal(vsm_submit(&t, insns, 1, NULL, 0, NULL), 0);
	assert_int_equal(mock.submit.sync_count, 0);
}

TEST(test_submit_refused)
{
	struct vsm_thread t = vsm_thread_at(cluster, 0, 0);
	uint32_t refused = 9;

	fill_insns();
	mock.fault = DRM_VSM_FAULT_COPY_SIZE;
	assert_int_equal(vsm_submit(&t, insns, 3, NULL, 0, &refused), -EPROTO);
	assert_int_equal(refused, 2);
	assert_int_equal(t.refused.fault, DRM_VSM_FAULT_COPY_SIZE);
	assert_int_equal(vsm_submit(&t, insns, 3, NULL, 0, NULL), -EPROTO);
}

TEST(test_submit_error)
{
	struct vsm_thread t = vsm_thread_at(cluster, 0, 0);
	uint32_t refused = 9;

	mock.fail_request = DRM_IOCTL_VSM_SUBMIT;
	mock.fail_errno = ENOSPC;
	assert_int_equal(vsm_submit(&t, insns, 3, NULL, 0, &refused), -ENOSPC);
	assert_int_equal(refused, 9);
	assert_int_equal(t.error, -ENOSPC);
}

TEST(test_channel)
{
	struct drm_vsm_sync syncs[] = {
		vsm_sync_in(5, 0),
		vsm_sync_in(6, 1ULL << 40),
		vsm_sync_out(7, 8),
		vsm_sync_out(9, 0),
	};
	const struct vsm_channel_config config = { .priority = DRM_VSM_PRIORITY_LOW, .group = 9 };
	struct vsm_thread t = vsm_thread_at(cluster, 1, 2);
	uint32_t channel = 0;

	fill_insns();
	assert_int_equal(vsm_channel_create(device, DRM_VSM_CHANNEL_OUT_OF_ORDER, &channel), 0);
	assert_int_equal(mock.channel_create.flags, DRM_VSM_CHANNEL_OUT_OF_ORDER);
	assert_int_equal(mock.channel_create.channel, 0);
	assert_int_equal(mock.channel_create.priority, DRM_VSM_PRIORITY_NORMAL);
	assert_int_equal(channel, MOCK_CHANNEL);
	assert_int_equal(mock.channel_create.group, 0);
	assert_int_equal(vsm_channel_create_as(device, &config, &channel), 0);
	assert_int_equal(mock.channel_create.flags, 0);
	assert_int_equal(mock.channel_create.priority, DRM_VSM_PRIORITY_LOW);
	assert_int_equal(mock.channel_create.group, 9);
	assert_int_equal(channel, MOCK_CHANNEL);

	assert_int_equal(vsm_channel_submit(&t, channel, insns, 3, syncs, 4, NULL), 0);
	assert_int_equal(mock.submit.channel, MOCK_CHANNEL);
	assert_int_equal(mock.submit.cluster, vsm_cluster_handle(cluster));
	assert_int_equal(mock.submit.cta, 1);
	assert_int_equal(mock.submit.thread, 2);
	assert_int_equal(mock.submit.count, 3);
	assert_int_equal(mock.submit.sync_count, 4);
	assert_memory_equal(mock.insns, insns, sizeof(insns));
	assert_memory_equal(mock.syncs, syncs, sizeof(syncs));
	assert_int_equal(syncs[1].handle, 6);
	assert_int_equal(syncs[1].flags, DRM_VSM_SYNC_WAIT);
	assert_true(syncs[1].point == 1ULL << 40);
	assert_int_equal(syncs[2].handle, 7);
	assert_int_equal(syncs[2].flags, DRM_VSM_SYNC_SIGNAL);
	assert_int_equal(syncs[2].point, 8);

	assert_int_equal(vsm_channel_destroy(device, channel), 0);
	assert_int_equal(mock.channel_destroy.channel, MOCK_CHANNEL);
	assert_int_equal(mock.channel_destroy.flags, 0);
}

TEST(test_channel_refused)
{
	struct vsm_thread t = vsm_thread_at(cluster, 0, 0);
	uint32_t refused = 9;

	fill_insns();
	mock.fault = DRM_VSM_FAULT_COPY_SIZE;
	assert_int_equal(vsm_channel_submit(&t, 5, insns, 2, NULL, 0, &refused), -EPROTO);
	assert_int_equal(refused, 1);
	assert_int_equal(t.refused.fault, DRM_VSM_FAULT_COPY_SIZE);
}

TEST(test_channel_error)
{
	uint32_t channel = 9;

	mock.fail_request = DRM_IOCTL_VSM_CHANNEL_CREATE;
	mock.fail_errno = ENOSPC;
	assert_int_equal(vsm_channel_create(device, 0, &channel), -ENOSPC);
	assert_int_equal(channel, 9);
	mock.fail_request = DRM_IOCTL_VSM_CHANNEL_DESTROY;
	mock.fail_errno = ENOENT;
	assert_int_equal(vsm_channel_destroy(device, 9), -ENOENT);
}

TEST(test_channel_status)
{
	struct drm_vsm_channel_status s = { .resets = 9 };

	assert_int_equal(vsm_channel_status(device, 3, DRM_VSM_CHANNEL_STATUS_CLEAR, &s), 0);
	assert_int_equal(mock.channel_status.channel, 3);
	assert_int_equal(mock.channel_status.flags, DRM_VSM_CHANNEL_STATUS_CLEAR);
	assert_int_equal(mock.channel_status.resets, 0);
	assert_int_equal(s.status, DRM_VSM_RESET_GUILTY);
	assert_int_equal(s.guilty_site, 88);
	assert_int_equal(s.resets, 0);
	mock.fail_request = DRM_IOCTL_VSM_CHANNEL_STATUS;
	mock.fail_errno = ENOENT;
	s.status = 7;
	assert_int_equal(vsm_channel_status(device, 9, 0, &s), -ENOENT);
	assert_int_equal(s.status, 7);
}

TEST(test_channel_of_an_old_device)
{
	const struct vsm_channel_config priority = { .priority = DRM_VSM_PRIORITY_LOW };
	const struct vsm_channel_config group = { .group = 1 };
	struct drm_vsm_channel_status s;
	struct vsm_device *old;
	uint32_t channel = 9;

	mock.no_reset = true;
	assert_int_equal(vsm_device_open_fd(vsm_device_fd(device), &old), 0);
	assert_int_equal(vsm_channel_status(old, 0, 0, &s), -EOPNOTSUPP);
	assert_int_equal(vsm_channel_create_as(old, &priority, &channel), -EOPNOTSUPP);
	assert_int_equal(vsm_channel_create_as(old, &group, &channel), -EOPNOTSUPP);
	assert_int_equal(channel, 9);
	assert_int_equal(vsm_channel_create(old, 0, &channel), 0);
	assert_int_equal(channel, MOCK_CHANNEL);
	vsm_device_close(old);
}

TEST(test_channel_config)
{
	struct vsm_channel_config config = { .group = 3, .pad = 1 };
	uint32_t channel = 9;

	assert_int_equal(vsm_channel_create_as(device, &config, &channel), -EINVAL);
	assert_int_equal(channel, 9);
	config.pad = 0;
	assert_int_equal(vsm_channel_create_as(device, &config, &channel), 0);
	assert_int_equal(channel, MOCK_CHANNEL);
	assert_int_equal(mock.channel_create.group, 3);
}

TEST_MAIN()
