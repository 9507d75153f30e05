/* SPDX-License-Identifier: MIT */
/*
 * The time that ends an armed wait of a wait set, in nanoseconds.
 */
#ifndef _MANY_WAITS_H_
#define _MANY_WAITS_H_

/* An arrive that completes the phase, and read(), while @count waits on other words are armed. */
double complete_among(unsigned int count);
/* The same with the call that arms the wait, and nothing else armed. */
double arm_arrive_read(void);

#endif
