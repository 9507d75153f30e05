// SPDX-License-Identifier: MIT
/*
 * Prints results as KTAP to standard output. Each file is a test, and its named tests are subtests.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "colour.h"
#include "results/as_ktap.h"

static bool has_subtests(const struct result_file *file)
{
	return file->count != 1 || file->results[0]->name;
}

/* Prints each line of a text as a comment. */
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

/* Ends the line of a test. */
static void print_skip(const struct result *result)
{
	if (result->verdict == VERDICT_SKIP)
		printf(" # SKIP %s", result->reason ?: "");
}

void ktap_begin(size_t files)
{
	printf("KTAP version 1\n1..%zu%s\n", files, files ? "" : " # SKIP there are no tests");
}

void ktap_begin_file(const struct result_file *file)
{
	if (has_subtests(file))
		printf("  KTAP version 1\n  # Subtest: %s\n  1..%zu\n", file->path, file->count);
}

void ktap_result(const struct result_file *file, size_t number)
{
	const struct result *result = file->results[number - 1];

	print_failures(has_subtests(file) ? "  " : "", file->path, result);
	if (!has_subtests(file))
		return;
	printf("  %s %zu %s", colour_result(result->verdict != VERDICT_FAIL), number,
	       result->name ?: file->path);
	print_skip(result);
	putchar('\n');
}

void ktap_end_file(const struct result_file *file, size_t number)
{
	struct tally tally = { };

	tally_file(&tally, file);
	printf("%s %zu %s", colour_result(!tally.tests[VERDICT_FAIL]), number, file->path);
	if (!has_subtests(file))
		print_skip(file->results[0]);
	putchar('\n');
}

void results_as_ktap(const struct results *results)
{
	size_t i, j;

	ktap_begin(results->count);
	for (i = 0; i < results->count; i++) {
		ktap_begin_file(results->files[i]);
		for (j = 0; j < results->files[i]->count; j++)
			ktap_result(results->files[i], j + 1);
		ktap_end_file(results->files[i], i + 1);
	}
}
