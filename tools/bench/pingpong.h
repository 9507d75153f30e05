/* SPDX-License-Identifier: MIT */
/*
 * Measure round trips of two threads that wait for each other in turn. Times are in nanoseconds.
 */
#ifndef _PINGPONG_H_
#define _PINGPONG_H_

#include <stdbool.h>

double ping_pong_mbarrier(void);
double ping_pong_futex(void);
/* With @polled, each thread calls poll() before read(). */
double ping_pong_waitset(bool polled);
double ping_pong_eventfd(bool polled);

#endif
