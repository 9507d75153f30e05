/* SPDX-License-Identifier: MIT */
/*
 * Executes a scenario statement by statement.
 */
#ifndef _RUN_EXECUTE_H_
#define _RUN_EXECUTE_H_

#include "run/recording.h"
#include "run/state.h"

/**
 * struct execution - How a scenario is executed
 * @no_limit: A try_wait without suspendTimeHint suspends until its phase completes
 * @seed: Seed of the order; 0 for none
 * @recording: Gets the events, or NULL
 */
struct execution {
	bool no_limit;
	uint64_t seed;
	struct recording *recording;
};

/*
 * Executes a scenario. Writes failures to @out as &struct report says. Returns whether there were
 * none. The caller must end the process afterwards, because threads may still be suspended.
 */
bool execute_scenario(struct vsm_device *device, const struct scenario *scenario,
		      const struct execution *how, FILE *out);

#endif
