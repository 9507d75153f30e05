/* SPDX-License-Identifier: MIT */
/*
 * Texts that other processes choose, such as their names. Such a text may have control characters,
 * with which it could move the cursor of a terminal or change what is on it. '?' takes the place of
 * each byte or character that the locale (LC_CTYPE) cannot show as one column.
 */
#ifndef _PRINTABLE_H_
#define _PRINTABLE_H_

#include <stddef.h>
#include <stdio.h>

/* Writes a text of at most @size bytes, which ends with the first 0. */
void write_printable(FILE *out, const char *text, size_t size);

/*
 * Stores a text that ends with a 0 in @buffer, which has @size bytes, and ends it with a 0. Cuts
 * the text after @width columns, unless that is 0, and where @buffer is full. Returns the number of
 * columns.
 */
size_t make_printable(char *buffer, size_t size, const char *text, size_t width);

#endif
