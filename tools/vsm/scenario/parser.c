// SPDX-License-Identifier: MIT
/* The state of the parser, and functions for all statements: threads and registers. */
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

/* --- places in memory ----------------------------------------------------- */

bool parse_new_buffer(struct parser *p, struct cursor *c)
{
	struct scenario *s = p->scenario;
	struct span name;
	uint64_t size;
	const char *where;

	if (!need_name(c, "the buffer's name", &name))
		return false;
	if (!names_need_new(&s->buffers, c, "buffer", name))
		return false;
	skip_spaces(c);
	where = c->at;
	if (!need_number(c, "the buffer's size", INT64_MAX, &size) || !need_end(c))
		return false;
	if (!size)
		return error_at(c, where, "a buffer has at least one byte");
	s->buffer_sizes = grow(s->buffer_sizes, s->buffers.count, sizeof(*s->buffer_sizes));
	s->buffer_sizes[s->buffers.count] = size;
	scenario_add(s, STATEMENT_BUFFER, c->line)->buffer = names_add(&s->buffers, name);
	return true;
}

bool check_place(struct parser *p, struct cursor *c, const char *where,
		 const struct place *place, uint64_t length)
{
	const struct scenario *s = p->scenario;
	bool window = place->buffer < 0;
	uint64_t size = window ? s->config.smem_bytes : s->buffer_sizes[place->buffer];

	return (place->offset <= size && length <= size - place->offset) ||
	       error_at(c, where, "that is past the end of %s",
			window ? "the window" : s->buffers.names[place->buffer]);
}

bool parse_new_symbol(struct parser *p, struct cursor *c)
{
	struct scenario *s = p->scenario;
	struct place place = { .buffer = -1 };
	struct span name;
	const char *where;

	if (!need_name(c, "the symbol's name", &name) ||
	    !names_need_new(&s->symbols, c, "symbol", name))
		return false;
	skip_spaces(c);
	where = c->at;
	if (!need_number(c, "an offset in the window", UINT64_MAX, &place.offset) ||
	    !check_place(p, c, where, &place, 1) || !need_end(c))
		return false;
	s->symbol_offsets = grow(s->symbol_offsets, s->symbols.count, sizeof(place.offset));
	s->symbol_offsets[s->symbols.count] = place.offset;
	names_add(&s->symbols, name);
	return true;
}

static bool parse_rank(struct parser *p, struct cursor *c, unsigned int *rank)
{
	const char *where = c->at;
	uint64_t number;

	if (!need_number(c, "a CTA", UINT16_MAX, &number))
		return false;
	*rank = number;
	return number < p->scenario->config.ctas ||
	       error_at(c, where, "there is no CTA %u: the cluster has %u", *rank,
			p->scenario->config.ctas);
}

bool parse_place(struct parser *p, struct cursor *c, struct place *place, const char **where)
{
	bool window = at_number(c);
	struct span name;

	place->buffer = -1;
	if (window) {
		if (!parse_rank(p, c, &place->rank))
			return false;
	} else {
		if (!need_name(c, "a buffer or a CTA", &name))
			return false;
		place->buffer = names_need(&p->scenario->buffers, c, "buffer", name);
		if (place->buffer < 0)
			return false;
	}
	skip_spaces(c);
	*where = c->at;
	return need_number(c, window ? "an offset in the window" : "an offset in the buffer",
			   UINT64_MAX, &place->offset);
}

bool parse_fill(struct parser *p, struct cursor *c)
{
	struct statement fill = { .kind = STATEMENT_FILL, .line = c->line };
	struct span word;
	const char *where;
	char text[QUOTE_SIZE];

	if (!parse_place(p, c, &fill.at, &where) ||
	    !need_number(c, "a length", UINT64_MAX, &fill.length) ||
	    !check_place(p, c, where, &fill.at, fill.length))
		return false;
	if (at_number(c)) {
		if (!need_number(c, "a byte", UINT8_MAX, &fill.value))
			return false;
	} else {
		where = c->at;
		word = take_word(c);
		c->at = where;
		if (!span_is(word, "iota"))
			return error_at(c, where, "expected iota or a byte, found %s",
					found(c, text));
		c->at += word.length;
		fill.iota = true;
	}
	if (!need_end(c))
		return false;
	*scenario_add(p->scenario, STATEMENT_FILL, c->line) = fill;
	return true;
}

/* --- tensormap ------------------------------------------------------------ */

static const char *const tensor_keys[] = {
	[TENSOR_TYPE] = "type",
	[TENSOR_DIMS] = "dims",
	[TENSOR_STRIDES] = "strides",
	[TENSOR_ELEMENTSTRIDES] = "elementstrides",
	[TENSOR_INTERLEAVE] = "interleave",
	[TENSOR_SWIZZLE] = "swizzle",
	[TENSOR_FILL] = "fill",
	[TENSOR_BOX] = "box",
	[TENSOR_LOWER] = "lower",
	[TENSOR_UPPER] = "upper",
	[TENSOR_CHANNELS] = "channels",
	[TENSOR_PIXELS] = "pixels",
};

