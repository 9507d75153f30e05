// SPDX-License-Identifier: MIT
/*
 * vsm run: executes scenario files. Each file is a KTAP test, and its named tests are subtests.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base.h"
#include "check/check.h"
#include "command.h"
#include "run/execute.h"
#include "scenario/read.h"
#include "vm.h"

/* Prints the lines of @text. Each line begins with @indent and @prefix. */
static void print_lines(FILE *to, const char *indent, const char *prefix, const char *text)
{
	while (*text) {
		size_t length = strcspn(text, "\n");

		fprintf(to, "%s%s%.*s\n", indent, prefix, (int)length, text);
		text += length + (text[length] == '\n');
	}
}

/*
 * Runs a test in a process of its own. When the process ends, its suspended threads end too, and a
 * crash does not affect other tests.
 */
static void run_child(const struct scenario *scenario, bool no_limit)
{
	struct vsm_device *device;
	bool good = false;
	int err;

	err = vsm_device_open(NULL, &device);
	if (err)
		printf("%s# %s: the device cannot be opened: %s\n", scenario_indent(scenario),
		       scenario->path, strerror(-err));
	else
		good = execute_scenario(device, scenario, no_limit);
	if (fflush(stdout))
		good = false;
	_exit(good ? EXIT_OK : EXIT_FAILED);
}

static bool run_test(const struct scenario *scenario, bool no_limit)
{
	const char *indent = scenario_indent(scenario);
	int status;
	pid_t pid;

	if (scenario->error_count) {
		print_lines(stdout, indent, "# ", scenario->errors);
		return false;
	}
	fflush(stdout);
	pid = fork();
	if (!pid)
		run_child(scenario, no_limit);
	if (pid < 0 || waitpid(pid, &status, 0) != pid) {
		printf("%s# %s: %s\n", indent, scenario->path, strerror(errno));
		return false;
	}
	if (WIFSIGNALED(status))
		printf("%s# %s: ended by signal %d\n", indent, scenario->path, WTERMSIG(status));
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

static bool run_file(const struct scenario_file *file, bool no_limit)
{
	bool all = true;
	size_t i;

	if (!file->named)
		return run_test(file->tests[0], no_limit);
	printf("  KTAP version 1\n  # Subtest: %s\n  1..%zu\n", file->path, file->count);
	for (i = 0; i < file->count; i++) {
		bool good = run_test(file->tests[i], no_limit);

		printf("  %s %zu %s\n", good ? "ok" : "not ok", i + 1, file->tests[i]->name);
		all &= good;
	}
	return all;
}

/*
 * Prints the errors of all tests of a file. An error in the lines before the first test is in every
 * test, but is printed only once.
 */
static int print_errors(const struct scenario_file *file)
{
	const char *before = "";
	int status = EXIT_OK;
	size_t i;

	for (i = 0; i < file->count; i++) {
		const struct scenario *test = file->tests[i];

		if (strcmp(test->errors, before))
			print_lines(stderr, "", "", test->errors);
		before = test->errors;
		if (test->error_count)
			status = EXIT_FAILED;
	}
	return status;
}

static int print_all_errors(struct scenario_file **files, int count)
{
	int status = EXIT_OK;
	int i;

	for (i = 0; i < count; i++)
		if (print_errors(files[i]))
			status = EXIT_FAILED;
	return status;
}

static int check_all(struct scenario_file **files, int count, bool objects)
{
	int status = print_all_errors(files, count);
	size_t j;
	int i;

	for (i = 0; i < count; i++)
		for (j = 0; j < files[i]->count; j++)
			if (!files[i]->tests[j]->error_count &&
			    !check_scenario(files[i]->tests[j], stderr, objects ? stdout : NULL))
				status = EXIT_FAILED;
	return status;
}

static int run_all(struct scenario_file **files, int count, bool no_limit)
{
	struct vsm_device *device;
	int status = EXIT_OK;
	int err, i;

	err = vsm_device_open(NULL, &device);
	if (err) {
		print_all_errors(files, count);
		return failed_to_open("run", err, true);
	}
	vsm_device_close(device);

	printf("KTAP version 1\n1..%d\n", count);
	for (i = 0; i < count; i++) {
		bool good = run_file(files[i], no_limit);

		printf("%s %d %s\n", good ? "ok" : "not ok", i + 1, files[i]->path);
		if (!good)
			status = EXIT_FAILED;
	}
	return status;
}

/**
 * struct options - The options of the command
 * @check: --check
 * @no_limit: --no-limit
 * @objects: --objects
 * @vm: --vm
 * @kernel: Value of --vm, or NULL
 */
struct options {
	bool check;
	bool no_limit;
	bool objects;
	bool vm;
	const char *kernel;
};

static int parse_options(struct options *options, int argc, char **argv)
{
	static const struct option names[] = {
		{ "check", no_argument, NULL, 'c' },
		{ "no-limit", no_argument, NULL, 'n' },
		{ "objects", no_argument, NULL, 'o' },
		{ "vm", optional_argument, NULL, 'v' },
		{ }
	};
	int name;

	opterr = 0;
	while ((name = getopt_long(argc, argv, "", names, NULL)) != -1) {
		if (name == 'c') {
			options->check = true;
		} else if (name == 'n') {
			options->no_limit = true;
		} else if (name == 'o') {
			options->objects = true;
		} else if (name == 'v') {
			options->vm = !vm_inside();
			options->kernel = optarg;
		} else {
			return misused("run: no option '%s'; try 'vsm help'", argv[optind - 1]);
		}
	}
	if (options->objects && !options->check)
		return misused("run: --objects needs --check");
	if (optind == argc)
		return misused("run: no FILE; try 'vsm help'");
	return EXIT_OK;
}

/* Prints why files cannot be read. Returns EXIT_USAGE if there are such files. */
static int find_unread(struct scenario_file **files, int count)
{
	int status = EXIT_OK;
	int i;

	for (i = 0; i < count; i++) {
		if (files[i]->unread) {
			print_errors(files[i]);
			status = EXIT_USAGE;
		}
	}
	return status;
}

static int run_files(char **paths, int count, const struct options *options)
{
	struct scenario_file **files = must(calloc(count, sizeof(*files)));
	int status, i;

	for (i = 0; i < count; i++)
		files[i] = scenario_read(paths[i]);
	status = find_unread(files, count);
	if (!status && options->check)
		status = check_all(files, count, options->objects);
	else if (!status)
		status = run_all(files, count, options->no_limit);
	for (i = 0; i < count; i++)
		scenario_file_free(files[i]);
	free(files);
	return status;
}

int command_run(int argc, char **argv)
{
	/* getopt_long() changes the order of @argv. */
	char **given = must(calloc(argc + 1, sizeof(*given)));
	struct options options = { };
	int status;

	memcpy(given, argv, argc * sizeof(*given));
	status = parse_options(&options, argc, argv);
	if (!status && options.vm && !options.check)
		status = vm_run(options.kernel, argc, given);
	else if (!status)
		status = run_files(argv + optind, argc - optind, &options);
	free(given);
	return status;
}
