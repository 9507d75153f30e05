/* SPDX-License-Identifier: MIT */
/*
 * Writes texts into HTML and SVG. A trace has texts of other people, such as names and command
 * lines: they may contain any byte.
 */
#ifndef _TRACE_MARKUP_H_
#define _TRACE_MARKUP_H_

#include <stddef.h>
#include <stdio.h>

/*
 * Writes the first @size bytes of a text as the content or as the quoted attribute of an element.
 * U+FFFD takes the place of what XML does not allow.
 */
void markup_put(FILE *out, const char *text, size_t size);
/*
 * Writes the first @size bytes of a text as a string of JSON that may stand in a script element:
 * it has no '<', and therefore can neither end the element nor begin a comment.
 */
void markup_put_json(FILE *out, const char *text, size_t size);

#endif
