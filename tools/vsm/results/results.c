// SPDX-License-Identifier: MIT
/* Results of tests, for the files that `vsm run` and `vsm launch` write. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "results/results.h"

struct result_file *results_add_file(struct results *results, const char *path)
{
	struct result_file *file = must(calloc(1, sizeof(*file)));

	file->path = must(strdup(path));
	results->files = grow(results->files, results->count, sizeof(struct result_file *));
	results->files[results->count++] = file;
	return file;
}

struct result *result_add(struct result_file *file, const char *name, unsigned int line)
{
	struct result *result = must(calloc(1, sizeof(*result)));

	if (name)
		result->name = must(strdup(name));
	result->line = line;
	file->results = grow(file->results, file->count, sizeof(struct result *));
	file->results[file->count++] = result;
	return result;
}

/* Sets @expected, @seen and @fault, if the message has them. */
static void take_apart(struct failure *failure)
{
	static const char first[] = "expected ", second[] = ", seen ", third[] = "fault ";
	const char *message = failure->message;
	const char *seen = strstr(message, second);

	if (strncmp(message, first, strlen(first)) || !seen)
		return;
	message += strlen(first);
	failure->expected = must(strndup(message, seen - message));
	failure->seen = must(strdup(seen + strlen(second)));
	if (!strncmp(failure->seen, third, strlen(third))) {
		message = failure->seen + strlen(third);
		failure->fault = must(strndup(message, strcspn(message, ": ")));
	}
}

struct failure *result_fail(struct result *result, unsigned int line, const char *message)
{
	struct failure *failure;

	result->verdict = VERDICT_FAIL;
	result->failures = grow(result->failures, result->failure_count, sizeof(*failure));
	failure = &result->failures[result->failure_count++];
	*failure = (struct failure){ .line = line, .message = must(strdup(message)) };
	take_apart(failure);
	return failure;
}

/* Reads NUMBER: at @text. Returns what follows; @text if there is no number. */
static const char *take_number(const char *text, unsigned int *number)
{
	size_t digits = strspn(text, "0123456789");

	if (!digits || text[digits] != ':')
		return text;
	*number = strtoul(text, NULL, 10);
	return text + digits + 1;
}

static void fail_line(struct result *result, const char *path, const char *line)
{
	unsigned int number = 0, column = 0;
	size_t length = strlen(path);

	if (!strncmp(line, path, length) && line[length] == ':') {
		line = take_number(line + length + 1, &number);
		line = take_number(line, &column);
		line += *line == ' ';
	}
	result_fail(result, number, line)->column = column;
}

void result_fail_lines(struct result *result, const char *path, const char *text)
{
	while (*text) {
		size_t length = strcspn(text, "\n");
		char *line = must(strndup(text, length));

		fail_line(result, path, line);
		free(line);
		text += length + (text[length] == '\n');
	}
}

void result_restart(struct result *result)
{
	size_t i;

	for (i = 0; i < result->failure_count; i++) {
		free(result->failures[i].message);
		free(result->failures[i].expected);
		free(result->failures[i].seen);
		free(result->failures[i].fault);
	}
	free(result->failures);
	free(result->reason);
	free(result->report);
	free(result->output);
	*result = (struct result){
		.name = result->name,
		.line = result->line,
		.ns = result->ns,
		.seed = result->seed,
		.runs = result->runs,
	};
}

static void file_free(struct result_file *file)
{
	size_t i;

	for (i = 0; i < file->count; i++) {
		result_restart(file->results[i]);
		free(file->results[i]->name);
		free(file->results[i]);
	}
	free(file->results);
	free(file->path);
	free(file);
}

void results_free(struct results *results)
{
	size_t i;

	for (i = 0; i < results->count; i++)
		file_free(results->files[i]);
	free(results->files);
}

void tally_file(struct tally *tally, const struct result_file *file)
{
	size_t i;

	for (i = 0; i < file->count; i++) {
		tally->tests[file->results[i]->verdict]++;
		tally->ns += file->results[i]->ns;
	}
}

const char *verdict_name(enum verdict verdict)
{
	static const char *const names[] = {
		[VERDICT_PASS] = "pass",
		[VERDICT_FAIL] = "fail",
		[VERDICT_SKIP] = "skip",
	};

	return names[verdict];
}
