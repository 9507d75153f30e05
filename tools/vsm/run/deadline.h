/* SPDX-License-Identifier: MIT */
/*
 * How long a scenario waits.
 */
#ifndef _RUN_DEADLINE_H_
#define _RUN_DEADLINE_H_

#include <stdint.h>

/* A scenario waits at most that many seconds for anything. */
#define TIME_LIMIT 10

/* TIME_LIMIT from now, CLOCK_MONOTONIC in ns. */
int64_t deadline_from_now(void);

#endif
