/* SPDX-License-Identifier: MIT */
/*
 * Arguments of kernels on the command line: --arg.
 */
#ifndef _LAUNCH_OPTION_H_
#define _LAUNCH_OPTION_H_

#include "launch/plan.h"

/*
 * Parses @text, the argument with this number, from 1. Adds it to the only launch of the plan, with
 * its buffer, tensor map and outputs. Errors are written to standard error. Returns whether there
 * was none.
 */
bool parse_option_arg(struct plan *plan, unsigned int number, const char *text);

#endif
