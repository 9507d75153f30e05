/* SPDX-License-Identifier: MIT */
/*
 * Writes results as JSON. Documentation/results.rst describes the document.
 */
#ifndef _RESULTS_AS_JSON_H_
#define _RESULTS_AS_JSON_H_

#include <stdio.h>

#include "results/results.h"

/* A program that reads version N can also read documents of version N with more keys. */
#define RESULTS_JSON_VERSION 1

void results_as_json(FILE *out, const struct results *results);

#endif
