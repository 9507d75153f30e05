// SPDX-License-Identifier: MIT
/*
 * Runs a scenario in a process of its own.
 *
 * The process writes failures to a pipe, as &struct report says.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base.h"
#include "run/child.h"
#include "run/execute.h"

static void run_child(const struct scenario *scenario, const struct execution *how,
		      FILE *out)
{
	struct report report = { .out = out };
	struct vsm_device *device;
	bool good = false;
	int err;

	err = vsm_device_open(NULL, &device);
	if (err)
		report_failure(&report, 0, "the device cannot be opened: %s", strerror(-err));
	else
		good = execute_scenario(device, scenario, how, out);
	if (fflush(out))
		good = false;
	_exit(good ? EXIT_OK : EXIT_FAILED);
}

/* Takes the failures apart. If the process was killed, the last text may have no end. */
static void read_failures(const struct child *child, struct result *result)
{
	const char *at = child->text, *end = child->text + child->size;

	while (at < end) {
		const char *message = memchr(at, '\0', end - at);

		if (!message++ || !memchr(message, '\0', end - message))
			break;
		result_fail(result, strtoul(at, NULL, 10), message);
		at = message + strlen(message) + 1;
	}
}

static void fail_format(struct result *result, const char *format, int number)
{
	char text[64];

	snprintf(text, sizeof(text), format, number);
	result_fail(result, 0, text);
}

/* Waits for the process. A status other than 0 is a failure, even if nothing says why. */
static void await_child(pid_t pid, struct result *result)
{
	int status;

	if (waitpid(pid, &status, 0) != pid)
		result_fail(result, 0, strerror(errno));
	else if (WIFSIGNALED(status))
		fail_format(result, "ended by signal %d", WTERMSIG(status));
	else if (WEXITSTATUS(status) && !result->failure_count)
		fail_format(result, "ended with status %d", WEXITSTATUS(status));
}

int child_start(struct child *child, const struct scenario *scenario, const struct execution *how)
{
	int ends[2];

	*child = (struct child){ .begin = time_now() };
	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	fflush(stdout);
	child->pid = fork();
	if (!child->pid) {
		close(ends[0]);
		run_child(scenario, how, must(fdopen(ends[1], "w")));
	}
	if (child->pid < 0) {
		int err = -errno;

		close(ends[0]);
		close(ends[1]);
		return err;
	}
	close(ends[1]);
	child->fd = ends[0];
	return 0;
}

bool child_read(struct child *child)
{
	ssize_t more;

	child->text = must(realloc(child->text, child->size + 4096));
	do
		more = read(child->fd, child->text + child->size, 4096);
	while (more < 0 && errno == EINTR);
	if (more > 0)
		child->size += more;
	return more > 0;
}

void child_finish(struct child *child, struct result *result)
{
	close(child->fd);
	read_failures(child, result);
	await_child(child->pid, result);
	free(child->text);
	result->ns += time_now() - child->begin;
}
