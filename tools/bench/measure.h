/* SPDX-License-Identifier: MIT */
/*
 * Taking times.
 */
#ifndef _MEASURE_H_
#define _MEASURE_H_

#define REPEATS	7		/* of a measurement, which gives their median */

/* Prints what failed, and the message of the errno @error. Exits with status 1. */
void die(const char *what, int error) __attribute__((noreturn));

/* CLOCK_MONOTONIC in nanoseconds. */
double now(void);

/* Sorts @took, which has @count elements. */
double median(double *took, unsigned int count);

/* Nanoseconds per turn of @body(n), which makes n turns. */
double measure(void (*body)(unsigned int n), unsigned int n);

#endif
