// SPDX-License-Identifier: MIT
/*
 * Reads a file of scenarios: parses all of it before anything runs.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "scenario/action.h"
#include "scenario/device.h"
#include "scenario/expect.h"
#include "scenario/memory.h"
#include "scenario/read.h"
#include "scenario/tensor.h"

/* Larger files are refused, because files like /dev/zero have no end. */
#define MAX_FILE (16 << 20)

static const struct word statements[] = {
	{ "cluster", parse_cluster },
	{ "buffer", parse_new_buffer },
	{ "symbol", parse_new_symbol },
	{ "fill", parse_fill },
	{ "tensormap", parse_tensormap },
	{ "model", parse_model },
	{ "hold", parse_hold },
	{ "release", parse_release },
	{ "submit", parse_submit },
	{ "join", parse_join },
	{ "expect", parse_expect },
};

static bool parse_statement(struct parser *p, struct cursor *c)
{
	struct nearest nearest = { };
	char text[QUOTE_SIZE], hint[MEANT_SIZE];
	const struct word *known;
	struct span word;
	const char *where;

	skip_spaces(c);
	where = c->at;
	word = take_word(c);
	if (!span_is(word, "expect"))
		report_order(p);
	if (!p->cluster && !span_is(word, "cluster")) {
		error_at(c, where, "the first statement must be 'cluster'");
		p->cluster = c->line;
	}
	known = find_word(statements, ARRAY_SIZE(statements), word, &nearest);
	if (known)
		return known->parse(p, c);
	c->at = where;
	if (at_number(c))
		return parse_run(p, c);
	if (word.length && word.text + word.length < c->end && word.text[word.length] == '.')
		return error_at(c, where, "an instruction follows its thread, as in '0.0: %.*s'",
				(int)(word.length < 16 ? word.length : 16), word.text);
	return error_at(c, where, "expected a statement, found %s%s", found(c, text),
			meant(&nearest, "", hint));
}

/**
 * struct lines - Lines of a file
 * @at: First character
 * @end: End of the last line
 * @number: Number of the first line
 */
struct lines {
	const char *at;
	const char *end;
	unsigned int number;
};

/* Comments begin with # or //. */
static const char *find_comment(const char *at, const char *end)
{
	while (at < end && *at != '#' && (*at != '/' || at + 1 == end || at[1] != '/'))
		at++;
	return at;
}

/* Removes the first of the lines and sets @c to it. Returns false if there is no line. */
static bool next_line(struct lines *lines, struct cursor *c)
{
	const char *start = lines->at, *end;

	if (start >= lines->end)
		return false;
	end = memchr(start, '\n', lines->end - start) ?: lines->end;
	*c = (struct cursor){
		.line = lines->number++,
		.start = start,
		.at = start,
		.end = find_comment(start, end),
	};
	trim(c);
	lines->at = end + 1;
	return true;
}

/* Parses the lines. Returns the number of the line that follows them. */
static unsigned int parse_lines(struct parser *p, struct lines lines)
{
	struct cursor c;

	while (p->errors.count < MAX_ERRORS && next_line(&lines, &c)) {
		c.errors = &p->errors;
		if (!at_end(&c))
			parse_statement(p, &c);
	}
	return lines.number;
}

/* --- tests ---------------------------------------------------------------- */

/**
 * struct section - A test of a file
 * @head: The line "test NAME", behind the word "test"; @head.at is NULL if the file names no tests
 * @lines: The lines after @head
 */
struct section {
	struct cursor head;
	struct lines lines;
};

/**
 * struct sections - The tests of a file
 * @common: Lines before the first test. They are part of every test
 * @tests: The tests
 * @count: Number of tests
 */
struct sections {
	struct lines common;
	struct section *tests;
	size_t count;
};

static void split(struct sections *sections, const char *text, size_t size)
{
	struct lines all = { .at = text, .end = text + size, .number = 1 };
	struct lines *part = &sections->common;
	struct cursor c;

	*part = all;
	while (next_line(&all, &c)) {
		if (!span_is(take_word(&c), "test"))
			continue;
		part->end = c.start;
		sections->tests = grow(sections->tests, sections->count, sizeof(*sections->tests));
		sections->tests[sections->count] = (struct section){ .head = c, .lines = all };
		part = &sections->tests[sections->count++].lines;
	}
	if (sections->count)
		return;
	/* The file names no tests: the whole file is one test. */
	sections->tests = grow(NULL, 0, sizeof(*sections->tests));
	sections->tests[sections->count++] = (struct section){ .lines = sections->common };
	sections->common.at = sections->common.end;
}

static struct span name_of(const struct section *section)
{
	struct cursor c = section->head;

	skip_spaces(&c);
	return (struct span){ .text = c.at, .length = c.end - c.at };
}

