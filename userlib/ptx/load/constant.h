/* SPDX-License-Identifier: MIT */
/*
 * Numbers and constant expressions.
 */
#ifndef _PTX_LOAD_CONSTANT_H_
#define _PTX_LOAD_CONSTANT_H_

#include "load/state.h"

/** enum ptx_number_kind - Kind of a constant */
enum ptx_number_kind {
	NUMBER_SIGNED,
	NUMBER_UNSIGNED,
	NUMBER_F32,
	NUMBER_F64,
};

/**
 * struct ptx_number - A constant
 * @kind: What it is
 * @bits: The number, or the bits of the floating-point number
 */
struct ptx_number {
	enum ptx_number_kind kind;
	uint64_t bits;
};

/* Reads the number of a TOKEN_NUMBER, which stays the current token. */
bool ptx_number(struct ptx_parser *p, struct ptx_number *number);
/* Reads a constant expression. */
bool ptx_constant(struct ptx_parser *p, struct ptx_number *number);
/* Reads +N or -N behind a symbol, if the token is a sign, and adds N to @addend. */
bool ptx_addend(struct ptx_parser *p, int64_t *addend);
/* Reads a whole number from @min to @max. @what is its name in the error. */
bool ptx_count(struct ptx_parser *p, const char *what, uint64_t min, uint64_t max, uint64_t *count);

#endif