static bool parse_tensor(struct parser *p, struct cursor *c, struct tensor *tensor)
{
	struct tensor_text text = { .tensor = tensor, .names = tensor_keys };
	const struct keys keys = {
		.names = tensor_keys,
		.count = TENSOR_KEYS,
		.value = parse_tensor_value,
		.to = &text,
		.where = text.where,
	};
	struct span name;
	int buffer;

	if (!need_name(c, "a buffer", &name))
		return false;
	buffer = names_need(&p->scenario->buffers, c, "buffer", name);
	if (buffer < 0)
		return false;
	tensor->buffer = buffer;
	if (take(c, '+') && !need_number(c, "an offset", UINT64_MAX, &tensor->offset))
		return false;
	return need_keys(c, &keys) && tensor_complete(c, &text);
}

bool parse_tensormap(struct parser *p, struct cursor *c)
{
	struct scenario *s = p->scenario;
	struct tensor *tensor;
	struct span name;
	bool good;

	if (!need_name(c, "the tensor map's name", &name) ||
	    !names_need_new(&s->maps, c, "tensor map", name))
		return false;
	tensor = must(calloc(1, sizeof(*tensor)));
	good = parse_tensor(p, c, tensor);
	/* Add the name even after an error: otherwise later statements have errors that follow. */
	tensor->map = names_add(&s->maps, name);
	scenario_add(s, STATEMENT_TENSORMAP, c->line)->tensor = tensor;
	return good;
}

/* --- cluster -------------------------------------------------------------- */

enum { CTAS, THREADS, SMEM, LAYOUT, POLICY, REPORT, ENFORCE };

static const char *const cluster_keys[] = {
	[CTAS] = "ctas",
	[THREADS] = "threads",
	[SMEM] = "smem",
	[LAYOUT] = "layout",
	[POLICY] = "policy",
	[REPORT] = "report",
	[ENFORCE] = "enforce",
};

static bool parse_cluster_value(struct cursor *c, unsigned int key, void *to)
{
	static const char *const layouts[] = {
		[VSM_LAYOUT_SM_90] = "sm_90",
		[VSM_LAYOUT_SM_80] = "sm_80",
	};
	static const char *const policies[] = {
		[DRM_VSM_POLICY_STRICT] = "strict",
		[DRM_VSM_POLICY_HARDWARE] = "hardware",
	};
	struct vsm_cluster_config *config = to;
	const char *where;
	unsigned int choice;

	skip_spaces(c);
	where = c->at;
	switch (key) {
	case CTAS:
		return need_size(c, "ctas", UINT16_MAX, &config->ctas);
	case THREADS:
		return need_size(c, "threads", UINT16_MAX, &config->threads);
	case SMEM:
		return need_size(c, "smem", UINT32_MAX, &config->smem_bytes) &&
		       (!(config->smem_bytes % 16) ||
			error_at(c, where, "smem must be a multiple of 16"));
	case LAYOUT:
		if (!need_choice(c, layouts, ARRAY_SIZE(layouts), &choice))
			return false;
		config->layout = choice;
		return true;
	case POLICY:
		if (!need_choice(c, policies, ARRAY_SIZE(policies), &choice))
			return false;
		config->policy = choice;
		return true;
	case REPORT:
		return need_rules(c, &config->report);
	default:
		return need_rules(c, &config->enforce);
	}
}

bool parse_cluster(struct parser *p, struct cursor *c)
{
	struct vsm_cluster_config *config = &p->scenario->config;
	const char *where[ARRAY_SIZE(cluster_keys)] = { };
	const struct keys keys = {
		.names = cluster_keys,
		.count = ARRAY_SIZE(cluster_keys),
		.value = parse_cluster_value,
		.to = config,
		.where = where,
	};

	if (p->cluster)
		return error_at(c, c->at, "a test has only one cluster; line %u creates it",
				p->cluster);
	p->cluster = c->line;
	p->scenario->cluster_line = c->line;
	if (need_keys(c, &keys))
		return true;
	/* Allow all threads and addresses, to avoid errors that only follow from this one. */
	config->ctas = UINT32_MAX;
	config->threads = UINT32_MAX;
	config->smem_bytes = UINT32_MAX;
	return false;
}

/* --- model of time -------------------------------------------------------- */

static const char *const model_keys[] = {
	[MODEL_LATENCY] = "latency",
	[MODEL_BANDWIDTH] = "bandwidth",
	[MODEL_SHUFFLE] = "shuffle",
	[MODEL_SPLIT] = "split",
	[MODEL_TIMEOUT] = "timeout",
};

static bool parse_model_value(struct cursor *c, unsigned int key, void *to)
{
	struct model *model = to;
	uint64_t max = key == MODEL_SPLIT || key == MODEL_TIMEOUT ? UINT32_MAX : UINT64_MAX;

	model->given |= 1U << key;
	return need_number(c, model_keys[key], max, &model->values[key]);
}

bool parse_model(struct parser *p, struct cursor *c)
{
	const char *where[ARRAY_SIZE(model_keys)] = { };
	struct statement model = { .kind = STATEMENT_MODEL, .line = c->line };
	const struct keys keys = {
		.names = model_keys,
		.count = ARRAY_SIZE(model_keys),
		.value = parse_model_value,
		.to = &model.model,
		.where = where,
	};

	if (!need_keys(c, &keys))
		return false;
	if (!model.model.given)
		return error_at(c, c->at,
				"a model needs latency, bandwidth, shuffle, split or timeout");
	*scenario_add(p->scenario, STATEMENT_MODEL, c->line) = model;
	return true;
}
