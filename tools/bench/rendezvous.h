/* SPDX-License-Identifier: MIT */
/*
 * The time of one phase in which several tasks wait for each other, in nanoseconds.
 */
#ifndef _RENDEZVOUS_H_
#define _RENDEZVOUS_H_

/* Each task is a thread of one warp; their values all differ. */
double phase_of_match(unsigned int lanes);
/* A named barrier; each task is a warp. */
double phase_of_barrier(unsigned int warps);
/* The peer: pthread_barrier_wait(). */
double phase_of_pthread(unsigned int threads);

#endif
