// SPDX-License-Identifier: MIT
#include <stdlib.h>

#include "load/arena.h"

#define ALIGNMENT 16
#define FIRST_BLOCK 16384
#define LARGEST_BLOCK 1048576

struct ptx_block {
	struct ptx_block *next;
	char bytes[] __attribute__((aligned(ALIGNMENT)));
};

bool ptx_arena_charge(struct ptx_arena *arena, size_t size)
{
	if (size > arena->limit - arena->used) {
		arena->full = true;
		return false;
	}
	arena->used += size;
	return true;
}

static char *add_block(struct ptx_arena *arena, size_t size)
{
	struct ptx_block *block;

	if (!ptx_arena_charge(arena, size))
		return NULL;
	block = calloc(1, sizeof(*block) + size);
	if (!block)
		return NULL;
	block->next = arena->blocks;
	arena->blocks = block;
	return block->bytes;
}

void *ptx_arena_take(struct ptx_arena *arena, size_t count, size_t size)
{
	char *piece;
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes) || bytes > arena->limit) {
		arena->full = true;
		return NULL;
	}
	bytes = (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
	if (bytes > arena->left) {
		size_t block = arena->used < FIRST_BLOCK ? FIRST_BLOCK :
			       arena->used < LARGEST_BLOCK ? arena->used & ~(size_t)4095 :
			       LARGEST_BLOCK;

		/* A large piece gets a block of its own: the rest of this one stays usable. */
		if (bytes > block / 4)
			return add_block(arena, bytes);
		piece = add_block(arena, block);
		if (!piece)
			return NULL;
		arena->at = piece;
		arena->left = block;
	}
	piece = arena->at;
	arena->at += bytes;
	arena->left -= bytes;
	return piece;
}

void ptx_arena_free(struct ptx_arena *arena)
{
	while (arena->blocks) {
		struct ptx_block *block = arena->blocks;

		arena->blocks = block->next;
		free(block);
	}
}
