/* SPDX-License-Identifier: MIT */
/*
 * Texts that other processes choose, such as their names. Such a text may have control characters,
 * with which it could move the cursor of a terminal or change what is on it.
 */
#ifndef _PRINTABLE_H_
#define _PRINTABLE_H_

#include <stddef.h>
#include <stdio.h>

/*
 * Writes a text of at most @size bytes, which ends with the first 0. '?' takes the place of each
 * byte or character that the locale (LC_CTYPE) cannot show as one column. Returns the number of
 * columns.
 */
size_t write_printable(FILE *out, const char *text, size_t size);

#endif
