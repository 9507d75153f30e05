// SPDX-License-Identifier: MIT
/*
 * A list of texts in which each text is only once: a hash table with open addressing.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "trace/texts.h"

/* FNV-1a */
static uint64_t hash_of(const char *bytes, size_t size)
{
	uint64_t hash = 0xcbf29ce484222325;

	while (size--)
		hash = (hash ^ (unsigned char)*bytes++) * 0x100000001b3;
	return hash;
}

/* Returns the slot of a text, or the empty slot where it belongs. */
static size_t *find_slot(const struct texts *texts, const char *bytes, size_t size)
{
	size_t i = hash_of(bytes, size) & (texts->slot_count - 1);
	const struct text *text;

	for (; texts->slots[i]; i = (i + 1) & (texts->slot_count - 1)) {
		text = &texts->list[texts->slots[i] - 1];
		if (text->size == size && !memcmp(text->bytes, bytes, size))
			break;
	}
	return &texts->slots[i];
}

static void enlarge(struct texts *texts)
{
	size_t i;

	free(texts->slots);
	texts->slot_count = texts->slot_count ? 2 * texts->slot_count : 256;
	texts->slots = must(calloc(texts->slot_count, sizeof(*texts->slots)));
	for (i = 0; i < texts->count; i++)
		*find_slot(texts, texts->list[i].bytes, texts->list[i].size) = i + 1;
}

size_t texts_add(struct texts *texts, const char *bytes, size_t size)
{
	struct text *text;
	size_t *slot;

	if (2 * (texts->count + 1) > texts->slot_count)
		enlarge(texts);
	slot = find_slot(texts, bytes, size);
	if (*slot)
		return *slot - 1;

	texts->list = grow(texts->list, texts->count, sizeof(*texts->list));
	text = &texts->list[texts->count];
	text->bytes = must(malloc(size + 1));
	memcpy(text->bytes, bytes, size);
	text->bytes[size] = 0;
	text->size = size;
	*slot = ++texts->count;
	return texts->count - 1;
}

void texts_free(struct texts *texts)
{
	size_t i;

	for (i = 0; i < texts->count; i++)
		free(texts->list[i].bytes);
	free(texts->list);
	free(texts->slots);
}
