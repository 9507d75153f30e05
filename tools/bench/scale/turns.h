/* SPDX-License-Identifier: MIT */
/*
 * Counts turns of an operation.
 */
#ifndef _TURNS_H_
#define _TURNS_H_

#include <stdbool.h>

#include "client.h"

/*
 * Executes @turns turns of an operation, each of them in a region of its own, after some turns that
 * are not counted. @second: the regions belong to side B. Returns the median of the nanoseconds of
 * a turn. Without the plugin, these are instructions if the guest counts those.
 */
double run_turns(const struct operation *operation, struct client *client, unsigned int turns,
		 bool second);

/* Executes turns that are not counted one by one. */
void run_unmarked(const struct operation *operation, struct client *client, unsigned int turns);

/* Ends a row and prints it: @kind and @size say what was varied. */
void end_row(const char *kind, unsigned int size, const char *operation, double took);

#endif
