/* SPDX-License-Identifier: MIT */
/*
 * Rows that have addresses, and operands that are addresses.
 */
#ifndef _PTX_CODE_ADDRESS_H_
#define _PTX_CODE_ADDRESS_H_

#include "code/build.h"

/* The row of the address of a variable or function. */
bool ptx_address_row(struct ptx_decoder *d, const struct ptx_insn *insn,
		     const struct ptx_operand *operand, uint32_t *row);

/* Frees and empties a table of rows. */
void ptx_offsets_clear(struct ptx_offsets *offsets);
/* The row of the address of a variable, plus @offset, in its state space. */
bool ptx_variable_row(struct ptx_builder *b, const struct ptx_variable *var, int64_t offset,
		      uint32_t *row);
/*
 * Is the variable that the operand names in the state space of the instruction? If not, it adds an
 * error and returns false. SPACE_GENERIC takes variables in global and constant memory: their
 * addresses are generic addresses.
 */
bool ptx_check_space(struct ptx_builder *b, const struct ptx_insn *insn,
		     const struct ptx_operand *operand, enum ptx_space space);
/* The same for an instruction that takes no variables of other spaces as SPACE_GENERIC. */
bool ptx_check_exact_space(struct ptx_builder *b, const struct ptx_insn *insn,
			   const struct ptx_operand *operand, enum ptx_space space);
/* Is the variable a parameter of the kernel that is decoded? */
bool ptx_is_kernel_param(const struct ptx_builder *b, const struct ptx_variable *var);
/*
 * The address operand of an instruction: a row, which may be PTX_NO_ROW, and a number to add. If
 * @framed is set, the sum is relative to the local memory of the frame. Returns false if the
 * operand is no address. The caller checks the state space of its variable.
 */
bool ptx_address_operand(struct ptx_builder *b, const struct ptx_insn *insn,
			 const struct ptx_operand *operand, enum ptx_space space,
			 uint32_t *row, int64_t *offset, bool *framed);

#endif
