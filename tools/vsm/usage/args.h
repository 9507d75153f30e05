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

/* The arguments of a command */
struct args {
	const struct command *root;	/* vsm itself, with all commands */
	const struct command *command;
	char *name;	/* its name with that of its group, such as "trace record" */
	/*
	 * Number of arguments, with the name of the command, or with the names of group and
	 * command.
	 */
	int argc;
	char **argv;			/* these arguments as they were given */
	enum option_id option;		/* the option that args_next() has read */
	const char *value;		/* its value, or NULL */
	/* Index of the value in the words of the option, if the value must be one of them */
	int choice;
	char **operands;		/* operands, when args_next() has returned false */
	int count;			/* number of operands */
	/* There was an error, which is printed, or --help: the command ends with @status */
	bool ended;
	int status;			/* exit status */
	char **order;	/* the arguments in the order that getopt_long() gives them */
	struct option *known;		/* options for getopt_long() */
	char *letters;			/* short options for getopt_long() */
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
