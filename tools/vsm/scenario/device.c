// SPDX-License-Identifier: MIT
/*
 * Parsing what a scenario runs on: the cluster, memory, the model of time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "scenario/parser.h"

/* --- lists of names and KEY=VALUE ----------------------------------------- */

/* "a, b or c" */
static const char *name_list(const char *const *names, unsigned int count, char text[160])
{
	size_t used = 0;
	unsigned int i;

	for (i = 0; i < count; i++)
		used += snprintf(text + used, 160 - used, "%s%s", names[i],
				 i + 2 < count ? ", " : i + 2 == count ? " or " : "");
	return text;
}

bool parse_choice(struct cursor *c, const char *const *names, unsigned int count,
		  unsigned int *choice)
{
	struct nearest nearest = { };
	char text[QUOTE_SIZE], hint[MEANT_SIZE], list[160];
	struct span word;
	unsigned int i;

	word = take_word(c);
	nearest.span = word;
	for (i = 0; i < count; i++) {
		if (span_is(word, names[i])) {
			*choice = i;
			return true;
		}
		nearest_try(&nearest, names[i]);
	}
	c->at = word.text;
	return error_at(c, c->at, "expected %s, found %s%s", name_list(names, count, list),
			found(c, text), meant(&nearest, "", hint));
}

bool parse_keys(struct cursor *c, const struct keys *keys)
{
	while (!at_end(c)) {
		const char *where = c->at;
		unsigned int key;

		if (!parse_choice(c, keys->names, keys->count, &key))
			return false;
		if (keys->where[key])
			return error_at(c, where, "%s is given twice", keys->names[key]);
		keys->where[key] = where;
		if (!need(c, '=') || !keys->value(c, key, keys->to))
			return false;
	}
	return true;
}

/* --- cluster -------------------------------------------------------------- */

bool parse_size(struct cursor *c, const char *what, uint32_t max, uint32_t *size)
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

/* RULE,...: names of faults. */
static bool parse_rules(struct cursor *c, uint64_t *rules)
{
	do {
		struct nearest nearest = { };
		char text[QUOTE_SIZE], hint[MEANT_SIZE];
		struct span word = take_word(c);
		uint32_t fault;

		nearest.span = word;
		fault = fault_by_name(word, &nearest);
		if (!fault) {
			c->at = word.text;
			return error_at(c, c->at, "expected a rule, found %s%s", found(c, text),
					meant(&nearest, "", hint));
		}
		*rules |= DRM_VSM_RULE(fault);
	} while (take(c, ','));
	return true;
}

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
	case POLICY:
		if (!parse_choice(c, policies, ARRAY_SIZE(policies), &choice))
			return false;
		config->policy = choice;
		return true;
	case REPORT:
		return parse_rules(c, &config->report);
	default:
		return parse_rules(c, &config->enforce);
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
		return error_at(c, c->at, "there is one cluster, which line %u makes", p->cluster);
	p->cluster = c->line;
	p->scenario->cluster_line = c->line;
	if (parse_keys(c, &keys))
		return true;
	/* No more errors because of this one. */
	config->ctas = UINT32_MAX;
	config->threads = UINT32_MAX;
	config->smem_bytes = UINT32_MAX;
	return false;
}

/* --- memory --------------------------------------------------------------- */

static int find_buffer(const struct scenario *s, struct span name)
{
	size_t i;

	for (i = 0; i < s->buffer_count; i++)
		if (span_is(name, s->buffers[i].name))
			return i;
	return -1;
}

int known_buffer(void *parser, struct cursor *c, struct span name)
{
	const struct scenario *s = ((struct parser *)parser)->scenario;
	struct nearest nearest = { .span = name };
	char text[QUOTE_SIZE], hint[MEANT_SIZE];
	int buffer = find_buffer(s, name);
	size_t i;

	if (buffer >= 0)
		return buffer;
	for (i = 0; i < s->buffer_count; i++)
		nearest_try(&nearest, s->buffers[i].name);
	error_at(c, name.text, "there is no buffer %s%s", quote(text, name),
		 meant(&nearest, "", hint));
	return -1;
}

bool parse_new_buffer(struct parser *p, struct cursor *c)
{
	struct scenario *s = p->scenario;
	struct statement *statement;
	struct span name;
	uint64_t size;
	char text[QUOTE_SIZE];
	const char *where;

	if (!need_name(c, "the buffer's name", &name))
		return false;
	if (find_buffer(s, name) >= 0)
		return error_at(c, name.text, "there is a buffer %s already", quote(text, name));
	skip_spaces(c);
	where = c->at;
	if (!need_number(c, "the buffer's size", INT64_MAX, &size) || !need_end(c))
		return false;
	if (!size)
		return error_at(c, where, "a buffer has at least one byte");
	statement = add_statement(p, STATEMENT_BUFFER, c->line);
	statement->buffer = s->buffer_count;
	s->buffers = grow(s->buffers, s->buffer_count, sizeof(*s->buffers));
	s->buffers[s->buffer_count++] = (struct scenario_buffer){
		.name = must(strndup(name.text, name.length)),
		.size = size,
	};
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
		place->buffer = known_buffer(p, c, name);
		if (place->buffer < 0)
			return false;
	}
	skip_spaces(c);
	*where = c->at;
	return need_number(c, window ? "an offset in the window" : "an offset in the buffer",
			   UINT64_MAX, &place->offset);
}

bool check_place(struct parser *p, struct cursor *c, const char *where,
		 const struct place *place, uint64_t length)
{
	const struct scenario *s = p->scenario;
	bool window = place->buffer < 0;
	uint64_t size = window ? s->config.smem_bytes : s->buffers[place->buffer].size;

	return (place->offset <= size && length <= size - place->offset) ||
	       error_at(c, where, "that is past the end of %s",
			window ? "the window" : s->buffers[place->buffer].name);
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
	*add_statement(p, STATEMENT_FILL, c->line) = fill;
	return true;
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

	if (!parse_keys(c, &keys))
		return false;
	if (!model.model.given)
		return error_at(c, c->at,
				"a model needs latency, bandwidth, shuffle, split or timeout");
	*add_statement(p, STATEMENT_MODEL, c->line) = model;
	return true;
}
