// SPDX-License-Identifier: MIT
/*
 * Visits the commands in the table of commands.
 */
#include <stdlib.h>

#include "base.h"
#include "usage/walk.h"

void walk(FILE *out, const struct command *command, const char *name, const struct visit *visit)
{
	const struct command *next;
	char *path;

	if (!command->commands) {
		if (visit->command)
			visit->command(out, command, name);
		return;
	}
	if (visit->group)
		visit->group(out, command, name);
	for (next = command->commands; next->name; next++) {
		if (next->hidden)
			continue;
		if (asprintf(&path, "%s%s%s", name, *name ? " " : "", next->name) < 0)
			must(NULL);
		walk(out, next, path, visit);
		free(path);
	}
}
