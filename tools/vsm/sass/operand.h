/* SPDX-License-Identifier: MIT */
/*
 * Parses operands of machine code.
 */
#ifndef _SASS_OPERAND_H_
#define _SASS_OPERAND_H_

#include "ptx/operand.h"
#include "sass/register.h"

/* SYNCS.EXCH.64, which has no operation of PTX. */
extern const struct ptx_op sass_exch;

/**
 * struct sass_line - A line that is being parsed
 * @c: The cursor
 * @insn: The instruction
 * @names: Names that operands can have
 * @name: Name of the machine instruction
 * @operands: Its operands, as in the table of forms
 * @role: Index of the role of the next operand
 * @red: .RED: there is no result
 * @written: The register that is written; for 64 bits the first of two
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

/* @P0 or @!P0, if it stands here. */
bool sass_parse_guard(struct sass_line *l);
/* .L_x_0, also `(.L_x_0) */
bool sass_parse_label(struct cursor *c);
/* A register of either kind or a number. @uniform: the register is uniform. */
bool sass_parse_value(struct sass_line *l, bool uniform, struct operand *operand);
/* All operands. */
bool sass_parse_operands(struct sass_line *l);
/* The end of the line: the scheduling in braces and a semicolon. */
bool sass_parse_end(struct cursor *c);
/* Last: an instruction does not read the registers that it writes. */
void sass_write_registers(struct sass_line *l);

#endif
