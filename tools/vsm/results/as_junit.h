/* SPDX-License-Identifier: MIT */
/*
 * Writes results as JUnit XML, as the servers of CI read it: a testsuite for each file, a testcase
 * for each test.
 */
#ifndef _RESULTS_AS_JUNIT_H_
#define _RESULTS_AS_JUNIT_H_

#include <stdio.h>

#include "results/results.h"

void results_as_junit(FILE *out, const struct results *results);

#endif
