/* SPDX-License-Identifier: MIT */
/*
 * Texts for the man page and for the completion of bash, made from the table of commands.
 */
#ifndef _USAGE_TEXTS_H_
#define _USAGE_TEXTS_H_

#include <stdio.h>

#include "usage/usage.h"

/*
 * These functions write the texts. The command that the text is about is @command, which is vsm
 * itself if the line has no operand. @name is its name with that of its group.
 */
typedef void fill_function(FILE *out, const struct command *command, const char *name);

fill_function bash_names;
fill_function bash_operands;
fill_function bash_options;
fill_function bash_prefixes;
fill_function bash_values;
fill_function roff_command;
fill_function roff_options;
fill_function roff_synopsis;
fill_function valued_options;

#endif
