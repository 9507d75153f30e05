/* SPDX-License-Identifier: MIT */
/*
 * The table of results, on standard output and as a file of tab-separated values.
 */
#ifndef _REPORT_H_
#define _REPORT_H_

#include <stdbool.h>

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

/* A row without a peer. */
void print_detail(const char *what, double ours);

#endif
