/* SPDX-License-Identifier: MIT */
/*
 * Results of tests, for the files that `vsm run` and `vsm launch` write.
 */
#ifndef _RESULTS_RESULTS_H_
#define _RESULTS_RESULTS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shard.h"

enum verdict {
	VERDICT_PASS,
	VERDICT_FAIL,
	VERDICT_SKIP,
	VERDICTS,
};

/**
 * struct failure - An expectation that did not hold, or an error in a file
 * @line: Line in the file; 0 if there is none
 * @column: Column in the line; 0 if there is none
 * @message: The whole message, without its place
 * @expected: What was expected, or NULL
 * @seen: What was seen instead, or NULL
 * @fault: Name of the fault that was seen, or NULL
 */
struct failure {
	unsigned int line;
	unsigned int column;
	char *message;
	char *expected;
	char *seen;
	char *fault;
};

/**
 * struct result - Result of a test
 * @name: Name of the test or of the kernel; NULL if the file is one test
 * @line: Line of the test or launch; 0 if there is none
 * @verdict: Verdict
 * @reason: Why the test was skipped, or NULL
 * @ns: Duration in ns, of all its runs
 * @seed: Seed of the run that gave this result; 0 if there was none
 * @runs: Number of runs, each with another seed
 * @report: Report of a fault, of a hang or of a refusal; NULL if there was none
 * @output: What the test printed otherwise, or NULL
 * @failures: Failures
 * @failure_count: Number of failures
 */
struct result {
	char *name;
	unsigned int line;
	enum verdict verdict;
	char *reason;
	int64_t ns;
	uint64_t seed;
	uint64_t runs;
	char *report;
	char *output;
	struct failure *failures;
	size_t failure_count;
};

/**
 * struct result_file - Results of the tests of a file
 * @path: Path of the file
 * @results: Results
 * @count: Number of results
 */
struct result_file {
	char *path;
	struct result **results;
	size_t count;
};

/**
 * struct results - Results of all files
 * @command: Command, "run" or "launch"
 * @shard: Part of the tests that the results are of; its index is 0 if they are of all tests
 * @whole: The tests that were divided into parts, if these are results of a part
 * @files: Files
 * @count: Number of files
 */
struct results {
	const char *command;
	struct shard shard;
	struct whole whole;
	struct result_file **files;
	size_t count;
};

/**
 * struct tally - Sums
 * @tests: Number of results of each verdict
 * @ns: Durations in ns
 */
struct tally {
	size_t tests[VERDICTS];
	int64_t ns;
};

struct result_file *results_add_file(struct results *results, const char *path);
/* Adds a test that passes until something else is known. @name may be NULL. */
struct result *result_add(struct result_file *file, const char *name, unsigned int line);
/*
 * Adds a failure, and lets the test fail. A @message of the form "expected X, seen Y" is taken
 * apart.
 */
struct failure *result_fail(struct result *result, unsigned int line, const char *message);
/* Adds the failures that a text lists: each line has PATH:LINE:COLUMN: MESSAGE, or less of it. */
void result_fail_lines(struct result *result, const char *path, const char *text);
/* Appends a text to another one, which may be NULL. */
void result_append(char **text, const char *more);
/* Forgets how the test ended, and what it printed, but not its duration. */
void result_restart(struct result *result);
void results_free(struct results *results);

/* Adds the results of a file to @tally. */
void tally_file(struct tally *tally, const struct result_file *file);
const char *verdict_name(enum verdict verdict);

#endif
