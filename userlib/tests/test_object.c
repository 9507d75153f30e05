// SPDX-License-Identifier: MIT
/*
 * Tests clusters and buffers: creation, mapping and sharing. mock_teardown() checks that each
 * handle is closed once.
 */
#define TEST_SETUP	mock_setup
#define TEST_TEARDOWN	mock_teardown
#include "mock.h"

#include <drm.h>

static const struct vsm_cluster_config shape = {
	.ctas = 2,
	.threads = 64,
	.smem_bytes = 1024,
	.layout = VSM_LAYOUT_SM_80,
	.policy = DRM_VSM_POLICY_HARDWARE,
	.report = DRM_VSM_RULE(DRM_VSM_FAULT_STALE_TOKEN),
	.enforce = DRM_VSM_RULE(DRM_VSM_FAULT_SHFL_SOURCE),
};

TEST(test_cluster)
{
	struct vsm_cluster_config config;
	struct vsm_cluster *c;
	char *window;

	assert_int_equal(vsm_cluster_create(device, &shape, &c), 0);
	assert_int_equal(mock.cluster_create.ctas, 2);
	assert_int_equal(mock.cluster_create.threads, 64);
	assert_int_equal(mock.cluster_create.smem_bytes, 1024);
	assert_int_equal(mock.cluster_create.layout, VSM_LAYOUT_SM_80);
	assert_int_equal(mock.cluster_create.policy, DRM_VSM_POLICY_HARDWARE);
	assert_int_equal(mock.cluster_create.flags, 0);
	assert_int_equal(mock.cluster_create.report, 1 << 16);
	assert_int_equal(mock.cluster_create.enforce, 1ULL << 43);
	memset(&config, 0, sizeof(config));
	config = vsm_cluster_shape(c);
	assert_memory_equal(&config, &shape, sizeof(config));

	window = vsm_cluster_window(c, 0);
	assert_ptr_equal(vsm_cluster_window(c, 1), window + 4096);
	assert_null(vsm_cluster_window(c, 2));
	memset(window, 0x11, 1024);
	memset(window + 4096, 0x22, 1024);
	vsm_cluster_destroy(c);
	vsm_cluster_destroy(NULL);
}

TEST(test_trace)
{
	struct drm_vsm_trace_event events[4];
	struct vsm_cluster_config config = shape;
	uint64_t next = 0, lost = 7;
	struct vsm_cluster *c;

	config.trace_events = 100;
	assert_int_equal(vsm_cluster_create(device, &config, &c), 0);
	assert_int_equal(mock.cluster_create.trace_events, 100);
	assert_int_equal(vsm_trace_read(c, events, 2, &next, &lost), 2);
	assert_int_equal(mock.trace.cluster, vsm_cluster_handle(c));
	assert_int_equal(mock.trace.stride, sizeof(events[0]));
	assert_int_equal(mock.trace.flags, 0);
	assert_int_equal(events[0].type, 3);
	assert_int_equal(events[1].type, 4);
	assert_int_equal(next, 4);
	assert_int_equal(lost, 2);
	assert_int_equal(vsm_trace_read(c, events, 4, &next, NULL), 1);
	assert_int_equal(mock.trace.next, 4);
	assert_int_equal(next, 5);
	assert_int_equal(vsm_trace_read(c, events, 4, &next, &lost), 0);
	assert_int_equal(lost, 0);

	mock.fail_request = DRM_IOCTL_VSM_TRACE_READ;
	mock.fail_errno = ENOENT;
	assert_int_equal(vsm_trace_read(c, events, 4, &next, &lost), -ENOENT);
	assert_int_equal(next, 5);
	mock.fail_request = 0;
	vsm_cluster_destroy(c);
}

/* The library does not ask a device for events that would ignore the field. */
TEST(test_trace_of_an_old_device)
{
	struct drm_vsm_trace_event event;
	struct vsm_cluster_config config = shape;
	struct vsm_device *old;
	uint64_t next = 0;
	struct vsm_cluster *c;

	mock.no_trace = true;
	assert_int_equal(vsm_device_open_fd(vsm_device_fd(device), &old), 0);
	assert_int_equal(vsm_cluster_create(old, &config, &c), 0);
	assert_int_equal(vsm_trace_read(c, &event, 1, &next, NULL), -EOPNOTSUPP);
	vsm_cluster_destroy(c);
	config.trace_events = 1;
	assert_int_equal(vsm_cluster_create(old, &config, &c), -EOPNOTSUPP);
	vsm_device_close(old);
}

