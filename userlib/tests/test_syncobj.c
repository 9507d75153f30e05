// SPDX-License-Identifier: MIT
/* Tests fences: syncobjs, their points, and sync_files. */
#define TEST_SETUP	mock_setup
#define TEST_TEARDOWN	mock_teardown
#include "mock.h"

#include <drm.h>
#include <linux/sync_file.h>
#include <pthread.h>

#define SYNCOBJ 7
#define POINT (1ULL << 40)

TEST(test_create)
{
	uint32_t syncobj = 0;

	assert_int_equal(vsm_syncobj_create(device, &syncobj), 0);
	assert_int_equal(syncobj, MOCK_SYNCOBJ);
	assert_int_equal(mock.open_syncobjs, 1);
	assert_int_equal(vsm_syncobj_destroy(device, syncobj), 0);
	assert_int_equal(mock.open_syncobjs, 0);
}

TEST(test_create_error)
{
	uint32_t syncobj = 99;

	mock.fail_request = DRM_IOCTL_SYNCOBJ_CREATE;
	mock.fail_errno = ENOMEM;
	assert_int_equal(vsm_syncobj_create(device, &syncobj), -ENOMEM);
	assert_int_equal(syncobj, 99);
	mock.fail_request = DRM_IOCTL_SYNCOBJ_DESTROY;
	mock.fail_errno = EINVAL;
	assert_int_equal(vsm_syncobj_destroy(device, 99), -EINVAL);
}

TEST(test_hold)
{
	uint32_t hold = 99;

	assert_int_equal(vsm_hold_create(device, SYNCOBJ, POINT, VSM_NEVER, &hold), 0);
	assert_int_equal(hold, MOCK_HOLD);
	assert_int_equal(mock.hold_create.handle, SYNCOBJ);
	assert_int_equal(mock.hold_create.point, POINT);
	assert_int_equal(mock.hold_create.deadline, VSM_NEVER);
	assert_int_equal(mock.hold_create.flags, 0);
	assert_int_equal(vsm_hold_release(device, hold, EIO), 0);
	assert_int_equal(mock.hold_release.hold, MOCK_HOLD);
	assert_int_equal(mock.hold_release.error, EIO);
}

TEST(test_hold_error)
{
	uint32_t hold = 99;

	mock.fail_request = DRM_IOCTL_VSM_HOLD_CREATE;
	mock.fail_errno = ENOSPC;
	assert_int_equal(vsm_hold_create(device, SYNCOBJ, 0, 0, &hold), -ENOSPC);
	assert_int_equal(hold, 99);
	mock.fail_request = DRM_IOCTL_VSM_HOLD_RELEASE;
	mock.fail_errno = ETIMEDOUT;
	assert_int_equal(vsm_hold_release(device, 1, 0), -ETIMEDOUT);
}

/* The library never passes handle 0 to the kernel, because kernels treat it differently. */
TEST(test_destroy_none)
{
	assert_int_equal(vsm_syncobj_destroy(device, 0), -EINVAL);
	assert_int_equal(mock.open_syncobjs, 0);
}

TEST(test_wait_done)
{
	mock.sync_status = 1;
	assert_int_equal(vsm_syncobj_wait(device, SYNCOBJ, 0, VSM_NEVER), 0);
	assert_int_equal(mock.exported, SYNCOBJ);
	assert_int_equal(vsm_syncobj_wait(device, SYNCOBJ, 0, 0), 0);
}

TEST(test_wait_failed)
{
	mock.sync_status = -ECANCELED;
	assert_int_equal(vsm_syncobj_wait(device, SYNCOBJ, 0, 0), -ECANCELED);
}

TEST(test_wait_timeout)
{
	mock.sync_pending = true;
	assert_int_equal(vsm_syncobj_wait(device, SYNCOBJ, 0, 0), -ETIME);
	assert_int_equal(vsm_syncobj_wait(device, SYNCOBJ, 0, 1), -ETIME);
}

static void *wait_for_ever(void *unused)
{
	vsm_syncobj_wait(device, SYNCOBJ, 0, VSM_NEVER);
	return NULL;
}

TEST(test_wait_cancelled)
{
	pthread_t waiter;
	void *end;

	mock.sync_pending = true;
	assert_int_equal(pthread_create(&waiter, NULL, wait_for_ever, NULL), 0);
	while (!mock.exported_file)
		usleep(100);
	assert_int_equal(pthread_cancel(waiter), 0);
	assert_int_equal(pthread_join(waiter, &end), 0);
	assert_ptr_equal(end, PTHREAD_CANCELED);
	assert_int_equal(fcntl(mock.exported_file, F_GETFD), -1);
}

TEST(test_wait_error)
{
	mock.fail_request = DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD;
	mock.fail_errno = EMFILE;
	assert_int_equal(vsm_syncobj_wait(device, SYNCOBJ, 0, 0), -EMFILE);
	mock.fail_request = SYNC_IOC_FILE_INFO;
	assert_int_equal(vsm_syncobj_wait(device, SYNCOBJ, 0, 0), -EMFILE);
}

