// SPDX-License-Identifier: MIT
/*
 * Wait sets.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"

struct vsm_waitset {
	int device_fd;
	int fd;
};

int vsm_waitset_create(struct vsm_device *device, struct vsm_waitset **set)
{
	/*
	 * Non-blocking: of two readers that poll() tells of one record, the one that
	 * comes second must look at its deadline again.
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

struct drm_vsm_wait vsm_wait_state(const struct vsm_cluster *cluster, uint32_t addr,
				   uint64_t state, int64_t deadline, uint64_t user_data)
{
	return (struct drm_vsm_wait) {
		.cluster = vsm_cluster_handle(cluster),
		.addr = addr,
		.state = state,
		.deadline = deadline,
		.user_data = user_data,
	};
}

struct drm_vsm_wait vsm_wait_parity(const struct vsm_cluster *cluster, uint32_t addr,
				    uint32_t parity, int64_t deadline, uint64_t user_data)
{
	struct drm_vsm_wait wait = vsm_wait_state(cluster, addr, parity, deadline, user_data);

	wait.flags = DRM_VSM_WAIT_PARITY;
	return wait;
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

/* From now to @deadline, 0 if it has passed. */
static struct timespec time_left(int64_t deadline)
{
	struct timespec left = { 0, 0 };
	struct timespec now;
	int64_t ns;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ns = deadline - ((int64_t)now.tv_sec * 1000000000 + now.tv_nsec);
	if (ns > 0) {
		left.tv_sec = ns / 1000000000;
		left.tv_nsec = ns % 1000000000;
	}
	return left;
}

/* Returns 1 when a read is worth trying, 0 when the deadline has passed, or -errno. */
static int wait_readable(int fd, int64_t deadline)
{
	struct pollfd poll = { .fd = fd, .events = POLLIN };
	struct timespec left;
	int ready;

	if (!deadline)
		return 0;
	do {
		if (deadline > 0)
			left = time_left(deadline);
		ready = ppoll(&poll, 1, deadline > 0 ? &left : NULL, NULL);
	} while (ready < 0 && errno == EINTR);
	return ready < 0 ? -errno : ready;
}

int vsm_waitset_read(struct vsm_waitset *set, struct drm_vsm_wait_record *records, uint32_t max,
		     int64_t deadline)
{
	ssize_t bytes;
	int ready;

	if (!max)
		return -EINVAL;
	if (max > INT_MAX / sizeof(*records))
		max = INT_MAX / sizeof(*records);

	for (;;) {
		bytes = read(set->fd, records, max * sizeof(*records));
		if (bytes >= 0)
			return bytes / (ssize_t)sizeof(*records);
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN)
			return -errno;
		ready = wait_readable(set->fd, deadline);
		if (ready <= 0)
			return ready;
	}
}
