/* SPDX-License-Identifier: MIT */
/*
 * Times of copies and of memcpy(), in nanoseconds.
 */
#ifndef _COPY_H_
#define _COPY_H_

/* Per piece of 32 KiB in a job of many pieces; the last function has pieces of 16 bytes. */
double copy_by_submit(void);
double copy_by_memcpy(void);
double copy_by_submit_little(void);

/* Per copy of 1 KiB in a stream of many copies. */
double copy_stream(void);
double memcpy_stream(void);

/*
 * Sets @one to the time that one client needs for its copies while it is alone, and @pair to
 * half the time that two clients need at the same time.
 */
void copy_by_two_clients(double *one, double *pair);

#endif
