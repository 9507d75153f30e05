/* SPDX-License-Identifier: MIT */
/*
 * The option --shard I/N: a part of the tests.
 */
#ifndef _SHARD_H_
#define _SHARD_H_

#include <stdbool.h>
#include <stdint.h>

#include "seeds.h"

/**
 * struct shard - A part
 * @index: Number of the part, from 1; 0 if the option was not given
 * @count: Number of parts
 */
struct shard {
	unsigned int index;
	unsigned int count;
};

/* Reads I/N. Returns false if the text is something else. */
bool shard_parse(const char *text, struct shard *shard);
/* Takes the value of the option. Reports errors of @command. Returns the exit status. */
int shard_option(const char *command, const char *value, struct shard *shard);
/*
 * Does the @number-th test, from 0, belong to the part? Without seeds, it belongs to one part. With
 * several seeds, each of its seeds belongs to one part: sets @first to the first of them. The
 * others follow in steps of shard_step().
 */
bool shard_has(const struct shard *shard, const struct seeds *seeds, uint64_t number,
	       uint64_t *first);
uint64_t shard_step(const struct shard *shard);

#endif
