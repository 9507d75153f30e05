// SPDX-License-Identifier: MIT
/* Makes JSON with json-c, member by member. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "json.h"
#include "text.h"

static void add(struct json_object *to, const char *key, struct json_object *value)
{
	if (key ? json_object_object_add(to, key, value) : json_object_array_add(to, value))
		must(NULL);
}

struct json_object *json_add_object(struct json_object *to, const char *key)
{
	struct json_object *object = must(json_object_new_object());

	add(to, key, object);
	return object;
}

struct json_object *json_add_array(struct json_object *to, const char *key)
{
	struct json_object *array = must(json_object_new_array());

	add(to, key, array);
	return array;
}

void json_add_bytes(struct json_object *to, const char *key, const char *text, size_t size)
{
	char *valid = must(malloc(size * strlen(UTF8_REPLACEMENT_TEXT) + 1)), *end = valid;
	uint32_t character;
	size_t bytes;

	for (; size; text += bytes, size -= bytes) {
		bytes = utf8_next(text, size, &character);
		if (character == UTF8_REPLACEMENT)
			end = stpcpy(end, UTF8_REPLACEMENT_TEXT);
		else
			end = mempcpy(end, text, bytes);
	}
	add(to, key, must(json_object_new_string_len(valid, end - valid)));
	free(valid);
}

void json_add_string(struct json_object *to, const char *key, const char *text)
{
	if (text)
		json_add_bytes(to, key, text, strlen(text));
	else
		json_add_null(to, key);
}

void json_add_format(struct json_object *to, const char *key, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		must(NULL);
	va_end(args);
	json_add_string(to, key, text);
	free(text);
}

void json_add_hex(struct json_object *to, const char *key, uint64_t number)
{
	json_add_format(to, key, "0x%" PRIx64, number);
}

void json_add_number(struct json_object *to, const char *key, uint64_t number)
{
	add(to, key, must(json_object_new_uint64(number)));
}

void json_add_signed(struct json_object *to, const char *key, int64_t number)
{
	add(to, key, must(json_object_new_int64(number)));
}

void json_add_bool(struct json_object *to, const char *key, bool value)
{
	add(to, key, must(json_object_new_boolean(value)));
}

void json_add_null(struct json_object *to, const char *key)
{
	add(to, key, NULL);
}

void json_write(FILE *out, struct json_object *document, bool one_line)
{
	const char *text;
	int style = JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_NOSLASHESCAPE;

	if (!one_line)
		style |= JSON_C_TO_STRING_PRETTY;
	text = json_object_to_json_string_ext(document, style);
	if (!text)
		must(NULL);
	fprintf(out, "%s\n", text);
	json_object_put(document);
}
