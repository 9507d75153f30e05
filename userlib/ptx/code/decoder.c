// SPDX-License-Identifier: MIT
/*
 * Errors at instructions, and rows of constants.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "code/decoder.h"

/* At most this number of different constants of a decoder; each has a row of 256 bytes. */
#define MAX_CONSTS	(1u << 20)

enum ptx_decoded ptx_refuse(struct ptx_decoder *d, const struct ptx_insn *insn,
			    const char *format, ...)
{
	char text[1536];
	va_list args;

	/* A name may be long, and nobody would read the message. */
	if (d->messages->count >= PTX_MAX_MESSAGES)
		return REFUSED;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	ptx_message(d->messages, d->module->path, insn->place.line, insn->place.column, "%s", text);
	return REFUSED;
}

uint64_t ptx_hash(const struct ptx_decoder *d, uint64_t value)
{
	uint64_t hash = (value ^ d->seed) * 0x9e3779b97f4a7c15ull;

	hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93ull;
	return hash ^ hash >> 32;
}

/*
 * The memory behind @consts holds @const_space rows, and after them a hash table of twice as many
 * numbers: the index of a constant plus 1, or 0.
 */
static uint32_t *const_table(const struct ptx_decoder *d)
{
	return (uint32_t *)(d->consts + (size_t)d->const_space * PTX_LANES);
}

/* The place of the constant in the table, or the free place where it belongs. */
static uint32_t *const_find(const struct ptx_decoder *d, uint64_t value)
{
	uint32_t *table = const_table(d);
	uint32_t last = 2 * d->const_space - 1;
	uint32_t at = (uint32_t)ptx_hash(d, value) & last;

	while (table[at] && d->consts[(size_t)(table[at] - 1) * PTX_LANES] != value)
		at = (at + 1) & last;
	return &table[at];
}

static bool const_grow(struct ptx_decoder *d)
{
	uint32_t space = d->const_space ? 2 * d->const_space : 16;
	size_t rows = (size_t)space * PTX_LANES * sizeof(uint64_t);
	uint64_t *consts;

	if (space > MAX_CONSTS)
		return false;
	consts = realloc(d->consts, rows + (size_t)space * 2 * sizeof(uint32_t));
	if (!consts)
		return false;
	memset((char *)consts + rows, 0, (size_t)space * 2 * sizeof(uint32_t));
	d->consts = consts;
	d->const_space = space;
	for (uint32_t i = 0; i < d->const_count; i++)
		*const_find(d, consts[(size_t)i * PTX_LANES]) = i + 1;
	return true;
}

uint32_t ptx_const_row(struct ptx_decoder *d, uint64_t value)
{
	uint32_t *found;

	if (d->const_count == d->const_space && !const_grow(d)) {
		ptx_message(d->messages, d->module->path, d->function->place.line,
			    d->function->place.column, "no memory for the constants of %s",
			    d->function->name);
		return PTX_NO_ROW;
	}
	found = const_find(d, value);
	if (!*found) {
		uint64_t *row = d->consts + (size_t)d->const_count * PTX_LANES;

		for (unsigned int i = 0; i < PTX_LANES; i++)
			row[i] = value;
		*found = ++d->const_count;
	}
	return PTX_ROW(FILE_CONST, *found - 1);
}
