/* SPDX-License-Identifier: MIT */
/* Reads a file of scenarios: parses all of it before anything runs. */
#ifndef _SCENARIO_READ_H_
#define _SCENARIO_READ_H_

#include "scenario/scenario.h"

/* A file of scenarios */
struct scenario_file {
	char *path;			/* path of the file */
	/* The file cannot be read, or has no test of the given name. The only test says why. */
	bool unread;
	/* The file has statements "test NAME". Otherwise the whole file is one test. */
	bool named;
	struct scenario **tests;	/* the tests, in order */
	size_t count;			/* number of tests */
	uint64_t *first_seeds;		/* first seed of each test, or NULL: see part_keep() */
};

/*
 * Reads a file or one test of it. @what is FILE or FILE:NAME; FILE may be - for standard input.
 * Never fails: each test has its own @error_count.
 */
struct scenario_file *scenario_read(const char *what);
void scenario_file_free(struct scenario_file *file);

#endif
