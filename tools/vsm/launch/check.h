/* SPDX-License-Identifier: MIT */
/*
 * Compares a plan with the kernels of its module.
 */
#ifndef _LAUNCH_CHECK_H_
#define _LAUNCH_CHECK_H_

#include "launch/plan.h"

/*
 * Finds the kernel of each launch, and sets &plan_launch.index. Checks the number, kinds and sizes
 * of the arguments. Errors are written to standard error. Returns whether there was none.
 */
bool plan_check(struct plan *plan, const struct vsm_ptx_module *module);

#endif
