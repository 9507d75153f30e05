// SPDX-License-Identifier: MIT
/*
 * vsm device create, set and remove: folders in configfs come, change and go.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "actions.h"
#include "base.h"
#include "change.h"
#include "folder.h"
#include "found.h"
#include "preset.h"
#include "printable.h"
#include "vsm_drm.h"

/* The names of all features, and the minor version of the ABI from which on each of them exists */
static const struct {
	const char *name;
	unsigned int since;
} features[] = {
#define VSM_FEATURE(NAME, name, since) { name, since },
#include "vsm_features.h"
};

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

/* Prints which features the folder knows, after the version that its device pretends to have. */
static int unknown_feature(const char *command, int folder, const char *shown)
{
	char *now = option_read(folder, "abi_minor"), *text = NULL;
	unsigned long minor = now ? strtoul(now, NULL, 10) : DRM_VSM_ABI_MINOR;
	size_t size, i;
	FILE *list = must(open_memstream(&text, &size));

	for (i = 0; i < ARRAY_SIZE(features); i++)
		if (features[i].since <= minor)
			fprintf(list, " %s", features[i].name);
	fclose(list);
	must(text);
	if (minor < DRM_VSM_ABI_MINOR)
		misused("device %s: features=%s: the names of features of ABI 0.%lu are%s",
			command, shown, minor, text);
	else
		misused("device %s: features=%s: the names of features are%s", command, shown,
			text);
	free(text);
	free(now);
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
		return unknown_feature(command, folder, shown);
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

int device_make(const char *command, int folders, int count, char **operands, bool disabled)
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

int device_check_name(const char *command, const char *name)
{
	char shown[SHOWN_BYTES];

	if (*name && !strchr(name, '/') && strcmp(name, ".") && strcmp(name, ".."))
		return EXIT_OK;
	make_printable(shown, sizeof(shown), name, 0);
	return misused("device %s: '%s' cannot be the name of a device", command, shown);
}

int device_check(const char *command, int count, char **operands)
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

int action_create(int count, char **operands, bool disabled)
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

int action_set(int count, char **operands)
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

int device_remove(const char *command, int folders, const char *name)
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

int action_remove(int count, char **operands)
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
