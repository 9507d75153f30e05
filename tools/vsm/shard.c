// SPDX-License-Identifier: MIT
/*
 * The option --shard I/N: a part of the tests.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base.h"
#include "shard.h"

bool shard_parse(const char *text, struct shard *shard)
{
	int slash = 0, end = 0;

	/* sscanf() would take signs and spaces. */
	return isdigit((unsigned char)text[0]) &&
	       sscanf(text, "%6u/%n%6u%n", &shard->index, &slash, &shard->count, &end) == 2 &&
	       isdigit((unsigned char)text[slash]) && !text[end] &&
	       shard->index && shard->index <= shard->count;
}

int shard_option(const char *command, const char *value, struct shard *shard)
{
	if (shard_parse(value, shard))
		return EXIT_OK;
	return misused("%s: --shard %s: expected a part and their number, such as 2/5", command,
		       value);
}

uint64_t shard_step(const struct shard *shard)
{
	return shard->index ? shard->count : 1;
}

bool shard_has(const struct shard *shard, const struct seeds *seeds, uint64_t number,
	       uint64_t *first)
{
	uint64_t turn;

	*first = seeds->first;
	if (!shard->index)
		return true;
	/* How many tests, or seeds, the part lets pass before it takes one */
	turn = (shard->index - 1 + shard->count - number % shard->count) % shard->count;
	if (!seeds->last)
		return !turn;
	*first += turn;
	return *first <= seeds->last;
}

uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
	const unsigned char *byte = bytes;

	while (size--)
		hash = (hash ^ *byte++) * 0x100000001b3;
	return hash;
}

void whole_add(struct whole *whole, const char *path, const char *name, unsigned int line)
{
	char place[16];
	int length = snprintf(place, sizeof(place), "%u", line);

	if (!name)
		name = "";
	if (!whole->tests++)
		whole->hash = HASH_BEGIN;
	/* Each text includes its 0, so that no two tests have the same bytes. */
	whole->hash = hash_bytes(whole->hash, path, strlen(path) + 1);
	whole->hash = hash_bytes(whole->hash, place, length + 1);
	whole->hash = hash_bytes(whole->hash, name, strlen(name) + 1);
}

bool whole_same(const struct whole *a, const struct whole *b)
{
	return a->tests == b->tests && a->hash == b->hash && a->seeds.first == b->seeds.first &&
	       a->seeds.last == b->seeds.last;
}