static bool parse_name(struct parser *p, const struct section *section, struct names *names)
{
	struct cursor c = section->head;
	struct span name = name_of(section);
	char text[QUOTE_SIZE];
	size_t i;

	c.errors = &p->errors;
	p->scenario->name = must(strndup(name.text, name.length));
	p->scenario->line = c.line;
	for (i = 0; i < name.length; i++)
		if (!isalnum((unsigned char)name.text[i]) && !memchr("-_", name.text[i], 2))
			break;
	if (i < name.length || !name.length)
		return error_at(&c, name.text,
				"expected a name of letters, digits, - and _, found %s",
				name.length ? quote(text, name) : "none");
	if (!names_need_new(names, &c, "test", name))
		return false;
	names_add(names, name);
	return true;
}

static void parse_section(struct parser *p, const struct sections *sections,
			  const struct section *section)
{
	unsigned int end;
	size_t i;

	parse_lines(p, sections->common);
	/* Errors in the common lines would cause errors in the lines of the test. */
	if (p->errors.count)
		return;
	end = parse_lines(p, section->lines);
	report_order(p);
	for (i = 0; i < p->scenario->thread_count && !p->errors.count; i++)
		if (p->threads[i].job_count)
			error_add(&p->errors, p->threads[i].job[0].line, 1,
				  "the job that begins here is not submitted");
	if (!p->cluster && !p->errors.count)
		error_add(&p->errors, end, 1, "the %s has no statements",
			  section->head.at ? "test" : "file");
}

/* --- files ---------------------------------------------------------------- */

/*
 * Reads the file that @what names, FILE or FILE:NAME. Sets @file->path to FILE and @name to NAME,
 * or to NULL. Returns the contents of the file; if it cannot be read, sets errno and returns NULL.
 */
static char *read_what(struct scenario_file *file, const char *what, size_t *size,
		       const char **name)
{
	char *text, *colon;

	*name = NULL;
	file->path = must(strdup(what));
	text = file_read_or_input(file->path, MAX_FILE, size);
	colon = strrchr(file->path, ':');
	if (text || errno != ENOENT || !colon)
		return text;
	*colon = '\0';
	text = file_read(file->path, MAX_FILE, size);
	if (text)
		*name = what + (colon - file->path) + 1;
	else
		*colon = ':';
	return text;
}

/* Appends a test to a file, and prepares a parser for it. */
static void begin_test(struct parser *p, struct scenario_file *file, size_t *length)
{
	*p = (struct parser){ .before = -1, .errors.path = file->path };
	p->scenario = scenario_create(file->path);
	p->errors.out = must(open_memstream(&p->scenario->errors, length));
	file->tests = grow(file->tests, file->count, sizeof(*file->tests));
	file->tests[file->count++] = p->scenario;
}

static void end_test(struct parser *p)
{
	size_t i;

	for (i = 0; i < p->scenario->thread_count; i++) {
		free(p->threads[i].holds);
		job_free(p->threads[i].job, p->threads[i].job_count);
	}
	free(p->threads);
	if (fclose(p->errors.out))
		must(NULL);
	p->scenario->error_count = p->errors.count;
}

/* Appends a test that has an error and no statements. */
static void add_error(struct scenario_file *file, const char *format, const char *detail)
{
	struct parser p;
	size_t length;

	begin_test(&p, file, &length);
	error_add(&p.errors, 0, 0, format, detail);
	end_test(&p);
}

static void parse_file(struct scenario_file *file, const char *text, size_t size, const char *only)
{
	struct sections sections = { };
	struct names names = { };
	struct parser p;
	size_t length, i;

	split(&sections, text, size);
	file->named = sections.tests[0].head.at;
	for (i = 0; i < sections.count; i++) {
		const struct section *section = &sections.tests[i];

		if (only && !(file->named && span_is(name_of(section), only)))
			continue;
		begin_test(&p, file, &length);
		if (!file->named || parse_name(&p, section, &names))
			parse_section(&p, &sections, section);
		end_test(&p);
	}
	if (!file->count) {
		file->named = false;
		file->unread = true;
		add_error(file, "there is no test '%s'", only);
	}
	names_free(&names);
	free(sections.tests);
}

struct scenario_file *scenario_read(const char *what)
{
	struct scenario_file *file = must(calloc(1, sizeof(*file)));
	const char *name;
	size_t size;
	char *text;

	text = read_what(file, what, &size, &name);
	if (text) {
		if (!strcmp(file->path, "-")) {
			free(file->path);
			file->path = must(strdup("standard input"));
		}
		parse_file(file, text, size, name);
	} else {
		file->unread = true;
		add_error(file, "%s", strerror(errno));
	}
	free(text);
	return file;
}

void scenario_file_free(struct scenario_file *file)
{
	size_t i;

	for (i = 0; i < file->count; i++)
		scenario_free(file->tests[i]);
	free(file->tests);
	free(file->first_seeds);
	free(file->path);
	free(file);
}
