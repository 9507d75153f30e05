/* SPDX-License-Identifier: MIT */
/*
 * Parses operands of machine code.
 */
#ifndef _SASS_OPERAND_H_
#define _SASS_OPERAND_H_

#include "insn/operand.h"
#include "sass/register.h"

/* SYNCS.EXCH.64. It can do more than the PTX operation of which it is a form, mbarrier.init. */
extern const struct ptx_op sass_exch;

/**
 * struct sass_line - A line that is being parsed
 * @c: The cursor
 * @insn: The instruction
 * @names: Names that operands can have
 * @name: Name of the machine instruction
 * @operands: Operands of the machine instruction, in the notation of table/form.c and sass.c
 * @role: Index of the role of the next operand
 * @red: The name has .RED: there is no result
 * @written: Register that is written; for 64 bits, the first of two registers
 * @to: Destination; NULL if there is none
 */
struct sass_line {
	struct cursor *c;
	struct instruction *insn;
	const struct ptx_names *names;
	char name[QUOTE_SIZE];
	const char *operands;
	unsigned int role;
	bool red;
	struct sass_register written;
	struct operand *to;
};

/* Parses a guard, @P0 or @!P0, if there is one. */
bool sass_parse_guard(struct sass_line *l);
/* .L_x_0, also `(.L_x_0) */
bool sass_parse_label(struct cursor *c);
/* Parses a register or a number. If @uniform, the register must be uniform. */
bool sass_parse_value(struct sass_line *l, bool uniform, struct operand *operand);
/* All operands. */
bool sass_parse_operands(struct sass_line *l);
/* Parses the end of the line: scheduling hints in braces and a semicolon. Both are optional. */
bool sass_parse_end(struct cursor *c);
/* Marks the destination as written. To be called last: sources must not see the new value. */
void sass_write_registers(struct sass_line *l);

#endif
