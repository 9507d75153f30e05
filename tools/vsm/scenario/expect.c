// SPDX-License-Identifier: MIT
/*
 * Parsing what a scenario expects.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "scenario/parser.h"

/* Faults are numbered below these. */
#define MAX_FAULT 0x400

const char *errno_name(int error)
{
	static _Thread_local char number[16];
	const char *name = strerrorname_np(error);

	if (name)
		return name;
	snprintf(number, sizeof(number), "%d", error);
	return number;
}

int errno_by_name(struct span name)
{
	int error;

	for (error = 1; error < 256; error++) {
		const char *known = strerrorname_np(error);

		if (known && span_is(name, known))
			return error;
	}
	return 0;
}

uint32_t fault_by_name(struct span name, struct nearest *nearest)
{
	uint32_t fault;

	for (fault = 1; fault < MAX_FAULT; fault++) {
		const char *known = vsm_fault_name(fault);

		if (!strcmp(known, "UNKNOWN"))
			continue;
		if (span_is(name, known))
			return fault;
		nearest_try(nearest, known);
	}
	return 0;
}

static bool need_equal(struct cursor *c)
{
	char text[QUOTE_SIZE];

	skip_spaces(c);
	if (c->end - c->at >= 2 && !memcmp(c->at, "==", 2)) {
		c->at += 2;
		return true;
	}
	return error_at(c, c->at, "expected '==', found %s", found(c, text));
}

static bool add_expectation(struct parser *p, const struct statement *expect,
			    enum statement_kind kind, unsigned int line)
{
	struct statement *statement = add_statement(p, kind, line);

	*statement = *expect;
	statement->kind = kind;
	statement->line = line;
	return true;
}

static bool parse_expect_word(struct parser *p, struct cursor *c)
{
	struct statement expect = { };
	const char *where;

	if (!parse_place(p, c, &expect.at, &where))
		return false;
	if (expect.at.offset % 8)
		return error_at(c, where, "the offset of a word is a multiple of 8");
	return check_place(p, c, where, &expect.at, 8) && need_equal(c) &&
	       need_number(c, "a word", UINT64_MAX, &expect.value) && need_end(c) &&
	       add_expectation(p, &expect, EXPECT_WORD, c->line);
}

static bool parse_expect_data(struct parser *p, struct cursor *c)
{
	struct statement expect = { };
	const char *at, *other, *length;

	if (!parse_place(p, c, &expect.at, &at) || !parse_place(p, c, &expect.other, &other))
		return false;
	skip_spaces(c);
	length = c->at;
	if (!need_number(c, "a length", UINT64_MAX, &expect.length) || !need_end(c))
		return false;
	if (!expect.length)
		return error_at(c, length, "no data are always equal");
	return check_place(p, c, at, &expect.at, expect.length) &&
	       check_place(p, c, other, &expect.other, expect.length) &&
	       add_expectation(p, &expect, EXPECT_DATA, c->line);
}

static bool parse_expect_bytes(struct parser *p, struct cursor *c)
{
	struct statement expect = { };
	const char *where;
	uint64_t byte;

	if (!parse_place(p, c, &expect.at, &where))
		return false;
	do {
		if (!need_number(c, "a byte", UINT8_MAX, &byte)) {
			free(expect.bytes);
			return false;
		}
		expect.bytes = grow(expect.bytes, expect.length, 1);
		expect.bytes[expect.length++] = byte;
	} while (!at_end(c));
	if (check_place(p, c, where, &expect.at, expect.length))
		return add_expectation(p, &expect, EXPECT_BYTES, c->line);
	free(expect.bytes);
	return false;
}

static bool parse_expect_suspended(struct parser *p, struct cursor *c)
{
	struct statement expect = { };
	const char *where;

	skip_spaces(c);
	where = c->at;
	if (!parse_range(p, c) || !need_end(c) || !need_busy(p, c, where))
		return false;
	set_threads(p, &expect);
	return add_expectation(p, &expect, EXPECT_SUSPENDED, c->line);
}

/*
 * What the statement before came to. If it was only started, it is waited for.
 * An expectation of BAD_ORDER is what lets the device see a qualifier that is no PTX.
 */
static bool parse_outcome(struct parser *p, struct cursor *c, const struct statement *expect,
			  enum statement_kind kind)
{
	const struct statement *before;
	unsigned int i;

	/* An instruction with an error is not there, but was meant to be. */
	if (p->before < 0 && !p->errors.count)
		return error_at(c, c->start, "there is no instruction before that");
	before = p->before >= 0 ? &p->scenario->statements[p->before] : NULL;
	if (before && before->kind == STATEMENT_RUN && before->starts)
		for (i = 0; i < before->thread_count; i++)
			p->threads[before->threads[i]].busy = 0;
	return add_expectation(p, expect, kind, c->line);
}

/* The name of a fault, or of the rule that is one; 0 after an error. */
static uint32_t need_fault(struct cursor *c)
{
	struct span word = take_word(c);
	struct nearest nearest = { .span = word };
	char text[QUOTE_SIZE], hint[MEANT_SIZE];
	uint32_t fault = fault_by_name(word, &nearest);

	if (fault)
		return fault;
	c->at = word.text;
	error_at(c, c->at, "expected the name of a fault, found %s%s", found(c, text),
		 meant(&nearest, "", hint));
	return 0;
}

