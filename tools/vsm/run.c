// SPDX-License-Identifier: MIT
/* vsm run: executes scenario files. Each file is a KTAP test, and its named tests are subtests. */
#include <errno.h>
#include <fts.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base.h"
#include "check/check.h"
#include "colour.h"
#include "command.h"
#include "results/format.h"
#include "results/output.h"
#include "results/results.h"
#include "run/execute.h"
#include "run/order.h"
#include "run/step.h"
#include "scenario/read.h"
#include "scenario/scenario.h"
#include "shard.h"
#include "trace/export.h"
#include "vm.h"

/* --- parts (--shard) ------------------------------------------------------ */

/* Files of the same name have the same tests, and it does not matter which of them is the first. */
static int by_path(const void *a, const void *b)
{
	const struct scenario_file *const *first = a, *const *second = b;

	return strcmp((*first)->path, (*second)->path) ?:
	       (int)(*first)->tests[0]->line - (int)(*second)->tests[0]->line;
}

/* Keeps the tests of a file that belong to the part. Adds all of them to @whole. */
static void keep_tests(struct scenario_file *file, const struct shard *shard, struct whole *whole)
{
	size_t i, kept = 0;

	file->first_seeds = must(calloc(file->count, sizeof(*file->first_seeds)));
	for (i = 0; i < file->count; i++) {
		whole_add(whole, file->path, file->tests[i]->name, file->tests[i]->line);
		if (shard_has(shard, &whole->seeds, whole->tests - 1, &file->first_seeds[kept]))
			file->tests[kept++] = file->tests[i];
		else
			scenario_free(file->tests[i]);
	}
	file->count = kept;
}

/*
 * Removes the tests that do not belong to the part, and the files without other tests. Sets the
 * first seed of each test, and sets @whole to all tests, which are the same for all parts. Tests
 * are numbered in the order of their files' names, and not in the order of the files. Returns the
 * number of the files that are left.
 */
static size_t part_keep(struct scenario_file **files, size_t count, const struct shard *shard,
			const struct seeds *seeds, struct whole *whole)
{
	struct scenario_file **sorted;
	size_t i, kept = 0;

	*whole = (struct whole){ .seeds = *seeds };
	if (!shard->index)
		return count;
	sorted = must(calloc(count, sizeof(*sorted)));
	memcpy(sorted, files, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), by_path);
	for (i = 0; i < count; i++)
		keep_tests(sorted[i], shard, whole);
	free(sorted);
	for (i = 0; i < count; i++) {
		if (files[i]->count)
			files[kept++] = files[i];
		else
			scenario_file_free(files[i]);
	}
	return kept;
}

/* --- files and folders ---------------------------------------------------- */

/* Files to run */
struct paths {
	char **paths;	/* FILE or FILE:TEST of each */
	size_t count;	/* number of @paths */
};

static void add(struct paths *paths, const char *path)
{
	paths->paths = grow(paths->paths, paths->count, sizeof(*paths->paths));
	paths->paths[paths->count++] = must(strdup(path));
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static bool is_scenario(const FTSENT *entry)
{
	return entry->fts_namelen > 4 &&
	       !strcmp(entry->fts_name + entry->fts_namelen - 4, ".vsm");
}

static int take_entry(struct paths *paths, FTS *tree, FTSENT *entry)
{
	if (entry->fts_level > FTS_ROOTLEVEL && entry->fts_name[0] == '.') {
		fts_set(tree, entry, FTS_SKIP);
		return EXIT_OK;
	}
	switch (entry->fts_info) {
	case FTS_F:
		if (is_scenario(entry))
			add(paths, entry->fts_path);
		return EXIT_OK;
	case FTS_SLNONE:
		if (is_scenario(entry))
			return misused("run: %s: %s", entry->fts_path, strerror(ENOENT));
		return EXIT_OK;
	case FTS_DNR:
	case FTS_ERR:
	case FTS_NS:
		return misused("run: %s: %s", entry->fts_path, strerror(entry->fts_errno));
	default:
		return EXIT_OK;
	}
}

static int find_below(struct paths *paths, const char *folder)
{
	char *root = must(strdup(folder)), *roots[] = { root, NULL };
	size_t before = paths->count, length = strlen(root);
	int status = EXIT_OK;
	FTSENT *entry;
	FTS *tree;

	while (length > 1 && root[length - 1] == '/')
		root[--length] = '\0';
	/* Links are followed. A link to a folder above is a circle, which is not entered twice. */
	tree = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, by_name);
	if (!tree) {
		free(root);
		return misused("run: %s: %s", folder, strerror(errno));
	}
	while (!status && (entry = fts_read(tree)))
		status = take_entry(paths, tree, entry);
	fts_close(tree);
	free(root);
	if (!status && paths->count == before)
		status = misused("run: %s: there is no file *.vsm in this folder", folder);
	return status;
}

