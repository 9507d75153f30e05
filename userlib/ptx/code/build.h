/* SPDX-License-Identifier: MIT */
/*
 * A program while it is being built: its memory and its rows.
 */
#ifndef _PTX_CODE_BUILD_H_
#define _PTX_CODE_BUILD_H_

#include "code/decoder.h"
#include "code/steps.h"

/** struct ptx_extra - Memory behind &ptx_step.extra, in a list that the program frees */
struct ptx_extra {
	struct ptx_extra *next;
	char data[] __attribute__((aligned(16)));
};

/**
 * struct ptx_offsets - Rows of addresses that are found by their offsets: a hash table
 * @slots: Offsets and their rows. The row of a free slot is PTX_NO_ROW
 * @space: Number of slots, a power of two, or 0
 * @count: Number of slots in use
 */
struct ptx_offsets {
	struct ptx_address *slots;
	uint32_t space;
	uint32_t count;
};

/**
 * struct ptx_builder - A program that is being built
 * @d: State of the decoding functions
 * @program: The program
 * @body: The body that is being decoded
 * @step_space: Number of steps that have memory
 * @tables: Variables whose initialisers have addresses
 * @table_count: Number of elements of @tables
 * @local_offsets: Rows that have addresses in the local memory of @body
 * @shared_offsets: Rows that have addresses in shared memory
 * @targets: For each list of targets of the function the targets, which all brx.idx with this list
 *	share; NULL until the first one is decoded
 * @failed: Memory ran out
 */
struct ptx_builder {
	struct ptx_decoder d;
	struct ptx_program *program;
	struct ptx_body *body;
	uint32_t step_space;
	const struct ptx_variable **tables;
	uint32_t table_count;
	struct ptx_offsets local_offsets;
	struct ptx_offsets shared_offsets;
	struct ptx_targets **targets;
	bool failed;
};

static inline struct ptx_builder *to_builder(struct ptx_decoder *d)
{
	return (struct ptx_builder *)d;
}

/* Makes room for one more element in an array. Returns NULL and leaves the array if that fails. */
void *ptx_grow(void *array, uint32_t count, size_t size);
/* Zeroed memory for &ptx_step.extra. Returns NULL and marks the builder if there is none. */
void *ptx_extra_alloc(struct ptx_builder *b, size_t size);
/* A row of the frame for a value that no register has. */
uint32_t ptx_frame_row(struct ptx_builder *b);

#endif
