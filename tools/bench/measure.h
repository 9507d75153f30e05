/* SPDX-License-Identifier: MIT */
/*
 * Functions to measure times.
 */
#ifndef _MEASURE_H_
#define _MEASURE_H_

#define REPEATS	7		/* a measurement is repeated so often, and the median counts */

/*
 * Prints @what, the name of a failed step, and the message of the errno @error. Exits with status
 * 1.
 */
void die(const char *what, int error) __attribute__((noreturn));

/* The time of CLOCK_MONOTONIC in nanoseconds. */
double now(void);

/* Returns the median of @took, which has @count elements. Sorts @took. */
double median(double *took, unsigned int count);

/*
 * Returns the nanoseconds of one turn. @body(n) executes n turns. For the plugin in
 * count/plugin.c, each repetition is a region, and each measurement is a row.
 */
double measure(void (*body)(unsigned int n), unsigned int n);

#endif
