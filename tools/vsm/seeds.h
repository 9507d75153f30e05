/* SPDX-License-Identifier: MIT */
/*
 * The options --seed N and --seeds A..B.
 */
#ifndef _SEEDS_H_
#define _SEEDS_H_

#include <stdint.h>

/**
 * struct seeds - A range of seeds
 * @first: First seed; 0 if no option was given
 * @last: Last seed; 0 if --seed or no option was given
 */
struct seeds {
	uint64_t first;
	uint64_t last;
};

/* Each takes the value of its option. Reports errors of @command. Returns the exit status. */
int seed_option(const char *command, const char *value, struct seeds *seeds);
int seeds_option(const char *command, const char *value, struct seeds *seeds);

#endif
