/* SPDX-License-Identifier: MIT */
/*
 * The table of commands: see usage/usage.h.
 */
#ifndef _USAGE_TABLE_H_
#define _USAGE_TABLE_H_

#include "usage/usage.h"

/* vsm itself: a group of all commands. */
extern const struct command vsm_commands;

#endif
