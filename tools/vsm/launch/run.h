/* SPDX-License-Identifier: MIT */
/*
 * Runs plans.
 */
#ifndef _LAUNCH_RUN_H_
#define _LAUNCH_RUN_H_

#include "launch/options.h"
#include "launch/plan.h"

/* Runs the plan. Returns the exit status. If a signal has ended a launch, dies of the signal. */
int plan_run(struct plan *plan, struct run_options *options);

#endif
