/* SPDX-License-Identifier: MIT */
/*
 * Functions to measure times, and the table of results, on standard output and as a file of
 * tab-separated values.
 */
#ifndef _MEASURE_H_
#define _MEASURE_H_

#include <stdbool.h>

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

/* Returns the nanoseconds of one turn. @body(n) executes n turns. */
double measure(void (*body)(unsigned int n), unsigned int n);

/* From this call on, lines are also written to the file @path. */
void report_open(const char *path);
/* Closes the file of report_open(), if it was called. */
void report_close(void);

/*
 * Prints the head of a table: @title above the names of rows, @ours and @peer above the two columns
 * of times.
 */
void print_head(const char *title, const char *ours, const char *peer);

/*
 * Prints a row that compares the times @ours and @peer. The row passes if @ours / @peer is at most
 * @target, or, with @at_least, if @peer / @ours is at least @target.
 */
void print_row(const char *what, double ours, double peer, double target, bool at_least);

/* Prints a row that compares the rate @ours with the least rate @aim, which passes. */
void print_rate(const char *what, double ours, double aim);

#endif
