/* SPDX-License-Identifier: MIT */
/*
 * Measure one phase in which several tasks wait for each other. Times are in nanoseconds.
 */
#ifndef _RENDEZVOUS_H_
#define _RENDEZVOUS_H_

/* Time of a match.sync. The tasks are threads of one warp, and each has a different value. */
double phase_of_match(unsigned int lanes);
/* Time of a named barrier. Each task is a warp. */
double phase_of_barrier(unsigned int warps);
/* Time of a pthread_barrier_wait(), with which the two above are compared. */
double phase_of_pthread(unsigned int threads);

#endif
