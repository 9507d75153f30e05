/* SPDX-License-Identifier: MIT */
/*
 * Decoded code: what the instructions of a function become before a thread runs.
 *
 * A warp executes a step for all its active lanes at once. A register is a row of 32 numbers of 64
 * bits, one for each lane; narrower values are zero-extended. A predicate is a mask with a bit for
 * each lane. Constants and special registers are rows, too, so that an operand is always a row.
 */
#ifndef _PTX_CODE_CODE_H_
#define _PTX_CODE_CODE_H_

#include "load/module.h"

#define PTX_LANES 32

/** enum ptx_file - Where a row is: the two highest bits of its number */
enum ptx_file {
	FILE_FRAME,	/* registers of the function that is executed */
	FILE_CONST,	/* constants of the code, the same for all warps */
	FILE_WARP,	/* special registers of the warp */
};

#define PTX_ROW(file, index)	((uint32_t)(file) << 30 | (index))
#define PTX_ROW_INDEX(row)	((row) & 0x3fffffff)

/**
 * struct ptx_regs - The registers of a warp, as a step sees them
 * @rows: First row of each &enum ptx_file
 * @preds: Predicates of the function that is executed: a mask of lanes for each
 * @carry: Condition code register CC.CF, a mask of lanes
 */
struct ptx_regs {
	uint64_t *rows[3];
	uint32_t *preds;
	uint32_t carry;
};

static inline uint64_t *ptx_row(const struct ptx_regs *regs, uint32_t row)
{
	return regs->rows[row >> 30] + (uint64_t)PTX_ROW_INDEX(row) * PTX_LANES;
}

struct ptx_step;

/* Executes a step for the lanes in @mask, which is not 0. */
typedef void ptx_alu_fn(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask);

/**
 * struct ptx_step - A decoded instruction
 * @alu: Function that executes a step of the kind STEP_ALU
 * @kind: &enum ptx_step_kind
 * @guard_not: The guard is inverted
 * @flags: Meaning depends on the kind
 * @guard: Index of the guard predicate; -1 if there is none
 * @dst: Destination: a row, or the index of a predicate
 * @dst2: Second destination (p|q, d|p); PTX_NO_ROW if there is none
 * @src: Sources: rows, or indices of predicates. PTX_NO_ROW if there is none. Bit 31 of the index
 *	of a predicate means that it is inverted; PTX_TRUE is a predicate that is always true
 * @imm: A number: the table of lop3, the target of a branch, an offset
 * @extra: Operands that do not fit; NULL if there are none
 * @insn: The instruction, for messages
 */
struct ptx_step {
	ptx_alu_fn *alu;
	uint8_t kind;
	bool guard_not;
	uint16_t flags;
	int32_t guard;
	uint32_t dst;
	uint32_t dst2;
	uint32_t src[4];
	uint64_t imm;
	void *extra;
	const struct ptx_insn *insn;
};

#define PTX_NO_ROW	0xffffffffu
#define PTX_NOT		0x80000000u	/* of a predicate that is a source: inverted */
#define PTX_TRUE	0x7fffffffu	/* a predicate that is always true */

/* The lanes for which a predicate that is a source is true. */
static inline uint32_t ptx_pred(const struct ptx_regs *regs, uint32_t src)
{
	uint32_t index = src & ~PTX_NOT;
	uint32_t lanes = index == PTX_TRUE ? ~0u : regs->preds[index];

	return src & PTX_NOT ? ~lanes : lanes;
}

static inline void ptx_set_pred(struct ptx_regs *regs, uint32_t dst, uint32_t mask, uint32_t lanes)
{
	if (dst != PTX_NO_ROW)
		regs->preds[dst] = (regs->preds[dst] & ~mask) | (lanes & mask);
}

/**
 * struct ptx_decoder - The function that is being decoded
 * @function: The function
 * @module: Its module
 * @slots: For each register of the function its row (PTX_ROW(FILE_FRAME, n)), or the index of its
 *	predicate if its type is TYPE_PRED
 * @consts: Constants, 32 equal numbers for each row
 * @const_count: Number of constants
 * @const_space: Number of constants that have memory
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
	struct ptx_messages *messages;
};

/** enum ptx_decoded - Result of a decoding function */
enum ptx_decoded {
	DECODED,	/* the step is filled in */
	NOT_MINE,	/* the opcode is not one of this file; no message was added */
	REFUSED,	/* a message was added */
};

/* code/decode.c, for the files that decode instructions */

/* Adds an error at the instruction. Always returns REFUSED. */
enum ptx_decoded ptx_refuse(struct ptx_decoder *d, const struct ptx_insn *insn,
			    const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The row of a constant. If memory runs out, it adds an error and returns PTX_NO_ROW. */
uint32_t ptx_const_row(struct ptx_decoder *d, uint64_t value);
/*
 * The row of a source that has @type: a register, a number (converted to the type, with an error if
 * it does not fit the kind), a special register or the address of a variable. Returns false and
 * adds an error if the operand is something else. Addresses and special registers are rows of
 * FILE_WARP that run/ fills.
 */
bool ptx_source_row(struct ptx_decoder *d, const struct ptx_insn *insn,
		    const struct ptx_operand *operand, enum ptx_type type, uint32_t *row);
/* The same for a predicate: a register, or 0 or 1. */
bool ptx_source_pred(struct ptx_decoder *d, const struct ptx_insn *insn,
		     const struct ptx_operand *operand, uint32_t *pred);
/* A destination: a register, or PTX_NO_ROW for the sink. */
bool ptx_target_row(struct ptx_decoder *d, const struct ptx_insn *insn,
		    const struct ptx_operand *operand, enum ptx_type type, uint32_t *row);
bool ptx_target_pred(struct ptx_decoder *d, const struct ptx_insn *insn,
		     const struct ptx_operand *operand, uint32_t *pred);

/*
 * The type of a register (of a component, if it is a vector) or special register; TYPE_NONE for
 * other operands. The functions above want the size of the type that they are given; where PTX
 * allows wider registers, pass this type.
 */
enum ptx_type ptx_operand_type(const struct ptx_decoder *d, const struct ptx_operand *operand);

/* code/address.c: the row of the address of a variable or function */
bool ptx_address_row(struct ptx_decoder *d, const struct ptx_insn *insn,
		     const struct ptx_operand *operand, uint32_t *row);

#endif
