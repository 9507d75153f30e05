// SPDX-License-Identifier: MIT
/*
 * Waiting for a file descriptor to become readable.
 */
#include <errno.h>
#include <poll.h>
#include <time.h>

#include "internal.h"

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

/* Returns what poll() says of @fd, 0 when the deadline has passed, or -errno. */
int vsm_poll(int fd, int64_t deadline)
{
	struct pollfd poll = { .fd = fd, .events = POLLIN };
	struct timespec left;
	int ready;

	do {
		if (deadline >= 0)
			left = time_left(deadline);
		ready = ppoll(&poll, 1, deadline >= 0 ? &left : NULL, NULL);
	} while (ready < 0 && errno == EINTR);
	return ready < 0 ? -errno : poll.revents;
}
