/* SPDX-License-Identifier: MIT */
/*
 * Executes a scenario statement by statement.
 */
#ifndef _RUN_EXECUTE_H_
#define _RUN_EXECUTE_H_

#include "run/state.h"

/*
 * Executes a scenario. Writes failures to @out as &struct report says. Returns whether there were
 * none. The caller must end the process afterwards, because threads may still be suspended.
 */
bool execute_scenario(struct vsm_device *device, const struct scenario *scenario, bool no_limit,
		      FILE *out);

#endif
