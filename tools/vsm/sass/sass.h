/* SPDX-License-Identifier: MIT */
/*
 * Parses machine code of sm_90, as far as mbarriers need it.
 */
#ifndef _SASS_SASS_H_
#define _SASS_SASS_H_

#include "insn/operand.h"

/* Does machine code begin at the cursor? Its names are in upper case, its labels begin with .L. */
bool sass_begins(const struct cursor *c);
/*
 * Parses the rest of the line. @tried: all threads of the line had a SYNCS.PHASECHK.TRANS64.TRYWAIT
 * in an earlier line. NANOSLEEP.SYNCS is an error without it.
 */
bool sass_parse(struct cursor *c, struct instruction *insn, const struct ptx_names *names,
		bool tried);

#endif
