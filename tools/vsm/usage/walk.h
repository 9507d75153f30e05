/* SPDX-License-Identifier: MIT */
/*
 * Visits the commands in the table of commands.
 */
#ifndef _USAGE_WALK_H_
#define _USAGE_WALK_H_

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

#endif
