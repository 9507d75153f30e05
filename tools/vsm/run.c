// SPDX-License-Identifier: MIT
/*
 * vsm run: executes scenario files. Each file is a KTAP test, and its named tests are subtests.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "check/check.h"
#include "colour.h"
#include "command.h"
#include "results/output.h"
#include "run/child.h"
#include "run/gather.h"
#include "run/model.h"
#include "scenario/read.h"
#include "seeds.h"
#include "vm.h"

/**
 * struct options - The options of the command
 * @check: --check
 * @no_limit: --no-limit
 * @objects: --objects
 * @vm: --vm
 * @kernel: Value of --vm, or NULL
 * @seeds: --seed and --seeds
 * @outputs: --json and --junit
 * @timeline: --timeline
 * @recording: Events of the test that runs; NULL without @timeline
 */
struct options {
	bool check;
	bool no_limit;
	bool objects;
	bool vm;
	const char *kernel;
	struct seeds seeds;
	struct outputs outputs;
	struct gather timeline;
	struct recording *recording;
};

/* Prints the lines of @text. Each line begins with @indent and @prefix. */
static void print_lines(const char *indent, const char *prefix, const char *text)
{
	while (*text) {
		size_t length = strcspn(text, "\n");

		printf("%s%s", indent, prefix);
		colour_write(stdout, text, length);
		putchar('\n');
		text += length + (text[length] == '\n');
	}
}

/* Prints the failures of a test as KTAP diagnostics. */
static void print_failures(const struct scenario *scenario, const struct result *result)
{
	const char *indent = scenario_indent(scenario);
	char *text = NULL;
	size_t size, i;
	FILE *out;

	if (scenario->error_count) {
		print_lines(indent, "# ", scenario->errors);
		return;
	}
	for (i = 0; i < result->failure_count; i++) {
		const struct failure *failure = &result->failures[i];

		out = must(open_memstream(&text, &size));
		fputs(scenario->path, out);
		if (failure->line)
			fprintf(out, ":%u", failure->line);
		fprintf(out, ": %s", failure->message);
		if (fclose(out))
			must(NULL);
		print_lines(indent, "# ", text);
		free(text);
	}
	if (result->seed && result->failure_count)
		printf("%s# seed %" PRIu64 " (--seed %" PRIu64 " repeats it)\n", indent,
		       result->seed, result->seed);
}

/* Runs a test once, or with each seed up to the first that fails. */
static void run_seeds(const struct scenario *scenario, struct options *options,
		      struct result *result)
{
	struct execution how = {
		.no_limit = options->no_limit,
		.seed = options->seeds.first,
		.recording = options->recording,
	};

	do {
		if (how.recording)
			recording_clear(how.recording);
		result_restart(result);
		result->seed = how.seed;
		result->runs += !!how.seed;
		run_in_child(scenario, &how, result);
	} while (result->verdict == VERDICT_PASS && how.seed++ < options->seeds.last);
	if (options->recording)
		gather_scenario(&options->timeline, scenario, options->recording, result);
}

static bool run_test(const struct scenario *scenario, struct options *options,
		     struct result_file *results)
{
	struct result *result = result_add(results, scenario->name, scenario->line);

	if (scenario->error_count)
		result_fail_lines(result, scenario->path, scenario->errors);
	else
		run_seeds(scenario, options, result);
	if (!outputs_silent(&options->outputs))
		print_failures(scenario, result);
	return result->verdict == VERDICT_PASS;
}

static bool run_file(const struct scenario_file *file, struct options *options,
		     struct result_file *results)
{
	bool all = true, silent = outputs_silent(&options->outputs);
	size_t i;

