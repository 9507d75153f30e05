/* SPDX-License-Identifier: MIT */
/*
 * Operands of instructions.
 */
#ifndef _PTX_LOAD_OPERAND_H_
#define _PTX_LOAD_OPERAND_H_

#include "load/state.h"

/* Reads an operand. @call: parentheses are a list */
bool ptx_operand(struct ptx_parser *p, struct ptx_operand *operand, bool call);
/* Makes an operand of a label whose place may not be known yet. The token is its name. */
bool ptx_branch_operand(struct ptx_parser *p, struct ptx_operand *operand);
/* Makes the operand what a SYMBOL_TABLE stands for. */
void ptx_table_operand(struct ptx_operand *operand, const struct ptx_symbol *symbol);
/* Moves the operands from @first on to the module. Returns NULL if memory has run out. */
struct ptx_operand *ptx_operands_keep(struct ptx_parser *p, unsigned int first);

#endif
