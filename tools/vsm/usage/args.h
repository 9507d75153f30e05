/* SPDX-License-Identifier: MIT */
/*
 * Reads the arguments of a command, as the table of commands describes them.
 *
 *	while (args_next(args)) {
 *		switch (args->option) {
 *		case OPT_JSON:
 *			...
 *		}
 *	}
 *	if (args->ended)
 *		return args->status;
 *	... args->operands ...
 */
#ifndef _USAGE_ARGS_H_
#define _USAGE_ARGS_H_

#include <getopt.h>

#include "usage/usage.h"

/**
 * struct args - The arguments of a command
 * @root: vsm itself, with all commands
 * @command: The command
 * @name: Its name with that of its group, such as "trace record"
 * @argc: Number of arguments, with the name of the command, or with the names of group and command
 * @argv: These arguments as they were given
 * @option: The option that args_next() has read
 * @value: Its value, or NULL
 * @choice: Index of the value in the words of the option, if the value must be one of them
 * @operands: Operands, when args_next() has returned false
 * @count: Number of operands
 * @ended: There was an error, which is printed, or --help: the command ends with @status
 * @status: Exit status
 * @order: The arguments in the order that getopt_long() gives them
 * @known: Options for getopt_long()
 * @letters: Short options for getopt_long()
 */
struct args {
	const struct command *root;
	const struct command *command;
	char *name;
	int argc;
	char **argv;
	enum option_id option;
	const char *value;
	int choice;
	char **operands;
	int count;
	bool ended;
	int status;
	char **order;
	struct option *known;
	char *letters;
};

/*
 * Finds the command that @argv names. Prints an error and sets @ended if there is none; does the
 * same with the help of a group.
 */
void args_begin(struct args *args, const struct command *root, int argc, char **argv);
/*
 * Reads the next option. Returns false if there is none, or an error, or --help. After the last
 * option, it checks the number of operands.
 */
bool args_next(struct args *args);
void args_free(struct args *args);

/* Returns the command of this name in a list, or NULL. */
const struct command *command_find(const struct command *commands, const char *name);

#endif