	if (!file->named)
		return run_test(file->tests[0], options, results);
	if (!silent)
		printf("  KTAP version 1\n  # Subtest: %s\n  1..%zu\n", file->path, file->count);
	for (i = 0; i < file->count; i++) {
		bool good = run_test(file->tests[i], options, results);

		if (!silent)
			printf("  %s %zu %s\n", colour_result(good), i + 1, file->tests[i]->name);
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
			fputs(test->errors, stderr);
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

/* Runs all files and prints KTAP, unless standard output is for something else. */
static int run_and_print(struct scenario_file **files, int count, struct options *options,
			 struct results *results)
{
	bool silent = outputs_silent(&options->outputs);
	int status = EXIT_OK;
	int i;

	if (!silent)
		printf("KTAP version 1\n1..%d\n", count);
	for (i = 0; i < count; i++) {
		bool good = run_file(files[i], options, results_add_file(results, files[i]->path));

		if (!silent)
			printf("%s %d %s\n", colour_result(good), i + 1, files[i]->path);
		if (!good)
			status = EXIT_FAILED;
	}
	return status;
}

static void begin_timeline(struct options *options, struct scenario_file **files, int count)
{
	char *title;

	if (!options->timeline.path)
		return;
	options->recording = recording_create();
	if (asprintf(&title, count > 1 ? "%s and %d more" : "%s", files[0]->path, count - 1) < 0)
		must(NULL);
	gather_begin(&options->timeline, title);
	free(title);
}

static int run_all(struct scenario_file **files, int count, struct options *options)
{
	struct results results = { .command = "run" };
	struct vsm_device *device;
	int status, err;

	err = vsm_device_open(NULL, &device);
	if (err) {
		print_all_errors(files, count);
		return failed_to_open("run", err, true);
	}
	if (options->seeds.first && !model_writable(device))
		fputs("vsm: run: only root can shuffle copies; seeds choose all else\n", stderr);
	vsm_device_close(device);
	status = outputs_open(&options->outputs, "run");
	if (status)
		return status;
	begin_timeline(options, files, count);
	status = run_and_print(files, count, options, &results);
	if (outputs_write(&options->outputs, &results) || gather_write(&options->timeline, "run"))
		status = EXIT_FAILED;
	recording_free(options->recording);
	results_free(&results);
	return status;
}

static int take_option(struct options *options, const struct args *args)
{
	switch (args->option) {
	case OPT_CHECK:
		options->check = true;
		break;
	case OPT_COLOR:
		colour_option(args->choice);
		break;
	case OPT_JSON:
		outputs_take(&options->outputs, FORMAT_JSON, args->value);
		break;
	case OPT_JUNIT:
		outputs_take(&options->outputs, FORMAT_JUNIT, args->value);
		break;
	case OPT_NO_LIMIT:
		options->no_limit = true;
		break;
	case OPT_OBJECTS:
		options->objects = true;
		break;
	case OPT_SEED:
		return seed_option("run", args->value, &options->seeds);
	case OPT_SEEDS:
		return seeds_option("run", args->value, &options->seeds);
	case OPT_TIMELINE:
		return gather_option(&options->timeline, "run", args->value);
	default:
		options->vm = !vm_inside();
		options->kernel = args->value;
	}
	return EXIT_OK;
}

static int parse_options(struct options *options, struct args *args)
{
	int status;

	while (args_next(args)) {
		status = take_option(options, args);
		if (status)
			return status;
	}
	if (args->ended)
		return args->status;
	if (options->objects && !options->check)
		return misused("run: --objects needs --check");
	if (options->check && (outputs_any(&options->outputs) || options->seeds.first ||
			       options->timeline.path))
		return misused("run: --json, --junit, --seeds and --timeline need tests that run");
	return outputs_check(&options->outputs, "run", NULL);
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

static int run_files(char **paths, int count, struct options *options)
{
	struct scenario_file **files = must(calloc(count, sizeof(*files)));
	int status, i;

	for (i = 0; i < count; i++)
		files[i] = scenario_read(paths[i]);
	status = find_unread(files, count);
	if (!status && options->check)
		status = check_all(files, count, options->objects);
	else if (!status)
		status = run_all(files, count, options);
	for (i = 0; i < count; i++)
		scenario_file_free(files[i]);
	free(files);
	return status;
}

int command_run(struct args *args)
{
	struct options options = { };
	int status;

	status = parse_options(&options, args);
	if (status || args->ended)
		return status;
	if (options.vm && !options.check) {
		colour_pass_on();
		return vm_run(options.kernel, args->argc, args->argv);
	}
	return run_files(args->operands, args->count, &options);
}