/*
 * Adds the files that the operands name. An operand that is a folder stands for all files *.vsm
 * below it, in the order of their names, without those whose names begin with a dot. Prints errors.
 * Returns the exit status.
 */
static int paths_find(struct paths *paths, char **operands, int count)
{
	int status = EXIT_OK, inputs = 0, i;
	struct stat info;

	for (i = 0; i < count && !status; i++) {
		inputs += !strcmp(operands[i], "-");
		if (inputs > 1)
			status = misused("run: standard input can be read only once");
		else if (!stat(operands[i], &info) && S_ISDIR(info.st_mode))
			status = find_below(paths, operands[i]);
		else
			add(paths, operands[i]);
	}
	return status;
}

static void paths_free(struct paths *paths)
{
	size_t i;

	for (i = 0; i < paths->count; i++)
		free(paths->paths[i]);
	free(paths->paths);
}

/* --- --timeline ----------------------------------------------------------- */

/* The site of an instruction or job of a scenario is its line. */
static bool write_line(void *data, uint32_t line, FILE *text, FILE *insn)
{
	const struct scenario *scenario = data;

	(void)insn;
	fprintf(text, "%s:%" PRIu32, base_name(scenario->path), line);
	return true;
}

/* A symbol has the memory up to the next one. */
static uint32_t symbol_size(const struct scenario *scenario, uint64_t offset)
{
	uint64_t end = scenario->config.smem_bytes;
	size_t i;

	for (i = 0; i < scenario->symbols.count; i++)
		if (scenario->symbol_offsets[i] > offset && scenario->symbol_offsets[i] < end)
			end = scenario->symbol_offsets[i];
	return end - offset;
}

/* Returns what the scenario has reported, one failure in each line. */
static char *report_of(const struct scenario *scenario, const struct result *result)
{
	char *text = NULL;
	size_t size, i;
	FILE *out = must(open_memstream(&text, &size));

	for (i = 0; i < result->failure_count; i++) {
		fprintf(out, "%s:", scenario->path);
		if (result->failures[i].line)
			fprintf(out, "%u:", result->failures[i].line);
		fprintf(out, " %s\n", result->failures[i].message);
	}
	if (fclose(out))
		must(NULL);
	return text;
}

/* Adds the events of a scenario that has run with this result. */
static void gather_scenario(struct gather *gather, const struct scenario *scenario,
			    const struct recording *recording, const struct result *result)
{
	struct gather_program program = {
		.shape = {
			.ctas = scenario->config.ctas,
			.threads = scenario->config.threads,
			.layout = scenario->config.layout,
			.policy = scenario->config.policy,
		},
		.site = write_line,
		.data = (void *)scenario,
		.name_count = scenario->symbols.count,
	};
	struct trace_name *names = must(calloc(program.name_count + 1, sizeof(*names)));
	char *report = report_of(scenario, result);
	size_t i;

	for (i = 0; i < program.name_count; i++)
		names[i] = (struct trace_name){
			.offset = scenario->symbol_offsets[i],
			.size = symbol_size(scenario, scenario->symbol_offsets[i]),
			.text = scenario->symbols.names[i],
		};
	program.names = names;
	gather_events(gather, recording->events, recording->count, recording->lost);
	gather_end_program(gather, &program, report);
	free(report);
	free(names);
}

