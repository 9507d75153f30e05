/* SPDX-License-Identifier: MIT */
/*
 * The functions of the subcommands of vsm device. Each returns the exit status.
 */
#ifndef _DEVICE_ACTIONS_H_
#define _DEVICE_ACTIONS_H_

#include <stdbool.h>

/* Prints all devices, or with @json writes them as JSON. */
int action_list(bool json);
/* Prints the options of a device. */
int action_show(const char *name);
/*
 * Makes a device: the operands are its name and OPTION=VALUE. With @disabled, it does not exist
 * until "enabled" is set.
 */
int action_create(int count, char **operands, bool disabled);
/* Changes options of a device: the operands are its name and OPTION=VALUE. */
int action_set(int count, char **operands);
/* Removes devices. */
int action_remove(int count, char **operands);
/* Makes the devices that files name. */
int action_load(int count, char **files);
/* Removes the devices that files name. */
int action_unload(int count, char **files);

#endif
