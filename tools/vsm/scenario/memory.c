// SPDX-License-Identifier: MIT
/*
 * Parses buffers, and places in buffers and windows.
 */
#include "base.h"
#include "scenario/memory.h"

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
