// SPDX-License-Identifier: MIT
/* Results as KTAP, as JSON, and as JUnit XML. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vsm.h>

#include "base.h"
#include "colour.h"
#include "json.h"
#include "results/format.h"
#include "text.h"

/* --- KTAP --------------------------------------------------------------------- */

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

/* --- JSON --------------------------------------------------------------------- */

/* Writes a number that is null if it is 0. */
static void add_optional(struct json_object *json, const char *key, uint64_t number)
{
	if (number)
		json_add_number(json, key, number);
	else
		json_add_null(json, key);
}

static void add_failure(struct json_object *list, const struct failure *failure)
{
	struct json_object *json = json_add_object(list, NULL);

	add_optional(json, "line", failure->line);
	add_optional(json, "column", failure->column);
	json_add_string(json, "expected", failure->expected);
	json_add_string(json, "seen", failure->seen);
	json_add_string(json, "fault", failure->fault);
	json_add_string(json, "message", failure->message);
}

static void add_result(struct json_object *list, const struct result *result)
{
	struct json_object *json = json_add_object(list, NULL), *failures;
	size_t i;

	json_add_string(json, "name", result->name);
	add_optional(json, "line", result->line);
	json_add_string(json, "result", verdict_name(result->verdict));
	json_add_string(json, "reason", result->reason);
	json_add_signed(json, "duration_ns", result->ns);
	add_optional(json, "seed", result->seed);
	add_optional(json, "seeds", result->runs);
	json_add_string(json, "report", result->report);
	json_add_string(json, "output", result->output);
	failures = json_add_array(json, "failures");
	for (i = 0; i < result->failure_count; i++)
		add_failure(failures, &result->failures[i]);
}

/* Adds the sums to an object. */
static void add_tally(struct json_object *json, const struct tally *tally)
{
	enum verdict verdict = tally->tests[VERDICT_FAIL] ? VERDICT_FAIL : VERDICT_PASS;
	struct json_object *counts;
	unsigned int i;

	json_add_string(json, "result", verdict_name(verdict));
	json_add_signed(json, "duration_ns", tally->ns);
	counts = json_add_object(json, "counts");
	for (i = 0; i < VERDICTS; i++)
		json_add_number(counts, verdict_name(i), tally->tests[i]);
}

static void add_file(struct json_object *list, const struct result_file *file)
{
	struct json_object *json = json_add_object(list, NULL), *tests;
	struct tally tally = { };
	size_t i;

	tally_file(&tally, file);
	json_add_string(json, "file", file->path);
	add_tally(json, &tally);
	tests = json_add_array(json, "tests");
	for (i = 0; i < file->count; i++)
		add_result(tests, file->results[i]);
}

/* Writes of which part these results are. */
static void add_part(struct json_object *json, const struct results *results)
{
	const struct whole *whole = &results->whole;
	struct json_object *part;

	if (!results->shard.index) {
		json_add_null(json, "shard");
		json_add_null(json, "whole");
		return;
	}
	json_add_format(json, "shard", "%u/%u", results->shard.index, results->shard.count);
	part = json_add_object(json, "whole");
	json_add_number(part, "tests", whole->tests);
	json_add_hex(part, "hash", whole->hash);
	add_optional(part, "first_seed", whole->seeds.first);
	add_optional(part, "last_seed", whole->seeds.last);
}

void results_as_json(FILE *out, const struct results *results)
{
	struct json_object *json = must(json_object_new_object()), *files;
	struct tally tally = { };
	size_t i;

	for (i = 0; i < results->count; i++)
		tally_file(&tally, results->files[i]);
	json_add_number(json, "version", RESULTS_JSON_VERSION);
	json_add_string(json, "vsm", VSM_VERSION);
	json_add_string(json, "command", results->command);
	add_part(json, results);
	add_tally(json, &tally);
	files = json_add_array(json, "files");
	for (i = 0; i < results->count; i++)
		add_file(files, results->files[i]);
	json_write(out, json, false);
}

/* --- JUnit XML ---------------------------------------------------------------- */

/* --- XML ------------------------------------------------------------------ */

static void put_text(FILE *out, const char *text)
{
	escape_xml(out, text, strlen(text), false);
}