static bool parse_expect_report(struct parser *p, struct cursor *c)
{
	struct statement expect = { .value = need_fault(c) };

	return expect.value && need_end(c) && parse_outcome(p, c, &expect, EXPECT_REPORT);
}

static bool parse_expect_fault(struct parser *p, struct cursor *c)
{
	struct statement expect = { .value = need_fault(c) };

	if (!expect.value)
		return false;
	if (expect.value == DRM_VSM_FAULT_BAD_ORDER)
		p->order.where = NULL;
	return need_end(c) && parse_outcome(p, c, &expect, EXPECT_FAULT);
}

static bool parse_expect_errno(struct parser *p, struct cursor *c)
{
	struct statement expect = { };
	char text[QUOTE_SIZE];
	struct span word;

	word = take_word(c);
	expect.value = errno_by_name(word);
	if (!expect.value) {
		c->at = word.text;
		return error_at(c, c->at, "expected the name of an error, such as EIO, found %s",
				found(c, text));
	}
	return need_end(c) && parse_outcome(p, c, &expect, EXPECT_ERRNO);
}

/* How the last job of a thread ended: 0, or - and the name of an error. */
static bool parse_expect_job(struct parser *p, struct cursor *c)
{
	struct statement expect = { };
	const struct scenario_thread *t;
	char text[QUOTE_SIZE];
	const char *where;
	struct span word;

	skip_spaces(c);
	where = c->at;
	if (!parse_thread(p, c))
		return false;
	t = &p->scenario->threads[p->current[0]];
	if (!p->threads[p->current[0]].submitted)
		return error_at(c, where, "%u.%u has submitted no job", t->cta, t->thread);
	if (!need_equal(c))
		return false;
	if (take(c, '-')) {
		word = take_word(c);
		expect.value = errno_by_name(word);
		if (!expect.value) {
			c->at = word.text;
			return error_at(c, c->at,
					"expected the name of an error, such as EIO, found %s",
					found(c, text));
		}
	} else if (!need_number(c, "a status", 0, &expect.value)) {
		return false;
	}
	if (!need_end(c))
		return false;
	set_threads(p, &expect);
	return add_expectation(p, &expect, EXPECT_JOB, c->line);
}

/* A number for all threads, or one for each. */
static bool parse_values(struct parser *p, struct cursor *c, uint64_t max,
			 struct statement *expect)
{
	static const char what[] = "the register's value";
	unsigned int i;

	if (!need_number(c, what, max, &expect->value))
		return false;
	if (at_end(c) || p->current_count == 1)
		return need_end(c);
	expect->values = must(calloc(p->current_count, sizeof(*expect->values)));
	expect->values[0] = expect->value;
	for (i = 1; i < p->current_count && !at_end(c); i++)
		if (!need_number(c, what, max, &expect->values[i]))
			return false;
	if (i < p->current_count)
		return error_at(c, c->at, "expected a number for all %u threads or one for each",
				p->current_count);
	return need_end(c);
}

static bool parse_expect_register(struct parser *p, struct cursor *c)
{
	struct statement expect = { };
	unsigned int bits;
	const char *where;
	struct span name;
	int reg;

	skip_spaces(c);
	where = c->at;
	if (!parse_range(p, c) || !need_idle(p, c, where) || !need(c, '%') ||
	    !ptx_parse_register(c, &name, &bits))
		return false;
	reg = read_register(p, c, name);
	if (reg < 0 || !need_equal(c))
		return false;
	if (!parse_values(p, c, bits == 64 ? UINT64_MAX : (1ULL << bits) - 1, &expect)) {
		free(expect.values);
		return false;
	}
	expect.reg = reg;
	set_threads(p, &expect);
	return add_expectation(p, &expect, EXPECT_REGISTER, c->line);
}

static const struct {
	const char *word;
	bool (*parse)(struct parser *p, struct cursor *c);
} expectations[] = {
	{ "word", parse_expect_word },
	{ "data", parse_expect_data },
	{ "bytes", parse_expect_bytes },
	{ "fault", parse_expect_fault },
	{ "report", parse_expect_report },
	{ "errno", parse_expect_errno },
	{ "suspended", parse_expect_suspended },
	{ "job", parse_expect_job },
};

bool parse_expect(struct parser *p, struct cursor *c)
{
	struct nearest nearest = { };
	char text[QUOTE_SIZE], hint[MEANT_SIZE];
	bool fault, good;
	struct span word;
	const char *where;
	unsigned int i;

	if (at_number(c)) {
		settle_order(p);
		return parse_expect_register(p, c);
	}
	where = c->at;
	word = take_word(c);
	nearest.span = word;
	fault = span_is(word, "fault");
	if (!fault)
		settle_order(p);
	for (i = 0; i < ARRAY_SIZE(expectations); i++) {
		if (span_is(word, expectations[i].word)) {
			good = expectations[i].parse(p, c);
			settle_order(p);
			return good;
		}
		nearest_try(&nearest, expectations[i].word);
	}
	c->at = where;
	return error_at(c, where,
			"'expect' is followed by a thread, word, data, bytes, fault, report, errno, suspended or job, not %s%s",
			found(c, text), meant(&nearest, "", hint));
}
