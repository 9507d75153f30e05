/* SPDX-License-Identifier: MIT */
/*
 * The table of results, on standard output and as a file of tab-separated values.
 */
#ifndef _REPORT_H_
#define _REPORT_H_

#include <stdbool.h>

/* Also writes all following lines to the file @path. */
void report_open(const char *path);
/* Closes that file, if there is one. */
void report_close(void);

/* The line above the rows: @title over their names, @ours and @peer over the two columns. */
void print_head(const char *title, const char *ours, const char *peer);

/*
 * A row that compares @ours with @peer. It passes if @ours / @peer is at most @target; with
 * @at_least, if @peer / @ours is at least @target.
 */
void print_row(const char *what, double ours, double peer, double target, bool at_least);

/* A row without a peer. */
void print_detail(const char *what, double ours);

#endif
