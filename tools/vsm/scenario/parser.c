// SPDX-License-Identifier: MIT
/*
 * The state of the parser, and functions for all statements: threads and registers.
 */
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "scenario/parser.h"

const struct word *find_word(const struct word *words, unsigned int count, struct span span,
			     struct nearest *nearest)
{
	unsigned int i;

	nearest->word = span;
	for (i = 0; i < count; i++) {
		if (span_is(span, words[i].word))
			return &words[i];
		nearest_try(nearest, words[i].word);
	}
	return NULL;
}

/* --- threads -------------------------------------------------------------- */

static unsigned int thread_index(struct parser *p, uint16_t cta, uint16_t number)
{
	struct scenario *s = p->scenario;
	unsigned int i;

	for (i = 0; i < s->thread_count; i++)
		if (s->threads[i].cta == cta && s->threads[i].thread == number)
			return i;
	s->threads = grow(s->threads, s->thread_count, sizeof(*s->threads));
	p->threads = grow(p->threads, s->thread_count, sizeof(*p->threads));
	s->threads[s->thread_count] = (struct scenario_thread){ cta, number };
	p->threads[s->thread_count] = (struct parser_thread){ };
	return s->thread_count++;
}

static bool check_thread(const struct parser *p, const struct cursor *c, const char *where,
			 uint64_t number)
{
	return number < p->scenario->config.threads ||
	       error_at(c, where, "there is no thread %u: a CTA has %u", (unsigned int)number,
			p->scenario->config.threads);
}

bool parse_thread(struct parser *p, struct cursor *c)
{
	struct scenario *s = p->scenario;
	uint64_t cta, number;
	const char *where;

	skip_spaces(c);
	where = c->at;
	if (!need_number(c, "a CTA", UINT16_MAX, &cta) || !need(c, '.') ||
	    !need_number(c, "a thread", UINT16_MAX, &number))
		return false;
	if (cta >= s->config.ctas)
		return error_at(c, where, "there is no CTA %u: the cluster has %u",
				(unsigned int)cta, s->config.ctas);
	if (!check_thread(p, c, where, number))
		return false;
	p->current[0] = thread_index(p, cta, number);
	p->current_count = 1;
	return true;
}

bool parse_range(struct parser *p, struct cursor *c)
{
	struct scenario_thread first;
	const char *where;
	uint64_t last;

	if (!parse_thread(p, c))
		return false;
	if (!take(c, '-'))
		return true;
	first = p->scenario->threads[p->current[0]];
	skip_spaces(c);
	where = c->at;
	if (!need_number(c, "a thread", UINT16_MAX, &last) || !check_thread(p, c, where, last))
		return false;
	if (last <= first.thread)
		return error_at(c, where, "the last thread of a range must come after the first");
	if (last - first.thread >= MAX_RANGE)
		return error_at(c, where, "a range has at most %u threads", MAX_RANGE);
	while (first.thread++ < last)
		p->current[p->current_count++] = thread_index(p, first.cta, first.thread);
	return true;
}

void set_threads(const struct parser *p, struct statement *statement)
{
	size_t size = p->current_count * sizeof(*p->current);

	statement->threads = memcpy(must(malloc(size)), p->current, size);
	statement->thread_count = p->current_count;
}

struct statement *add_action(struct parser *p, enum statement_kind kind, unsigned int line)
{
	p->before = p->scenario->count;
	return scenario_add(p->scenario, kind, line);
}

bool need_idle(struct parser *p, struct cursor *c, const char *where)
{
	unsigned int i;

	for (i = 0; i < p->current_count; i++) {
		const struct scenario_thread *t = &p->scenario->threads[p->current[i]];
		unsigned int busy = p->threads[p->current[i]].busy;

		if (busy)
			return error_at(c, where, "%u.%u may still run line %u: join it first",
					t->cta, t->thread, busy);
	}
	return true;
}

bool need_busy(struct parser *p, struct cursor *c, const char *where)
{
	unsigned int i;

	for (i = 0; i < p->current_count; i++) {
		const struct scenario_thread *t = &p->scenario->threads[p->current[i]];

		if (!p->threads[p->current[i]].busy)
			return error_at(c, where,
					"%u.%u runs nothing: nothing was started with '%u.%u&'",
					t->cta, t->thread, t->cta, t->thread);
	}
	return true;
}

/* --- registers ------------------------------------------------------------ */

static unsigned int register_index(struct scenario *s, struct span name)
{
	int reg = names_find(&s->registers, name);

	return reg < 0 ? names_add(&s->registers, name) : (unsigned int)reg;
}

static enum holds thread_holds(const struct parser_thread *state, unsigned int reg)
{
	return reg < state->size ? state->holds[reg] : HOLDS_NOTHING;
}

static bool need_written(struct parser *p, struct cursor *c, const char *where,
			 unsigned int thread, unsigned int reg, struct span name)
{
	const struct scenario_thread *t = &p->scenario->threads[thread];
	const struct parser_thread *state = &p->threads[thread];
	struct nearest nearest = { .word = name };
	char hint[MEANT_SIZE];
	size_t i;

	if (state->unsure || thread_holds(state, reg))
		return true;
	for (i = 0; i < state->size; i++)
		if (state->holds[i])
			nearest_try(&nearest, p->scenario->registers.names[i]);
	return error_at(c, where, "%u.%u has not written %.*s%s", t->cta, t->thread,
			(int)name.length, name.text, meant(&nearest, "", hint));
}

int read_register(struct parser *p, struct cursor *c, const char *where, struct span name)
{
	unsigned int reg = register_index(p->scenario, name);
	unsigned int i;

	for (i = 0; i < p->current_count; i++)
		if (!need_written(p, c, where, p->current[i], reg, name))
			return -1;
	return reg;
}

static void set_holds(struct parser *p, struct parser_thread *state, unsigned int reg,
		      enum holds holds)
{
	if (reg >= state->size) {
		size_t size = p->scenario->registers.count + 16;

		state->holds = must(realloc(state->holds, size));
		memset(state->holds + state->size, HOLDS_NOTHING, size - state->size);
		state->size = size;
	}
	state->holds[reg] = holds;
}

/* Returns what a register holds after a guarded write, which may or may not have happened. */
static enum holds holds_either(enum holds before, enum holds written)
{
	/* A half of a state that may have been replaced is only a number of 32 bits. */
	return before == HOLDS_NOTHING || before == written ? before : HOLDS_32;
}

int write_register(struct parser *p, struct span name, enum holds holds, bool guarded)
{
	unsigned int reg = register_index(p->scenario, name);
	unsigned int i;

	for (i = 0; i < p->current_count; i++) {
		struct parser_thread *state = &p->threads[p->current[i]];

		set_holds(p, state, reg,
			  guarded ? holds_either(thread_holds(state, reg), holds) : holds);
	}
	return reg;
}

enum holds register_holds(struct parser *p, int reg)
{
	enum holds first = HOLDS_NOTHING;
	bool several = false;
	unsigned int i;

	for (i = 0; i < p->current_count; i++) {
		enum holds holds = thread_holds(&p->threads[p->current[i]], reg);

		if (holds == HOLDS_NOTHING)
			return holds;
		several |= i && holds != first;
		first = holds;
	}
	return several ? HOLDS_SEVERAL : first;
}

void report_order(struct parser *p)
{
	if (p->order.where)
		error_add(&p->errors, p->order_line, p->order_column, "%s", p->order.message);
	p->order.where = NULL;
}
