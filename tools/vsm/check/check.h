/* SPDX-License-Identifier: MIT */
/*
 * Checks a scenario without a device: what the verifiers of compilers find.
 */
#ifndef _CHECK_CHECK_H_
#define _CHECK_CHECK_H_

#include <stdio.h>

#include "scenario/scenario.h"

/*
 * Prints what is wrong on @wrong, a line each, and if @objects is not NULL the kind of each
 * mbarrier on @objects. Returns whether nothing is wrong. The scenario has no other errors.
 */
bool check_scenario(const struct scenario *s, FILE *wrong, FILE *objects);

#endif
