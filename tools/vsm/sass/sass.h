/* SPDX-License-Identifier: MIT */
/*
 * Parses machine code of sm_90, as far as mbarriers need it.
 */
#ifndef _SASS_SASS_H_
#define _SASS_SASS_H_

#include "ptx/operand.h"

/* Does a line of machine code begin here? Names are in upper case, and labels begin with .L. */
bool sass_begins(const struct cursor *c);
/*
 * Parses the rest of the line.
 * @tried: All threads have a SYNCS.PHASECHK.TRANS64.TRYWAIT before this line, which
 *	NANOSLEEP.SYNCS needs
 */
bool sass_parse(struct cursor *c, struct instruction *insn, const struct ptx_names *names,
		bool tried);

#endif
