// SPDX-License-Identifier: MIT
/*
 * The time limit of everything that a scenario waits for.
 */
#include <time.h>

#include "run/deadline.h"

int64_t deadline_from_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec + TIME_LIMIT) * 1000000000LL + now.tv_nsec;
}
