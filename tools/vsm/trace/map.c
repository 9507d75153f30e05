// SPDX-License-Identifier: MIT
/*
 * A hash table from pairs of numbers to indices.
 */
#include <stdlib.h>

#include "base.h"
#include "trace/map.h"

#define FIRST_SIZE 64

/* The entry of the pair, or the free entry where it belongs. @map is not empty. */
static struct map_entry *find(const struct map *map, uint64_t a, uint64_t b)
{
	uint64_t hash = (a ^ (b << 32 | b >> 32)) * 0x9e3779b97f4a7c15;
	size_t i = (hash ^ hash >> 32) & (map->size - 1);

	while (map->entries[i].index != MAP_NONE &&
	       (map->entries[i].a != a || map->entries[i].b != b))
		i = (i + 1) & (map->size - 1);
	return &map->entries[i];
}

size_t map_get(const struct map *map, uint64_t a, uint64_t b)
{
	return map->size ? find(map, a, b)->index : MAP_NONE;
}

static void resize(struct map *map)
{
	struct map old = *map;
	size_t i;

	map->size = old.size ? 2 * old.size : FIRST_SIZE;
	map->entries = must(reallocarray(NULL, map->size, sizeof(*map->entries)));
	for (i = 0; i < map->size; i++)
		map->entries[i].index = MAP_NONE;
	for (i = 0; i < old.size; i++)
		if (old.entries[i].index != MAP_NONE)
			*find(map, old.entries[i].a, old.entries[i].b) = old.entries[i];
	free(old.entries);
}

void map_set(struct map *map, uint64_t a, uint64_t b, size_t index)
{
	struct map_entry *entry;

	if (2 * map->count >= map->size)
		resize(map);
	entry = find(map, a, b);
	map->count += entry->index == MAP_NONE;
	*entry = (struct map_entry){ .a = a, .b = b, .index = index };
}

void map_free(struct map *map)
{
	free(map->entries);
	*map = (struct map){ };
}
