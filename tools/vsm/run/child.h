/* SPDX-License-Identifier: MIT */
/*
 * Runs a scenario in a process of its own.
 */
#ifndef _RUN_CHILD_H_
#define _RUN_CHILD_H_

#include <sys/types.h>

#include "results/results.h"
#include "run/execute.h"

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

/*
 * Starts to run a scenario in a process of its own. When the process ends, its suspended threads
 * end too, and a crash does not affect other tests. Returns 0 or a negative errno.
 */
int child_start(struct child *child, const struct scenario *scenario, const struct execution *how);
/* Reads what the process has written. Waits for it if necessary. Returns false at its end. */
bool child_read(struct child *child);
/* After that end, adds the failures and the duration to @result. */
void child_finish(struct child *child, struct result *result);

#endif