static void put_attribute(FILE *out, const char *name, const char *value)
{
	fprintf(out, " %s=\"", name);
	escape_xml(out, value, strlen(value), true);
	fputc('"', out);
}

static void put_time(FILE *out, int64_t ns)
{
	fprintf(out, " time=\"%" PRId64 ".%06" PRId64 "\"", ns / 1000000000,
		ns % 1000000000 / 1000);
}

/* --- results -------------------------------------------------------------- */

/*
 * Servers of CI recognise a test by its name. The name of a kernel that is launched several times
 * therefore gets its line.
 */
static bool needs_line(const struct result_file *file, const struct result *result)
{
	size_t same = 0, i;

	for (i = 0; i < file->count; i++)
		same += file->results[i]->name && !strcmp(file->results[i]->name, result->name);
	return same > 1;
}

static void put_name(FILE *out, const struct result_file *file, const struct result *result)
{
	const char *name = result->name ?: file->path;

	fputs(" name=\"", out);
	escape_xml(out, name, strlen(name), true);
	if (result->name && result->line && needs_line(file, result))
		fprintf(out, " (line %u)", result->line);
	fputc('"', out);
}

static void put_failure_line(FILE *out, const struct result_file *file,
			     const struct failure *failure)
{
	put_text(out, file->path);
	if (failure->line)
		fprintf(out, ":%u", failure->line);
	if (failure->column)
		fprintf(out, ":%u", failure->column);
	fputs(": ", out);
	put_text(out, failure->message);
	fputc('\n', out);
}

static void put_failures(FILE *out, const struct result_file *file, const struct result *result)
{
	const struct failure *first = result->failure_count ? result->failures : NULL;
	size_t i;

	fputs("      <failure", out);
	put_attribute(out, "message", first ? first->message : "failed");
	put_attribute(out, "type", (first ? first->fault : NULL) ?: "expectation");
	fputc('>', out);
	if (result->report)
		put_text(out, result->report);
	for (i = 0; i < result->failure_count; i++)
		put_failure_line(out, file, &result->failures[i]);
	if (result->seed)
		fprintf(out, "--seed %" PRIu64 " repeats it\n", result->seed);
	fputs("</failure>\n", out);
}

static void put_result(FILE *out, const struct result_file *file, const struct result *result)
{
	fputs("    <testcase", out);
	put_name(out, file, result);
	put_attribute(out, "classname", file->path);
	put_attribute(out, "file", file->path);
	if (result->line)
		fprintf(out, " line=\"%u\"", result->line);
	put_time(out, result->ns);
	fputs(">\n", out);
	if (result->verdict == VERDICT_FAIL) {
		put_failures(out, file, result);
	} else if (result->verdict == VERDICT_SKIP) {
		fputs("      <skipped", out);
		put_attribute(out, "message", result->reason ?: "");
		fputs("/>\n", out);
	}
	if (result->output && *result->output) {
		fputs("      <system-out>", out);
		put_text(out, result->output);
		fputs("</system-out>\n", out);
	}
	fputs("    </testcase>\n", out);
}

static void put_tally(FILE *out, const struct tally *tally)
{
	size_t tests = 0;
	unsigned int i;

	for (i = 0; i < VERDICTS; i++)
		tests += tally->tests[i];
	fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\"", tests,
		tally->tests[VERDICT_FAIL], tally->tests[VERDICT_SKIP]);
	put_time(out, tally->ns);
	fputs(">\n", out);
}

static void put_file(FILE *out, const struct result_file *file)
{
	struct tally tally = { };
	size_t i;

	tally_file(&tally, file);
	fputs("  <testsuite", out);
	put_attribute(out, "name", file->path);
	put_tally(out, &tally);
	for (i = 0; i < file->count; i++)
		put_result(out, file, file->results[i]);
	fputs("  </testsuite>\n", out);
}

void results_as_junit(FILE *out, const struct results *results)
{
	struct tally tally = { };
	size_t i;

	for (i = 0; i < results->count; i++)
		tally_file(&tally, results->files[i]);
	fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"vsm %s\"",
		results->command);
	put_tally(out, &tally);
	for (i = 0; i < results->count; i++)
		put_file(out, results->files[i]);
	fputs("</testsuites>\n", out);
}
