/* SPDX-License-Identifier: MIT */
/*
 * The time limit of everything that a scenario waits for.
 */
#ifndef _RUN_DEADLINE_H_
#define _RUN_DEADLINE_H_

#include <stdint.h>

/* The longest time that a scenario waits for anything, in seconds. */
#define TIME_LIMIT 10

/* Returns the time that is TIME_LIMIT from now, as nanoseconds of CLOCK_MONOTONIC. */
int64_t deadline_from_now(void);

#endif
