// SPDX-License-Identifier: MIT
/*
 * Merges results of the parts of a run (--shard).
 */
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "results/merge.h"

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* Returns the result of the same test with other seeds, or NULL. */
static struct result *find_other_seeds(const struct result_file *file, const struct result *like)
{
	size_t i;

	for (i = 0; like->seed && i < file->count; i++)
		if (file->results[i]->seed && file->results[i]->line == like->line &&
		    same_text(file->results[i]->name, like->name))
			return file->results[i];
	return NULL;
}

/*
 * A failure is the result, of several the one with the lowest seed. A test that was skipped in one
 * part, because a test before it had failed, may have passed in others.
 */
static bool decides(const struct result *a, const struct result *b)
{
	static const unsigned int weights[] = {
		[VERDICT_SKIP] = 0, [VERDICT_PASS] = 1, [VERDICT_FAIL] = 2,
	};

	if (a->verdict != b->verdict)
		return weights[a->verdict] > weights[b->verdict];
	return a->verdict == VERDICT_FAIL ? a->seed < b->seed : a->seed > b->seed;
}

/* Adds the seeds of @from to those of @to. @from keeps what does not decide. */
static void combine(struct result *to, struct result *from)
{
	int64_t ns = to->ns + from->ns;
	uint64_t runs = to->runs + from->runs;
	struct result other = *to;

	if (decides(from, to)) {
		*to = *from;
		*from = other;
	}
	to->ns = ns;
	to->runs = runs;
}

static struct result_file *find_file(struct results *results, const char *path)
{
	size_t i;

	for (i = 0; i < results->count; i++)
		if (!strcmp(results->files[i]->path, path))
			return results->files[i];
	return results_add_file(results, path);
}

static void merge_file(struct result_file *to, struct result_file *from)
{
	size_t i, kept = 0;

	for (i = 0; i < from->count; i++) {
		struct result *same = find_other_seeds(to, from->results[i]);

		if (same) {
			combine(same, from->results[i]);
			from->results[kept++] = from->results[i];
			continue;
		}
		to->results = grow(to->results, to->count, sizeof(*to->results));
		to->results[to->count++] = from->results[i];
	}
	/* The caller frees these with @from. */
	from->count = kept;
}

static int by_path(const void *a, const void *b)
{
	const struct result_file *const *first = a, *const *second = b;

	return strcmp((*first)->path, (*second)->path);
}

static int by_line(const void *a, const void *b)
{
	const struct result *const *first = a, *const *second = b;

	return (int)(*first)->line - (int)(*second)->line;
}

void results_merge(struct results *to, struct results *from)
{
	size_t i;

	for (i = 0; i < from->count; i++)
		merge_file(find_file(to, from->files[i]->path), from->files[i]);
	if (to->count)
		qsort(to->files, to->count, sizeof(*to->files), by_path);
	for (i = 0; i < to->count; i++)
		qsort(to->files[i]->results, to->files[i]->count, sizeof(struct result *),
		      by_line);
}
