/* SPDX-License-Identifier: MIT */
/*
 * What the files of code/ share while they build a program.
 */
#ifndef _PTX_CODE_BUILD_H_
#define _PTX_CODE_BUILD_H_

#include "code/program.h"

/** struct ptx_extra - Memory behind &ptx_step.extra, in a list that the program frees */
struct ptx_extra {
	struct ptx_extra *next;
	_Alignas(16) char data[];
};

/**
 * struct ptx_builder - A program that is being built
 * @d: State of the decoding functions
 * @program: The program
 * @body: The body that is being decoded
 * @step_space: Number of steps that have memory
 * @tables: Variables whose initialisers have addresses
 * @table_count: Number of elements of @tables
 * @failed: Memory ran out
 */
struct ptx_builder {
	struct ptx_decoder d;
	struct ptx_program *program;
	struct ptx_body *body;
	uint32_t step_space;
	const struct ptx_variable **tables;
	uint32_t table_count;
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
/* The number of the body of a function. Adds a body if there is none. -1 if memory runs out. */
int ptx_body_of(struct ptx_builder *b, const struct ptx_function *function);
/* The offset of a variable in the window of a CTA. */
uint32_t ptx_shared_offset(const struct ptx_program *program, const struct ptx_variable *var);
/* Sets the addresses of parameters and of variables in local memory. Returns false if the frame is
 * too large. */
bool ptx_lay_out_function(struct ptx_function *function, uint32_t *local_bytes);
/* A row of the frame for a value that no register has. */
uint32_t ptx_frame_row(struct ptx_builder *b);
/* The row of the address of a variable, plus @offset, in its state space. */
bool ptx_variable_row(struct ptx_builder *b, const struct ptx_variable *var, int64_t offset,
		      uint32_t *row);
/*
 * The address operand of an instruction: a row, which may be PTX_NO_ROW, and a number to add. If
 * @framed is set, the sum is relative to the local memory of the frame. Returns false if the operand
 * is no address, or if its variable is not in @space. SPACE_GENERIC takes all variables, with the
 * generic addresses of them.
 */
bool ptx_address_operand(struct ptx_builder *b, const struct ptx_insn *insn,
			 const struct ptx_operand *operand, enum ptx_space space,
			 uint32_t *row, int64_t *offset, bool *framed);

/* Each decodes the instructions of one file; see &enum ptx_decoded. */
enum ptx_decoded ptx_control_decode(struct ptx_builder *b, const struct ptx_insn *insn,
				    struct ptx_step *step);
enum ptx_decoded ptx_memory_decode(struct ptx_builder *b, const struct ptx_insn *insn,
				   struct ptx_step *step);
enum ptx_decoded ptx_window_decode(struct ptx_builder *b, const struct ptx_insn *insn,
				   struct ptx_step *step);
enum ptx_decoded ptx_tensormap_decode(struct ptx_builder *b, const struct ptx_insn *insn,
				      struct ptx_step *step);
enum ptx_decoded ptx_misc_decode(struct ptx_builder *b, const struct ptx_insn *insn,
				 struct ptx_step *step);
enum ptx_decoded ptx_device_decode(struct ptx_builder *b, const struct ptx_insn *insn,
				   struct ptx_step *step);

#endif
