// SPDX-License-Identifier: MIT
/*
 * Parses expectations.
 */
#include <stdlib.h>

#include "base.h"
#include "sass/register.h"
#include "scenario/expect.h"
#include "scenario/memory.h"

static bool add_expectation(struct parser *p, const struct statement *expect,
			    enum statement_kind kind, unsigned int line)
{
	struct statement *statement = scenario_add(p->scenario, kind, line);

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
		return error_at(c, where, "the offset of a word must be a multiple of 8");
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
		return error_at(c, length, "the length must be at least 1");
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
 * Adds an expectation about the outcome of the statement before it. If that statement has an &, the
 * scenario waits for its end here.
 */
static bool parse_outcome(struct parser *p, struct cursor *c, const struct statement *expect,
			  enum statement_kind kind)
{
	const struct statement *before;
	unsigned int i;

	/* After an earlier error the instruction may be missing only because of that error. */
	if (p->before < 0 && !p->errors.count)
		return error_at(c, c->start, "there is no instruction before that");
	before = p->before >= 0 ? &p->scenario->statements[p->before] : NULL;
	if (before && before->kind == STATEMENT_RUN && before->starts)
		for (i = 0; i < before->thread_count; i++)
			p->threads[before->threads[i]].busy = 0;
	return add_expectation(p, expect, kind, c->line);
}

static bool parse_expect_report(struct parser *p, struct cursor *c)
{
	struct statement expect = { };

	return need_fault(c, "the name of a fault", &expect.value) && need_end(c) &&
	       parse_outcome(p, c, &expect, EXPECT_REPORT);
}

static bool parse_expect_fault(struct parser *p, struct cursor *c)
{
	struct statement expect = { };

	if (!need_fault(c, "the name of a fault", &expect.value))
		return false;
	/* The scenario expects that the device refuses the wrong .sem or .scope. */
	if (expect.value == DRM_VSM_FAULT_BAD_ORDER)
		p->order.where = NULL;
	return need_end(c) && parse_outcome(p, c, &expect, EXPECT_FAULT);
}

static bool parse_expect_errno(struct parser *p, struct cursor *c)
{
	struct statement expect = { };

	return need_errno(c, &expect.value) && need_end(c) &&
	       parse_outcome(p, c, &expect, EXPECT_ERRNO);
}

/* Parses the expected status of the last job of a thread: 0, or - and the name of an error. */
static bool parse_expect_job(struct parser *p, struct cursor *c)
{
	struct statement expect = { };
	const struct scenario_thread *t;
	const char *where;

	skip_spaces(c);
	where = c->at;
	if (!parse_thread(p, c))
		return false;
	t = &p->scenario->threads[p->current[0]];
	if (!p->threads[p->current[0]].submitted)
		return error_at(c, where, "%u.%u has submitted no job", t->cta, t->thread);
	if (!need_equal(c))
		return false;
	if (take(c, '-') ? !need_errno(c, &expect.value) :
			   !need_number(c, "a status", 0, &expect.value))
		return false;
	if (!need_end(c))
		return false;
	set_threads(p, &expect);
	return add_expectation(p, &expect, EXPECT_JOB, c->line);
}

/* Reads a number for all threads or a number for each thread. */
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

static uint64_t largest_value(enum holds holds)
{
	switch (holds) {
	case HOLDS_PREDICATE:
		return 1;
	case HOLDS_32:
	case HOLDS_STATE_LOW:
	case HOLDS_STATE_HIGH:
		return UINT32_MAX;
	default:
		return UINT64_MAX;
	}
}

/* Parses the name of a register, such as %r1, %bar or R2. Returns its index; -1 after an error. */
static int parse_register_name(struct parser *p, struct cursor *c)
{
	struct sass_register machine;
	const char *where;
	struct span name;

	if (sass_at_register(c)) {
		if (!sass_need_register(c, &machine))
			return -1;
		return read_register(p, c, machine.where, sass_name(&machine));
	}
	if (!need(c, '%'))
		return -1;
	where = c->at;
	name = take_word(c);
	if (name.text != where || !name.length) {
		error_at(c, where, "expected a register's name after %%");
		return -1;
	}
	name.text--;
	name.length++;
	return read_register(p, c, name.text, name);
}

static bool parse_expect_register(struct parser *p, struct cursor *c)
{
	struct statement expect = { };
	const char *where;
	int reg;

	skip_spaces(c);
	where = c->at;
	if (!parse_range(p, c) || !need_idle(p, c, where))
		return false;
	reg = parse_register_name(p, c);
	if (reg < 0 || !need_equal(c))
		return false;
	if (!parse_values(p, c, largest_value(register_holds(p, reg)), &expect)) {
		free(expect.values);
		return false;
	}
	expect.reg = reg;
	set_threads(p, &expect);
	return add_expectation(p, &expect, EXPECT_REGISTER, c->line);
}

static const struct word expectations[] = {
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
	const struct word *known;
	const char *where;
	struct span word;
	bool good;

	if (at_number(c)) {
		report_order(p);
		return parse_expect_register(p, c);
	}
	where = c->at;
	word = take_word(c);
	if (!span_is(word, "fault"))
		report_order(p);
	known = find_word(expectations, ARRAY_SIZE(expectations), word, &nearest);
	if (known) {
		good = known->parse(p, c);
		report_order(p);
		return good;
	}
	c->at = where;
	return error_at(c, where,
			"'expect' must be followed by a thread, word, data, bytes, fault, report, errno, suspended or job, not %s%s",
			found(c, text), meant(&nearest, "", hint));
}
