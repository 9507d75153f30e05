// SPDX-License-Identifier: MIT
/*
 * Writes results as JSON. Documentation/results.rst describes the document.
 */
#include <vsm.h>

#include "json.h"
#include "results/as_json.h"

/* Writes a number that is null if it is 0. */
static void put_optional(struct json *json, const char *key, uint64_t number)
{
	if (number)
		json_number(json, key, number);
	else
		json_null(json, key);
}

static void put_failure(struct json *json, const struct failure *failure)
{
	json_object(json, NULL);
	put_optional(json, "line", failure->line);
	put_optional(json, "column", failure->column);
	json_string(json, "expected", failure->expected);
	json_string(json, "seen", failure->seen);
	json_string(json, "fault", failure->fault);
	json_string(json, "message", failure->message);
	json_end(json);
}

static void put_result(struct json *json, const struct result *result)
{
	size_t i;

	json_object(json, NULL);
	json_string(json, "name", result->name);
	put_optional(json, "line", result->line);
	json_string(json, "result", verdict_name(result->verdict));
	json_string(json, "reason", result->reason);
	json_signed(json, "duration_ns", result->ns);
	put_optional(json, "seed", result->seed);
	put_optional(json, "seeds", result->runs);
	json_string(json, "report", result->report);
	json_string(json, "output", result->output);
	json_array(json, "failures");
	for (i = 0; i < result->failure_count; i++)
		put_failure(json, &result->failures[i]);
	json_end(json);
	json_end(json);
}

/* Writes the sums as keys of the innermost object. */
static void put_tally(struct json *json, const struct tally *tally)
{
	enum verdict verdict = tally->tests[VERDICT_FAIL] ? VERDICT_FAIL : VERDICT_PASS;
	unsigned int i;

	json_string(json, "result", verdict_name(verdict));
	json_signed(json, "duration_ns", tally->ns);
	json_object(json, "counts");
	for (i = 0; i < VERDICTS; i++)
		json_number(json, verdict_name(i), tally->tests[i]);
	json_end(json);
}

static void put_file(struct json *json, const struct result_file *file)
{
	struct tally tally = { };
	size_t i;

	tally_file(&tally, file);
	json_object(json, NULL);
	json_string(json, "file", file->path);
	put_tally(json, &tally);
	json_array(json, "tests");
	for (i = 0; i < file->count; i++)
		put_result(json, file->results[i]);
	json_end(json);
	json_end(json);
}

/* Writes of which part these results are. */
static void put_part(struct json *json, const struct results *results)
{
	const struct whole *whole = &results->whole;

	if (!results->shard.index) {
		json_null(json, "shard");
		json_null(json, "whole");
		return;
	}
	json_format(json, "shard", "%u/%u", results->shard.index, results->shard.count);
	json_object(json, "whole");
	json_number(json, "tests", whole->tests);
	json_hex(json, "hash", whole->hash);
	put_optional(json, "first_seed", whole->seeds.first);
	put_optional(json, "last_seed", whole->seeds.last);
	json_end(json);
}

void results_as_json(FILE *out, const struct results *results)
{
	struct tally tally = { };
	struct json json;
	size_t i;

	for (i = 0; i < results->count; i++)
		tally_file(&tally, results->files[i]);
	json_begin(&json, out);
	json_object(&json, NULL);
	json_number(&json, "version", RESULTS_JSON_VERSION);
	json_string(&json, "vsm", VSM_VERSION);
	json_string(&json, "command", results->command);
	put_part(&json, results);
	put_tally(&json, &tally);
	json_array(&json, "files");
	for (i = 0; i < results->count; i++)
		put_file(&json, results->files[i]);
	json_end(&json);
	json_end(&json);
}