TEST(test_cluster_errors)
{
	struct vsm_cluster_config config = shape;
	struct vsm_cluster *c;

	mock.fail_request = DRM_IOCTL_VSM_CLUSTER_CREATE;
	mock.fail_errno = ENOSPC;
	assert_int_equal(vsm_cluster_create(device, &shape, &c), -ENOSPC);
	/* A cluster without CTAs has no bytes, and mmap() of 0 bytes fails. */
	mock.fail_request = 0;
	config.ctas = 0;
	assert_int_equal(vsm_cluster_create(device, &config, &c), -EINVAL);
	assert_int_equal(mock.open_handles, 0);
}

/* The library does not create a cluster with rules on a device that would ignore them. */
TEST(test_cluster_rules)
{
	struct vsm_cluster_config config = shape;
	struct vsm_device *old;
	struct vsm_cluster *c;

	mock.no_rules = true;
	assert_int_equal(vsm_device_open_fd(vsm_device_fd(device), &old), 0);
	assert_int_equal(vsm_cluster_create(old, &config, &c), -EOPNOTSUPP);
	config.report = 0;
	assert_int_equal(vsm_cluster_create(old, &config, &c), -EOPNOTSUPP);
	config.enforce = 0;
	assert_int_equal(vsm_cluster_create(old, &config, &c), 0);
	vsm_cluster_destroy(c);
	vsm_device_close(old);
}

TEST(test_hold)
{
	struct vsm_cluster *c;

	assert_int_equal(vsm_cluster_create(device, &shape, &c), 0);
	assert_int_equal(vsm_cluster_hold(c, true), 0);
	assert_int_equal(mock.hold.cluster, vsm_cluster_handle(c));
	assert_int_equal(mock.hold.flags, DRM_VSM_HOLD);
	mock.hold.cluster = 0;
	assert_int_equal(vsm_cluster_hold(c, false), 0);
	assert_int_equal(mock.hold.cluster, vsm_cluster_handle(c));
	assert_int_equal(mock.hold.flags, 0);
	mock.hold.cluster = 0;
	assert_int_equal(vsm_cluster_drain(c), 0);
	assert_int_equal(mock.hold.cluster, vsm_cluster_handle(c));
	assert_int_equal(mock.hold.flags, DRM_VSM_DRAIN);
	mock.fail_request = DRM_IOCTL_VSM_CLUSTER_HOLD;
	mock.fail_errno = EINVAL;
	assert_int_equal(vsm_cluster_hold(c, true), -EINVAL);
	vsm_cluster_destroy(c);
}

TEST(test_buffer)
{
	struct vsm_buffer *b;

	assert_int_equal(vsm_buffer_create(device, 100, &b), 0);
	assert_int_equal(vsm_buffer_size(b), 4096);
	assert_int_equal(vsm_buffer_handle(b), 1);
	memset(vsm_buffer_map(b), 0x33, 4096);
	vsm_buffer_destroy(b);
	vsm_buffer_destroy(NULL);
}

TEST(test_buffer_errors)
{
	struct vsm_buffer *b;

	mock.fail_request = DRM_IOCTL_VSM_BUFFER_CREATE;
	mock.fail_errno = ENOMEM;
	assert_int_equal(vsm_buffer_create(device, 100, &b), -ENOMEM);
	mock.fail_request = 0;
	assert_int_equal(vsm_buffer_create(device, 0, &b), -EINVAL);
	assert_int_equal(mock.open_handles, 0);
}

/*
 * Import an object that the client already has: the library must not close the handle before the
 * last vsm_buffer_destroy().
 */
