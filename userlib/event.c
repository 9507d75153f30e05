// SPDX-License-Identifier: MIT
/*
 * Fault events, which the DRM core returns from read() of the device.
 *
 * read() returns as many whole events as fit, and 0 if the first event does not fit. If there is no
 * event and the file descriptor is blocking, read() blocks; the caller may set or clear O_NONBLOCK.
 * Therefore the library calls read() only after poll() has reported an event, and in one thread at
 * a time.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

/* Number of bytes of events that the DRM core keeps for a client, at most. */
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
			 * The event is longer than the space. Enlarge the space by at most the size
			 * of a fault event: otherwise read() might return two events, and the
			 * caller has space for only one.
			 */
			if (size == EVENT_SPACE)
				return -EIO;
			size += VSM_EVENT_FIRST;
			if (size > EVENT_SPACE)
				size = EVENT_SPACE;
		}
	}
}

/*
 * Copy the fault events from @bytes to the caller's array. Events of the device and elements of the
 * caller may be longer than the first version of the event.
 */
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
	/*
	 * Read no more bytes than @max of the shortest events have: the caller has space for @max
	 * events.
	 */
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
		/* The events that were read have other types. Read again. */
		if (!count)
			continue;
		/* There is no event, or another thread has read it: wait. */
		ready = vsm_poll(device->fd, deadline);
		if (ready <= 0)
			return ready;
	}
}
