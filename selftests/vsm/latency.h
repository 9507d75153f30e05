/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Helpers to measure the longest section with preemption, bottom halves or interrupts off, with the
 * kernel's tracer of such sections.
 */
#ifndef VSM_TEST_LATENCY_H
#define VSM_TEST_LATENCY_H

#include <linux/aio_abi.h>

#include "vsm_test.h"

#define LIMIT_US	2000
#define TRACING		"/sys/kernel/tracing/"

static inline bool tracer_init(void)
{
	return !write_file(TRACING "current_tracer", "preemptirqsoff") &&
	       !write_file(TRACING "tracing_on", "0");
}

static inline int measure(void)
{
	return write_file(TRACING "tracing_max_latency", "0") ?:
	       write_file(TRACING "tracing_on", "1");
}

static inline long tracer_stop(void)
{
	FILE *file;
	long us = -1;

	write_file(TRACING "tracing_on", "0");
	file = fopen(TRACING "tracing_max_latency", "re");
	if (!file || fscanf(file, "%ld", &us) != 1)
		us = -1;
	if (file)
		fclose(file);
	return us;
}

/* Prints where the longest section began and ended, and the stack there. */
static inline void tracer_explain(void)
{
	FILE *trace = fopen(TRACING "trace", "re");
	bool stack = false;
	char line[256];

	while (trace && fgets(line, sizeof(line), trace)) {
		char *text = strstr(line, "=> ");

		stack |= !!strstr(line, "<stack trace>");
		if (text && (stack || strstr(line, "ed at: ")))
			fprintf(stderr, "#     %s", text);
	}
	if (trace)
		fclose(trace);
}

/* Returns the number of runnable tasks, including this one, or 0 if the number is unknown. */
static inline int runnable(void)
{
	FILE *file = fopen("/proc/loadavg", "re");
	int n = 0;

	if (!file || fscanf(file, "%*f %*f %*f %d/", &n) != 1)
		n = 0;
	if (file)
		fclose(file);
	return n;
}

/*
 * Waits until all work that the test has caused is done: no worker is runnable, and the RCU
 * callbacks have been called. The one processor calls callbacks in the order in which they were
 * queued. io_destroy() queues one more callback and returns after that has been called. A callback
 * may queue work, and work may queue a callback. The loop therefore ends only when no task is
 * runnable directly after io_destroy().
 *
 * Timers that expire later are not measured.
 */
static inline int wait_until_idle(void)
{
	int64_t limit = now_ns() + AMPLE;

	do {
		aio_context_t context = 0;

		if (syscall(SYS_io_setup, 1, &context) || syscall(SYS_io_destroy, context))
			return -errno;
		if (now_ns() > limit)
			return -ETIME;
	} while (runnable() != 1);
	return 0;
}

/* Prints and returns the length of the longest section since measure(), in microseconds. */
static inline long measured(const char *what)
{
	int ret = wait_until_idle();
	long us = tracer_stop();

	fprintf(stderr, "# %7ld us  %s\n", us, what);
	if (ret)
		fprintf(stderr, "# not idle: %s\n", strerror(-ret));
	tracer_explain();
	return ret || us < 0 ? LIMIT_US + 1 : us;
}

#define EXPECT_SHORT(what) EXPECT_GE(LIMIT_US, measured(what))

/* Measures an expression, whose value must be 0. */
#define EXPECT_TAKES_SHORT(what, expression) do {	\
	ASSERT_EQ(0, measure());			\
	ASSERT_EQ(0, expression);			\
	EXPECT_SHORT(what);				\
} while (0)

#endif
