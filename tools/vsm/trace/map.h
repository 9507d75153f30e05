/* SPDX-License-Identifier: MIT */
/*
 * A hash table from pairs of numbers to indices.
 */
#ifndef _TRACE_MAP_H_
#define _TRACE_MAP_H_

#include <stddef.h>
#include <stdint.h>

#define MAP_NONE SIZE_MAX

/**
 * struct map_entry - An entry of a table
 * @a: First number
 * @b: Second number
 * @index: The index; MAP_NONE if the entry is free
 */
struct map_entry {
	uint64_t a;
	uint64_t b;
	size_t index;
};

/**
 * struct map - A table. All members of an empty table are 0
 * @entries: Entries
 * @size: Number of @entries: a power of two, or 0
 * @count: Number of entries that are not free
 */
struct map {
	struct map_entry *entries;
	size_t size;
	size_t count;
};

/* Returns the index of a pair; MAP_NONE if the table does not have it. */
size_t map_get(const struct map *map, uint64_t a, uint64_t b);
/* Sets the index of a pair. */
void map_set(struct map *map, uint64_t a, uint64_t b, size_t index);
void map_free(struct map *map);

#endif
