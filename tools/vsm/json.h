/* SPDX-License-Identifier: MIT */
/*
 * Writes JSON (RFC 8259), value by value.
 *
 *	struct json json;
 *
 *	json_begin(&json, stdout);
 *	json_object(&json, NULL);
 *	json_string(&json, "name", path);
 *	json_array(&json, "lines");
 *	json_number(&json, NULL, 7);
 *	json_end(&json);
 *	json_end(&json);
 *
 * In an object, each value has a key. In an array, and for the outermost value, @key is NULL.
 * The document is always UTF-8: U+FFFD takes the place of bytes that are no part of a character.
 * Errors of the stream remain in the stream.
 */
#ifndef _JSON_H_
#define _JSON_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Greatest number of objects and arrays inside each other. */
#define JSON_DEPTH 32

/**
 * struct json - A document that is being written
 * @out: Where it is written to
 * @depth: Number of objects and arrays that have not ended
 * @filled: Mask of these that have a value
 * @arrays: Mask of these that are arrays
 * @one_line: Write the document on one line; to be set after json_begin()
 */
struct json {
	FILE *out;
	unsigned int depth;
	uint32_t filled;
	uint32_t arrays;
	bool one_line;
};

void json_begin(struct json *json, FILE *out);
/* These two begin an object or an array. json_end() ends the innermost of them. */
void json_object(struct json *json, const char *key);
void json_array(struct json *json, const char *key);
void json_end(struct json *json);

/* Writes a text, or null if @text is NULL. */
void json_string(struct json *json, const char *key, const char *text);
/* Writes the first @size bytes of a text. */
void json_bytes(struct json *json, const char *key, const char *text, size_t size);
void json_format(struct json *json, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Writes "0x...", a text, because many programs read numbers with 53 bits only. */
void json_hex(struct json *json, const char *key, uint64_t number);
void json_number(struct json *json, const char *key, uint64_t number);
void json_signed(struct json *json, const char *key, int64_t number);
/* Writes a finite number with three digits behind the point. */
void json_real(struct json *json, const char *key, double number);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);

#endif
