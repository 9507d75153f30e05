/* SPDX-License-Identifier: MIT */
/*
 * Operands of instructions (PTX ISA, chapter 6), and constant expressions (PTX ISA, section 4.5).
 */
#ifndef _LOAD_OPERAND_H_
#define _LOAD_OPERAND_H_

#include "load/parser.h"

/* --- numbers and constant expressions ------------------------------------- */

/** enum ptx_number_kind - Kind of a constant */
enum ptx_number_kind {
	NUMBER_SIGNED,
	NUMBER_UNSIGNED,
	NUMBER_F32,
	NUMBER_F64,
};

/* A constant */
struct ptx_number {
	enum ptx_number_kind kind;	/* what it is */
	uint64_t bits;			/* the number, or the bits of the floating-point number */
};

/* Reads the number of a TOKEN_NUMBER, which stays the current token. */
bool ptx_number(struct ptx_parser *p, struct ptx_number *number);
/* Reads a constant expression. */
bool ptx_constant(struct ptx_parser *p, struct ptx_number *number);
/* Reads +N or -N behind a symbol, if the token is a sign, and adds N to @addend. */
bool ptx_addend(struct ptx_parser *p, int64_t *addend);
/* Reads a whole number from @min to @max. @what is its name in the error. */
bool ptx_count(struct ptx_parser *p, const char *what, uint64_t min, uint64_t max, uint64_t *count);

/* --- operands ------------------------------------------------------------- */

/* Reads an operand. @call: parentheses are a list */
bool ptx_operand(struct ptx_parser *p, struct ptx_operand *operand, bool call);
/* Makes an operand of a label whose place may not be known yet. The token is its name. */
bool ptx_branch_operand(struct ptx_parser *p, struct ptx_operand *operand);
/* Makes the operand what a SYMBOL_TABLE stands for. */
void ptx_table_operand(struct ptx_operand *operand, const struct ptx_symbol *symbol);
/* Moves the operands from @first on to the module. Returns NULL if memory has run out. */
struct ptx_operand *ptx_operands_keep(struct ptx_parser *p, unsigned int first);

#endif
