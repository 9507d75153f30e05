/* SPDX-License-Identifier: MIT */
/* Parses machine code of sm_90, as far as mbarriers need it. */
#ifndef _INSN_SASS_H_
#define _INSN_SASS_H_

#include "insn/insn.h"
#include "vsm_syntax.h"

/* --- registers ------------------------------------------------------------ */

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

/* A register of machine code */
struct sass_register {
	enum sass_file file;	/* set of the register */
	/* Number; -1 for RZ and URZ, which are always 0, and PT and UPT, which are always True */
	int number;
	const char *where;	/* place of the register in the line */
	char name[SASS_NAME];	/* name of the register */
};

/* Does the name of a register begin at the cursor? */
bool sass_at_register(const struct cursor *c);
bool sass_need_register(struct cursor *c, struct sass_register *reg);
struct span sass_name(const struct sass_register *reg);

/* Does machine code begin at the cursor? Its names are in upper case, its labels begin with .L. */
bool sass_begins(const struct cursor *c);
/*
 * Parses the rest of the line. @tried: all threads of the line had a SYNCS.PHASECHK.TRANS64.TRYWAIT
 * in an earlier line. NANOSLEEP.SYNCS is an error without it.
 */
bool sass_parse(struct cursor *c, struct instruction *insn, const struct ptx_names *names,
		bool tried);

#endif
