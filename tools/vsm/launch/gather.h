/* SPDX-License-Identifier: MIT */
/*
 * Gathers the events of a launch for --timeline: names what they are about.
 */
#ifndef _LAUNCH_GATHER_H_
#define _LAUNCH_GATHER_H_

#include <vsm_ptx.h>

#include "trace/export.h"

/*
 * Names the events of a launch that has ended. @module is the path of its module, @report the
 * report.
 */
void gather_launch(struct gather *gather, const struct vsm_ptx_launch *launch, const char *module,
		   const char *report);

#endif
