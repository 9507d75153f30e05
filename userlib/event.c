// SPDX-License-Identifier: MIT
/*
 * Fault events, which the DRM core returns from read() of the device.
 *
 * read() returns as many whole events as fit, and 0 if the first one does not fit. If there is no
 * event, it blocks, unless the file descriptor is non-blocking; the caller may set or clear that.
 * Therefore the library calls it only after poll() has reported an event, in one thread at a time.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

/* The DRM core keeps up to this many bytes of events for a client. */
#define EVENT_SPACE 4096

/* Return the number of bytes of events in @bytes, 0 if there are none, or -errno. */
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
			 * The event is longer. The space grows in steps that are no longer than a
			 * fault event, so that a second event does not fit as well.
			 */
			if (size == EVENT_SPACE)
				return -EIO;
			size += VSM_EVENT_FIRST;
			if (size > EVENT_SPACE)
				size = EVENT_SPACE;
		}
	}
}

/* The device and the caller may know events that are longer than in the first version. */
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

/* Return the number of fault events, -EAGAIN if there are no events, or -errno. */
static int take_faults(struct vsm_device *device, char *events, uint32_t stride, uint32_t max)
{
	char bytes[EVENT_SPACE];
	ssize_t size;
	int state;

	/* A thread cancelled in read() would keep the lock. read() does not block here. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	pthread_mutex_lock(&device->event_lock);
	/* Even the shortest events fit: there are at most @max. */
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
		/* The loop continues after events of other types. */
		if (!count)
			continue;
		/* Another thread has read the events: wait again. */
		ready = vsm_poll(device->fd, deadline);
		if (ready <= 0)
			return ready;
	}
}
