// SPDX-License-Identifier: MIT
/*
 * Runs a scenario in a process of its own.
 *
 * The process writes failures to a pipe, as &struct report says.
 */
#include <errno.h>
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

/* Reads a text that ends with a 0. Returns false if there is none. */
static bool read_text(FILE *in, char **text, size_t *size)
{
	ssize_t length = getdelim(text, size, '\0', in);

	/* If the process was killed, the last text may have no end. */
	return length > 0 && !(*text)[length - 1];
}

static void read_failures(FILE *in, struct result *result)
{
	char *line = NULL, *message = NULL;
	size_t line_size = 0, message_size = 0;

	while (read_text(in, &line, &line_size) && read_text(in, &message, &message_size))
		result_fail(result, strtoul(line, NULL, 10), message);
	free(line);
	free(message);
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

void run_in_child(const struct scenario *scenario, const struct execution *how,
		  struct result *result)
{
	int64_t begin = time_now();
	int ends[2];
	FILE *in;
	pid_t pid;

	if (pipe(ends)) {
		result_fail(result, 0, strerror(errno));
		return;
	}
	fflush(stdout);
	pid = fork();
	if (!pid) {
		close(ends[0]);
		run_child(scenario, how, must(fdopen(ends[1], "w")));
	}
	close(ends[1]);
	in = must(fdopen(ends[0], "r"));
	if (pid < 0) {
		result_fail(result, 0, strerror(errno));
	} else {
		read_failures(in, result);
		await_child(pid, result);
	}
	fclose(in);
	result->ns += time_now() - begin;
}