/* --- the command ---------------------------------------------------------- */

/* Greatest value of --jobs. */
#define MAX_JOBS 1024

/* The options of the command */
struct options {
	bool check;		/* --check */
	bool no_limit;		/* --no-limit */
	bool objects;		/* --objects */
	bool vm;		/* --vm */
	const char *kernel;	/* value of --vm, or NULL */
	unsigned int jobs;	/* --jobs */
	struct seeds seeds;	/* --seed and --seeds */
	struct shard shard;	/* --shard */
	struct whole whole;	/* the tests that --shard divides */
	bool shuffles;		/* seeds set the model of the device */
	struct outputs outputs;	/* --json and --junit */
	struct gather timeline;	/* --timeline */
};

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

static int print_all_errors(struct scenario_file **files, size_t count)
{
	int status = EXIT_OK;
	size_t i;

	for (i = 0; i < count; i++)
		if (print_errors(files[i]))
			status = EXIT_FAILED;
	return status;
}

static int check_all(struct scenario_file **files, size_t count, bool objects)
{
	int status = print_all_errors(files, count);
	size_t i, j;

	for (i = 0; i < count; i++)
		for (j = 0; j < files[i]->count; j++)
			if (!files[i]->tests[j]->error_count &&
			    !check_scenario(files[i]->tests[j], stderr, objects ? stdout : NULL))
				status = EXIT_FAILED;
	return status;
}

/* --- results of tests ----------------------------------------------------- */

/* Prints the results of tests as KTAP, in order */
struct output {
	const struct results *results;	/* results of all tests */
	struct options *options;
	bool silent;	/* print nothing, because standard output is for something else */
	size_t file;			/* number of files whose tests have been printed */
	size_t test;	/* number of tests of the next file that have been printed */
	bool failed;			/* a test has failed */
};

static void begin_file(const struct output *output)
{
	if (!output->silent && output->file < output->results->count)
		ktap_begin_file(output->results->files[output->file]);
}

static void end_test(void *data, const struct pool_test *test)
{
	struct output *output = data;
	const struct result_file *file = output->results->files[output->file];

	if (test->recording)
		gather_scenario(&output->options->timeline, test->scenario, test->recording,
				test->result);
	output->failed |= test->result->verdict != VERDICT_PASS;
	output->test++;
	if (!output->silent)
		ktap_result(file, output->test);
	if (output->test < file->count)
		return;
	output->file++;
	output->test = 0;
	if (!output->silent)
		ktap_end_file(file, output->file);
	begin_file(output);
}

/* Adds all tests of a file to the pool and to the results. */
static void add_tests(struct pool *pool, const struct scenario_file *file,
		      const struct options *options, struct results *results)
{
	struct result_file *to = results_add_file(results, file->path);
	size_t i;

	for (i = 0; i < file->count; i++) {
		const struct scenario *scenario = file->tests[i];

		pool->tests = grow(pool->tests, pool->count, sizeof(*pool->tests));
		pool->tests[pool->count++] = (struct pool_test){
			.scenario = scenario,
			.result = result_add(to, scenario->name, scenario->line),
			.seed = file->first_seeds ? file->first_seeds[i] : options->seeds.first,
			.last = options->seeds.last ?: options->seeds.first,
			.step = shard_step(&options->shard),
		};
	}
}

