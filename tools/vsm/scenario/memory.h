/* SPDX-License-Identifier: MIT */
/*
 * Parses buffers, and places in buffers and windows.
 */
#ifndef _SCENARIO_MEMORY_H_
#define _SCENARIO_MEMORY_H_

#include "scenario/parser.h"

/*
 * Reads a place in a buffer, BUFFER OFFSET, or in the window of a CTA, RANK OFFSET. Sets @where to
 * the OFFSET in the line.
 */
bool parse_place(struct parser *p, struct cursor *c, struct place *place, const char **where);
/* Reports an error at @where if there are less than @length bytes at the place. */
bool check_place(struct parser *p, struct cursor *c, const char *where,
		 const struct place *place, uint64_t length);
/* buffer NAME SIZE */
bool parse_new_buffer(struct parser *p, struct cursor *c);
/* symbol NAME OFFSET */
bool parse_new_symbol(struct parser *p, struct cursor *c);
/* Parses "fill PLACE LENGTH BYTE" or "fill PLACE LENGTH iota" behind the first word. */
bool parse_fill(struct parser *p, struct cursor *c);

#endif
