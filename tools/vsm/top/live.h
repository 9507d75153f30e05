/* SPDX-License-Identifier: MIT */
/*
 * vsm top on a terminal.
 */
#ifndef _TOP_LIVE_H_
#define _TOP_LIVE_H_

#include "top/view.h"

/*
 * Shows samples on the terminal until the user ends it, or until @iterations samples were shown
 * unless that is 0. @sample is the first sample. Returns the exit status.
 */
int live_run(struct view *view, struct model *model, struct sample *sample,
	     unsigned long iterations);

#endif
