/* SPDX-License-Identifier: MIT */
/*
 * Operands of an instruction: the rows of its registers and constants, and the errors about them.
 */
#ifndef _PTX_CODE_DECODE_OPERAND_H_
#define _PTX_CODE_DECODE_OPERAND_H_

#include "code/decoder.h"

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

#endif
