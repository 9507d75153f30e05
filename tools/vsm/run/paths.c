// SPDX-License-Identifier: MIT
/*
 * Finds the files that the operands of vsm run name.
 */
#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base.h"
#include "run/paths.h"

static void add(struct paths *paths, const char *path)
{
	paths->paths = grow(paths->paths, paths->count, sizeof(*paths->paths));
	paths->paths[paths->count++] = must(strdup(path));
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static bool is_scenario(const FTSENT *entry)
{
	return entry->fts_namelen > 4 &&
	       !strcmp(entry->fts_name + entry->fts_namelen - 4, ".vsm");
}

static int take_entry(struct paths *paths, FTS *tree, FTSENT *entry)
{
	if (entry->fts_level > FTS_ROOTLEVEL && entry->fts_name[0] == '.') {
		fts_set(tree, entry, FTS_SKIP);
		return EXIT_OK;
	}
	switch (entry->fts_info) {
	case FTS_F:
		if (is_scenario(entry))
			add(paths, entry->fts_path);
		return EXIT_OK;
	case FTS_SLNONE:
		if (is_scenario(entry))
			return misused("run: %s: %s", entry->fts_path, strerror(ENOENT));
		return EXIT_OK;
	case FTS_DNR:
	case FTS_ERR:
	case FTS_NS:
		return misused("run: %s: %s", entry->fts_path, strerror(entry->fts_errno));
	default:
		return EXIT_OK;
	}
}

static int find_below(struct paths *paths, const char *folder)
{
	char *root = must(strdup(folder)), *roots[] = { root, NULL };
	size_t before = paths->count, length = strlen(root);
	int status = EXIT_OK;
	FTSENT *entry;
	FTS *tree;

	while (length > 1 && root[length - 1] == '/')
		root[--length] = '\0';
	/* Links are followed. A link to a folder above is a circle, which is not entered twice. */
	tree = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, by_name);
	if (!tree) {
		free(root);
		return misused("run: %s: %s", folder, strerror(errno));
	}
	while (!status && (entry = fts_read(tree)))
		status = take_entry(paths, tree, entry);
	fts_close(tree);
	free(root);
	if (!status && paths->count == before)
		status = misused("run: %s: there is no file *.vsm in this folder", folder);
	return status;
}

int paths_find(struct paths *paths, char **operands, int count)
{
	int status = EXIT_OK, inputs = 0, i;
	struct stat info;

	for (i = 0; i < count && !status; i++) {
		inputs += !strcmp(operands[i], "-");
		if (inputs > 1)
			status = misused("run: standard input can be read only once");
		else if (!stat(operands[i], &info) && S_ISDIR(info.st_mode))
			status = find_below(paths, operands[i]);
		else
			add(paths, operands[i]);
	}
	return status;
}

void paths_free(struct paths *paths)
{
	size_t i;

	for (i = 0; i < paths->count; i++)
		free(paths->paths[i]);
	free(paths->paths);
}
