// SPDX-License-Identifier: MIT
/* Tests opening and finding devices. */
#define TEST_SETUP	mock_setup
#define TEST_TEARDOWN	mock_teardown
#include "mock.h"

#include <sys/resource.h>

static struct vsm_device *opened;

static uint32_t opened_index(void)
{
	struct drm_vsm_device_info info = vsm_device_info(opened);

	vsm_device_close(opened);
	return info.index;
}

TEST(test_open_path)
{
	struct drm_vsm_device_info info;

	assert_int_equal(vsm_device_open(mock.nodes[0], &opened), 0);
	assert_true(fcntl(vsm_device_fd(opened), F_GETFD) & FD_CLOEXEC);
	info = vsm_device_info(opened);
	assert_int_equal(info.max_ctas, 16);
	assert_int_equal(opened_index(), 0);
}

TEST(test_open_path_errors)
{
	assert_int_equal(vsm_device_open("/nonexistent", &opened), -ENOENT);
	assert_int_equal(vsm_device_open("/dev/null", &opened), -ENODEV);
	mock_add_node(DRM_BUS_PLATFORM, "vgem", 0, 0);
	assert_int_equal(vsm_device_open(mock.nodes[1], &opened), -ENODEV);
	mock_add_node(DRM_BUS_PLATFORM, "vsm", 1, DRM_VSM_ABI_MAJOR + 1);
	assert_int_equal(vsm_device_open(mock.nodes[2], &opened), -EPROTONOSUPPORT);
	mock.fail_request = DRM_IOCTL_VSM_DEVICE_INFO;
	mock.fail_errno = ENODEV;
	assert_int_equal(vsm_device_open(mock.nodes[0], &opened), -ENODEV);
}

TEST(test_open_interrupted)
{
	mock.open_interrupts = 3;
	assert_int_equal(vsm_device_open(mock.nodes[0], &opened), 0);
	assert_int_equal(mock.open_interrupts, 0);
	assert_int_equal(opened_index(), 0);
}

TEST(test_open_fd)
{
	int fd = open(mock.nodes[0], O_RDWR);

	assert_int_equal(vsm_device_open_fd(fd, &opened), 0);
	assert_int_not_equal(vsm_device_fd(opened), fd);
	assert_true(fcntl(vsm_device_fd(opened), F_GETFD) & FD_CLOEXEC);
	assert_int_equal(opened_index(), 0);
	/* The file descriptor still belongs to the caller. */
	assert_int_equal(close(fd), 0);
	assert_int_equal(vsm_device_open_fd(fd, &opened), -EBADF);
}

/* The library opens only platform devices. vsm devices may be anywhere in the list. */
static void add_nodes(void)
{
	mock.node_count = 0;
	mock_add_node(DRM_BUS_PLATFORM, "vsm", 3, DRM_VSM_ABI_MAJOR);
	mock_add_node(DRM_BUS_PCI, "vsm", 0, DRM_VSM_ABI_MAJOR);
	mock_add_node(DRM_BUS_PLATFORM, "vgem", 1, DRM_VSM_ABI_MAJOR);
	mock_add_node(DRM_BUS_PLATFORM, "vsm", 2, DRM_VSM_ABI_MAJOR);
	mock_add_node(DRM_BUS_PLATFORM, "vsm", 5, DRM_VSM_ABI_MAJOR);
}

TEST(test_open_lowest)
{
	add_nodes();
	assert_int_equal(vsm_device_open(NULL, &opened), 0);
	assert_int_equal(opened_index(), 2);
}

TEST(test_open_index)
{
	add_nodes();
	assert_int_equal(vsm_device_open_index(5, &opened), 0);
	assert_int_equal(opened_index(), 5);
	assert_int_equal(vsm_device_open_index(0, &opened), -ENODEV);
	assert_int_equal(vsm_device_open_index(0xffffffff, &opened), -ENODEV);
}

TEST(test_list)
{
	uint32_t indices[4] = { 9, 9, 9, 9 };

	add_nodes();
	assert_int_equal(vsm_device_list(indices, 4), 3);
	assert_int_equal(indices[0], 2);
	assert_int_equal(indices[1], 3);
	assert_int_equal(indices[2], 5);
	assert_int_equal(indices[3], 9);

	indices[2] = 9;
	assert_int_equal(vsm_device_list(indices, 2), 3);
	assert_int_equal(indices[0], 2);
	assert_int_equal(indices[1], 3);
	assert_int_equal(indices[2], 9);
	assert_int_equal(vsm_device_list(NULL, 0), 3);
}

TEST(test_none)
{
	unlink(mock.nodes[0]);
	mock.node_count = 0;
	assert_int_equal(vsm_device_list(NULL, 0), 0);
	assert_int_equal(vsm_device_open(NULL, &opened), -ENODEV);
	/*
	 * A node that does not exist is not counted as a device. A device of another version is an
	 * error.
	 */
	mock.node_count = 1;
	assert_int_equal(vsm_device_list(NULL, 0), 0);
	mock_node(mock.nodes[0], "vsm", 0, DRM_VSM_ABI_MAJOR + 1);
	assert_int_equal(vsm_device_list(NULL, 0), -EPROTONOSUPPORT);
	assert_int_equal(vsm_device_open(NULL, &opened), -EPROTONOSUPPORT);
}

/* If there are no free file descriptors, the library cannot know whether there is a device. */
TEST(test_no_files_left)
{
	struct rlimit limit, none;
	int next = dup(0);

	assert_true(next >= 0);
	close(next);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = limit;
	none.rlim_cur = next;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	assert_int_equal(vsm_device_open(NULL, &opened), -EMFILE);
	assert_int_equal(vsm_device_list(NULL, 0), -EMFILE);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(vsm_device_list(NULL, 0), 1);
}

/* An error while reading /dev/dri does not mean that there is no device. */
TEST(test_scan_error)
{
	mock.devices_errno = EMFILE;
	for (int call = 1; call <= 2; call++) {
		mock.devices_fails = call;
		assert_int_equal(vsm_device_list(NULL, 0), -EMFILE);
		mock.devices_fails = call;
		assert_int_equal(vsm_device_open(NULL, &opened), -EMFILE);
	}
	mock.devices_errno = ENOENT;
	mock.devices_fails = 1;
	assert_int_equal(vsm_device_list(NULL, 0), 0);
	mock.devices_fails = 1;
	assert_int_equal(vsm_device_open(NULL, &opened), -ENODEV);
}

TEST(test_close_null)
{
	vsm_device_close(NULL);
}

TEST_MAIN()
