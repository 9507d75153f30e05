// SPDX-License-Identifier: MIT
/*
 * How a job ended: a syncobj tells that it did, a sync_file of its fence how.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <linux/sync_file.h>
#include <xf86drm.h>

#include "internal.h"

/* Returns 1 when the fence has signalled, 0 when not yet, or its error. */
static int fence_status(int device_fd, uint32_t syncobj)
{
	struct sync_file_info info;
	int err;
	int fd;

	if (drmSyncobjExportSyncFile(device_fd, syncobj, &fd))
		return -errno;
	memset(&info, 0, sizeof(info));
	err = vsm_ioctl(fd, SYNC_IOC_FILE_INFO, &info);
	close(fd);
	return err ? err : info.status;
}

int vsm_syncobj_wait(const struct vsm_device *device, uint32_t syncobj, int64_t deadline)
{
	int status;
	int err;

	/* Again if another fence has taken the place of the one that signalled. */
	do {
		err = drmSyncobjWait(device->fd, &syncobj, 1, deadline < 0 ? INT64_MAX : deadline,
				     0, NULL);
		if (err < 0)
			return err;
		status = fence_status(device->fd, syncobj);
	} while (!status);
	return status < 0 ? status : 0;
}
