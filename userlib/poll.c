// SPDX-License-Identifier: MIT
/* Waiting for a file descriptor to become readable. */
#include <errno.h>
#include <poll.h>
#include <time.h>

#include "internal.h"

#define NSEC_PER_SEC 1000000000

/* Nanoseconds from now to @deadline, 0 if it has passed. */
int64_t vsm_time_left(int64_t deadline)
{
	struct timespec now;
	int64_t ns;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ns = deadline - ((int64_t)now.tv_sec * NSEC_PER_SEC + now.tv_nsec);
	return ns > 0 ? ns : 0;
}

/* Return the events of poll() for @fd, 0 if @deadline has passed, or -errno. */
int vsm_poll(int fd, int64_t deadline)
{
	struct pollfd poll = { .fd = fd, .events = POLLIN };
	struct timespec left;
	int64_t ns;
	int ready;

	do {
		if (deadline >= 0) {
			ns = vsm_time_left(deadline);
			left.tv_sec = ns / NSEC_PER_SEC;
			left.tv_nsec = ns % NSEC_PER_SEC;
		}
		ready = ppoll(&poll, 1, deadline >= 0 ? &left : NULL, NULL);
	} while (ready < 0 && errno == EINTR);
	return ready < 0 ? -errno : poll.revents;
}
