// SPDX-License-Identifier: MIT
/* vsm device: lists, makes, changes and removes devices. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base.h"
#include "command.h"
#include "device/folder.h"
#include "json.h"
#include "text.h"
#include "vsm_drm.h"

/* --- show ----------------------------------------------------------------- */

#define DEVICE_JSON_VERSION 1

static const char *state_of(const struct found *found)
{
	if (found->node)
		return "on";
	return found->number < 0 ? "off" : "unbound";
}

static void write_json(const struct found *list, size_t count)
{
	struct json_object *json = must(json_object_new_object()), *devices, *item;
	size_t i;

	json_add_number(json, "version", DEVICE_JSON_VERSION);
	devices = json_add_array(json, "devices");
	for (i = 0; i < count; i++) {
		item = json_add_object(devices, NULL);
		json_add_string(item, "name", list[i].name);
		if (list[i].number < 0)
			json_add_null(item, "device");
		else
			json_add_number(item, "device", list[i].number);
		json_add_string(item, "node", list[i].node);
		json_add_string(item, "state", state_of(&list[i]));
	}
	json_write(stdout, json, false);
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

/* Prints all devices, or with @json writes them as JSON. */
static int action_list(bool json)
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

/* Prints the options of a device. */
static int action_show(const char *name)
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

/* --- changes -------------------------------------------------------------- */

/* The names of all features, each after a space */
static const char features[] =
#define VSM_FEATURE(NAME, name) " " name
#include "vsm_features.h"
	;

/* Prints that the folder has no such option, and which ones it has. */
static int unknown_option(const char *command, int folder, const char *option)
{
	char **names = options_list(folder), *text = NULL, shown[SHOWN_BYTES];
	size_t size, i;
	FILE *list = must(open_memstream(&text, &size));

	for (i = 0; names[i]; i++)
		fprintf(list, "%s%s", i ? ", " : "", names[i]);
	fclose(list);
	must(text);
	make_printable(shown, sizeof(shown), option, 0);
	misused("device %s: there is no option '%s'; the options are %s", command, shown, text);
	free(text);
	options_free(names);
	return EXIT_USAGE;
}

/* Prints why the driver does not know a value. */
static int unknown_value(const char *command, int folder, const char *option, const char *shown)
{
	char *now;
	bool number;

	if (!strcmp(option, "enabled"))
		return misused("device %s: enabled=%s: expected 0 or 1", command, shown);
	if (!strcmp(option, "features"))
		return misused("device %s: features=%s: the names of features are%s",
			       command, shown, features);
	if (!strcmp(option, "policies"))
		return misused("device %s: policies=%s: the names of policies are strict hardware",
			       command, shown);
	now = option_read(folder, option);
	number = now && *now && !now[strspn(now, "0123456789")];
	free(now);
	return misused("device %s: %s=%s: %s", command, option, shown,
		       number ? "this is not a number" : "the driver does not know this value");
}

/* Prints why the driver has refused a value. Returns the exit status. */
static int refused(const char *command, int folder, const char *option, const char *value, int err)
{
	char shown[SHOWN_BYTES];

	make_printable(shown, sizeof(shown), value, 0);
	switch (err) {
	case -EINVAL:
		return unknown_value(command, folder, option, shown);
	case -ERANGE:
		return misused("device %s: %s=%s: the number is too small or too large", command,
			       option, shown);
	case -EBUSY:
		return failed("device %s: %s is fixed while the device exists; set enabled=0 first",
			      command, option);
	case -ENODEV:
		return failed("device %s: the kernel does not bind new devices (drivers_autoprobe)",
			      command);
	case -ENOSPC:
		/* The render nodes of all drivers have 64 places. */
		return failed("device %s: no place is left for another device", command);
	case -EACCES:
	case -EPERM:
		return failed("device %s: only root may change devices", command);
	default:
		return failed("device %s: %s=%s: %s", command, option, shown, strerror(-err));
	}
}

/* Writes an operand, which is OPTION=VALUE. A comma between names of a list means a space. */
static int write_operand(const char *command, int folder, const char *operand)
{
	size_t length = strcspn(operand, "=");
	char *option = must(strndup(operand, length));
	char *value = must(strdup(operand + length + 1)), *comma;
	int status = EXIT_OK, err;

	for (comma = strchr(value, ','); comma; comma = strchr(comma, ','))
		*comma = ' ';
	if (!option_exists(folder, option)) {
		status = unknown_option(command, folder, option);
	} else {
		err = option_write(folder, option, value);
		if (err)
			status = refused(command, folder, option, operand + length + 1, err);
	}
	free(option);
	free(value);
	return status;
}

#define PRESET "preset="

/* Returns the preset that an operand names, or NULL if it names another option or no preset. */
static const char *const *preset_of(const char *operand)
{
	size_t length = strlen(PRESET);

	return strncmp(operand, PRESET, length) ? NULL : preset_find(operand + length);
}

static int write_operands(const char *command, int folder, int count, char **operands)
{
	int status = EXIT_OK, i;

	for (i = 0; i < count && !status; i++) {
		const char *const *preset = preset_of(operands[i]);

		if (!preset)
			status = write_operand(command, folder, operands[i]);
		for (; preset && *preset && !status; preset++)
			status = write_operand(command, folder, *preset);
	}
	return status;
}

/* Is each operand OPTION=VALUE? If it is a preset, is there one of this name? */
static int check_operands(const char *command, int count, char **operands)
{
	char shown[SHOWN_BYTES];
	int i;

	for (i = 0; i < count; i++) {
		bool known = strncmp(operands[i], PRESET, strlen(PRESET)) || preset_of(operands[i]);

		if (known && *operands[i] != '=' && strchr(operands[i], '='))
			continue;
		make_printable(shown, sizeof(shown), operands[i], 0);
		if (!known)
			return misused("device %s: %s: the presets are" PRESET_NAMES,
				       command, shown);
		return misused("device %s: '%s' is not OPTION=VALUE", command, shown);
	}
	return EXIT_OK;
}

/* Makes the device exist, and prints its render node. */
static int enable(const char *command, int folder)
{
	int err = option_write(folder, "enabled", "1");
	char *device, *node;

	if (err)
		return refused(command, folder, "enabled", "1", err);
	device = option_read(folder, "device");
	node = device ? found_node(found_number(device)) : NULL;
	free(device);
	if (!node)
		return failed("device %s: the device has no render node", command);
	puts(node);
	free(node);
	return EXIT_OK;
}

static int failed_to_make(const char *command, const char *name, int err)
{
	char shown[SHOWN_BYTES];

	make_printable(shown, sizeof(shown), name, 0);
	switch (err) {
	case EEXIST:
		return failed("device %s: there is a device '%s' already", command, shown);
	case ENAMETOOLONG:
		return failed("device %s: the name '%s' is longer than 63 bytes", command, shown);
	case EINVAL:
		return misused("device %s: the name '%s' has a space or a control character",
			       command, shown);
	case EACCES:
	case EPERM:
		return failed("device %s: only root may create devices", command);
	default:
		return failed("device %s: '%s': %s", command, shown, strerror(err));
	}
}

/*
 * Makes a device of such operands, and prints its render node. With @disabled, the device does not
 * exist until "enabled" is set, and nothing is printed. @folders comes from folders_open().
 */
static int device_make(const char *command, int folders, int count, char **operands, bool disabled)
{
	int folder, status;

	if (mkdirat(folders, operands[0], 0755))
		return failed_to_make(command, operands[0], errno);
	folder = folder_open(command, folders, operands[0]);
	status = folder < 0 ? EXIT_FAILED :
		 write_operands(command, folder, count - 1, operands + 1);
	if (!status && !disabled)
		status = enable(command, folder);
	if (folder >= 0)
		close(folder);
	if (status && unlinkat(folders, operands[0], AT_REMOVEDIR))
		failed("device %s: the folder cannot be removed again: %s", command,
		       strerror(errno));
	return status;
}

/* Can this be the name of a device? */
static int device_check_name(const char *command, const char *name)
{
	char shown[SHOWN_BYTES];

	if (*name && !strchr(name, '/') && strcmp(name, ".") && strcmp(name, ".."))
		return EXIT_OK;
	make_printable(shown, sizeof(shown), name, 0);
	return misused("device %s: '%s' cannot be the name of a device", command, shown);
}

/* Can a device be made of these operands, NAME [OPTION=VALUE]..., as far as words can say? */
static int device_check(const char *command, int count, char **operands)
{
	int status = device_check_name(command, operands[0]), i;

	if (!status)
		status = check_operands(command, count - 1, operands + 1);
	/* Options that come later could not be set any more. */
	for (i = 1; i < count && !status; i++)
		if (!strncmp(operands[i], "enabled=", 8))
			status = misused("device %s: 'enabled' is set last; see --disabled",
					 command);
	return status;
}

/*
 * Makes a device: the operands are its name and OPTION=VALUE. With @disabled, it does not exist
 * until "enabled" is set.
 */
static int action_create(int count, char **operands, bool disabled)
{
	int status = device_check("create", count, operands), folders;

	if (status)
		return status;
	folders = folders_open("create");
	if (folders < 0)
		return EXIT_FAILED;
	status = device_make("create", folders, count, operands, disabled);
	close(folders);
	return status;
}

/* Changes options of a device: the operands are its name and OPTION=VALUE. */
static int action_set(int count, char **operands)
{
	int folders, folder, status;

	status = check_operands("set", count - 1, operands + 1);
	if (status)
		return status;
	folders = folders_open("set");
	if (folders < 0)
		return EXIT_FAILED;
	folder = folder_open("set", folders, operands[0]);
	close(folders);
	if (folder < 0)
		return EXIT_FAILED;
	status = write_operands("set", folder, count - 1, operands + 1);
	close(folder);
	return status;
}

static int device_remove(const char *command, int folders, const char *name)
{
	char shown[SHOWN_BYTES];

	if (!unlinkat(folders, name, AT_REMOVEDIR))
		return EXIT_OK;
	make_printable(shown, sizeof(shown), name, 0);
	switch (errno) {
	case ENOENT:
	case ENAMETOOLONG:
		return failed("device %s: there is no device '%s'; try 'vsm device list'", command,
			      shown);
	case EACCES:
	case EPERM:
		return failed("device %s: only root may remove devices", command);
	default:
		return failed("device %s: '%s': %s", command, shown, strerror(errno));
	}
}

/* Removes devices. */
static int action_remove(int count, char **operands)
{
	int folders = folders_open("remove"), status = EXIT_OK, i;

	if (folders < 0)
		return EXIT_FAILED;
	for (i = 0; i < count; i++)
		if (device_remove("remove", folders, operands[i]))
			status = EXIT_FAILED;
	close(folders);
	return status;
}

/* --- load ----------------------------------------------------------------- */

#define FILE_LIMIT 0x100000
#define SPACE " \t\r"

/* A line of a file */
struct order {
	/* What a message about the line begins with: the subcommand, the file and the line */
	char *where;
	char **words;	/* the name of the device and its options */
	int count;	/* number of @words */
	bool disabled;	/* the line has --disabled */
};

struct orders {
	struct order *first;
	size_t count;
	/* The contents of the files, in which the words are */
	char **texts;
	size_t text_count;
};

/* Adds the words of a line to @orders. A "#" at the beginning of a word starts a comment. */
static int add_line(struct orders *orders, const char *command, const char *file, size_t number,
		    char *line)
{
	char shown[SHOWN_BYTES], *word, *rest;
	struct order order = {};
	int status = EXIT_OK, size;

	make_printable(shown, sizeof(shown), file, 0);
	size = asprintf(&order.where, "%s: %s:%zu", command, shown, number);
	must(size < 0 ? NULL : order.where);
	for (word = strtok_r(line, SPACE, &rest); word && *word != '#' && !status;
	     word = strtok_r(NULL, SPACE, &rest)) {
		if (!strcmp(word, "--disabled")) {
			order.disabled = true;
		} else if (*word == '-') {
			make_printable(shown, sizeof(shown), word, 0);
			status = misused("device %s: no option '%s'", order.where, shown);
		} else {
			order.words = grow(order.words, order.count, sizeof(*order.words));
			order.words[order.count++] = word;
		}
	}
	if (!status && order.count)
		status = device_check(order.where, order.count, order.words);
	else if (!status && order.disabled)
		status = misused("device %s: expected the NAME of a device", order.where);
	if (!status && order.count) {
		orders->first = grow(orders->first, orders->count, sizeof(order));
		orders->first[orders->count++] = order;
		return EXIT_OK;
	}
	free(order.words);
	free(order.where);
	return status;
}

static int read_orders(struct orders *orders, const char *command, const char *file)
{
	char shown[SHOWN_BYTES], *text, *line, *rest;
	int status = EXIT_OK;
	size_t size, number;

	text = file_read_or_input(file, FILE_LIMIT, &size);
	if (!text) {
		make_printable(shown, sizeof(shown), file, 0);
		return failed("device %s: %s: %s", command, shown, strerror(errno));
	}
	orders->texts = grow(orders->texts, orders->text_count, sizeof(*orders->texts));
	orders->texts[orders->text_count++] = text;
	if (strlen(text) != size) {
		make_printable(shown, sizeof(shown), file, 0);
		return misused("device %s: %s: this is not a text file", command, shown);
	}
	rest = text;
	for (number = 1; (line = strsep(&rest, "\n")) && !status; number++)
		status = add_line(orders, command, file, number, line);
	return status;
}

/* Reads all files before anything is done with the devices. */
static int read_all(struct orders *orders, const char *command, int count, char **files)
{
	int status = EXIT_OK, i;

	for (i = 0; i < count && !status; i++)
		status = read_orders(orders, command, files[i]);
	return status;
}

static void free_orders(struct orders *orders)
{
	size_t i;

	for (i = 0; i < orders->count; i++) {
		free(orders->first[i].where);
		free(orders->first[i].words);
	}
	for (i = 0; i < orders->text_count; i++)
		free(orders->texts[i]);
	free(orders->first);
	free(orders->texts);
}

/* Makes all devices. If one cannot be made, removes those before it. */
static int make_all(int folders, const struct orders *orders)
{
	int status = EXIT_OK;
	size_t made;

	for (made = 0; made < orders->count; made++) {
		const struct order *order = &orders->first[made];

		status = device_make(order->where, folders, order->count, order->words,
				     order->disabled);
		if (status)
			break;
	}
	while (status && made-- > 0)
		device_remove(orders->first[made].where, folders, orders->first[made].words[0]);
	return status;
}

/* Makes the devices that files name. */
static int action_load(int count, char **files)
{
	struct orders orders = {};
	int status, folders;

	status = read_all(&orders, "load", count, files);
	if (!status && orders.count) {
		folders = folders_open("load");
		status = folders < 0 ? EXIT_FAILED : make_all(folders, &orders);
		if (folders >= 0)
			close(folders);
	}
	free_orders(&orders);
	return status;
}

/* Removes the devices that files name. */
static int action_unload(int count, char **files)
{
	struct orders orders = {};
	int status, folders;
	size_t i;

	status = read_all(&orders, "unload", count, files);
	if (!status && orders.count) {
		folders = folders_open("unload");
		if (folders < 0)
			status = EXIT_FAILED;
		for (i = orders.count; i-- > 0 && folders >= 0;) {
			const struct order *order = &orders.first[i];

			/* Somebody may have removed the device already. */
			if (!faccessat(folders, order->words[0], F_OK, 0) &&
			    device_remove(order->where, folders, order->words[0]))
				status = EXIT_FAILED;
		}
		if (folders >= 0)
			close(folders);
	}
	free_orders(&orders);
	return status;
}

/* --- the command ---------------------------------------------------------- */

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
