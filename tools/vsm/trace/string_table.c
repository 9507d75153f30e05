// SPDX-License-Identifier: MIT
/*
 * A list of texts in which each text is only once: a hash table with open addressing.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "trace/string_table.h"

/* FNV-1a */
static uint64_t hash_of(const char *bytes, size_t size)
{
	uint64_t hash = 0xcbf29ce484222325;

	while (size--)
		hash = (hash ^ (unsigned char)*bytes++) * 0x100000001b3;
	return hash;
}

/* Returns the slot of a text, or the empty slot where it belongs. */
static size_t *find_slot(const struct string_table *table, const char *bytes, size_t size)
{
	size_t i = hash_of(bytes, size) & (table->slot_count - 1);
	const struct text *text;

	for (; table->slots[i]; i = (i + 1) & (table->slot_count - 1)) {
		text = &table->list[table->slots[i] - 1];
		if (text->size == size && !memcmp(text->bytes, bytes, size))
			break;
	}
	return &table->slots[i];
}

static void enlarge(struct string_table *table)
{
	size_t i;

	free(table->slots);
	table->slot_count = table->slot_count ? 2 * table->slot_count : 256;
	table->slots = must(calloc(table->slot_count, sizeof(*table->slots)));
	for (i = 0; i < table->count; i++)
		*find_slot(table, table->list[i].bytes, table->list[i].size) = i + 1;
}

size_t string_table_add(struct string_table *table, const char *bytes, size_t size)
{
	struct text *text;
	size_t *slot;

	if (2 * (table->count + 1) > table->slot_count)
		enlarge(table);
	slot = find_slot(table, bytes, size);
	if (*slot)
		return *slot - 1;

	table->list = grow(table->list, table->count, sizeof(*table->list));
	text = &table->list[table->count];
	text->bytes = must(malloc(size + 1));
	memcpy(text->bytes, bytes, size);
	text->bytes[size] = 0;
	text->size = size;
	*slot = ++table->count;
	return table->count - 1;
}

void string_table_free(struct string_table *table)
{
	size_t i;

	for (i = 0; i < table->count; i++)
		free(table->list[i].bytes);
	free(table->list);
	free(table->slots);
}
