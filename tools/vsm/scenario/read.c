// SPDX-License-Identifier: MIT
/*
 * Reads a scenario: parses the whole file before anything runs.
 */
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

/* No scenario is that long, but a device node has no end. */
#define MAX_FILE (16 << 20)

static const struct word statements[] = {
	{ "cluster", parse_cluster },
	{ "buffer", parse_new_buffer },
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
		error_at(c, where, "the first statement is 'cluster'");
		p->cluster = c->line;
	}
	known = find_word(statements, ARRAY_SIZE(statements), word, &nearest);
	if (known)
		return known->parse(p, c);
	c->at = where;
	if (at_number(c))
		return parse_run(p, c);
	if (word.length && word.text + word.length < c->end && word.text[word.length] == '.')
		return error_at(c, where, "an instruction is behind its thread, as in '0.0: %.*s'",
				(int)(word.length < 16 ? word.length : 16), word.text);
	if (where + 1 < c->end && where[0] == '/' && where[1] == '/')
		return error_at(c, where, "a comment begins with #");
	return error_at(c, where, "expected a statement, found %s%s", found(c, text),
			meant(&nearest, "", hint));
}

static void parse_line(struct parser *p, unsigned int line, const char *start, const char *end)
{
	const char *comment = memchr(start, '#', end - start);
	struct cursor c = {
		.errors = &p->errors,
		.line = line,
		.start = start,
		.at = start,
		.end = comment ? comment : end,
	};

	trim(&c);
	if (!at_end(&c))
		parse_statement(p, &c);
}

static void parse_text(struct parser *p, const char *text, size_t size)
{
	const char *end = text + size;
	unsigned int line = 1;
	size_t i;

	while (text < end && p->errors.count < MAX_ERRORS) {
		const char *next = memchr(text, '\n', end - text);

		parse_line(p, line++, text, next ? next : end);
		text = next ? next + 1 : end;
	}
	report_order(p);
	for (i = 0; i < p->scenario->thread_count && !p->errors.count; i++)
		if (p->threads[i].job_count)
			error_add(&p->errors, p->threads[i].job[0].line, 1,
				  "the job that begins here is not submitted");
	if (!p->cluster && !p->errors.count)
		error_add(&p->errors, line, 1, "the file has no statements");
}

/* Returns the contents of a file; NULL and errno if it cannot be read. */
static char *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "re");
	char *text;
	int err;

	if (!file)
		return NULL;
	text = must(malloc(MAX_FILE + 1));
	errno = 0;
	*size = fread(text, 1, MAX_FILE + 1, file);
	err = ferror(file) ? errno : *size > MAX_FILE ? EFBIG : 0;
	fclose(file);
	if (!err)
		return must(realloc(text, *size + 1));
	free(text);
	errno = err;
	return NULL;
}

struct scenario *scenario_read(const char *path)
{
	struct parser p = { .before = -1, .errors.path = path };
	size_t length, size, i;
	char *text;

	p.scenario = scenario_create(path);
	p.errors.out = must(open_memstream(&p.scenario->errors, &length));

	text = read_file(path, &size);
	if (text)
		parse_text(&p, text, size);
	else
		error_add(&p.errors, 0, 0, "%s", strerror(errno));
	free(text);

	for (i = 0; i < p.scenario->thread_count; i++) {
		free(p.threads[i].written);
		job_free(p.threads[i].job, p.threads[i].job_count);
	}
	free(p.threads);
	if (fclose(p.errors.out))
		must(NULL);
	p.scenario->error_count = p.errors.count;
	return p.scenario;
}
