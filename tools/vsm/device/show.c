// SPDX-License-Identifier: MIT
/*
 * vsm device list and show: what devices there are, and their options.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "actions.h"
#include "base.h"
#include "folder.h"
#include "found.h"
#include "json.h"
#include "printable.h"

#define DEVICE_JSON_VERSION 1

static const char *state_of(const struct found *found)
{
	if (found->node)
		return "on";
	return found->number < 0 ? "off" : "unbound";
}

static void write_json(const struct found *list, size_t count)
{
	struct json json;
	size_t i;

	json_begin(&json, stdout);
	json_object(&json, NULL);
	json_number(&json, "version", DEVICE_JSON_VERSION);
	json_array(&json, "devices");
	for (i = 0; i < count; i++) {
		json_object(&json, NULL);
		json_string(&json, "name", list[i].name);
		if (list[i].number < 0)
			json_null(&json, "device");
		else
			json_number(&json, "device", list[i].number);
		json_string(&json, "node", list[i].node);
		json_string(&json, "state", state_of(&list[i]));
		json_end(&json);
	}
	json_end(&json);
	json_end(&json);
}

/* Writes the name of a device, and returns its columns. */
static size_t show_name(const struct found *found, char *shown)
{
	return make_printable(shown, SHOWN_BYTES, found->name ? found->name : "-", 0);
}

static void write_text(const struct found *list, size_t count)
{
	char name[SHOWN_BYTES], device[32];
	size_t i, columns, width = strlen("NAME");

	for (i = 0; i < count; i++) {
		columns = show_name(&list[i], name);
		if (width < columns)
			width = columns;
	}
	printf("%-*s  %-6s  %-19s  %s\n", (int)width, "NAME", "DEVICE", "NODE", "STATE");
	for (i = 0; i < count; i++) {
		columns = show_name(&list[i], name);
		snprintf(device, sizeof(device), "vsm.%d", list[i].number);
		printf("%s%*s  %-6s  %-19s  %s\n", name, (int)(width - columns), "",
		       list[i].number < 0 ? "-" : device, list[i].node ? list[i].node : "-",
		       state_of(&list[i]));
	}
}

int action_list(bool json)
{
	struct found *list;
	size_t count;

	if (access("/sys/bus/platform/drivers/vsm", F_OK))
		return failed_to_open("device list", 0, false);
	list = found_list(&count);
	if (json)
		write_json(list, count);
	else
		write_text(list, count);
	found_free(list, count);
	return EXIT_OK;
}

/* Prints an option as create and set take it. A list has commas between its names. */
static int print_option(int folder, const char *option)
{
	char *value = option_read(folder, option), *space;

	if (!value)
		return failed("device show: %s: %s", option, strerror(errno));
	for (space = strchr(value, ' '); space; space = strchr(space, ' '))
		*space = ',';
	printf("%s=", option);
	write_printable(stdout, value, strlen(value));
	putchar('\n');
	free(value);
	return EXIT_OK;
}

int action_show(const char *name)
{
	int folders = folders_open("show"), folder, status = EXIT_OK;
	char **names;
	size_t i;

	if (folders < 0)
		return EXIT_FAILED;
	folder = folder_open("show", folders, name);
	close(folders);
	if (folder < 0)
		return EXIT_FAILED;
	names = options_list(folder);
	for (i = 0; names[i] && !status; i++)
		status = print_option(folder, names[i]);
	options_free(names);
	close(folder);
	return status;
}
