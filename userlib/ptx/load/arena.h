/* SPDX-License-Identifier: MIT */
/*
 * Memory that is freed all at once, with a limit.
 */
#ifndef _PTX_LOAD_ARENA_H_
#define _PTX_LOAD_ARENA_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ptx_block;

/**
 * struct ptx_arena - Memory of a module
 * @blocks: Blocks that were allocated, the newest first
 * @at: First free byte of the block from which small pieces are taken
 * @left: Number of free bytes there
 * @used: Bytes that were allocated or charged
 * @limit: Largest value of @used
 * @full: An allocation failed because of the limit
 */
struct ptx_arena {
	struct ptx_block *blocks;
	char *at;
	size_t left;
	uint64_t used;
	uint64_t limit;
	bool full;
};

/* Returns @count * @size bytes of zeros, aligned to 16, or NULL. */
void *ptx_arena_take(struct ptx_arena *arena, size_t count, size_t size);
/* Count memory that was allocated elsewhere. Returns false if the limit does not allow it. */
bool ptx_arena_charge(struct ptx_arena *arena, size_t size);
void ptx_arena_free(struct ptx_arena *arena);

#endif
