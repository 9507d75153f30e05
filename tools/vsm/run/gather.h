/* SPDX-License-Identifier: MIT */
/*
 * Gathers the events of a scenario for --timeline, and names what they are about.
 */
#ifndef _RUN_GATHER_H_
#define _RUN_GATHER_H_

#include "results/results.h"
#include "run/recording.h"
#include "scenario/scenario.h"
#include "trace/export.h"

/* Adds the events of a scenario that has run with this result. */
void gather_scenario(struct gather *gather, const struct scenario *scenario,
		     const struct recording *recording, const struct result *result);

#endif
