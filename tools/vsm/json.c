// SPDX-License-Identifier: MIT
/*
 * Writes JSON (RFC 8259), value by value.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "json.h"
#include "text.h"

void json_begin(struct json *json, FILE *out)
{
	*json = (struct json){ .out = out };
}

static void new_line(const struct json *json)
{
	if (!json->one_line)
		fprintf(json->out, "\n%*s", 2 * json->depth, "");
}

/* Writes what precedes a value: a comma, a new line, the key. */
static void put_key(struct json *json, const char *key)
{
	bool inside = json->depth, array = inside && json->arrays & BIT(json->depth - 1);

	assert(!key == (!inside || array));
	if (inside) {
		if (json->filled & BIT(json->depth - 1))
			fputs(json->one_line ? ", " : ",", json->out);
		json->filled |= BIT(json->depth - 1);
		new_line(json);
	}
	if (key) {
		escape_json(json->out, key, strlen(key), false);
		fputs(": ", json->out);
	}
}

/* A document ends with a new line. */
static void end_value(struct json *json)
{
	if (!json->depth)
		putc('\n', json->out);
}

static void open_level(struct json *json, const char *key, bool array)
{
	put_key(json, key);
	assert(json->depth < JSON_DEPTH);
	putc(array ? '[' : '{', json->out);
	json->filled &= ~BIT(json->depth);
	json->arrays &= ~BIT(json->depth);
	if (array)
		json->arrays |= BIT(json->depth);
	json->depth++;
}

void json_object(struct json *json, const char *key)
{
	open_level(json, key, false);
}

void json_array(struct json *json, const char *key)
{
	open_level(json, key, true);
}

void json_end(struct json *json)
{
	assert(json->depth);
	json->depth--;
	if (json->filled & BIT(json->depth))
		new_line(json);
	putc(json->arrays & BIT(json->depth) ? ']' : '}', json->out);
	end_value(json);
}

void json_bytes(struct json *json, const char *key, const char *text, size_t size)
{
	put_key(json, key);
	escape_json(json->out, text, size, false);
	end_value(json);
}

void json_string(struct json *json, const char *key, const char *text)
{
	if (text)
		json_bytes(json, key, text, strlen(text));
	else
		json_null(json, key);
}

void json_format(struct json *json, const char *key, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		must(NULL);
	va_end(args);
	json_string(json, key, text);
	free(text);
}

void json_hex(struct json *json, const char *key, uint64_t number)
{
	json_format(json, key, "0x%" PRIx64, number);
}

void json_number(struct json *json, const char *key, uint64_t number)
{
	put_key(json, key);
	fprintf(json->out, "%" PRIu64, number);
	end_value(json);
}

void json_signed(struct json *json, const char *key, int64_t number)
{
	put_key(json, key);
	fprintf(json->out, "%" PRId64, number);
	end_value(json);
}

void json_real(struct json *json, const char *key, double number)
{
	put_key(json, key);
	fprintf(json->out, "%.3f", number);
	end_value(json);
}

static void put_word(struct json *json, const char *key, const char *word)
{
	put_key(json, key);
	fputs(word, json->out);
	end_value(json);
}

void json_bool(struct json *json, const char *key, bool value)
{
	put_word(json, key, value ? "true" : "false");
}

void json_null(struct json *json, const char *key)
{
	put_word(json, key, "null");
}
