// SPDX-License-Identifier: MIT
/*
 * vsm results merge: merges the results of the parts of a run (--shard), and says what is missing.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "colour.h"
#include "command.h"
#include "results/format.h"
#include "results/output.h"

/* --- results of the same test ------------------------------------------------------- */

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

/*
 * Moves the results in @from to @to, and sorts them by file and line. If a test has run with seeds
 * in several parts, its results become one.
 */
static void results_merge(struct results *to, struct results *from)
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

/* --- parts -------------------------------------------------------------------------- */

/* Tests that were divided into parts */
struct divided {
	struct whole whole;	/* the tests */
	const char **paths;	/* for each part, from 1, the file with its results, or NULL */
};

/* Results that are being merged */
struct merge {
	struct results results;	/* results of all files that were read */
	unsigned int parts;	/* number of parts; 0 if the results are not of parts */
	/* The tests whose parts these are. Several calls of vsm may each have divided others. */
	struct divided *divided;
	size_t divided_count;	/* number of @divided */
	char *const *paths;	/* files that were read */
	uint64_t *hashes;	/* hash of each of these files */
	int count;		/* number of @paths */
};

/* Are these results of the same run as those that were read before? */
static int check_same(const struct merge *merge, const char *path, const struct results *more)
{
	if (strcmp(more->command, merge->results.command))
		return misused("results merge: %s: these are results of vsm %s, and not of vsm %s",
			       path, more->command, merge->results.command);
	if (more->shard.count == merge->parts)
		return EXIT_OK;
	if (!more->shard.count)
		return misused("results merge: %s: these are results of all tests, not of a part",
			       path);
	if (!merge->parts)
		return misused("results merge: %s: these are results of a part, not of all tests",
			       path);
	return misused("results merge: %s: this is one of %u parts, and not one of %u", path,
		       more->shard.count, merge->parts);
}

static struct divided *find_divided(struct merge *merge, const struct whole *whole)
{
	struct divided *divided;
	size_t i;

	for (i = 0; i < merge->divided_count; i++)
		if (whole_same(&merge->divided[i].whole, whole))
			return &merge->divided[i];
	merge->divided = grow(merge->divided, i, sizeof(*merge->divided));
	divided = &merge->divided[merge->divided_count++];
	divided->whole = *whole;
	divided->paths = must(calloc(merge->parts + 1, sizeof(*divided->paths)));
	return divided;
}

/* Notes that these results are there. */
static int take_part(struct merge *merge, const char *path, const struct results *more)
{
	const char **place = &find_divided(merge, &more->whole)->paths[more->shard.index];

	if (*place)
		return misused("results merge: %s: %s has results of the same part", path, *place);
	*place = path;
	return EXIT_OK;
}

/* Results that are no parts have nothing that tells them apart but their contents. */
static int check_new(const struct merge *merge, const char *path, uint64_t hash)
{
	int i;

	for (i = 0; i < merge->count; i++)
		if (merge->hashes[i] == hash)
			return misused("results merge: %s: %s has the same results", path,
				       merge->paths[i]);
	return EXIT_OK;
}

static int add_file(struct merge *merge, const char *path, bool first)
{
	struct results more;
	uint64_t hash;
	const char *problem = results_read(&more, path, &hash);
	int status;

	if (problem) {
		status = misused("results merge: %s: %s", path, problem);
	} else if (first) {
		merge->results.command = more.command;
		merge->parts = more.shard.count;
		status = EXIT_OK;
	} else {
		status = check_same(merge, path, &more);
	}
	if (!status)
		status = merge->parts ? take_part(merge, path, &more) :
					check_new(merge, path, hash);
	if (!status) {
		merge->hashes[merge->count++] = hash;
		results_merge(&merge->results, &more);
	}
	results_free(&more);
	return status;
}

/* Adds a test that has failed for a part that is missing. @path: File with another part */
static void add_missing(struct merge *merge, unsigned int part, const struct whole *whole,
			const char *path)
{
	char name[48], seeds[64] = "", *text;
	struct result *result;

	snprintf(name, sizeof(name), "part %u of %u", part, merge->parts);
	result = result_add(results_add_file(&merge->results, name), NULL, 0);
	if (whole->seeds.last)
		snprintf(seeds, sizeof(seeds), " with seeds %" PRIu64 "..%" PRIu64,
			 whole->seeds.first, whole->seeds.last);
	else if (whole->seeds.first)
		snprintf(seeds, sizeof(seeds), " with seed %" PRIu64, whole->seeds.first);
	if (asprintf(&text, "there are no results of this part; %s has a part of the same %" PRIu64
		     " test%s%s", path, whole->tests, whole->tests == 1 ? "" : "s", seeds) < 0)
		must(NULL);
	result_fail(result, 0, text);
	free(text);
}

static void find_missing(struct merge *merge)
{
	unsigned int part, other;
	size_t i;

	for (i = 0; i < merge->divided_count; i++) {
		const struct divided *divided = &merge->divided[i];

		for (other = 1; !divided->paths[other]; other++)
			;
		for (part = 1; part <= merge->parts; part++)
			if (!divided->paths[part])
				add_missing(merge, part, &divided->whole, divided->paths[other]);
	}
}

/* Prints the results as KTAP. Returns the exit status. */
static int print_results(const struct results *results, bool silent)
{
	struct tally tally = { };
	size_t i;

	if (!silent)
		results_as_ktap(results);
	for (i = 0; i < results->count; i++)
		tally_file(&tally, results->files[i]);
	return tally.tests[VERDICT_FAIL] ? EXIT_FAILED : EXIT_OK;
}

static int merge_files(struct merge *merge, const struct args *args, struct outputs *outputs)
{
	int status = EXIT_OK, i;

	merge->paths = args->operands;
	merge->hashes = must(calloc(args->count, sizeof(*merge->hashes)));
	for (i = 0; i < args->count && !status; i++)
		status = add_file(merge, args->operands[i], !i);
	if (!status)
		status = outputs_open(outputs, "results merge");
	if (status)
		return status;
	find_missing(merge);
	status = print_results(&merge->results, outputs_silent(outputs));
	if (outputs_write(outputs, &merge->results))
		status = EXIT_FAILED;
	return status;
}

int command_merge(struct args *args)
{
	struct outputs outputs = { };
	struct merge merge = { };
	int status;
	size_t i;

	while (args_next(args)) {
		if (args->option == OPT_COLOR)
			colour_option(args->choice);
		else
			outputs_take(&outputs, args->option == OPT_JSON ? FORMAT_JSON :
				     FORMAT_JUNIT, args->value);
	}
	if (args->ended)
		return args->status;
	status = outputs_check(&outputs, "results merge", NULL) ?:
		 merge_files(&merge, args, &outputs);
	results_free(&merge.results);
	for (i = 0; i < merge.divided_count; i++)
		free(merge.divided[i].paths);
	free(merge.divided);
	free(merge.hashes);
	return status;
}
