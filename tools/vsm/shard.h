/* SPDX-License-Identifier: MIT */
/* Parts of a run: ranges of seeds, and --shard. */
#ifndef _SHARD_H_
#define _SHARD_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- seeds ---------------------------------------------------------------- */

/* A range of seeds */
struct seeds {
	uint64_t first;	/* first seed; 0 if no option was given */
	uint64_t last;	/* last seed; 0 if --seed or no option was given */
};

/* Each takes the value of its option. Reports errors of @command. Returns the exit status. */
int seed_option(const char *command, const char *value, struct seeds *seeds);
int seeds_option(const char *command, const char *value, struct seeds *seeds);

/* --- parts ---------------------------------------------------------------- */

/* A part */
struct shard {
	unsigned int index;	/* number of the part, from 1; 0 if the option was not given */
	unsigned int count;	/* number of parts */
};

/* The tests that are divided into parts. All parts must have the same */
struct whole {
	uint64_t tests;	/* number of tests */
	uint64_t hash;	/* hash of their files, names and lines, in order */
	struct seeds seeds;
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

/* Adds bytes to a hash that begins with HASH_BEGIN: FNV-1a */
#define HASH_BEGIN 0xcbf29ce484222325
uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size);
/* Adds a test to a whole that begins with zeros. @name may be NULL. */
void whole_add(struct whole *whole, const char *path, const char *name, unsigned int line);
bool whole_same(const struct whole *a, const struct whole *b);

#endif
