// SPDX-License-Identifier: MIT
/*
 * The calls in whose place the compiler has put the code of a function.
 *
 * inlined_at names only the innermost call. If the function of this call is inlined itself, an
 * earlier .loc of the same PTX function stands for the place of the call, and has an inlined_at,
 * too. There may be several such .loc, if the function is inlined several times: the last one
 * counts.
 */
#include <stdlib.h>

#include "load/inlined.h"
#include "load/parser.h"

#define FIRST_SLOTS 256

/**
 * struct ptx_inlined_slot - A place that a .loc of a function has named
 * @at: Place
 * @function: Number of the function. In another function the slot is free
 * @inlined: What the last .loc with this place has said; NULL if it had no inlined_at
 */
struct ptx_inlined_slot {
	struct ptx_line at;
	uint32_t function;
	const struct ptx_inlined *inlined;
};

static uint32_t hash_of(const struct ptx_parser *p, struct ptx_line at)
{
	uint64_t hash = p->names.seed;

	hash = (hash ^ at.file) * 0x100000001b3ull;
	hash = (hash ^ hash >> 29 ^ at.line) * 0x100000001b3ull;
	hash = (hash ^ hash >> 29 ^ at.column) * 0x100000001b3ull;
	return hash ^ hash >> 32;
}

/* Returns the slot of the place, or the free one that it would get. */
static struct ptx_inlined_slot *find(const struct ptx_parser *p, struct ptx_line at)
{
	const struct ptx_inlined_table *table = &p->inlined;
	uint32_t i = hash_of(p, at);

	for (;; i++) {
		struct ptx_inlined_slot *slot = &table->slots[i & (table->slot_count - 1)];

		if (slot->function != table->function ||
		    (slot->at.file == at.file && slot->at.line == at.line &&
		     slot->at.column == at.column))
			return slot;
	}
}

static bool grow(struct ptx_parser *p)
{
	struct ptx_inlined_table *table = &p->inlined, old = *table;
	uint32_t slot_count = old.slot_count ? 2 * old.slot_count : FIRST_SLOTS, i;
	size_t size = slot_count * sizeof(*old.slots);

	table->slots = ptx_arena_charge(p->arena, size) ? calloc(1, size) : NULL;
	if (!table->slots) {
		table->slots = old.slots;
		ptx_out_of_memory(p);
		return false;
	}
	table->slot_count = slot_count;
	for (i = 0; i < old.slot_count; i++)
		if (old.slots[i].function == table->function)
			*find(p, old.slots[i].at) = old.slots[i];
	free(old.slots);
	return true;
}

void ptx_inlined_begin(struct ptx_parser *p)
{
	p->inlined.function++;
	p->inlined.count = 0;
}

void ptx_inlined_plain(struct ptx_parser *p, struct ptx_line at)
{
	struct ptx_inlined_slot *slot;

	if (!p->inlined.count)
		return;
	slot = find(p, at);
	if (slot->function == p->inlined.function)
		slot->inlined = NULL;
}

/* Returns what follows from a .loc with inlined_at @call. NULL is the outermost function. */
static const struct ptx_inlined *inlined_of(struct ptx_parser *p, struct ptx_line call,
					    const struct ptx_inlined *before)
{
	const struct ptx_inlined_slot *slot = find(p, call);
	const struct ptx_inlined *outer = NULL;
	struct ptx_inlined *inlined;

	if (slot->function == p->inlined.function)
		outer = slot->inlined;
	/* A call in line 0 has no line of its own: name the call around it. */
	if (!call.line || (outer && outer->depth == PTX_MAX_INLINED))
		return outer;
	if (before && before->outer == outer && before->file == (int32_t)call.file &&
	    before->line == call.line)
		return before;
	inlined = ptx_new(p, 1, sizeof(*inlined));
	if (!inlined)
		return NULL;
	*inlined = (struct ptx_inlined){
		.file = call.file, .line = call.line, .outer = outer,
		.depth = outer ? outer->depth + 1 : 1,
	};
	return inlined;
}

bool ptx_inlined_add(struct ptx_parser *p, struct ptx_line at, struct ptx_line call,
		     const struct ptx_inlined **inlined)
{
	struct ptx_inlined_table *table = &p->inlined;
	struct ptx_inlined_slot *slot;

	if (2 * (table->count + 1) > table->slot_count && !grow(p))
		return false;
	slot = find(p, at);
	if (slot->function != table->function) {
		*slot = (struct ptx_inlined_slot){ .at = at, .function = table->function };
		table->count++;
	}
	slot->inlined = inlined_of(p, call, slot->inlined);
	*inlined = slot->inlined;
	return !p->error;
}

void ptx_inlined_free(struct ptx_parser *p)
{
	free(p->inlined.slots);
}

const struct ptx_inlined *ptx_outermost(const struct ptx_place *place)
{
	const struct ptx_inlined *inlined = place->inlined;

	while (inlined && inlined->outer)
		inlined = inlined->outer;
	return inlined;
}
