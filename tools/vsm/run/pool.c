// SPDX-License-Identifier: MIT
/*
 * Runs tests in processes of their own, several at the same time.
 */
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "run/pool.h"

/* Tests that have started and not been passed on, for each job. Their events are in memory. */
#define AHEAD 4

/* Does the test need the device for itself? */
static bool is_alone(const struct pool *pool, const struct pool_test *test)
{
	size_t i;

	if (test->seed && pool->shuffles)
		return true;
	for (i = 0; i < test->scenario->count; i++)
		if (test->scenario->statements[i].kind == STATEMENT_MODEL)
			return true;
	return false;
}

/* Starts a run of the test, with its seed. */
static void start(const struct pool *pool, struct pool_test *test)
{
	struct execution how = {
		.no_limit = pool->no_limit,
		.seed = test->seed,
		.recording = test->recording,
	};
	int err;

	if (how.recording)
		recording_clear(how.recording);
	result_restart(test->result);
	test->result->seed = test->seed;
	test->result->runs += !!test->seed;
	err = child_start(&test->child, test->scenario, &how);
	test->running = !err;
	test->ended = err;
	if (err)
		result_fail(test->result, 0, strerror(-err));
}

static void begin(const struct pool *pool, struct pool_test *test)
{
	if (pool->record)
		test->recording = recording_create();
	if (!test->scenario->error_count) {
		start(pool, test);
		return;
	}
	result_fail_lines(test->result, test->scenario->path, test->scenario->errors);
	test->ended = true;
}

/* A run has ended. Begins the next one, if there is one. */
static void end(const struct pool *pool, struct pool_test *test)
{
	child_finish(&test->child, test->result);
	test->running = false;
	if (test->result->verdict == VERDICT_PASS && test->seed &&
	    test->last - test->seed >= test->step) {
		test->seed += test->step;
		start(pool, test);
	} else {
		test->ended = true;
	}
}

/* Reads from all tests from @first to @last that run. Waits until one of them has written. */
static void await(struct pool *pool, size_t first, size_t last, size_t running)
{
	struct pollfd *fds = must(calloc(running, sizeof(*fds)));
	size_t i, count = 0;

	for (i = first; i < last; i++)
		if (pool->tests[i].running)
			fds[count++] = (struct pollfd){ pool->tests[i].child.fd, POLLIN, 0 };
	if (poll(fds, count, -1) > 0) {
		count = 0;
		for (i = first; i < last; i++) {
			struct pool_test *test = &pool->tests[i];

			if (test->running && fds[count++].revents && !child_read(&test->child))
				end(pool, test);
		}
	}
	free(fds);
}

void pool_run(struct pool *pool)
{
	size_t done = 0, next = 0, running, i;
	bool alone;

	while (done < pool->count) {
		running = 0;
		alone = false;
		for (i = done; i < next; i++) {
			running += pool->tests[i].running;
			alone |= pool->tests[i].running && is_alone(pool, &pool->tests[i]);
		}
		if (next < pool->count && running < pool->jobs && !alone &&
		    next - done < AHEAD * pool->jobs &&
		    !(running && is_alone(pool, &pool->tests[next])))
			begin(pool, &pool->tests[next++]);
		else if (running)
			await(pool, done, next, running);
		for (; done < next && pool->tests[done].ended; done++) {
			pool->done(pool->data, &pool->tests[done]);
			recording_free(pool->tests[done].recording);
		}
	}
}
