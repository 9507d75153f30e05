// SPDX-License-Identifier: MIT
/*
 * vsm device: lists, makes, changes and removes devices.
 */
#include <limits.h>
#include <locale.h>
#include <string.h>

#include "base.h"
#include "command.h"
#include "device/actions.h"
#include "device/change.h"

/* Can each of the first @count operands be the name of a folder? */
static int check_names(const struct args *args, int count)
{
	const char *command = args->name + strlen("device ");
	int status = EXIT_OK, i;

	for (i = 0; i < count && !status; i++)
		status = device_check_name(command, args->operands[i]);
	return status;
}

/*
 * Reads the arguments. The first @names operands are names of devices. @option is set if the only
 * option of the command was given.
 */
static int begin(struct args *args, int names, bool *option)
{
	/* Names of devices are shown as far as the terminal shows their characters. */
	setlocale(LC_CTYPE, "");
	while (args_next(args))
		*option = true;
	if (args->ended)
		return args->status;
	return check_names(args, names < args->count ? names : args->count);
}

int command_device_list(struct args *args)
{
	bool json = false;
	int status = begin(args, 0, &json);

	return status || args->ended ? status : action_list(json);
}

int command_device_create(struct args *args)
{
	bool disabled = false;
	int status = begin(args, 1, &disabled);

	return status || args->ended ? status :
				       action_create(args->count, args->operands, disabled);
}

int command_device_set(struct args *args)
{
	int status = begin(args, 1, NULL);

	return status || args->ended ? status : action_set(args->count, args->operands);
}

int command_device_show(struct args *args)
{
	int status = begin(args, 1, NULL);

	return status || args->ended ? status : action_show(args->operands[0]);
}

int command_device_remove(struct args *args)
{
	int status = begin(args, INT_MAX, NULL);

	return status || args->ended ? status : action_remove(args->count, args->operands);
}

int command_device_load(struct args *args)
{
	int status = begin(args, 0, NULL);

	return status || args->ended ? status : action_load(args->count, args->operands);
}

int command_device_unload(struct args *args)
{
	int status = begin(args, 0, NULL);

	return status || args->ended ? status : action_unload(args->count, args->operands);
}
