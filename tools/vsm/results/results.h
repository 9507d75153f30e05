/* SPDX-License-Identifier: MIT */
/* Results of tests, for the files that `vsm run` and `vsm launch` write. */
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

/* An expectation that did not hold, or an error in a file */
struct failure {
	unsigned int line;	/* line in the file; 0 if there is none */
	unsigned int column;	/* column in the line; 0 if there is none */
	char *message;		/* the whole message, without its place */
	char *expected;		/* what was expected, or NULL */
	char *seen;		/* what was seen instead, or NULL */
	char *fault;		/* name of the fault that was seen, or NULL */
};

/* Result of a test */
struct result {
	char *name;	/* name of the test or of the kernel; NULL if the file is one test */
	unsigned int line;	/* line of the test or launch; 0 if there is none */
	enum verdict verdict;
	char *reason;		/* why the test was skipped, or NULL */
	int64_t ns;		/* duration in ns, of all its runs */
	uint64_t seed;		/* seed of the run that gave this result; 0 if there was none */
	uint64_t runs;		/* number of runs, each with another seed */
	char *report;	/* report of a fault, of a hang or of a refusal; NULL if there was none */
	char *output;		/* what the test printed otherwise, or NULL */
	struct failure *failures;
	size_t failure_count;	/* number of failures */
};

/* Results of the tests of a file */
struct result_file {
	char *path;	/* path of the file */
	struct result **results;
	size_t count;	/* number of results */
};

/* Results of all files */
struct results {
	const char *command;	/* command, "run" or "launch" */
	/* Part of the tests that the results are of; its index is 0 if they are of all tests */
	struct shard shard;
	/* The tests that were divided into parts, if these are results of a part */
	struct whole whole;
	struct result_file **files;
	size_t count;		/* number of files */
};

/* Sums */
struct tally {
	size_t tests[VERDICTS];	/* number of results of each verdict */
	int64_t ns;		/* durations in ns */
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
/* Forgets how the test ended, and what it printed, but not its duration. */
void result_restart(struct result *result);
void results_free(struct results *results);

/* Adds the results of a file to @tally. */
void tally_file(struct tally *tally, const struct result_file *file);
const char *verdict_name(enum verdict verdict);

/*
 * Reads the JSON document at @path into @results, which the caller frees. Sets @hash to the hash of
 * its bytes. Returns NULL, or what is wrong with the document.
 */
const char *results_read(struct results *results, const char *path, uint64_t *hash);

#endif
