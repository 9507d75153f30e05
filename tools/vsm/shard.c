// SPDX-License-Identifier: MIT
/* Parts of a run: ranges of seeds, and --shard. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "shard.h"
#include "vsm_syntax.h"

/* --- seeds ---------------------------------------------------------------- */

static bool parse_seed(struct cursor *c, struct seeds *seeds)
{
	seeds->last = 0;
	return need_number(c, "a seed", UINT64_MAX, &seeds->first) &&
	       (seeds->first || error_at(c, c->start, "a seed cannot be 0"));
}

static bool parse_seeds(struct cursor *c, struct seeds *seeds)
{
	const char *where;

	if (!need_number(c, "a seed", INT64_MAX, &seeds->first))
		return false;
	skip_spaces(c);
	where = c->at;
	if (c->end - c->at < 2 || memcmp(c->at, "..", 2))
		return error_at(c, where, "expected a range of seeds, as in 1..100");
	c->at += 2;
	if (!need_number(c, "a seed", INT64_MAX, &seeds->last))
		return false;
	return (seeds->first && seeds->first <= seeds->last) ||
	       error_at(c, where, "seeds begin with 1, and the last one is not below the first");
}

static int parse(const char *command, const char *name, const char *value,
		 bool (*parse_value)(struct cursor *c, struct seeds *seeds), struct seeds *seeds)
{
	struct errors errors = { .out = stderr };
	struct cursor c = {
		.errors = &errors,
		.start = value,
		.at = value,
		.end = value + strlen(value),
	};
	bool good;
	char *path;

	if (asprintf(&path, "vsm: %s: --%s %s", command, name, value) < 0)
		must(NULL);
	errors.path = path;
	good = parse_value(&c, seeds) && need_end(&c);
	free(path);
	return good ? EXIT_OK : EXIT_USAGE;
}

int seed_option(const char *command, const char *value, struct seeds *seeds)
{
	return parse(command, "seed", value, parse_seed, seeds);
}

int seeds_option(const char *command, const char *value, struct seeds *seeds)
{
	return parse(command, "seeds", value, parse_seeds, seeds);
}

/* --- parts ---------------------------------------------------------------- */

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
