/* SPDX-License-Identifier: MIT */
/*
 * Names what the events of a launch are about.
 */
#ifndef _LAUNCH_NAME_H_
#define _LAUNCH_NAME_H_

#include <vsm_ptx.h>

#include "trace/gather.h"

/*
 * Names the events of a launch that has ended. @module is the path of its module, @report the
 * report.
 */
void name_events(struct gather *timeline, const struct vsm_ptx_launch *launch, const char *module,
		 const char *report);

#endif
