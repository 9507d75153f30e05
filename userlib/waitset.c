// SPDX-License-Identifier: MIT
/* Wait sets: arming waits, and reading how they ended. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "internal.h"

struct vsm_waitset {
	int device_fd;
	int fd;
};

int vsm_waitset_create(struct vsm_device *device, struct vsm_waitset **set)
{
	/*
	 * The file descriptor is non-blocking because poll() may report one record to two readers.
	 * The slower reader must then not block in read(), but wait again until its deadline.
	 */
	struct drm_vsm_waitset_create args = {
		.flags = DRM_VSM_WAITSET_NONBLOCK,
		.record_stride = sizeof(struct drm_vsm_wait_record),
	};
	struct vsm_waitset *s;
	int err;

	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	err = vsm_ioctl(device->fd, DRM_IOCTL_VSM_WAITSET_CREATE, &args);
	if (err) {
		free(s);
		return err;
	}
	s->device_fd = device->fd;
	s->fd = args.fd;
	*set = s;
	return 0;
}

void vsm_waitset_destroy(struct vsm_waitset *set)
{
	if (!set)
		return;
	close(set->fd);
	free(set);
}

int vsm_waitset_fd(const struct vsm_waitset *set)
{
	return set->fd;
}

int vsm_waitset_arm(struct vsm_waitset *set, struct drm_vsm_wait *waits, uint32_t count,
		    uint32_t *armed)
{
	struct drm_vsm_waitset_arm args = {
		.waits = (uintptr_t)waits,
		.stride = sizeof(*waits),
		.count = count,
		.fd = set->fd,
		.armed = armed ? *armed : 0,
	};
	int err;

	err = vsm_ioctl(set->device_fd, DRM_IOCTL_VSM_WAITSET_ARM, &args);
	if (armed)
		*armed = args.armed;
	return err;
}

int vsm_waitset_cancel(struct vsm_waitset *set, uint64_t id)
{
	struct drm_vsm_waitset_cancel args = { .id = id, .fd = set->fd };

	return vsm_ioctl(set->device_fd, DRM_IOCTL_VSM_WAITSET_CANCEL, &args);
}

/* Return the number of records, or -errno. */
static int read_records(int fd, struct drm_vsm_wait_record *records, uint32_t max)
{
	ssize_t bytes;

	if (max > INT_MAX / sizeof(*records))
		max = INT_MAX / sizeof(*records);
	bytes = read(fd, records, max * sizeof(*records));
	return bytes < 0 ? -errno : (int)(bytes / (ssize_t)sizeof(*records));
}

int vsm_waitset_read(struct vsm_waitset *set, struct drm_vsm_wait_record *records, uint32_t max,
		     int64_t deadline)
{
	int count, ready;

	if (!max)
		return -EINVAL;

	for (;;) {
		count = read_records(set->fd, records, max);
		if (count >= 0)
			return count;
		if (count == -EINTR)
			continue;
		if (count != -EAGAIN)
			return count;
		ready = deadline ? vsm_poll(set->fd, deadline) : 0;
		if (ready <= 0)
			return ready;
	}
}
