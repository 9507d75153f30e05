/* SPDX-License-Identifier: MIT */
/*
 * Measure the completion of an armed wait of a wait set. Times are in nanoseconds.
 */
#ifndef _MANY_WAITS_H_
#define _MANY_WAITS_H_

/*
 * Time of an arrive that completes a phase and of a read() of its record, while @count waits on
 * other mbarriers are armed.
 */
double complete_among(unsigned int count);
/*
 * Time of a call that arms a wait, of the arrive that completes its phase, and of the read() of its
 * record, without other waits.
 */
double arm_arrive_read(void);

#endif
