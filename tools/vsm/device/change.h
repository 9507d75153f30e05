/* SPDX-License-Identifier: MIT */
/*
 * The steps of making and removing devices. Each function prints a message that begins with
 * "device @command" if it fails, and returns the exit status.
 */
#ifndef _DEVICE_CHANGE_H_
#define _DEVICE_CHANGE_H_

#include <stdbool.h>

/* Can this be the name of a device? */
int device_check_name(const char *command, const char *name);
/* Can a device be made of these operands, NAME [OPTION=VALUE]..., as far as words can say? */
int device_check(const char *command, int count, char **operands);
/*
 * Makes a device of such operands, and prints its render node. With @disabled, the device does not
 * exist until "enabled" is set, and nothing is printed. @folders comes from folders_open().
 */
int device_make(const char *command, int folders, int count, char **operands, bool disabled);
int device_remove(const char *command, int folders, const char *name);

#endif
