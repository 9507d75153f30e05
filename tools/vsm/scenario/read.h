/* SPDX-License-Identifier: MIT */
/*
 * Reads a file of scenarios: parses all of it before anything runs.
 */
#ifndef _SCENARIO_READ_H_
#define _SCENARIO_READ_H_

#include "scenario/scenario.h"

/**
 * struct scenario_file - A file of scenarios
 * @path: Path of the file
 * @unread: The file cannot be read, or has no test of the given name. The only test says why
 * @named: The file has statements "test NAME". Otherwise the whole file is one test
 * @tests: The tests, in order
 * @count: Number of tests
 * @first_seeds: First seed of each test, or NULL: see part_keep()
 */
struct scenario_file {
	char *path;
	bool unread;
	bool named;
	struct scenario **tests;
	size_t count;
	uint64_t *first_seeds;
};

/*
 * Reads a file or one test of it. @what is FILE or FILE:NAME; FILE may be - for standard input.
 * Never fails: each test has its own @error_count.
 */
struct scenario_file *scenario_read(const char *what);
void scenario_file_free(struct scenario_file *file);

#endif
