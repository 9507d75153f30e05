// SPDX-License-Identifier: MIT
/*
 * Keeps only the tests that belong to a part (--shard).
 */
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "run/part.h"

/* Files of the same name have the same tests, and it does not matter which of them is the first. */
static int by_path(const void *a, const void *b)
{
	const struct scenario_file *const *first = a, *const *second = b;

	return strcmp((*first)->path, (*second)->path) ?:
	       (int)(*first)->tests[0]->line - (int)(*second)->tests[0]->line;
}

/* Keeps the tests of a file that belong to the part. Adds all of them to @whole. */
static void keep_tests(struct scenario_file *file, const struct shard *shard, struct whole *whole)
{
	size_t i, kept = 0;

	file->first_seeds = must(calloc(file->count, sizeof(*file->first_seeds)));
	for (i = 0; i < file->count; i++) {
		whole_add(whole, file->path, file->tests[i]->name, file->tests[i]->line);
		if (shard_has(shard, &whole->seeds, whole->tests - 1, &file->first_seeds[kept]))
			file->tests[kept++] = file->tests[i];
		else
			scenario_free(file->tests[i]);
	}
	file->count = kept;
}

size_t part_keep(struct scenario_file **files, size_t count, const struct shard *shard,
		 const struct seeds *seeds, struct whole *whole)
{
	struct scenario_file **sorted;
	size_t i, kept = 0;

	*whole = (struct whole){ .seeds = *seeds };
	if (!shard->index)
		return count;
	sorted = must(calloc(count, sizeof(*sorted)));
	memcpy(sorted, files, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), by_path);
	for (i = 0; i < count; i++)
		keep_tests(sorted[i], shard, whole);
	free(sorted);
	for (i = 0; i < count; i++) {
		if (files[i]->count)
			files[kept++] = files[i];
		else
			scenario_file_free(files[i]);
	}
	return kept;
}