/* Runs all files and prints KTAP, unless standard output is for something else. */
static int run_and_print(struct scenario_file **files, size_t count, struct options *options,
			 struct results *results)
{
	struct output output = {
		.results = results,
		.options = options,
		.silent = outputs_silent(&options->outputs),
	};
	struct pool pool = {
		.jobs = options->jobs,
		.no_limit = options->no_limit,
		.shuffles = options->shuffles,
		.record = options->timeline.path,
		.done = end_test,
		.data = &output,
	};
	size_t i;

	for (i = 0; i < count; i++)
		add_tests(&pool, files[i], options, results);
	if (!output.silent)
		ktap_begin(count);
	begin_file(&output);
	pool_run(&pool);
	free(pool.tests);
	return output.failed ? EXIT_FAILED : EXIT_OK;
}

static void begin_timeline(struct options *options, struct scenario_file **files, size_t count)
{
	char *title;

	if (!options->timeline.path)
		return;
	if (asprintf(&title, count > 1 ? "%s and %zu more" : "%s",
		     count ? files[0]->path : "no tests", count - 1) < 0)
		must(NULL);
	gather_begin(&options->timeline, title);
	free(title);
}

static int run_all(struct scenario_file **files, size_t count, struct options *options)
{
	struct results results = {
		.command = "run",
		.shard = options->shard,
		.whole = options->whole,
	};
	struct vsm_device *device;
	int status, err;

	err = vsm_device_open(NULL, &device);
	if (err) {
		print_all_errors(files, count);
		return failed_to_open("run", err, true);
	}
	options->shuffles = model_writable(device);
	if (options->seeds.first && !options->shuffles)
		fputs("vsm: run: only root can shuffle copies; seeds choose all else\n", stderr);
	vsm_device_close(device);
	status = outputs_open(&options->outputs, "run");
	if (status)
		return status;
	begin_timeline(options, files, count);
	status = run_and_print(files, count, options, &results);
	if (outputs_write(&options->outputs, &results) || gather_write(&options->timeline, "run"))
		status = EXIT_FAILED;
	results_free(&results);
	return status;
}

static int parse_jobs(const char *text, unsigned int *jobs)
{
	unsigned long number;
	char *end;

	number = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || !number || number > MAX_JOBS)
		return misused("run: --jobs %s: expected 1 to %u", text, MAX_JOBS);
	*jobs = number;
	return EXIT_OK;
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
	case OPT_JOBS:
		return parse_jobs(args->value, &options->jobs);
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
	case OPT_SHARD:
		return shard_option("run", args->value, &options->shard);
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
static int find_unread(struct scenario_file **files, size_t count)
{
	int status = EXIT_OK;
	size_t i;

	for (i = 0; i < count; i++) {
		if (files[i]->unread) {
			print_errors(files[i]);
			status = EXIT_USAGE;
		}
	}
	return status;
}

static int run_in_vm(const struct options *options, const struct args *args)
{
	outputs_expect(&options->outputs);
	gather_expect(&options->timeline);
	colour_pass_on();
	return vm_run(options->kernel, args->argc, args->argv);
}

static int run_files(struct paths *paths, struct options *options, const struct args *args)
{
	struct scenario_file **files = must(calloc(paths->count, sizeof(*files)));
	bool in_vm = options->vm && !options->check;
	size_t count = 0, i;
	int status;

	/* Standard input can be read only once, and the virtual machine gets it. */
	for (i = 0; i < paths->count; i++)
		if (!in_vm || strcmp(paths->paths[i], "-"))
			files[count++] = scenario_read(paths->paths[i]);
	status = find_unread(files, count);
	if (!status && !in_vm)
		count = part_keep(files, count, &options->shard, &options->seeds,
				  &options->whole);
	if (!status && in_vm)
		status = run_in_vm(options, args);
	else if (!status && options->check)
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
	struct options options = { .jobs = 1 };
	struct paths paths = { };
	int status;

	status = parse_options(&options, args);
	if (status || args->ended)
		return status;
	status = paths_find(&paths, args->operands, args->count);
	if (!status)
		status = run_files(&paths, &options, args);
	paths_free(&paths);
	return status;
}
