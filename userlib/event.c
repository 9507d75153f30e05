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
/* Bytes of the shortest fault event: one without flags. */
#define EVENT_PLAIN offsetof(struct drm_vsm_event_fault, flags)

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
			size += EVENT_PLAIN;
			if (size > EVENT_SPACE)
				size = EVENT_SPACE;
		}
	}
}

/* Copy the fault events from @bytes to the caller's array, and cut off those of a later device. */
static uint32_t pick_faults(const char *bytes, size_t size, struct drm_vsm_event_fault *events,
			    uint32_t max)
{
	struct drm_event base;
	uint32_t count = 0;

	while (size >= sizeof(base) && count < max) {
		memcpy(&base, bytes, sizeof(base));
		if (base.length < sizeof(base) || base.length > size)
			break;
		if (base.type == DRM_VSM_EVENT_FAULT && base.length >= EVENT_PLAIN) {
			struct drm_vsm_event_fault *event = &events[count++];
			size_t known = base.length < sizeof(*event) ? base.length : sizeof(*event);

			memset(event, 0, sizeof(*event));
			memcpy(event, bytes, known);
			event->base.length = known;
		}
		bytes += base.length;
		size -= base.length;
	}
	return count;
}

/* Return the number of fault events, -EAGAIN if there are no events, or -errno. */
static int take_faults(struct vsm_device *device, struct drm_vsm_event_fault *events,
		       uint32_t max)
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
	size = read_events(device->fd, bytes, max * EVENT_PLAIN);
	pthread_mutex_unlock(&device->event_lock);
	pthread_setcancelstate(state, NULL);
	if (size <= 0)
		return size ? (int)size : -EAGAIN;
	return (int)pick_faults(bytes, size, events, max);
}

int vsm_event_read(struct vsm_device *device, struct drm_vsm_event_fault *events, uint32_t max,
		   int64_t deadline)
{
	const uint32_t most = EVENT_SPACE / EVENT_PLAIN;
	int count, ready;

	if (!max)
		return -EINVAL;
	if (max > most)
		max = most;

	for (;;) {
		count = take_faults(device, events, max);
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
