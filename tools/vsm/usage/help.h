/* SPDX-License-Identifier: MIT */
/* Texts about commands, made from the table of commands, and a walk through that table. */
#ifndef _USAGE_HELP_H_
#define _USAGE_HELP_H_

#include <stddef.h>
#include <stdio.h>

#include "usage/usage.h"

/**
 * struct visit - What to do with each command
 * @group: Called before the commands of a group, also for vsm itself; or NULL
 * @command: Called for each command that is no group; or NULL
 *
 * @name is the name with that of its group, such as "trace record"; "" for vsm itself. Hidden
 * commands are not visited.
 */
struct visit {
	void (*group)(FILE *out, const struct command *group, const char *name);
	void (*command)(FILE *out, const struct command *command, const char *name);
};

/* Visits @command, whose name is @name, and all commands below it. */
void walk(FILE *out, const struct command *command, const char *name, const struct visit *visit);

/* For each word of @words, which are separated by spaces. @word is the word, @length its length. */
#define for_each_word(words, word, length) \
	for (word = (words); word && (length = strcspn(word, " ")); \
	     word += length + (word[length] == ' '))

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

/*
 * Copies @in to @out. A line "# @NAME@", or in a man page .\" @NAME OPERAND@, stands for a text
 * that is made from the table. @VERSION@ is the version of vsm. Prints errors. Returns the exit
 * status.
 */
int fill(FILE *in, FILE *out, const struct command *root);

#endif
