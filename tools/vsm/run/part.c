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

/* Keeps the tests of a file that belong to the part. The first one has the number @number. */
static void keep_tests(struct scenario_file *file, const struct shard *shard,
		       const struct seeds *seeds, uint64_t number)
{
	size_t i, kept = 0;

	file->first_seeds = must(calloc(file->count, sizeof(*file->first_seeds)));
	for (i = 0; i < file->count; i++) {
		if (shard_has(shard, seeds, number + i, &file->first_seeds[kept]))
			file->tests[kept++] = file->tests[i];
		else
			scenario_free(file->tests[i]);
	}
	file->count = kept;
}

size_t part_keep(struct scenario_file **files, size_t count, const struct shard *shard,
		 const struct seeds *seeds)
{
	struct scenario_file **sorted;
	uint64_t number = 0;
	size_t i, kept = 0;

	if (!shard->index)
		return count;
	sorted = must(calloc(count, sizeof(*sorted)));
	memcpy(sorted, files, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), by_path);
	for (i = 0; i < count; i++) {
		size_t tests = sorted[i]->count;

		keep_tests(sorted[i], shard, seeds, number);
		number += tests;
	}
	free(sorted);
	for (i = 0; i < count; i++) {
		if (files[i]->count)
			files[kept++] = files[i];
		else
			scenario_file_free(files[i]);
	}
	return kept;
}
