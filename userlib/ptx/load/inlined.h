/* SPDX-License-Identifier: MIT */
/*
 * Finds out where the compiler has inlined the code of a .loc.
 */
#ifndef _PTX_LOAD_INLINED_H_
#define _PTX_LOAD_INLINED_H_

#include "load/state.h"

/** struct ptx_line - A place in the source, as .loc gives it */
struct ptx_line {
	uint32_t file;
	uint32_t line;
	uint32_t column;
};

/* Begins a function: the calls of other functions do not matter for its .loc. */
void ptx_inlined_begin(struct ptx_parser *p);
/* Notes a .loc without inlined_at. */
void ptx_inlined_plain(struct ptx_parser *p, struct ptx_line at);
/*
 * Notes a .loc at @at with inlined_at @call, and finds the calls around @call. Sets @inlined.
 * Returns false if memory has run out.
 */
bool ptx_inlined_add(struct ptx_parser *p, struct ptx_line at, struct ptx_line call,
		     const struct ptx_inlined **inlined);
void ptx_inlined_free(struct ptx_parser *p);

#endif
