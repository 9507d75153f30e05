/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Helpers to bind and load the driver, and to choose the processors of its workers.
 */
#ifndef VSM_TEST_DRIVER_H
#define VSM_TEST_DRIVER_H

#include "vsm_test.h"

static inline int driver_write(const char *file, const char *text)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/bus/platform/drivers/vsm/%s", file);
	return write_file(path, text);
}

/* Unbinds the first device, which may be in use. */
static inline int device_unbind(void)
{
	return driver_write("unbind", "vsm.0");
}

static inline int device_bind(void)
{
	return driver_write("bind", "vsm.0");
}

/* Binds the first device again: its limits of events and dumps in a second begin anew. */
static inline int device_renew(void)
{
	int ret = device_unbind();

	return ret ? ret : device_bind();
}

/*
 * Sets the processors on which workers of the device may run. Stores the previous mask in @old,
 * unless that is NULL. Returns 0 or a negative errno.
 */
static inline int workers_mask(const char *mask, char *old, size_t size)
{
	int fd = open("/sys/devices/virtual/workqueue/cpumask", O_RDWR);
	ssize_t ret;

	if (fd < 0)
		return -errno;
	ret = old ? pread(fd, old, size - 1, 0) : 0;
	if (ret >= 0 && old)
		old[ret] = '\0';
	if (ret >= 0)
		ret = pwrite(fd, mask, strlen(mask), 0);
	if (ret < 0)
		ret = -errno;
	close(fd);
	return ret < 0 ? ret : 0;
}

/* Unloads the module. Returns -EAGAIN while it is in use. */
static inline int module_unload(void)
{
	return syscall(SYS_delete_module, "vsm", O_NONBLOCK) ? -errno : 0;
}

/* Loads the module with parameters. The environment variable VSM_MODULE names the module. */
static inline int module_load(const char *params)
{
	const char *path = getenv("VSM_MODULE");
	int ret, fd = open(path ? path : "", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	ret = syscall(SYS_finit_module, fd, params, 0) ? -errno : 0;
	close(fd);
	return ret;
}

/* Closes all files of the test and loads the driver again. */
static inline int module_reload(const char *params)
{
	int i, ret;

	close_range(3, ~0U, 0);
	for (i = 0; i < 5000; i++) {
		ret = module_unload();
		if (ret != -EAGAIN && ret != -EBUSY)
			break;
		poll(NULL, 0, 1);
	}
	return ret && ret != -ENOENT ? ret : module_load(params);
}

static inline int allocate(int fd, uint64_t size)
{
	struct drm_vsm_buffer_create args = { .size = size };

	return vsm_ioctl(fd, DRM_IOCTL_VSM_BUFFER_CREATE, &args);
}

/*
 * Returns whether nothing is charged: a user gets a buffer of half the device's bytes only if not a
 * single byte is charged.
 */
static inline bool nothing_is_charged(uint64_t device_bytes)
{
	int i, ret = -ENOSPC;

	/* The driver frees an object a moment after its last reference is put: try again. */
	for (i = 0; i < 5000 && ret == -ENOSPC; i++) {
		int fd = vsm_open();

		ret = allocate(fd, device_bytes / 2);
		close(fd);
		if (ret)
			poll(NULL, 0, 1);
	}
	return !ret;
}

#endif
