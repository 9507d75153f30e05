/* SPDX-License-Identifier: MIT */
/*
 * Reads names of registers of machine code.
 */
#ifndef _SASS_REGISTER_H_
#define _SASS_REGISTER_H_

#include "text/lex.h"

/* The four sets of registers. */
enum sass_file {
	SASS_R,		/* 32 bits */
	SASS_UR,	/* 32 bits, uniform */
	SASS_P,		/* predicates */
	SASS_UP,
};

#define SASS_NAME 16

/**
 * struct sass_register - A register of machine code
 * @file: Set of the register
 * @number: Number; -1: RZ or URZ, which is 0, or PT or UPT, which is True
 * @where: Its place in the line
 * @name: Its name
 */
struct sass_register {
	enum sass_file file;
	int number;
	const char *where;
	char name[SASS_NAME];
};

/* Does the name of a register of machine code stand here? */
bool sass_at_register(const struct cursor *c);
bool sass_need_register(struct cursor *c, struct sass_register *reg);
/* Is this the last of its set that is not RZ or the like? */
bool sass_is_last(const struct sass_register *reg);
/* The register that is @distance behind: sets its number and its name. */
void sass_move(struct sass_register *reg, int distance);
struct span sass_name(const struct sass_register *reg);

#endif
