// SPDX-License-Identifier: MIT
/* Limits of the parser: nesting, numbers of errors, sizes, and time. */
#include <time.h>

#include "parse_build.h"

/* Parses @head, @count times @repeated, and @tail. The messages must be @expected. */
static void check_repeated(const char *head, const char *repeated, unsigned int count,
			   const char *tail, const char *expected)
{
	size_t length = strlen(repeated);
	char *text = malloc(strlen(head) + count * length + strlen(tail) + 1);
	char *to = text;

	assert_non_null(text);
	to = stpcpy(to, head);
	while (count--)
		to = stpcpy(to, repeated);
	strcpy(to, tail);
	parse_wrong(text, expected);
	free(text);
}

TEST(deep_nesting_is_refused)
{
	check_repeated(".global .b64 x = ", "(", 100000, "1;",
		       "t.ptx:4:68: the expression is nested too deeply\n");
	check_repeated(".global .b64 x = ", "-", 100000, "1;",
		       "t.ptx:4:117: the expression is nested too deeply\n");
	check_repeated(".global .b64 x = ", "1?", 100000, "1;",
		       "t.ptx:4:216: the expression is nested too deeply\n");
	check_repeated(".func f { mov.b32 a, ", "{", 100000, "; }",
		       "t.ptx:4:122: the operand is nested too deeply\n"
		       "t.ptx:4:100025: expected '}' at the end of the function, found the end of "
		       "the file\n");
	check_repeated(".func f {", "{", 100000, "}",
		       "t.ptx:4:135: scopes are nested too deeply: at most 126 are supported\n");
	check_repeated(".global .f64 x = 1.", "0", 100000, ";",
		       "t.ptx:4:18: the number has more than 400 characters\n");
}

TEST(at_most_20_errors_are_reported)
{
	char expected[2048], *to = expected;
	unsigned int i;

	for (i = 0; i < PTX_MAX_MESSAGES; i++)
		to += sprintf(to, "t.ptx:%u:1: unknown directive '.x'\n", 5 + i);
	check_repeated("\n", ".x;\n", 1000, "", expected);
}

TEST(long_names_are_shortened_in_messages)
{
	check_repeated(".x", "yz", 1000, ";",
		       "t.ptx:4:1: unknown directive "
		       "'.xyzyzyzyzyzyzyzyzyzyzyzyzyzyzyzyzyzyzyzyz...'\n");
}

TEST(a_file_of_more_than_64_mib_is_refused)
{
	size_t size = (64u << 20) + 1;
	char *text = calloc(1, size);
	struct ptx_messages messages = { };
	struct ptx_module *module;

	assert_non_null(text);
	assert_int_equal(ptx_module_parse("t.ptx", text, size, &module, &messages), -EINVAL);
	assert_string_equal(messages.text, "t.ptx: the file is larger than 64 MiB\n");
	free(messages.text);
	free(text);
}

TEST(text_may_contain_zeros)
{
	static const char text[] = BEGINNING "\0.global .b32 a;";
	struct ptx_messages messages = { };
	struct ptx_module *module;

	assert_int_equal(parse_bytes(text, sizeof(text) - 1, &module, &messages), -EINVAL);
	assert_string_equal(messages.text, "t.ptx:4:1: unexpected byte 0x00\n"
			    "t.ptx:4:3: expected a directive, found 'global'\n");
	free(messages.text);
}

/* Time that a text of many megabytes may take, in seconds: far more than it needs. */
#define PATIENCE 20

static void parse_big(char *text, size_t size, int error)
{
	struct ptx_messages messages = { };
	struct ptx_module *module;
	time_t begin = time(NULL);

	assert_int_equal(ptx_module_parse("t.ptx", text, size, &module, &messages), error);
	assert_true(time(NULL) - begin < PATIENCE);
	ptx_module_free(module);
	free(messages.text);
	free(text);
}

/* Returns the beginning of a module, @head, @count times @repeated, and @tail. */
static char *repeat(const char *head, const char *repeated, unsigned int count, const char *tail)
{
	size_t length = strlen(repeated);
	char *text = malloc(strlen(BEGINNING) + strlen(head) + count * length + strlen(tail) + 1);
	char *to;

	assert_non_null(text);
	to = stpcpy(stpcpy(text, BEGINNING), head);
	while (count--)
		to = stpcpy(to, repeated);
	strcpy(to, tail);
	return text;
}

TEST(many_names_are_found_in_constant_time)
{
	unsigned int i, count = 50000;
	char *text = malloc(100 * count), *to = text;

	assert_non_null(text);
	to += sprintf(to, BEGINNING ".entry k() {\n");
	for (i = 0; i < count; i++)
		to += sprintf(to, "L%u: .reg .b32 name%u; { bra L%u; }\n", i, i, count - 1 - i);
	to += sprintf(to, "}\n");
	parse_big(text, to - text, 0);
}

TEST(unknown_names_do_not_take_long)
{
	char *text = repeat(".entry k() { .reg .b32 a_long_name_with_a_number<50000>;\n",
			    "mov.b32 another_long_name_with_a_number, 1;\n", 1000, "}\n");

	parse_big(text, strlen(text), -EINVAL);
}

TEST(branches_out_of_many_scopes_do_not_take_long)
{
	unsigned int i, count = 50000;
	char *text = malloc(40 * count), *to = text;

	assert_non_null(text);
	to += sprintf(to, BEGINNING ".entry k() { .reg .pred p;\n");
	for (i = 0; i < 120; i++)
		to += sprintf(to, "{ ");
	for (i = 0; i < count; i++)
		to += sprintf(to, "@p bra end;\n");
	for (i = 0; i < 120; i++)
		to += sprintf(to, "} ");
	to += sprintf(to, "end: ret; }\n");
	parse_big(text, to - text, 0);
}

TEST(an_open_comment_is_read_once)
{
	char *text = repeat("", "/*", 1000000, "");

	parse_big(text, strlen(text), -EINVAL);
}

TEST(large_variables_need_no_memory)
{
	char *text = repeat("", ".global .b8 x[65536][65536], y[268435456] = {1};\n", 1, "");
	struct ptx_module *module;

	module = parse_whole(text);
	assert_int_equal(module->variables[0]->size, 1ull << 32);
	assert_null(module->variables[0]->init);
	assert_int_equal(module->variables[1]->size, 1u << 28);
	assert_int_equal(module->variables[1]->init[0], 1);
	ptx_module_free(module);
	free(text);
}

TEST_MAIN()
