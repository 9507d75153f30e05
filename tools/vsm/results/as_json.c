// SPDX-License-Identifier: MIT
/*
 * Writes results as JSON. Documentation/results.rst describes the document.
 */
#include <vsm.h>

#include "base.h"
#include "json.h"
#include "results/as_json.h"

/* Writes a number that is null if it is 0. */
static void put_optional(struct json_object *json, const char *key, uint64_t number)
{
	if (number)
		json_add_number(json, key, number);
	else
		json_add_null(json, key);
}

static void put_failure(struct json_object *list, const struct failure *failure)
{
	struct json_object *json = json_add_object(list, NULL);

	put_optional(json, "line", failure->line);
	put_optional(json, "column", failure->column);
	json_add_string(json, "expected", failure->expected);
	json_add_string(json, "seen", failure->seen);
	json_add_string(json, "fault", failure->fault);
	json_add_string(json, "message", failure->message);
}

static void put_result(struct json_object *list, const struct result *result)
{
	struct json_object *json = json_add_object(list, NULL), *failures;
	size_t i;

	json_add_string(json, "name", result->name);
	put_optional(json, "line", result->line);
	json_add_string(json, "result", verdict_name(result->verdict));
	json_add_string(json, "reason", result->reason);
	json_add_signed(json, "duration_ns", result->ns);
	put_optional(json, "seed", result->seed);
	put_optional(json, "seeds", result->runs);
	json_add_string(json, "report", result->report);
	json_add_string(json, "output", result->output);
	failures = json_add_array(json, "failures");
	for (i = 0; i < result->failure_count; i++)
		put_failure(failures, &result->failures[i]);
}

/* Adds the sums to an object. */
static void put_tally(struct json_object *json, const struct tally *tally)
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

static void put_file(struct json_object *list, const struct result_file *file)
{
	struct json_object *json = json_add_object(list, NULL), *tests;
	struct tally tally = { };
	size_t i;

	tally_file(&tally, file);
	json_add_string(json, "file", file->path);
	put_tally(json, &tally);
	tests = json_add_array(json, "tests");
	for (i = 0; i < file->count; i++)
		put_result(tests, file->results[i]);
}

/* Writes of which part these results are. */
static void put_part(struct json_object *json, const struct results *results)
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
	put_optional(part, "first_seed", whole->seeds.first);
	put_optional(part, "last_seed", whole->seeds.last);
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
	put_part(json, results);
	put_tally(json, &tally);
	files = json_add_array(json, "files");
	for (i = 0; i < results->count; i++)
		put_file(files, results->files[i]);
	json_write(out, json, false);
}
