// SPDX-License-Identifier: MIT
/* Tests the writer of JSON: exact documents, and texts that are hostile. */
#include <stdlib.h>
#include <string.h>

#include "tests/testing.h"
#include "json.h"

/* Removes spaces and new lines: versions of json-c write different ones. */
static char *without_spaces(char *text)
{
	char *to = text;
	const char *at;

	for (at = text; *at; at++)
		if (*at != ' ' && *at != '\n')
			*to++ = *at;
	*to = '\0';
	return text;
}

/* Writes a document, and tests the text. */
static void finish(struct json_object *json, bool one_line, const char *expected)
{
	char *document, *copy = strdup(expected);
	size_t size;
	FILE *out = open_memstream(&document, &size);

	assert_non_null(copy);
	assert_non_null(out);
	json_write(out, json, one_line);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(document[size - 1], '\n');
	assert_true(!one_line || strchr(document, '\n') == document + size - 1);
	assert_string_equal(without_spaces(document), without_spaces(copy));
	free(document);
	free(copy);
}

TEST(values_can_be_nested)
{
	struct json_object *json = json_object_new_object(), *list, *item;

	json_add_string(json, "name", "a");
	list = json_add_array(json, "list");
	json_add_number(list, NULL, 1);
	item = json_add_object(list, NULL);
	json_add_bool(item, "yes", true);
	json_add_bool(item, "no", false);
	json_add_null(list, NULL);
	json_add_string(json, "last", NULL);
	finish(json, false, "{\n"
	       "  \"name\": \"a\",\n"
	       "  \"list\": [\n"
	       "    1,\n"
	       "    {\n"
	       "      \"yes\": true,\n"
	       "      \"no\": false\n"
	       "    },\n"
	       "    null\n"
	       "  ],\n"
	       "  \"last\": null\n"
	       "}\n");
}

TEST(lists_can_be_empty)
{
	struct json_object *json = json_object_new_array();

	json_add_object(json, NULL);
	json_add_array(json, NULL);
	finish(json, false, "[\n  {},\n  []\n]\n");
}

TEST(numbers_have_all_their_bits)
{
	struct json_object *json = json_object_new_array();

	json_add_number(json, NULL, UINT64_MAX);
	json_add_signed(json, NULL, INT64_MIN);
	json_add_hex(json, NULL, UINT64_MAX);
	json_add_hex(json, NULL, 0);
	json_add_format(json, NULL, "%d.%d", 1, 2);
	finish(json, false, "[\n  18446744073709551615,\n  -9223372036854775808,\n"
	       "  \"0xffffffffffffffff\",\n  \"0x0\",\n  \"1.2\"\n]\n");
}

/* Tests how a text is written. */
static void writes(const char *text, size_t size, const char *expected)
{
	struct json_object *json = json_object_new_array();
	char *line;

	assert_true(asprintf(&line, "[\"%s\"]\n", expected) > 0);
	json_add_bytes(json, NULL, text, size);
	finish(json, true, line);
	free(line);
}

#define WRITES(text, expected) writes(text, sizeof(text) - 1, expected)

TEST(quotes_and_controls_are_escaped)
{
	WRITES("", "");
	WRITES("a/b 'c'", "a/b 'c'");
	WRITES("\"\\", "\\\"\\\\");
	WRITES("\b\f\n\r\t", "\\b\\f\\n\\r\\t");
	WRITES("\0\x01\x1f\x7f", "\\u0000\\u0001\\u001f\x7f");
}

TEST(valid_utf8_is_kept)
{
	WRITES("\xc2\x80\xdf\xbf", "\xc2\x80\xdf\xbf");
	WRITES("\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf",
	       "\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf");
	WRITES("\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf");
	WRITES("\xef\xbf\xbd", "\xef\xbf\xbd");
}

#define R "\xef\xbf\xbd"

TEST(each_byte_that_is_no_utf8_is_replaced)
{
	/* Bytes that begin no character, and bytes that never occur. */
	WRITES("a\x80z", "a" R "z");
	WRITES("\xfe\xff", R R);
	/* Longer forms than necessary. */
	WRITES("\xc0\xaf", R R);
	WRITES("\xc1\xbf", R R);
	WRITES("\xe0\x9f\xbf", R R R);
	WRITES("\xf0\x8f\xbf\xbf", R R R R);
	/* Halves of pairs, and numbers that are too large. */
	WRITES("\xed\xa0\x80", R R R);
	WRITES("\xed\xbf\xbf", R R R);
	WRITES("\xf4\x90\x80\x80", R R R R);
	WRITES("\xf5\x80\x80\x80", R R R R);
	/* The character behind an incomplete one is read. */
	WRITES("\xc3\"", R "\\\"");
	WRITES("\xe2\x82z", R R "z");
}

TEST(a_text_may_end_inside_a_character)
{
	writes("\xe2\x82\xac", 2, R R);
	writes("\xf0\x9f\x98\x80", 3, R R R);
	writes("abc", 2, "ab");
}

TEST(a_document_can_be_one_line)
{
	struct json_object *json = json_object_new_object(), *list;

	list = json_add_array(json, "list");
	json_add_number(list, NULL, 1);
	json_add_signed(list, NULL, -2);
	json_add_string(json, "text", "a\nb");
	json_add_array(json, "empty");
	finish(json, true, "{ \"list\": [ 1, -2 ], \"text\": \"a\\nb\", \"empty\": [] }\n");
}

TEST_MAIN()
