/* SPDX-License-Identifier: MIT */
/*
 * Measure copies and memcpy(). Times are in nanoseconds.
 */
#ifndef _COPY_H_
#define _COPY_H_

/*
 * Time of one piece of 32 KiB in a job of many pieces. The last function copies pieces of 16 bytes.
 */
double copy_by_submit(void);
double copy_by_memcpy(void);
double copy_by_submit_little(void);

/* Time of one copy of 1 KiB in a stream of many copies. */
double copy_stream(void);
double memcpy_stream(void);

#endif
