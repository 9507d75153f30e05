/* SPDX-License-Identifier: MIT */
/*
 * Prints results as KTAP to standard output. Each file is a test, and its named tests are subtests.
 */
#ifndef _RESULTS_AS_KTAP_H_
#define _RESULTS_AS_KTAP_H_

#include "results/results.h"

/* Prints all results. */
void results_as_ktap(const struct results *results);

/*
 * These print results piece by piece, while tests still run: first the number of files, and then
 * for each file, with its number from 1, the beginning, each of its results, and the end. The list
 * of a file's results must be complete at its beginning.
 */
void ktap_begin(size_t files);
void ktap_begin_file(const struct result_file *file);
void ktap_result(const struct result_file *file, size_t number);
void ktap_end_file(const struct result_file *file, size_t number);

#endif
