/* SPDX-License-Identifier: MIT */
/* What vsm-bench measures. Times are in nanoseconds. */
#ifndef _ROWS_H_
#define _ROWS_H_

/* An EXEC of one arrive, an arrive in an EXEC of many, and a DRM_IOCTL_VERSION. */
double exec_of_one(void);
double exec_of_stream(void);
double exec_version(void);

/* A round trip of two threads that wait for each other in turn. */
double ping_pong_mbarrier(void);
double ping_pong_futex(void);
/* Each thread calls poll() before read(). */
double ping_pong_waitset(void);
double ping_pong_eventfd(void);

/* A match.sync. The tasks are threads of one warp, and each has a different value. */
double phase_of_match(unsigned int lanes);
/* A phase of a named barrier. Each task is a warp. */
double phase_of_barrier(unsigned int warps);
/* A pthread_barrier_wait(), with which the two above are compared. */
double phase_of_pthread(unsigned int threads);

/* One piece of 32 KiB in a job of many pieces, and its memcpy(). */
double copy_by_submit(void);
double copy_by_memcpy(void);
/* One copy of 1 KiB in a stream of many copies, and its memcpy(). */
double copy_stream(void);
double memcpy_stream(void);

/*
 * An arrive that completes a phase and a read() of its record, while @count waits on other
 * mbarriers are armed.
 */
double complete_among(unsigned int count);

#endif
