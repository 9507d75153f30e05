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
 * @tried: The last SYNCS.PHASECHK.TRANS64.TRYWAIT of the threads, for which NANOSLEEP.SYNCS waits;
 *	NULL if there is none
 */
bool sass_parse(struct cursor *c, struct instruction *insn, const struct ptx_names *names,
		const struct instruction *tried);

#endif