TEST(test_import_own)
{
	struct vsm_cluster *c, *again;
	int dmabuf;

	assert_int_equal(vsm_cluster_create(device, &shape, &c), 0);
	assert_int_equal(vsm_cluster_export(c, &dmabuf), 0);
	assert_int_equal(vsm_cluster_import(device, dmabuf, &again), 0);
	assert_ptr_equal(again, c);
	vsm_cluster_destroy(c);
	assert_int_equal(mock.open_handles, 1);
	memset(vsm_cluster_window(again, 1), 0x44, 1024);
	vsm_cluster_destroy(again);
	assert_int_equal(mock.open_handles, 0);
	close(dmabuf);
}

TEST(test_import_foreign_cluster)
{
	struct vsm_cluster_config config;
	struct vsm_cluster *c, *imported;
	int dmabuf;

	assert_int_equal(vsm_cluster_create(device, &shape, &c), 0);
	assert_int_equal(vsm_cluster_export(c, &dmabuf), 0);
	vsm_cluster_destroy(c);
	assert_int_equal(vsm_cluster_import(device, dmabuf, &imported), 0);
	memset(&config, 0, sizeof(config));
	config = vsm_cluster_shape(imported);
	assert_memory_equal(&config, &shape, sizeof(config));
	assert_non_null(vsm_cluster_window(imported, 1));
	vsm_cluster_destroy(imported);
	close(dmabuf);
}

TEST(test_import_foreign_buffer)
{
	struct vsm_buffer *b, *imported;
	int dmabuf;

	assert_int_equal(vsm_buffer_create(device, 8192, &b), 0);
	assert_int_equal(vsm_buffer_export(b, &dmabuf), 0);
	vsm_buffer_destroy(b);
	assert_int_equal(vsm_buffer_import(device, dmabuf, &imported), 0);
	assert_int_equal(vsm_buffer_size(imported), 8192);
	assert_non_null(vsm_buffer_map(imported));
	vsm_buffer_destroy(imported);
	close(dmabuf);
}

TEST(test_import_wrong_kind)
{
	struct vsm_cluster *c, *no_cluster;
	struct vsm_buffer *no_buffer;
	int dmabuf;

	assert_int_equal(vsm_cluster_create(device, &shape, &c), 0);
	assert_int_equal(vsm_cluster_export(c, &dmabuf), 0);
	assert_int_equal(vsm_buffer_import(device, dmabuf, &no_buffer), -ENOENT);
	assert_int_equal(mock.open_handles, 1);
	vsm_cluster_destroy(c);
	assert_int_equal(vsm_buffer_import(device, dmabuf, &no_buffer), -ENOENT);
	assert_int_equal(mock.open_handles, 0);
	close(dmabuf);
	assert_int_equal(vsm_cluster_import(device, dmabuf, &no_cluster), -EBADF);
}

TEST(test_import_error)
{
	struct vsm_cluster *c, *imported;
	int dmabuf;

	assert_int_equal(vsm_cluster_create(device, &shape, &c), 0);
	assert_int_equal(vsm_cluster_export(c, &dmabuf), 0);
	vsm_cluster_destroy(c);
	mock.fail_request = DRM_IOCTL_VSM_OBJECT_INFO;
	mock.fail_errno = ENODEV;
	assert_int_equal(vsm_cluster_import(device, dmabuf, &imported), -ENODEV);
	assert_int_equal(mock.open_handles, 0);
	close(dmabuf);
}

TEST(test_export_error)
{
	struct vsm_buffer *b;
	int dmabuf = -5;

	assert_int_equal(vsm_buffer_create(device, 8192, &b), 0);
	mock.fail_request = DRM_IOCTL_PRIME_HANDLE_TO_FD;
	mock.fail_errno = EMFILE;
	assert_int_equal(vsm_buffer_export(b, &dmabuf), -EMFILE);
	assert_int_equal(dmabuf, -5);
	vsm_buffer_destroy(b);
}

TEST(test_destroy_order)
{
	struct vsm_buffer *b[4];
	unsigned int i;

	for (i = 0; i < 4; i++)
		assert_int_equal(vsm_buffer_create(device, 4096, &b[i]), 0);
	vsm_buffer_destroy(b[2]);
	vsm_buffer_destroy(b[0]);
	vsm_buffer_destroy(b[3]);
	vsm_buffer_destroy(b[1]);
	assert_int_equal(mock.open_handles, 0);
}

TEST_MAIN()
