/* SPDX-License-Identifier: MIT */
/*
 * Reads names of registers of machine code.
 */
#ifndef _SASS_REGISTER_H_
#define _SASS_REGISTER_H_

#include "text/lex.h"

/**
 * enum sass_file - The sets of registers
 * @SASS_R: Registers of 32 bits
 * @SASS_UR: Uniform registers of 32 bits, which all threads of a warp share
 * @SASS_P: Predicates
 * @SASS_UP: Uniform predicates, which all threads of a warp share
 */
enum sass_file {
	SASS_R,
	SASS_UR,
	SASS_P,
	SASS_UP,
};

#define SASS_NAME 16

/**
 * struct sass_register - A register of machine code
 * @file: Set of the register
 * @number: Number; -1 for RZ and URZ, which are always 0, and PT and UPT, which are always True
 * @where: Place of the register in the line
 * @name: Name of the register
 */
struct sass_register {
	enum sass_file file;
	int number;
	const char *where;
	char name[SASS_NAME];
};

/* Does the name of a register begin at the cursor? */
bool sass_at_register(const struct cursor *c);
bool sass_need_register(struct cursor *c, struct sass_register *reg);
/* Has the register the highest number of its set? */
bool sass_is_last(const struct sass_register *reg);
/* Adds @distance to the number of the register, and changes its name. */
void sass_move(struct sass_register *reg, int distance);
struct span sass_name(const struct sass_register *reg);

#endif
