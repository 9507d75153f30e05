// SPDX-License-Identifier: MIT
/*
 * Writes results as JUnit XML, as the servers of CI read it: a testsuite for each file, a testcase
 * for each test.
 */
#include <inttypes.h>
#include <string.h>

#include "results/as_junit.h"
#include "text.h"

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
