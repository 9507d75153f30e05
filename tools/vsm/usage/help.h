/* SPDX-License-Identifier: MIT */
/*
 * Texts about commands, made from the table of commands.
 */
#ifndef _USAGE_HELP_H_
#define _USAGE_HELP_H_

#include <stddef.h>
#include <stdio.h>

#include "usage/usage.h"

/* With more options than this, a synopsis has [OPTION...]. */
#define SYNOPSIS_OPTIONS 4

/* Prints what --help prints. @name is the name of the command with that of its group. */
void print_help(FILE *out, const struct command *command, const char *name);
/* Prints the words behind the name of a command: options and operands. */
void print_synopsis(FILE *out, const struct command *command);
/* Writes the operands of a command, such as "FILE [KERNEL]". Returns @text. */
const char *operand_text(const struct command *command, char *text, size_t size);
/* Writes an option, such as "-o, --output OUT" or "--json[=FILE]". Returns @text. */
const char *option_text(const struct option_use *use, char *text, size_t size);
/* White space in the sentences of the table. */
#define SPACES "\n "

/* Returns the length of the first sentence of a text, without its full stop. */
size_t first_sentence(const char *text);

#endif
