/* SPDX-License-Identifier: MIT */
/*
 * Finds the files that the operands of vsm run name.
 */
#ifndef _RUN_PATHS_H_
#define _RUN_PATHS_H_

#include <stddef.h>

/**
 * struct paths - Files to run
 * @paths: FILE or FILE:TEST of each
 * @count: Number of @paths
 */
struct paths {
	char **paths;
	size_t count;
};

/*
 * Adds the files that the operands name. An operand that is a folder stands for all files *.vsm
 * below it, in the order of their names, without those whose names begin with a dot. Prints errors.
 * Returns the exit status.
 */
int paths_find(struct paths *paths, char **operands, int count);
void paths_free(struct paths *paths);

#endif
