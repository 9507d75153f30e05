/* SPDX-License-Identifier: MIT */
/*
 * Checks a scenario without a device, and finds errors that the verifiers of compilers find.
 *
 * The check follows the lines of the scenario in order, and uses the addresses, counts and bytes
 * that constants determine. It assumes that asynchronous operations complete at once. In no real
 * execution can a phase complete earlier, so a phase that is not complete here cannot be complete
 * on the device. After an operation with an unknown value on an mbarrier, the state of the mbarrier
 * is unsure, and the check reports no more errors about it.
 */
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
