/* SPDX-License-Identifier: MIT */
/*
 * The clock that time limits refer to.
 */
#ifndef _PTX_RUN_CLOCK_H_
#define _PTX_RUN_CLOCK_H_

#include <stdint.h>
#include <time.h>

/* CLOCK_MONOTONIC in ns. */
static inline int64_t ptx_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

#endif
