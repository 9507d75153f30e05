// SPDX-License-Identifier: MIT
/* vsm help, and the hidden vsm fill: texts that are made from the table of commands. */
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "command.h"
#include "usage/help.h"

int command_help(struct args *args)
{
	struct args wanted;
	char **names;
	int status, i;

	while (args_next(args))
		;
	if (args->ended)
		return args->status;
	/* The help of a command is what "vsm COMMAND --help" prints. */
	names = must(calloc(args->count + 3, sizeof(*names)));
	for (i = 0; i < args->count; i++)
		names[1 + i] = args->operands[i];
	names[1 + args->count] = "--help";
	args_begin(&wanted, args->root, args->count + 2, names);
	while (args_next(&wanted))
		;
	status = wanted.status;
	if (!wanted.ended)
		status = misused("help: no command '%s'", args->operands[0]);
	args_free(&wanted);
	free(names);
	return status;
}

int command_fill(struct args *args)
{
	while (args_next(args))
		;
	return args->ended ? args->status : fill(stdin, stdout, args->root);
}
