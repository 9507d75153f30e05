/* SPDX-License-Identifier: MIT */
/*
 * Folders in configfs. Each folder is a device that root has ordered, and its files are the options
 * of the device.
 */
#ifndef _DEVICE_FOLDER_H_
#define _DEVICE_FOLDER_H_

#include <stdbool.h>
#include <stddef.h>

/* Bytes for a name or a value in a message. A longer text is cut. */
#define SHOWN_BYTES 256

/*
 * Opens the folder of all devices. Returns a file descriptor. If there is none, prints why, and
 * returns -1. @command is the name of the subcommand, for the message.
 */
int folders_open(const char *command);
/* Does the same, but prints nothing. */
int folders_open_quietly(void);
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

#endif
