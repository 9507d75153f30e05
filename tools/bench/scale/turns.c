// SPDX-License-Identifier: MIT
/*
 * Counts turns of an operation.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "../count/mark.h"
#include "../measure.h"
#include "turns.h"

#define WARM	10

static double run_turn(const struct operation *operation, struct client *client, bool second)
{
	double start, end;

	if (operation->prepare)
		operation->prepare(client);
	start = now();
	if (second)
		mark_begin_b();
	else
		mark_begin();
	operation->turn(client);
	mark_end();
	end = now();
	return end - start;
}

static void run_plain_turns(const struct operation *operation, struct client *client,
			    unsigned int turns)
{
	while (turns--) {
		if (operation->prepare)
			operation->prepare(client);
		operation->turn(client);
	}
}

void run_unmarked(const struct operation *operation, struct client *client, unsigned int turns)
{
	if (operation->begin)
		operation->begin(client, turns);
	run_plain_turns(operation, client, turns);
	if (operation->end)
		operation->end(client);
}

double run_turns(const struct operation *operation, struct client *client, unsigned int turns,
		 bool second)
{
	double *took = calloc(turns, sizeof(*took)), middle;
	unsigned int i;

	if (!took)
		die("calloc", ENOMEM);
	if (operation->begin)
		operation->begin(client, WARM + turns);
	run_plain_turns(operation, client, WARM);
	for (i = 0; i < turns; i++)
		took[i] = run_turn(operation, client, second);
	if (operation->end)
		operation->end(client);
	middle = median(took, turns);
	free(took);
	return middle;
}

void end_row(const char *kind, unsigned int size, const char *operation, double took)
{
	char text[160];

	snprintf(text, sizeof(text), "%s\t%u\t%s", kind, size, operation);
	mark_row(text);
	printf("%s\t%.0f\n", text, took);
	fflush(stdout);
}
