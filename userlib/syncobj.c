// SPDX-License-Identifier: MIT
/*
 * Fences of jobs. A syncobj holds a fence. The library makes a sync_file of it to learn how it
 * ended.
 *
 * The library waits for the sync_file, not for the syncobj: the syncobj may get another fence
 * meanwhile, but the sync_file keeps its fence.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/sync_file.h>
#include <xf86drm.h>

#include "internal.h"

/*
 * The fence of a timeline point is a link of a chain, which has no error of its own. Therefore read
 * the status from the list of fences, which contains the fence that the link holds.
 */
static int sync_file_status(int sync_file, int *status)
{
	struct sync_fence_info *fences;
	struct sync_file_info info;
	int err;

	memset(&info, 0, sizeof(info));
	err = vsm_ioctl(sync_file, SYNC_IOC_FILE_INFO, &info);
	if (err)
		return err;
	fences = calloc(info.num_fences, sizeof(*fences));
	if (!fences)
		return -ENOMEM;
	info.sync_fence_info = (uintptr_t)fences;
	err = vsm_ioctl(sync_file, SYNC_IOC_FILE_INFO, &info);
	if (!err)
		*status = info.status;
	free(fences);
	return err;
}

int vsm_syncobj_create(const struct vsm_device *device, uint32_t *syncobj)
{
	uint32_t handle;

	if (drmSyncobjCreate(device->fd, 0, &handle))
		return -errno;
	*syncobj = handle;
	return 0;
}

int vsm_hold_create(const struct vsm_device *device, uint32_t syncobj, uint64_t point,
		    int64_t deadline, uint32_t *hold)
{
	struct drm_vsm_hold_create args = {
		.handle = syncobj, .point = point, .deadline = deadline,
	};
	int err;

	err = vsm_ioctl(device->fd, DRM_IOCTL_VSM_HOLD_CREATE, &args);
	if (!err)
		*hold = args.hold;
	return err;
}

int vsm_hold_release(const struct vsm_device *device, uint32_t hold, uint32_t error)
{
	struct drm_vsm_hold_release args = { .hold = hold, .error = error };

	return vsm_ioctl(device->fd, DRM_IOCTL_VSM_HOLD_RELEASE, &args);
}

int vsm_syncobj_destroy(const struct vsm_device *device, uint32_t syncobj)
{
	/* Refuse 0 here: Linux 7.2 accepts it, and then returns 0 as the next handle. */
	if (!syncobj)
		return -EINVAL;
	return drmSyncobjDestroy(device->fd, syncobj) ? -errno : 0;
}

static int export_sync_file(const struct vsm_device *device, uint32_t syncobj, int *sync_file)
{
	int fd;

	if (drmSyncobjExportSyncFile(device->fd, syncobj, &fd))
		return -errno;
	*sync_file = fd;
	return 0;
}

static int transfer(const struct vsm_device *device, uint32_t to, uint64_t to_point, uint32_t from,
		    uint64_t from_point)
{
	return drmSyncobjTransfer(device->fd, to, to_point, from, from_point, 0) ? -errno : 0;
}

/* The kernel makes sync_files only of binary syncobjs. Copy the fence of a point to one first. */
int vsm_syncobj_export_sync_file(const struct vsm_device *device, uint32_t syncobj, uint64_t point,
				 int *sync_file)
{
	uint32_t binary;
	int err;

	if (!point)
		return export_sync_file(device, syncobj, sync_file);

	err = vsm_syncobj_create(device, &binary);
	if (err)
		return err;
	err = transfer(device, binary, 0, syncobj, point);
	if (!err)
		err = export_sync_file(device, binary, sync_file);
	vsm_syncobj_destroy(device, binary);
	return err;
}

static int import_sync_file(const struct vsm_device *device, uint32_t syncobj, int sync_file)
{
	return drmSyncobjImportSyncFile(device->fd, syncobj, sync_file) ? -errno : 0;
}

int vsm_syncobj_import_sync_file(const struct vsm_device *device, uint32_t syncobj, uint64_t point,
				 int sync_file)
{
	uint32_t binary;
	int err;

	if (!point)
		return import_sync_file(device, syncobj, sync_file);

	err = vsm_syncobj_create(device, &binary);
	if (err)
		return err;
	err = import_sync_file(device, binary, sync_file);
	if (!err)
		err = transfer(device, syncobj, point, binary, 0);
	vsm_syncobj_destroy(device, binary);
	return err;
}

/* Disable cancellation: if a thread is cancelled in close(), the file stays open. */
static void close_file(void *fd)
{
	int state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	close(*(int *)fd);
	pthread_setcancelstate(state, NULL);
}

int vsm_syncobj_status(const struct vsm_device *device, uint32_t syncobj, uint64_t point,
		       int *status)
{
	int sync_file;
	int err;

	err = vsm_syncobj_export_sync_file(device, syncobj, point, &sync_file);
	if (err)
		return err;
	err = sync_file_status(sync_file, status);
	close_file(&sync_file);
	return err;
}

static int wait_for_fence(const struct vsm_device *device, uint32_t syncobj, uint64_t point,
			  int64_t deadline)
{
	int sync_file, status = 0;
	int err;

	err = vsm_syncobj_export_sync_file(device, syncobj, point, &sync_file);
	if (err)
		return err;
	pthread_cleanup_push(close_file, &sync_file);
	err = vsm_poll(sync_file, deadline);
	if (err >= 0)
		err = err ? sync_file_status(sync_file, &status) : -ETIME;
	pthread_cleanup_pop(1);
	if (err)
		return err;
	return status < 0 ? status : 0;
}

/* Wait until @point of the timeline exists. The library can then export its fence. */
static int wait_for_point(const struct vsm_device *device, uint32_t syncobj, uint64_t point,
			  int64_t deadline)
{
	return drmSyncobjTimelineWait(device->fd, &syncobj, &point, 1,
				      deadline < 0 ? INT64_MAX : deadline,
				      DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT |
					      DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE,
				      NULL);
}

int vsm_syncobj_wait(const struct vsm_device *device, uint32_t syncobj, uint64_t point,
		     int64_t deadline)
{
	int err = point ? wait_for_point(device, syncobj, point, deadline) : 0;

	return err ? err : wait_for_fence(device, syncobj, point, deadline);
}
