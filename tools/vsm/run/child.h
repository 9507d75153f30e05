/* SPDX-License-Identifier: MIT */
/*
 * Runs a scenario in a process of its own.
 */
#ifndef _RUN_CHILD_H_
#define _RUN_CHILD_H_

#include "results/results.h"
#include "run/execute.h"

/*
 * Runs a scenario in a process of its own. When the process ends, its suspended threads end too,
 * and a crash does not affect other tests. Adds failures and the duration to @result.
 */
void run_in_child(const struct scenario *scenario, const struct execution *how,
		  struct result *result);

#endif
