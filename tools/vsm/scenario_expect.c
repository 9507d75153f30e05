// SPDX-License-Identifier: MIT
/*
 * Parsing what a scenario expects, and the shape of its cluster.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "parser.h"

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

/* --- cluster -------------------------------------------------------------- */

static bool parse_choice(struct cursor *c, const char *const *names, unsigned int count,
			 unsigned int *choice)
{
	struct span word;
	char text[QUOTE_SIZE];
	unsigned int i;

	skip_spaces(c);
	word = take_word(c);
	for (i = 0; i < count; i++) {
		if (names[i] && span_is(word, names[i])) {
			*choice = i;
			return true;
		}
	}
	c->at = word.text;
	return error_at(c, c->at, "expected %s or %s, found %s", names[0], names[1],
			found(c, text));
}

static bool parse_size(struct cursor *c, const char *what, uint32_t max, uint32_t *size)
{
	const char *where;
	uint64_t number;

	skip_spaces(c);
	where = c->at;
	if (!need_number(c, what, max, &number))
		return false;
	if (!number)
		return error_at(c, where, "%s cannot be 0", what);
	*size = number;
	return true;
}

enum { CTAS, THREADS, SMEM, LAYOUT, POLICY };

static const char *const keys[] = {
	[CTAS] = "ctas",
	[THREADS] = "threads",
	[SMEM] = "smem",
	[LAYOUT] = "layout",
	[POLICY] = "policy",
};

static bool parse_value(struct cursor *c, unsigned int key, struct vsm_cluster_config *config)
{
	static const char *const layouts[] = {
		[VSM_LAYOUT_SM_90] = "sm_90",
		[VSM_LAYOUT_SM_80] = "sm_80",
	};
	static const char *const policies[] = {
		[DRM_VSM_POLICY_STRICT] = "strict",
		[DRM_VSM_POLICY_HARDWARE] = "hardware",
	};
	const char *where;
	unsigned int choice;

	skip_spaces(c);
	where = c->at;
	switch (key) {
	case CTAS:
		return parse_size(c, "ctas", UINT16_MAX, &config->ctas);
	case THREADS:
		return parse_size(c, "threads", UINT16_MAX, &config->threads);
	case SMEM:
		return parse_size(c, "smem", UINT32_MAX, &config->smem_bytes) &&
		       (!(config->smem_bytes % 16) ||
			error_at(c, where, "smem is a multiple of 16"));
	case LAYOUT:
		if (!parse_choice(c, layouts, ARRAY_SIZE(layouts), &choice))
			return false;
		config->layout = choice;
		return true;
	default:
		if (!parse_choice(c, policies, ARRAY_SIZE(policies), &choice))
			return false;
		config->policy = choice;
		return true;
	}
}

static bool parse_key(struct cursor *c, unsigned int *given, struct vsm_cluster_config *config)
{
	struct nearest nearest = { };
	char text[QUOTE_SIZE], hint[MEANT_SIZE];
	struct span word;
	unsigned int i;

	word = take_word(c);
	nearest.span = word;
	for (i = 0; i < ARRAY_SIZE(keys) && !span_is(word, keys[i]); i++)
		nearest_try(&nearest, keys[i]);
	if (i == ARRAY_SIZE(keys)) {
		c->at = word.text;
		return error_at(c, c->at,
				"expected ctas, threads, smem, layout or policy, found %s%s",
				found(c, text), meant(&nearest, "", hint));
	}
	if (*given & 1U << i)
		return error_at(c, word.text, "%s is given twice", keys[i]);
	*given |= 1U << i;
	return need(c, '=') && parse_value(c, i, config);
}

bool parse_cluster(struct parser *p, struct cursor *c)
{
	struct vsm_cluster_config *config = &p->scenario->config;
	unsigned int given = 0;

	if (p->cluster)
		return error_at(c, c->at, "there is one cluster, which line %u makes", p->cluster);
	p->cluster = c->line;
	p->scenario->cluster_line = c->line;
	while (!at_end(c)) {
		if (parse_key(c, &given, config))
			continue;
		/* No more errors because of this one. */
		config->ctas = UINT32_MAX;
		config->threads = UINT32_MAX;
		config->smem_bytes = UINT32_MAX;
		return false;
	}
	return true;
}

/* --- expect --------------------------------------------------------------- */

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

static bool parse_window(struct parser *p, struct cursor *c, struct statement *expect,
			 const char **where)
{
	uint64_t offset;

	if (!parse_rank(p, c, &expect->rank))
		return false;
	skip_spaces(c);
	*where = c->at;
	if (!need_number(c, "an offset in the window", UINT32_MAX, &offset))
		return false;
	expect->smem = offset;
	return true;
}

static bool parse_expect_word(struct parser *p, struct cursor *c)
{
	struct statement expect = { };
	const char *where;

	if (!parse_window(p, c, &expect, &where))
		return false;
	if (expect.smem % 8)
		return error_at(c, where, "the offset of a word is a multiple of 8");
	if (expect.smem > p->scenario->config.smem_bytes - 8)
		return error_at(c, where, "that is past the end of the window");
	return need_equal(c) && need_number(c, "a word", UINT64_MAX, &expect.value) &&
	       need_end(c) && add_expectation(p, &expect, EXPECT_WORD, c->line);
}

