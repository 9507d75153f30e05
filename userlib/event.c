// SPDX-License-Identifier: MIT
/*
 * Fault events, which the DRM core hands out through read() of the device.
 *
 * read() returns whole events, as many as fit, and 0 if not even the first does. It
 * blocks where there is none, unless the file descriptor, which the caller may use as
 * well, is non-blocking. So it is called only where poll() has just said that there is
 * one, and by one thread at a time.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

/* Bytes of events that the DRM core keeps for a client. */
#define EVENT_SPACE 4096

/* Returns how many bytes of events are in @bytes, 0 if there are none, or -errno. */
static ssize_t read_events(int fd, char *bytes, size_t size)
{
	ssize_t got;
	int ready;

	for (;;) {
		ready = vsm_poll(fd, 0);
		if (ready <= 0)
			return ready;
		if (!(ready & POLLIN))
			return ready & POLLNVAL ? -EBADF : -ENODEV;
		got = read(fd, bytes, size);
		if (got > 0)
			return got;
		if (got < 0 && errno != EINTR)
			return errno == EAGAIN ? 0 : -errno;
		if (!got) {
			/*
			 * A longer event. Room is made in steps of no more than a fault
			 * event's size, so that no second one comes with it.
			 */
			if (size == EVENT_SPACE)
				return -EIO;
			size += VSM_EVENT_FIRST;
			if (size > EVENT_SPACE)
				size = EVENT_SPACE;
		}
	}
}

/* The device, and the caller, may know longer events than the first version had. */
static uint32_t pick_faults(const char *bytes, size_t size, char *events, uint32_t stride,
			    uint32_t max)
{
	struct drm_event base;
	uint32_t count = 0;

	while (size >= sizeof(base) && count < max) {
		memcpy(&base, bytes, sizeof(base));
		if (base.length < sizeof(base) || base.length > size)
			break;
		if (base.type == DRM_VSM_EVENT_FAULT && base.length >= VSM_EVENT_FIRST) {
			char *event = events + (size_t)count++ * stride;
			struct drm_event head = base;

			vsm_struct_copy(event, stride, bytes, base.length);
			if (head.length > stride)
				head.length = stride;
			memcpy(event, &head, sizeof(head));
		}
		bytes += base.length;
		size -= base.length;
	}
	return count;
}

/* Returns the number of fault events, -EAGAIN if there are no events, or -errno. */
static int take_faults(struct vsm_device *device, char *events, uint32_t stride, uint32_t max)
{
	char bytes[EVENT_SPACE];
	ssize_t size;
	int state;

	/* A thread that was cancelled in read() would keep the lock. Nothing here blocks. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	pthread_mutex_lock(&device->event_lock);
	/* No more than @max fit, however short they are. */
	size = read_events(device->fd, bytes, max * VSM_EVENT_FIRST);
	pthread_mutex_unlock(&device->event_lock);
	pthread_setcancelstate(state, NULL);
	if (size <= 0)
		return size ? (int)size : -EAGAIN;
	return (int)pick_faults(bytes, size, events, stride, max);
}

int vsm_event_read_sized(struct vsm_device *device, struct drm_vsm_event_fault *events,
			 uint32_t stride, uint32_t max, int64_t deadline)
{
	int count, ready;

	if (!max || stride < VSM_EVENT_FIRST)
		return -EINVAL;
	if (max > EVENT_SPACE / VSM_EVENT_FIRST)
		max = EVENT_SPACE / VSM_EVENT_FIRST;

	for (;;) {
		count = take_faults(device, (char *)events, stride, max);
		if (count > 0)
			return count;
		if (count < 0 && count != -EAGAIN)
			return count;
		/* Events of other types were no reason to stop. */
		if (!count)
			continue;
		/* Whoever comes second of two readers waits again. */
		ready = vsm_poll(device->fd, deadline);
		if (ready <= 0)
			return ready;
	}
}
