// SPDX-License-Identifier: MIT
/*
 * vsm run: executes scenario files, each as one KTAP test.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base.h"
#include "command.h"
#include "run/execute.h"
#include "scenario/read.h"

/* Prints the lines of @text, each after @prefix. */
static void print_lines(FILE *to, const char *prefix, const char *text)
{
	while (*text) {
		size_t length = strcspn(text, "\n");

		fprintf(to, "%s%.*s\n", prefix, (int)length, text);
		text += length + (text[length] == '\n');
	}
}

/*
 * Each file has a process of its own: its end also ends threads that are still suspended, and a
 * crash does not affect other files.
 */
static void run_child(const struct scenario *scenario, bool no_limit)
{
	struct vsm_device *device;
	bool good = false;
	int err;

	err = vsm_device_open(NULL, &device);
	if (err)
		printf("# %s: the device cannot be opened: %s\n", scenario->path, strerror(-err));
	else
		good = execute_scenario(device, scenario, no_limit);
	if (fflush(stdout))
		good = false;
	_exit(good ? EXIT_OK : EXIT_FAILED);
}

static bool run_file(const struct scenario *scenario, bool no_limit)
{
	int status;
	pid_t pid;

	if (scenario->error_count) {
		print_lines(stdout, "# ", scenario->errors);
		return false;
	}
	fflush(stdout);
	pid = fork();
	if (!pid)
		run_child(scenario, no_limit);
	if (pid < 0 || waitpid(pid, &status, 0) != pid) {
		printf("# %s: %s\n", scenario->path, strerror(errno));
		return false;
	}
	if (WIFSIGNALED(status))
		printf("# %s: ended by signal %d\n", scenario->path, WTERMSIG(status));
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

static int run_all(struct scenario **scenarios, int count, bool no_limit)
{
	struct vsm_device *device;
	int status = EXIT_OK;
	int err, i;

	err = vsm_device_open(NULL, &device);
	if (err) {
		for (i = 0; i < count; i++)
			print_lines(stderr, "", scenarios[i]->errors);
		return failed_to_open("run", err);
	}
	vsm_device_close(device);

	printf("KTAP version 1\n1..%d\n", count);
	for (i = 0; i < count; i++) {
		bool good = run_file(scenarios[i], no_limit);

		printf("%s %d %s\n", good ? "ok" : "not ok", i + 1, scenarios[i]->path);
		if (!good)
			status = EXIT_FAILED;
	}
	return status;
}

static int check_all(struct scenario **scenarios, int count)
{
	int status = EXIT_OK;
	int i;

	for (i = 0; i < count; i++) {
		print_lines(stderr, "", scenarios[i]->errors);
		if (scenarios[i]->error_count)
			status = EXIT_FAILED;
	}
	return status;
}

int command_run(int argc, char **argv)
{
	static const struct option options[] = {
		{ "check", no_argument, NULL, 'c' },
		{ "no-limit", no_argument, NULL, 'n' },
		{ }
	};
	bool check = false, no_limit = false;
	struct scenario **scenarios;
	int status, count, i;

	opterr = 0;
	while ((i = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (i == 'c')
			check = true;
		else if (i == 'n')
			no_limit = true;
		else
			return misused("run: no option '%s'; try 'vsm help'", argv[optind - 1]);
	}
	count = argc - optind;
	if (!count)
		return misused("run: no FILE; try 'vsm help'");

	scenarios = calloc(count, sizeof(struct scenario *));
	if (!scenarios)
		return failed("run: %s", strerror(ENOMEM));
	for (i = 0; i < count; i++)
		scenarios[i] = scenario_read(argv[optind + i]);
	status = check ? check_all(scenarios, count) : run_all(scenarios, count, no_limit);
	for (i = 0; i < count; i++)
		scenario_free(scenarios[i]);
	free(scenarios);
	return status;
}
