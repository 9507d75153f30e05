// SPDX-License-Identifier: MIT
/*
 * vsm results merge: merges the results of the parts of a run (--shard), and says what is missing.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "colour.h"
#include "command.h"
#include "results/merge.h"
#include "results/output.h"
#include "results/read.h"

/**
 * struct merge - Results that are being merged
 * @results: Results of all files that were read
 * @parts: Number of parts; 0 if the results are not of parts
 * @seen: For each part, whether a file has its results
 */
struct merge {
	struct results results;
	unsigned int parts;
	bool *seen;
};

/* Are these results of the same run as those that were read before? */
static int check_same(const struct merge *merge, const char *path, const struct results *more)
{
	if (strcmp(more->command, merge->results.command))
		return misused("results merge: %s: these are results of vsm %s, and not of vsm %s",
			       path, more->command, merge->results.command);
	if (more->shard.count == merge->parts)
		return EXIT_OK;
	if (!more->shard.count)
		return misused("results merge: %s: these are results of all tests, not of a part",
			       path);
	if (!merge->parts)
		return misused("results merge: %s: these are results of a part, not of all tests",
			       path);
	return misused("results merge: %s: this is one of %u parts, and not one of %u", path,
		       more->shard.count, merge->parts);
}

static int add_file(struct merge *merge, const char *path, bool first)
{
	struct results more;
	const char *problem = results_read(&more, path);
	int status;

	if (problem) {
		status = misused("results merge: %s: %s", path, problem);
	} else if (first) {
		merge->results.command = more.command;
		merge->parts = more.shard.count;
		merge->seen = must(calloc(merge->parts + 1, sizeof(*merge->seen)));
		status = EXIT_OK;
	} else {
		status = check_same(merge, path, &more);
	}
	if (!status) {
		merge->seen[more.shard.index] = true;
		results_merge(&merge->results, &more);
	}
	results_free(&more);
	return status;
}

/* Adds a test that has failed for each part that is missing. */
static void add_missing(struct merge *merge)
{
	unsigned int part;
	char name[48];

	for (part = 1; part <= merge->parts; part++) {
		if (merge->seen[part])
			continue;
		snprintf(name, sizeof(name), "part %u of %u", part, merge->parts);
		result_fail(result_add(results_add_file(&merge->results, name), NULL, 0), 0,
			    "there are no results of this part");
	}
}

/* --- KTAP ----------------------------------------------------------------- */

static void print_comments(const char *indent, const char *text)
{
	while (text && *text) {
		size_t length = strcspn(text, "\n");

		printf("%s# ", indent);
		colour_write(stdout, text, length);
		putchar('\n');
		text += length + (text[length] == '\n');
	}
}

static void print_failures(const char *indent, const char *path, const struct result *result)
{
	size_t i;

	print_comments(indent, result->report);
	for (i = 0; i < result->failure_count; i++) {
		const struct failure *failure = &result->failures[i];
		char place[32] = "", *text;

		if (failure->column)
			snprintf(place, sizeof(place), ":%u:%u", failure->line, failure->column);
		else if (failure->line)
			snprintf(place, sizeof(place), ":%u", failure->line);
		if (asprintf(&text, "%s%s: %s", path, place, failure->message) < 0)
			must(NULL);
		print_comments(indent, text);
		free(text);
	}
	if (result->seed && result->failure_count)
		printf("%s# seed %" PRIu64 " (--seed %" PRIu64 " repeats it)\n", indent,
		       result->seed, result->seed);
}

static void print_result(const char *indent, const struct result_file *file, size_t number,
			 const struct result *result)
{
	print_failures(indent, file->path, result);
	printf("%s%s %zu %s", indent, colour_result(result->verdict != VERDICT_FAIL), number,
	       result->name ?: file->path);
	if (result->verdict == VERDICT_SKIP)
		printf(" # SKIP %s", result->reason ?: "");
	putchar('\n');
}

static void print_file(const struct result_file *file, size_t number)
{
	struct tally tally = { };
	size_t i;

	if (file->count == 1 && !file->results[0]->name) {
		print_result("", file, number, file->results[0]);
		return;
	}
	tally_file(&tally, file);
	printf("  KTAP version 1\n  # Subtest: %s\n  1..%zu\n", file->path, file->count);
	for (i = 0; i < file->count; i++)
		print_result("  ", file, i + 1, file->results[i]);
	printf("%s %zu %s\n", colour_result(!tally.tests[VERDICT_FAIL]), number, file->path);
}

static int print_results(const struct results *results, bool silent)
{
	struct tally tally = { };
	size_t i;

	if (!silent)
		printf("KTAP version 1\n1..%zu\n", results->count);
	for (i = 0; i < results->count; i++) {
		tally_file(&tally, results->files[i]);
		if (!silent)
			print_file(results->files[i], i + 1);
	}
	return tally.tests[VERDICT_FAIL] ? EXIT_FAILED : EXIT_OK;
}

/* --- the command ---------------------------------------------------------- */

static int merge_files(struct merge *merge, const struct args *args, struct outputs *outputs)
{
	int status = EXIT_OK, i;

	for (i = 0; i < args->count && !status; i++)
		status = add_file(merge, args->operands[i], !i);
	if (!status)
		status = outputs_open(outputs, "results merge");
	if (status)
		return status;
	add_missing(merge);
	status = print_results(&merge->results, outputs_silent(outputs));
	if (outputs_write(outputs, &merge->results))
		status = EXIT_FAILED;
	return status;
}

int command_merge(struct args *args)
{
	struct outputs outputs = { };
	struct merge merge = { };
	int status;

	while (args_next(args)) {
		if (args->option == OPT_COLOR)
			colour_option(args->choice);
		else
			outputs_take(&outputs, args->option == OPT_JSON ? FORMAT_JSON :
				     FORMAT_JUNIT, args->value);
	}
	if (args->ended)
		return args->status;
	status = outputs_check(&outputs, "results merge", NULL) ?:
		 merge_files(&merge, args, &outputs);
	results_free(&merge.results);
	free(merge.seen);
	return status;
}
