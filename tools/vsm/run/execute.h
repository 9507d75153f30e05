/* SPDX-License-Identifier: MIT */
/*
 * Executes scenarios statement by statement, each in a process of its own.
 */
#ifndef _RUN_EXECUTE_H_
#define _RUN_EXECUTE_H_

#include <sys/types.h>

#include "results/results.h"

/* --- processes ------------------------------------------------------------ */

/**
 * struct child - A process that runs a scenario
 * @pid: Its number
 * @fd: Pipe from which its failures are read
 * @text: What was read so far
 * @size: Bytes of @text
 * @begin: When it was started
 */
struct child {
	pid_t pid;
	int fd;
	char *text;
	size_t size;
	int64_t begin;
};

/* --- processes at the same time ------------------------------------------- */

/**
 * struct pool_test - A test to run
 * @scenario: Test. One with errors does not run
 * @result: Its result
 * @seed: Its first seed; 0 for none
 * @last: Seed after which there are no more
 * @step: Distance of its seeds
 * @recording: Events of its last run, while @done is called; NULL without &pool.record
 * @child: Process that runs it
 * @running: There is such a process
 * @ended: It has its result
 */
struct pool_test {
	const struct scenario *scenario;
	struct result *result;
	uint64_t seed;
	uint64_t last;
	uint64_t step;
	struct recording *recording;
	struct child child;
	bool running;
	bool ended;
};

/**
 * struct pool - Tests to run
 * @tests: Tests
 * @count: Number of tests
 * @jobs: Greatest number of tests that run at the same time
 * @no_limit: As in &struct execution
 * @shuffles: A test with a seed sets the model of the device
 * @record: Record the events
 * @done: Called with each test that has ended, in the order of @tests
 * @data: Argument of @done
 */
struct pool {
	struct pool_test *tests;
	size_t count;
	unsigned int jobs;
	bool no_limit;
	bool shuffles;
	bool record;
	void (*done)(void *data, const struct pool_test *test);
	void *data;
};

/*
 * Runs each test once, or with each of its seeds up to the first that fails. The model belongs to
 * the device: a test that sets the model runs while no other test does.
 */
void pool_run(struct pool *pool);

#endif
