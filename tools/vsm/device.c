// SPDX-License-Identifier: MIT
/*
 * vsm device: lists, makes, changes and removes devices.
 */
#include <locale.h>
#include <string.h>

#include "base.h"
#include "command.h"
#include "device/actions.h"
#include "printable.h"

/* Can each of the first @count operands be the name of a folder? */
static int check_names(const struct args *args, int count)
{
	char shown[256];
	int i;

	for (i = 0; i < count; i++) {
		const char *name = args->operands[i];

		if (*name && !strchr(name, '/') && strcmp(name, ".") && strcmp(name, ".."))
			continue;
		make_printable(shown, sizeof(shown), name, 0);
		return misused("%s: '%s' cannot be the name of a device", args->name, shown);
	}
	return EXIT_OK;
}

/* Reads the arguments. @option is set if the only option of the command was given. */
static int begin(struct args *args, bool all_names, bool *option)
{
	/* Names of devices are shown as far as the terminal shows their characters. */
	setlocale(LC_CTYPE, "");
	while (args_next(args))
		*option = true;
	if (args->ended)
		return args->status;
	return check_names(args, all_names ? args->count : args->count > 0);
}

int command_device_list(struct args *args)
{
	bool json = false;
	int status = begin(args, false, &json);

	return status || args->ended ? status : action_list(json);
}

int command_device_create(struct args *args)
{
	bool disabled = false;
	int status = begin(args, false, &disabled);

	return status || args->ended ? status :
				       action_create(args->count, args->operands, disabled);
}

int command_device_set(struct args *args)
{
	int status = begin(args, false, NULL);

	return status || args->ended ? status : action_set(args->count, args->operands);
}

int command_device_show(struct args *args)
{
	int status = begin(args, false, NULL);

	return status || args->ended ? status : action_show(args->operands[0]);
}

int command_device_remove(struct args *args)
{
	int status = begin(args, true, NULL);

	return status || args->ended ? status : action_remove(args->count, args->operands);
}
