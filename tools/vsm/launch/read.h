/* SPDX-License-Identifier: MIT */
/* Reads plans: launch files, and the arguments of kernels on the command line. */
#ifndef _LAUNCH_READ_H_
#define _LAUNCH_READ_H_

#include "launch/plan.h"

/* --- arguments on the command line ---------------------------------------- */

/*
 * Parses @text, the argument with this number, from 1. Adds it to the only launch of the plan, with
 * its buffer, tensor map and outputs. Errors are written to standard error. Returns whether there
 * was none.
 */
bool parse_option_arg(struct plan *plan, unsigned int number, const char *text);

/* --- launch files --------------------------------------------------------- */

/*
 * Parses the text of a launch file into @plan, whose path is set. Errors are written to
 * @errors->out.
 */
void read_launch_file(struct plan *plan, const char *text, size_t size, struct errors *errors);

#endif
