/* SPDX-License-Identifier: MIT */
/*
 * Results as KTAP on standard output: each file is a test, and its named tests are subtests.
 * Results as JSON: Documentation/results.rst describes the document. Results as JUnit XML, as the
 * servers of CI read it: a testsuite for each file, a testcase for each test.
 */
#ifndef _RESULTS_FORMAT_H_
#define _RESULTS_FORMAT_H_

#include <stdio.h>

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

/* A program that reads version N can also read documents of version N with more keys. */
#define RESULTS_JSON_VERSION 1

void results_as_json(FILE *out, const struct results *results);

void results_as_junit(FILE *out, const struct results *results);

#endif
