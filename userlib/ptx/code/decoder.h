/* SPDX-License-Identifier: MIT */
/*
 * What all functions have that decode instructions: the state, errors, and rows of constants.
 */
#ifndef _PTX_CODE_DECODER_H_
#define _PTX_CODE_DECODER_H_

#include "code/code.h"

/**
 * struct ptx_decoder - The function that is being decoded
 * @function: The function
 * @module: Its module
 * @slots: For each register of the function its row (PTX_ROW(FILE_FRAME, n)), or the index of its
 *	predicate if its type is TYPE_PRED
 * @consts: Constants, 32 equal numbers for each row
 * @const_count: Number of constants
 * @const_space: Number of constants that have memory
 * @wrote_first: The first operand of the instruction is a destination, or has one
 * @seed: Start of every hash. It differs from run to run, so that no text can be made whose
 *	numbers collide
 * @messages: Where errors are added
 *
 * A step is first filled with zeros, PTX_NO_ROW in dst, dst2 and src, guard and insn; a decoding
 * function fills in the rest.
 */
struct ptx_decoder {
	const struct ptx_function *function;
	const struct ptx_module *module;
	uint32_t *slots;
	uint64_t *consts;
	uint32_t const_count;
	uint32_t const_space;
	bool wrote_first;
	uint64_t seed;
	struct ptx_messages *messages;
};

/** enum ptx_decoded - Result of a decoding function */
enum ptx_decoded {
	DECODED,	/* the step is filled in */
	NOT_MINE,	/* the opcode is not one of this file; no message was added */
	REFUSED,	/* a message was added */
};

/* Adds an error at the instruction. Always returns REFUSED. */
enum ptx_decoded ptx_refuse(struct ptx_decoder *d, const struct ptx_insn *insn,
			    const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The hash of a number. */
uint64_t ptx_hash(const struct ptx_decoder *d, uint64_t value);
/* The row of a constant. If memory runs out, it adds an error and returns PTX_NO_ROW. */
uint32_t ptx_const_row(struct ptx_decoder *d, uint64_t value);

#endif
