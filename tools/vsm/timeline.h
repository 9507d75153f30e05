/* SPDX-License-Identifier: MIT */
/*
 * vsm run --timeline: names what the events of scenarios are about.
 */
#ifndef _TIMELINE_H_
#define _TIMELINE_H_

#include "results/results.h"
#include "run/record.h"
#include "scenario/scenario.h"
#include "trace/gather.h"

/* Adds the events of a scenario that has run with this result. */
void timeline_add(struct gather *timeline, const struct scenario *scenario,
		  const struct record *record, const struct result *result);

#endif
