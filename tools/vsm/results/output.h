/* SPDX-License-Identifier: MIT */
/* The options --json[=FILE] and --junit[=FILE]: where results are written to. */
#ifndef _RESULTS_OUTPUT_H_
#define _RESULTS_OUTPUT_H_

#include <stdio.h>

#include "results/results.h"

/* Formats of results. */
enum format {
	FORMAT_JSON,
	FORMAT_JUNIT,
	FORMATS,
};

/* Where results are written to */
struct outputs {
	bool given[FORMATS];		/* the option of this format was given */
	const char *paths[FORMATS];	/* path of the file; NULL for standard output */
	/* Files that are open before the results are written, or NULL: see outputs_open() */
	FILE *files[FORMATS];
};

/* Takes an option. @path is its value, or NULL. */
void outputs_take(struct outputs *outputs, enum format format, const char *path);
/* Is there anything to write? */
bool outputs_any(const struct outputs *outputs);
/* Is standard output for the results, and for nothing else? */
bool outputs_silent(const struct outputs *outputs);
/*
 * Checks that standard output has one use, which is not also @other, another option, unless that is
 * NULL. Reports errors of @command. Returns the exit status.
 */
int outputs_check(const struct outputs *outputs, const char *command, const char *other);
/*
 * Finds out, before anything runs, whether the files can be written. They keep their contents until
 * outputs_write(); what is no regular file, such as a pipe, is opened now. Reports errors of
 * @command. Returns the exit status.
 */
int outputs_open(struct outputs *outputs, const char *command);
/* The files come back from a virtual machine. */
void outputs_expect(const struct outputs *outputs);
/*
 * Writes the results into the files. Reports errors of @results->command. Returns the exit
 * status.
 */
int outputs_write(struct outputs *outputs, const struct results *results);

#endif