TEST(test_timeline_wait)
{
	mock.sync_status = 1;
	assert_int_equal(vsm_syncobj_wait(device, SYNCOBJ, POINT, VSM_NEVER), 0);
	assert_int_equal(mock.timeline.handle, SYNCOBJ);
	assert_true(mock.timeline.point == POINT);
	assert_true(mock.timeline.timeout == INT64_MAX);
	assert_int_equal(mock.timeline.flags, DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT |
			 DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE);
	/* The library reads the status of the fence of the point, not of the syncobj. */
	assert_int_equal(mock.transfer.src_handle, SYNCOBJ);
	assert_true(mock.transfer.src_point == POINT);
	assert_int_equal(mock.transfer.dst_handle, MOCK_SYNCOBJ);
	assert_int_equal(mock.transfer.dst_point, 0);
	assert_int_equal(mock.transfer.flags, 0);
	assert_int_equal(mock.exported, MOCK_SYNCOBJ);
	assert_int_equal(mock.open_syncobjs, 0);

	mock.sync_status = -EIO;
	assert_int_equal(vsm_syncobj_wait(device, SYNCOBJ, POINT, 1234), -EIO);
	assert_int_equal(mock.timeline.timeout, 1234);
}

TEST(test_timeline_timeout)
{
	mock.timeline_result = -ETIME;
	assert_int_equal(vsm_syncobj_wait(device, SYNCOBJ, POINT, 0), -ETIME);
	mock.timeline_result = 0;
	mock.sync_pending = true;
	assert_int_equal(vsm_syncobj_wait(device, SYNCOBJ, POINT, 0), -ETIME);
	assert_int_equal(mock.open_syncobjs, 0);
}

/* A sync_file has the fence of a job, a fence of a chain, or several merged fences. */
TEST(test_status)
{
	int status = 9;

	for (mock.fences = 1; mock.fences <= 3; mock.fences++) {
		mock.sync_status = -ETIMEDOUT;
		assert_int_equal(vsm_syncobj_status(device, SYNCOBJ, 0, &status), 0);
		assert_int_equal(status, -ETIMEDOUT);
		mock.sync_status = 0;
		assert_int_equal(vsm_syncobj_status(device, SYNCOBJ, POINT, &status), 0);
		assert_int_equal(status, 0);
		mock.sync_status = 1;
		assert_int_equal(vsm_syncobj_status(device, SYNCOBJ, POINT, &status), 0);
		assert_int_equal(status, 1);
	}
}

TEST(test_status_error)
{
	int status = 9;

	mock.fail_errno = EINVAL;
	mock.fail_request = DRM_IOCTL_SYNCOBJ_TRANSFER;
	assert_int_equal(vsm_syncobj_status(device, SYNCOBJ, POINT, &status), -EINVAL);
	mock.fail_request = DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD;
	assert_int_equal(vsm_syncobj_status(device, SYNCOBJ, POINT, &status), -EINVAL);
	mock.fail_request = DRM_IOCTL_SYNCOBJ_CREATE;
	assert_int_equal(vsm_syncobj_status(device, SYNCOBJ, POINT, &status), -EINVAL);
	mock.fail_request = SYNC_IOC_FILE_INFO;
	assert_int_equal(vsm_syncobj_status(device, SYNCOBJ, POINT, &status), -EINVAL);
	assert_int_equal(status, 9);
	assert_int_equal(mock.open_syncobjs, 0);
}

TEST(test_export)
{
	int sync_file = -1;

	assert_int_equal(vsm_syncobj_export_sync_file(device, SYNCOBJ, 0, &sync_file), 0);
	assert_int_equal(mock.exported, SYNCOBJ);
	assert_int_equal(close(sync_file), 0);
	assert_int_equal(vsm_syncobj_export_sync_file(device, SYNCOBJ, POINT, &sync_file), 0);
	assert_int_equal(mock.exported, MOCK_SYNCOBJ);
	assert_int_equal(close(sync_file), 0);
	assert_int_equal(mock.open_syncobjs, 0);
}

TEST(test_import)
{
	assert_int_equal(vsm_syncobj_import_sync_file(device, SYNCOBJ, 0, 55), 0);
	assert_int_equal(mock.imported, SYNCOBJ);
	assert_int_equal(mock.imported_file, 55);

	assert_int_equal(vsm_syncobj_import_sync_file(device, SYNCOBJ, POINT, 56), 0);
	assert_int_equal(mock.imported, MOCK_SYNCOBJ);
	assert_int_equal(mock.imported_file, 56);
	assert_int_equal(mock.transfer.src_handle, MOCK_SYNCOBJ);
	assert_int_equal(mock.transfer.src_point, 0);
	assert_int_equal(mock.transfer.dst_handle, SYNCOBJ);
	assert_true(mock.transfer.dst_point == POINT);
	assert_int_equal(mock.open_syncobjs, 0);
}

TEST(test_import_error)
{
	mock.fail_errno = EBADF;
	mock.fail_request = DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE;
	assert_int_equal(vsm_syncobj_import_sync_file(device, SYNCOBJ, 0, 55), -EBADF);
	assert_int_equal(vsm_syncobj_import_sync_file(device, SYNCOBJ, POINT, 55), -EBADF);
	mock.fail_request = DRM_IOCTL_SYNCOBJ_TRANSFER;
	assert_int_equal(vsm_syncobj_import_sync_file(device, SYNCOBJ, POINT, 55), -EBADF);
	mock.fail_request = DRM_IOCTL_SYNCOBJ_CREATE;
	assert_int_equal(vsm_syncobj_import_sync_file(device, SYNCOBJ, POINT, 55), -EBADF);
	assert_int_equal(mock.open_syncobjs, 0);
}

TEST_MAIN()
