/* SPDX-License-Identifier: MIT */
/*
 * Keeps only the tests that belong to a part (--shard).
 */
#ifndef _RUN_PART_H_
#define _RUN_PART_H_

#include "scenario/read.h"
#include "shard.h"

/*
 * Removes the tests that do not belong to the part, and the files without other tests. Sets the
 * first seed of each test, and sets @whole to all tests, which are the same for all parts. Tests
 * are numbered in the order of their files' names, and not in the order of the files. Returns the
 * number of the files that are left.
 */
size_t part_keep(struct scenario_file **files, size_t count, const struct shard *shard,
		 const struct seeds *seeds, struct whole *whole);

#endif
