// SPDX-License-Identifier: MIT
/*
 * The options --seed N and --seeds A..B.
 */
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "seeds.h"
#include "text/lex.h"

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
