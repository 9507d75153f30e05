/* SPDX-License-Identifier: MIT */
/* Parses texts for the tests of the parser. */
#ifndef _PTX_TESTS_PARSE_BUILD_H_
#define _PTX_TESTS_PARSE_BUILD_H_

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load/module.h"
#include "testing.h"
#include "vsm_syntax.h"

/* What every module begins with: the text of a test begins in line 4. */
#define BEGINNING ".version 8.0\n.target sm_90a\n.address_size 64\n"

/* A kernel whose body begins in line 6. */
#define KERNEL(body) \
	".visible .entry k(.param .u64 in)\n{\n" body "\nret;\n}\n"

/* Registers for a kernel, in line 6: the rest begins in line 7. */
#define REGS ".reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .f32 %f<3>;\n"

/*
 * Parses @size bytes. The text is in memory of exactly its size: the address sanitizer then finds
 * every access behind it. It is freed afterwards: nothing of the module may refer to it.
 */
static inline int parse_bytes(const char *text, size_t size, struct ptx_module **module,
			      struct ptx_messages *messages)
{
	char *copy = malloc(size + !size);
	int error;

	assert_non_null(copy);
	memcpy(copy, text, size);
	error = ptx_module_parse("t.ptx", copy, size, module, messages);
	free(copy);
	return error;
}

/* Parses a text that must be right. */
static inline struct ptx_module *parse_whole(const char *text)
{
	struct ptx_messages messages = { };
	struct ptx_module *module;
	int error = parse_bytes(text, strlen(text), &module, &messages);

	if (messages.text)
		print_message("%s", messages.text);
	assert_int_equal(error, 0);
	assert_int_equal(messages.count, 0);
	assert_null(messages.text);
	assert_non_null(module);
	return module;
}

/* The same, with the beginning of a module before the text. */
static inline struct ptx_module *parse(const char *text)
{
	size_t size = strlen(BEGINNING) + strlen(text) + 1;
	char *whole = malloc(size);
	struct ptx_module *module;

	assert_non_null(whole);
	snprintf(whole, size, "%s%s", BEGINNING, text);
	module = parse_whole(whole);
	free(whole);
	return module;
}

/* Parses a text that must be wrong. The messages must be @expected. */
static inline void parse_wrong_whole(const char *text, const char *expected)
{
	struct ptx_messages messages = { };
	struct ptx_module *module = (void *)text;
	unsigned int lines = 0;
	const char *at;

	assert_int_equal(parse_bytes(text, strlen(text), &module, &messages), -EINVAL);
	assert_null(module);
	assert_non_null(messages.text);
	assert_string_equal(messages.text, expected);
	for (at = messages.text; *at; at++)
		lines += *at == '\n';
	assert_int_equal(messages.count, lines);
	free(messages.text);
}

static inline void parse_wrong(const char *text, const char *expected)
{
	size_t size = strlen(BEGINNING) + strlen(text) + 1;
	char *whole = malloc(size);

	assert_non_null(whole);
	snprintf(whole, size, "%s%s", BEGINNING, text);
	parse_wrong_whole(whole, expected);
	free(whole);
}

/* Reads a file of tests/ptx. The caller frees the text. */
static inline char *read_sample(const char *name, size_t *size)
{
	static const char folder[] = __FILE__;
	char path[512], *text;
	FILE *file;
	long end;

	snprintf(path, sizeof(path), "%.*sptx/%s", (int)(strrchr(folder, '/') + 1 - folder), folder,
		 name);
	file = fopen(path, "r");
	if (!file)
		fail_msg("%s: %s", path, strerror(errno));
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	end = ftell(file);
	assert_true(end > 0);
	rewind(file);
	text = malloc(end + 1);
	assert_non_null(text);
	assert_int_equal(fread(text, 1, end, file), end);
	text[end] = '\0';
	fclose(file);
	*size = end;
	return text;
}

#endif
