/* SPDX-License-Identifier: MIT */
/*
 * Times of copies and of memcpy(), in nanoseconds.
 */
#ifndef _COPY_H_
#define _COPY_H_

/* Per piece of 32 KiB, of which each job has many; a piece of 16 bytes the last. */
double copy_by_submit(void);
double copy_by_memcpy(void);
double copy_by_submit_little(void);

/* Per copy of 1 KiB, of which a stream has many. */
double copy_stream(void);
double memcpy_stream(void);

/*
 * Sets @one to the time that one client needs for its copies while it is alone, and @pair to
 * half the time that two clients need at the same time.
 */
void copy_by_two_clients(double *one, double *pair);

#endif
