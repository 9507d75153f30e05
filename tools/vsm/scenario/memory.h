/* SPDX-License-Identifier: MIT */
/*
 * Parses buffers, and places in buffers and windows.
 */
#ifndef _SCENARIO_MEMORY_H_
#define _SCENARIO_MEMORY_H_

#include "scenario/parser.h"

/* Reads BUFFER OFFSET, or RANK OFFSET in a window. Sets @where to the place of the offset. */
bool parse_place(struct parser *p, struct cursor *c, struct place *place, const char **where);
/* The place must have @length bytes. */
bool check_place(struct parser *p, struct cursor *c, const char *where,
		 const struct place *place, uint64_t length);
/* buffer NAME SIZE */
bool parse_new_buffer(struct parser *p, struct cursor *c);
/* symbol NAME OFFSET */
bool parse_new_symbol(struct parser *p, struct cursor *c);
/* fill PLACE LENGTH BYTE, or iota in place of BYTE */
bool parse_fill(struct parser *p, struct cursor *c);

#endif
