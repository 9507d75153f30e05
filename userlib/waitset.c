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

int vsm_waitset_arm_sized(struct vsm_waitset *set, struct drm_vsm_wait *waits, uint32_t stride,
			  uint32_t count, uint32_t *armed)
{
	struct drm_vsm_waitset_arm args = {
		.waits = (uintptr_t)waits,
		.stride = stride,
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
static int read_known(int fd, struct drm_vsm_wait_record *records, uint32_t max)
{
	ssize_t bytes;

	if (max > INT_MAX / sizeof(*records))
		max = INT_MAX / sizeof(*records);
	bytes = read(fd, records, max * sizeof(*records));
	return bytes < 0 ? -errno : (int)(bytes / (ssize_t)sizeof(*records));
}

/* Read records for a caller whose records are longer or shorter than those of the library. */
static int read_spread(int fd, char *records, uint32_t stride, uint32_t max)
{
	struct drm_vsm_wait_record known[64];
	const uint32_t space = sizeof(known) / sizeof(known[0]);
	uint32_t want, done = 0;
	int count, i;

	if (max > INT_MAX)
		max = INT_MAX;
	do {
		want = max - done < space ? max - done : space;
		count = read_known(fd, known, want);
		/* If records were read, return their number: the next call returns the error. */
		if (count < 0)
			return done ? (int)done : count;
		for (i = 0; i < count; i++)
			vsm_struct_copy(records + (size_t)done++ * stride, stride, &known[i],
					sizeof(known[i]));
	} while ((uint32_t)count == want && done < max);
	return (int)done;
}

int vsm_waitset_read_sized(struct vsm_waitset *set, struct drm_vsm_wait_record *records,
			   uint32_t stride, uint32_t max, int64_t deadline)
{
	int count, ready;

	if (!max || stride < VSM_RECORD_FIRST)
		return -EINVAL;

	for (;;) {
		if (stride == sizeof(*records))
			count = read_known(set->fd, records, max);
		else
			count = read_spread(set->fd, (char *)records, stride, max);
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
