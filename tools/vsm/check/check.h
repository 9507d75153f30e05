/* SPDX-License-Identifier: MIT */
/* Checks a scenario without a device, and finds errors that the verifiers of compilers find. */
#ifndef _CHECK_H_
#define _CHECK_H_

#include <stdio.h>

#include "scenario/scenario.h"

/*
 * Prints each error as a line to @wrong. If @objects is not NULL, prints the kind of each mbarrier
 * to @objects. Returns whether there are no errors. The scenario must have been parsed without
 * errors.
 */
bool check_scenario(const struct scenario *s, FILE *wrong, FILE *objects);

#endif
