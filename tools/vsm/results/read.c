// SPDX-License-Identifier: MIT
/* Reads results that were written as JSON. */
#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "results/format.h"
#include "results/results.h"

/* Larger documents are refused. */
#define MAX_DOCUMENT (1 << 30)

/* Returns the value of a key if it is of this type, or NULL. */
static struct json_object *get(struct json_object *object, const char *key, enum json_type type)
{
	struct json_object *value;

	if (!json_object_object_get_ex(object, key, &value) || !json_object_is_type(value, type))
		return NULL;
	return value;
}

/* Returns a copy of a text; NULL if there is none. */
static char *get_text(struct json_object *object, const char *key)
{
	struct json_object *value = get(object, key, json_type_string);

	return value ? must(strdup(json_object_get_string(value))) : NULL;
}

/* Returns a number; 0 if there is none. */
static uint64_t get_number(struct json_object *object, const char *key)
{
	struct json_object *value = get(object, key, json_type_int);

	return value ? json_object_get_uint64(value) : 0;
}

static bool is_null(struct json_object *object, const char *key)
{
	struct json_object *value;

	return json_object_object_get_ex(object, key, &value) && !value;
}

static void read_failures(struct json_object *from, struct result *result)
{
	struct json_object *list = get(from, "failures", json_type_array);
	size_t i;

	for (i = 0; list && i < json_object_array_length(list); i++) {
		struct json_object *item = json_object_array_get_idx(list, i);
		char *message = get_text(item, "message");

		result_fail(result, get_number(item, "line"), message ?: "")->column =
			get_number(item, "column");
		free(message);
	}
}

static bool read_result(struct json_object *from, struct result_file *file)
{
	char *name = get_text(from, "name"), *verdict = get_text(from, "result");
	struct result *result = result_add(file, name, get_number(from, "line"));
	unsigned int i;

	free(name);
	result->reason = get_text(from, "reason");
	result->ns = get_number(from, "duration_ns");
	result->seed = get_number(from, "seed");
	result->runs = get_number(from, "seeds");
	result->report = get_text(from, "report");
	result->output = get_text(from, "output");
	read_failures(from, result);
	for (i = 0; i < VERDICTS; i++)
		if (verdict && !strcmp(verdict, verdict_name(i)))
			break;
	free(verdict);
	result->verdict = i;
	return i < VERDICTS;
}

static bool read_file_results(struct json_object *from, struct results *results)
{
	struct json_object *tests = get(from, "tests", json_type_array);
	char *path = get_text(from, "file");
	struct result_file *file;
	size_t i;

	if (!path || !tests) {
		free(path);
		return false;
	}
	file = results_add_file(results, path);
	free(path);
	for (i = 0; i < json_object_array_length(tests); i++)
		if (!read_result(json_object_array_get_idx(tests, i), file))
			return false;
	return true;
}

/* Reads of which part these results are, and of which tests. */
static bool read_part(struct json_object *document, struct results *results)
{
	struct json_object *whole = get(document, "whole", json_type_object);
	char *shard = get_text(document, "shard"), *hash = get_text(whole, "hash"), *end = hash;
	bool good;

	if (shard && whole && hash) {
		results->whole.tests = get_number(whole, "tests");
		results->whole.hash = strtoull(hash, &end, 16);
		results->whole.seeds.first = get_number(whole, "first_seed");
		results->whole.seeds.last = get_number(whole, "last_seed");
		good = shard_parse(shard, &results->shard) && end != hash && !*end;
	} else {
		good = is_null(document, "shard") && is_null(document, "whole");
	}
	free(shard);
	free(hash);
	return good;
}

static const char *read_document(struct json_object *document, struct results *results)
{
	struct json_object *files = get(document, "files", json_type_array);
	char *command = get_text(document, "command");
	bool good = files && command;
	size_t i;

	/* The command is a constant, because nobody frees it. */
	if (good && !strcmp(command, "run"))
		results->command = "run";
	else if (good && !strcmp(command, "launch"))
		results->command = "launch";
	else
		good = false;
	good = good && read_part(document, results);
	for (i = 0; good && i < json_object_array_length(files); i++)
		good = read_file_results(json_object_array_get_idx(files, i), results);
	free(command);
	return good ? NULL : "these are no results that vsm has written as JSON";
}

/* Does nothing but white space follow the first document in the text? */
static bool ends_with_document(struct json_tokener *tokener, const char *text, size_t size)
{
	size_t end = json_tokener_get_parse_end(tokener);

	return end + strspn(text + end, " \t\r\n") == size;
}

const char *results_read(struct results *results, const char *path, uint64_t *hash)
{
	struct json_tokener *tokener;
	struct json_object *document;
	const char *problem;
	char *text;
	size_t size;

	*results = (struct results){ };
	text = file_read(path, MAX_DOCUMENT, &size);
	if (!text)
		return strerror(errno);
	*hash = hash_bytes(HASH_BEGIN, text, size);
	tokener = must(json_tokener_new());
	document = json_tokener_parse_ex(tokener, text, size);
	if (json_tokener_get_error(tokener) != json_tokener_success)
		problem = "this is no JSON";
	else if (!ends_with_document(tokener, text, size))
		problem = "something follows the JSON document";
	else if (get_number(document, "version") != RESULTS_JSON_VERSION)
		problem = "these are no results of a version that this program knows";
	else
		problem = read_document(document, results);
	json_object_put(document);
	json_tokener_free(tokener);
	free(text);
	return problem;
}
