/* SPDX-License-Identifier: MIT */
/*
 * Merges results of the parts of a run (--shard).
 */
#ifndef _RESULTS_MERGE_H_
#define _RESULTS_MERGE_H_

#include "results/results.h"

/*
 * Moves the results in @from to @to, and sorts them by file and line. If a test has run with seeds
 * in several parts, its results become one.
 */
void results_merge(struct results *to, struct results *from);

#endif
