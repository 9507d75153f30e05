// SPDX-License-Identifier: MIT
/* Opening one device. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xf86drm.h>

#include "internal.h"

int vsm_ioctl(int fd, unsigned long request, void *arg)
{
	return drmIoctl(fd, request, arg) ? -errno : 0;
}

static bool is_vsm(int fd)
{
	drmVersionPtr version = drmGetVersion(fd);
	bool match;

	if (!version)
		return false;
	match = version->name && !strcmp(version->name, "vsm");
	drmFreeVersion(version);
	return match;
}

/* On success @device owns @fd, and vsm_device_close() closes it. */
static int device_from_fd(int fd, struct vsm_device **device)
{
	struct drm_vsm_device_info info;
	struct vsm_device *dev;
	int err;

	if (!is_vsm(fd))
		return -ENODEV;

	memset(&info, 0, sizeof(info));
	err = vsm_ioctl(fd, DRM_IOCTL_VSM_DEVICE_INFO, &info);
	if (err)
		return err;
	if (info.abi_major != DRM_VSM_ABI_MAJOR)
		return -EPROTONOSUPPORT;

	dev = calloc(1, sizeof(*dev));
	if (!dev)
		return -ENOMEM;
	err = -pthread_mutex_init(&dev->lock, NULL);
	if (err)
		goto free;
	err = -pthread_mutex_init(&dev->event_lock, NULL);
	if (err)
		goto destroy_lock;
	dev->fd = fd;
	dev->info = info;
	*device = dev;
	return 0;

destroy_lock:
	pthread_mutex_destroy(&dev->lock);
free:
	free(dev);
	return err;
}

static int device_from_new_fd(int fd, struct vsm_device **device)
{
	int err;

	if (fd < 0)
		return -errno;
	err = device_from_fd(fd, device);
	if (err)
		close(fd);
	return err;
}

int vsm_device_open_path(const char *path, struct vsm_device **device)
{
	int fd;

	do {
		fd = open(path, O_RDWR | O_CLOEXEC);
	} while (fd < 0 && errno == EINTR);
	return device_from_new_fd(fd, device);
}

int vsm_device_open_fd(int fd, struct vsm_device **device)
{
	return device_from_new_fd(fcntl(fd, F_DUPFD_CLOEXEC, 0), device);
}

void vsm_device_close(struct vsm_device *device)
{
	if (!device)
		return;
	close(device->fd);
	pthread_mutex_destroy(&device->event_lock);
	pthread_mutex_destroy(&device->lock);
	free(device);
}

int vsm_device_fd(const struct vsm_device *device)
{
	return device->fd;
}

struct drm_vsm_device_info vsm_device_info(const struct vsm_device *device)
{
	return device->info;
}
