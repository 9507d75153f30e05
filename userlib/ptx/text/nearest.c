// SPDX-License-Identifier: MIT
/*
 * Finds the name that an unknown word may mean.
 */
#include <string.h>

#include "text/nearest.h"

/* The smallest number of insertions, deletions and replacements that change @a to @b. */
static unsigned int edit_distance(struct span a, const char *b)
{
	unsigned int row[QUOTE_SIZE];
	size_t length = strlen(b);
	size_t i, j;

	if (length >= QUOTE_SIZE || a.length >= QUOTE_SIZE)
		return QUOTE_SIZE;
	for (j = 0; j <= length; j++)
		row[j] = j;
	for (i = 0; i < a.length; i++) {
		unsigned int diagonal = row[0];

		row[0] = i + 1;
		for (j = 1; j <= length; j++) {
			unsigned int above = row[j];
			unsigned int best = diagonal + (a.text[i] != b[j - 1]);

			if (above + 1 < best)
				best = above + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			diagonal = above;
			row[j] = best;
		}
	}
	return row[length];
}

void nearest_try(struct nearest *nearest, const char *name)
{
	unsigned int distance = edit_distance(nearest->word, name);

	/* At most a third of the name may be wrong. */
	if (distance * 3 > strlen(name) + 2 || (nearest->name && distance >= nearest->distance))
		return;
	nearest->name = name;
	nearest->distance = distance;
}

const char *meant(const struct nearest *nearest, const char *prefix, char text[MEANT_SIZE])
{
	text[0] = '\0';
	if (nearest->name)
		snprintf(text, MEANT_SIZE, "; did you mean %s%s?", prefix, nearest->name);
	return text;
}
