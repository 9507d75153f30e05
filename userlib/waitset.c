// SPDX-License-Identifier: MIT
/*
 * Wait sets.
 */
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

struct drm_vsm_wait vsm_wait_insn(const struct vsm_thread *thread, const struct drm_vsm_insn *insn,
				  int64_t deadline, uint64_t user_data)
{
	struct drm_vsm_wait wait = vsm_wait_state(thread->cluster,
						  DRM_VSM_WAIT_THREAD(thread->cta, thread->thread),
						  (uintptr_t)insn, deadline, user_data);

	wait.flags = DRM_VSM_WAIT_INSN;
	if (thread->exec_flags & DRM_VSM_EXEC_WARP)
		wait.flags |= DRM_VSM_WAIT_WARP;
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
		ready = deadline ? vsm_poll(set->fd, deadline) : 0;
		if (ready <= 0)
			return ready;
	}
}
