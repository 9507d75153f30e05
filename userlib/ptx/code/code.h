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

/* The registers of a warp, as a step sees them */
struct ptx_regs {
	uint64_t *rows[3];	/* first row of each enum ptx_file */
	/* Predicates of the function that is executed: a mask of lanes for each */
	uint32_t *preds;
	uint32_t carry;		/* condition code register CC.CF, a mask of lanes */
};

static inline uint64_t *ptx_row(const struct ptx_regs *regs, uint32_t row)
{
	return regs->rows[row >> 30] + (uint64_t)PTX_ROW_INDEX(row) * PTX_LANES;
}

struct ptx_step;

/* Executes a step for the lanes in @mask, which is not 0. */
typedef void ptx_alu_fn(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask);

/* A decoded instruction */
struct ptx_step {
	ptx_alu_fn *alu;		/* function that executes a step of the kind STEP_ALU */
	uint8_t kind;			/* enum ptx_step_kind */
	bool guard_not;			/* the guard is inverted */
	uint16_t flags;			/* meaning depends on the kind */
	int32_t guard;			/* index of the guard predicate; -1 if there is none */
	uint32_t dst;			/* destination: a row, or the index of a predicate */
	uint32_t dst2;	/* second destination (p|q, d|p); PTX_NO_ROW if there is none */
	/*
	 * Sources: rows, or indices of predicates. PTX_NO_ROW if there is none. Bit 31 of the index
	 * of a predicate means that it is inverted; PTX_TRUE is a predicate that is always true.
	 */
	uint32_t src[4];
	uint64_t imm;	/* a number: the table of lop3, the target of a branch, an offset */
	void *extra;			/* operands that do not fit; NULL if there are none */
	const struct ptx_insn *insn;	/* the instruction, for messages */
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

#endif
