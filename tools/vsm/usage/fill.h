/* SPDX-License-Identifier: MIT */
/* Puts what the table of commands says into the man page and into the completions of shells. */
#ifndef _USAGE_FILL_H_
#define _USAGE_FILL_H_

#include <stdio.h>

#include "usage/usage.h"

/*
 * Copies @in to @out. A line "# @NAME@", or in a man page .\" @NAME OPERAND@, stands for a text
 * that is made from the table. @VERSION@ is the version of vsm. Prints errors. Returns the exit
 * status.
 */
int fill(FILE *in, FILE *out, const struct command *root);

#endif
