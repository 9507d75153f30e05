/* SPDX-License-Identifier: MIT */
/*
 * Reads launch files.
 */
#ifndef _LAUNCH_READ_H_
#define _LAUNCH_READ_H_

#include "launch/plan.h"

/*
 * Parses the text of a launch file into @plan, whose path is set. Errors are written to
 * @errors->out.
 */
void read_launch_file(struct plan *plan, const char *text, size_t size, struct errors *errors);

#endif
