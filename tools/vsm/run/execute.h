/* SPDX-License-Identifier: MIT */
/* Executes scenarios statement by statement, each in a process of its own. */
#ifndef _RUN_EXECUTE_H_
#define _RUN_EXECUTE_H_

#include <sys/types.h>

#include "results/results.h"

/* --- processes ------------------------------------------------------------ */

/* A process that runs a scenario */
struct child {
	pid_t pid;	/* its number */
	int fd;		/* pipe from which its failures are read */
	char *text;	/* what was read so far */
	size_t size;	/* bytes of @text */
	int64_t begin;	/* when it was started */
};

/* --- processes at the same time ------------------------------------------- */

/* A test to run */
struct pool_test {
	const struct scenario *scenario;	/* Test. One with errors does not run. */
	struct result *result;
	uint64_t seed;				/* its first seed; 0 for none */
	uint64_t last;				/* seed after which there are no more */
	uint64_t step;				/* distance of its seeds */
	/* Events of its last run, while @done is called; NULL without pool.record */
	struct recording *recording;
	struct child child;			/* process that runs it */
	bool running;				/* there is such a process */
	bool ended;				/* it has its result */
};

/* Tests to run */
struct pool {
	struct pool_test *tests;
	size_t count;		/* number of tests */
	unsigned int jobs;	/* greatest number of tests that run at the same time */
	bool no_limit;		/* as in struct execution */
	bool shuffles;		/* a test with a seed sets the model of the device */
	bool record;		/* record the events */
	/* Called with each test that has ended, in the order of @tests */
	void (*done)(void *data, const struct pool_test *test);
	void *data;		/* argument of @done */
};

/*
 * Runs each test once, or with each of its seeds up to the first that fails. The model belongs to
 * the device: a test that sets the model runs while no other test does.
 */
void pool_run(struct pool *pool);

#endif
