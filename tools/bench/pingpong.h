/* SPDX-License-Identifier: MIT */
/*
 * Round trips of two threads that wait for each other, in nanoseconds.
 */
#ifndef _PINGPONG_H_
#define _PINGPONG_H_

#include <stdbool.h>

double ping_pong_mbarrier(void);
double ping_pong_futex(void);
/* @polled: each thread calls poll() before read(). */
double ping_pong_waitset(bool polled);
double ping_pong_eventfd(bool polled);

#endif
