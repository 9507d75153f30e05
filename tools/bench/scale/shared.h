/* SPDX-License-Identifier: MIT */
#ifndef _SHARED_H_
#define _SHARED_H_

/* Prints the rows of cache lines that two tasks share, which do the same on two processors. */
void shared_rows(void);

#endif
