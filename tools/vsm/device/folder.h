/* SPDX-License-Identifier: MIT */
/* Devices and their folders in configfs. */
#ifndef _DEVICE_FOLDER_H_
#define _DEVICE_FOLDER_H_

#include <stdbool.h>
#include <stddef.h>

/* --- folders of configfs -------------------------------------------------- */

/* Bytes for a name or a value in a message. A longer text is cut. */
#define SHOWN_BYTES 256

/*
 * Opens the folder of all devices. Returns a file descriptor. If there is none, prints why, and
 * returns -1. @command is the name of the subcommand, for the message.
 */
int folders_open(const char *command);
/*
 * Opens the folder of a device. Returns a file descriptor. If there is no such device, prints that,
 * and returns -1.
 */
int folder_open(const char *command, int folders, const char *name);

/* Is this the name of a file to write to? "enabled" is one. */
bool option_exists(int folder, const char *option);
/*
 * Returns the names of all options but "enabled", in alphabetical order, and after them a NULL. The
 * caller calls options_free().
 */
char **options_list(int folder);
void options_free(char **names);
/*
 * Returns the text in a file of the folder, without the line feed at its end, and the caller frees
 * it. If it cannot be read, sets errno and returns NULL.
 */
char *option_read(int folder, const char *option);
/* Writes a text and a line feed into a file of the folder. Returns 0 or a negative errno. */
int option_write(int folder, const char *option, const char *value);

/* --- devices that exist --------------------------------------------------- */

/* A device */
struct found {
	char *name;	/* name of its folder in configfs, or NULL if it has none */
	int number;	/* n of vsm.N, or -1 if it is not enabled */
	char *node;	/* path of its render node, or NULL if it has none */
};

/*
 * Finds all devices: first those that are enabled, by number, then the others, by name. Returns
 * them, and sets @count.
 */
struct found *found_list(size_t *count);
void found_free(struct found *list, size_t count);

/* Returns the path of the render node of vsm.@number, which the caller frees, or NULL. */
char *found_node(int number);
/* Returns N of "vsm.N", or -1. */
int found_number(const char *device);

/* --- presets -------------------------------------------------------------- */

/* The presets. @EACH is a macro that takes a name. */
#define EACH_PRESET(EACH) EACH(h100)
/* Their names, and the operands that name them, as texts with a space before each. */
#define PRESET_NAMES EACH_PRESET(PRESET_NAME)
#define PRESET_NAME(name) " " #name
#define PRESET_OPERANDS EACH_PRESET(PRESET_OPERAND)
#define PRESET_OPERAND(name) " preset=" #name

/*
 * Returns the operands OPTION=VALUE of a preset, ended by NULL, or NULL if there is no such preset.
 * They set all latencies and bandwidths.
 */
const char *const *preset_find(const char *name);

#endif