static bool check_buffer_range(struct parser *p, struct cursor *c, const char *where,
			       const struct statement *expect)
{
	const struct scenario_buffer *buffer = &p->scenario->buffers[expect->buffer];
	uint64_t size = buffer->size;

	return (expect->offset <= size && expect->length <= size - expect->offset) ||
	       error_at(c, where, "that is past the end of %s", buffer->name);
}

static bool parse_expect_data(struct parser *p, struct cursor *c)
{
	uint32_t smem_bytes = p->scenario->config.smem_bytes;
	struct statement expect = { };
	const char *window, *offset, *length;

	if (!parse_window(p, c, &expect, &window) || !parse_buffer(p, c, &expect.buffer))
		return false;
	skip_spaces(c);
	offset = c->at;
	if (!need_number(c, "an offset in the buffer", UINT64_MAX, &expect.offset))
		return false;
	skip_spaces(c);
	length = c->at;
	if (!need_number(c, "a length", UINT64_MAX, &expect.length) || !need_end(c))
		return false;
	if (!expect.length)
		return error_at(c, length, "no data are always equal");
	if (expect.smem > smem_bytes || expect.length > smem_bytes - expect.smem)
		return error_at(c, window, "that is past the end of the window");
	return check_buffer_range(p, c, offset, &expect) &&
	       add_expectation(p, &expect, EXPECT_DATA, c->line);
}

static bool parse_expect_bytes(struct parser *p, struct cursor *c)
{
	struct statement expect = { };
	const char *where;
	uint64_t byte;

	if (!parse_buffer(p, c, &expect.buffer))
		return false;
	skip_spaces(c);
	where = c->at;
	if (!need_number(c, "an offset in the buffer", UINT64_MAX, &expect.offset))
		return false;
	do {
		if (!need_number(c, "a byte", UINT8_MAX, &byte)) {
			free(expect.bytes);
			return false;
		}
		expect.bytes = grow(expect.bytes, expect.length, 1);
		expect.bytes[expect.length++] = byte;
	} while (!at_end(c));
	if (check_buffer_range(p, c, where, &expect))
		return add_expectation(p, &expect, EXPECT_BYTES, c->line);
	free(expect.bytes);
	return false;
}

static bool parse_expect_suspended(struct parser *p, struct cursor *c)
{
	struct statement expect = { };
	const struct scenario_thread *t;
	const char *where;

	skip_spaces(c);
	where = c->at;
	if (!parse_thread(p, c, &expect.thread) || !need_end(c))
		return false;
	t = &p->scenario->threads[expect.thread];
	if (!p->threads[expect.thread].busy)
		return error_at(c, where, "%u.%u runs nothing: nothing was started with '%u.%u&'",
				t->cta, t->thread, t->cta, t->thread);
	return add_expectation(p, &expect, EXPECT_SUSPENDED, c->line);
}

/*
 * What the statement before came to. If it was only started, it is waited for.
 * An expectation of BAD_ORDER is what lets the device see a qualifier that is no PTX.
 */
static bool parse_outcome(struct parser *p, struct cursor *c, const struct statement *expect,
			  enum statement_kind kind)
{
	struct scenario *s = p->scenario;

	/* An instruction with an error is not there, but was meant to be. */
	if (p->before < 0 && !p->errors.count)
		return error_at(c, c->start, "there is no instruction before that");
	if (p->before >= 0 && s->statements[p->before].kind == STATEMENT_RUN &&
	    s->statements[p->before].starts)
		p->threads[s->statements[p->before].thread].busy = 0;
	return add_expectation(p, expect, kind, c->line);
}

static bool parse_expect_fault(struct parser *p, struct cursor *c)
{
	struct nearest nearest = { };
	struct statement expect = { };
	char text[QUOTE_SIZE], hint[MEANT_SIZE];
	struct span word;

	word = take_word(c);
	nearest.span = word;
	expect.value = fault_by_name(word, &nearest);
	if (!expect.value) {
		c->at = word.text;
		return error_at(c, c->at, "expected the name of a fault, found %s%s",
				found(c, text), meant(&nearest, "", hint));
	}
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

static bool parse_expect_register(struct parser *p, struct cursor *c)
{
	struct statement expect = { };
	unsigned int bits;
	const char *where;
	struct span name;
	int reg;

	skip_spaces(c);
	where = c->at;
	if (!parse_thread(p, c, &expect.thread) || !need_idle(p, c, where, expect.thread) ||
	    !need(c, '%') || !ptx_parse_register(c, &name, &bits))
		return false;
	reg = read_register(p, c, expect.thread, name);
	if (reg < 0)
		return false;
	expect.reg = reg;
	return need_equal(c) &&
	       need_number(c, "the register's value",
			   bits == 64 ? UINT64_MAX : (1ULL << bits) - 1, &expect.value) &&
	       need_end(c) && add_expectation(p, &expect, EXPECT_REGISTER, c->line);
}

static const struct {
	const char *word;
	bool (*parse)(struct parser *p, struct cursor *c);
} expectations[] = {
	{ "word", parse_expect_word },
	{ "data", parse_expect_data },
	{ "bytes", parse_expect_bytes },
	{ "fault", parse_expect_fault },
	{ "errno", parse_expect_errno },
	{ "suspended", parse_expect_suspended },
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
			"'expect' is followed by a thread, word, data, bytes, fault, errno or suspended, not %s%s",
			found(c, text), meant(&nearest, "", hint));
}
