/* SPDX-License-Identifier: MIT */
/*
 * Prints the kernels of a module.
 */
#ifndef _LAUNCH_LIST_H_
#define _LAUNCH_LIST_H_

#include "launch/plan.h"

/* Prints the kernels of the plan's module. Returns the exit status. */
int plan_list(const struct plan *plan);

#endif
