/* SPDX-License-Identifier: MIT */
/*
 * Makes JSON with json-c, member by member.
 *
 *	struct json_object *document = json_object_new_object(), *lines;
 *
 *	json_add_string(document, "name", path);
 *	lines = json_add_array(document, "lines");
 *	json_add_number(lines, NULL, 7);
 *	json_write(stdout, document, false);
 *
 * In an object, each value has a key. In an array, @key is NULL. The document is always UTF-8:
 * U+FFFD takes the place of bytes that are no part of a character. The program ends if there is no
 * memory.
 */
#ifndef _JSON_H_
#define _JSON_H_

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* These two add an empty object or array, and return it. */
struct json_object *json_add_object(struct json_object *to, const char *key);
struct json_object *json_add_array(struct json_object *to, const char *key);

/* Adds a text, or null if @text is NULL. */
void json_add_string(struct json_object *to, const char *key, const char *text);
/* Adds the first @size bytes of a text. */
void json_add_bytes(struct json_object *to, const char *key, const char *text, size_t size);
void json_add_format(struct json_object *to, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Adds "0x...", a text, because many programs read numbers with 53 bits only. */
void json_add_hex(struct json_object *to, const char *key, uint64_t number);
void json_add_number(struct json_object *to, const char *key, uint64_t number);
void json_add_signed(struct json_object *to, const char *key, int64_t number);
void json_add_bool(struct json_object *to, const char *key, bool value);
void json_add_null(struct json_object *to, const char *key);

/* Writes the document, or with @one_line all of it on one line, and frees it. */
void json_write(FILE *out, struct json_object *document, bool one_line);

#endif
