/* SPDX-License-Identifier: MIT */
/* Text for others: UTF-8, JSON, XML and terminals. */
#ifndef _TEXT_H_
#define _TEXT_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* --- UTF-8 ---------------------------------------------------------------- */

/* What takes the place of a byte that is no part of a character. */
#define UTF8_REPLACEMENT 0xfffd
#define UTF8_REPLACEMENT_TEXT "\xef\xbf\xbd"

/*
 * Reads the character at @text, which has @size bytes, at least one. Sets @character to its number
 * and returns its bytes. If there is no valid character, sets @character to UTF8_REPLACEMENT and
 * returns 1.
 */
size_t utf8_next(const char *text, size_t size, uint32_t *character);

/* --- JSON and XML --------------------------------------------------------- */

/*
 * Writes the first @size bytes of a text as the content of an element; or, with @attribute, as the
 * value of an attribute between double quotes. U+FFFD takes the place of characters that XML does
 * not allow.
 */
void escape_xml(FILE *out, const char *text, size_t size, bool attribute);
/*
 * Writes the first @size bytes of a text as a string of JSON, with its quotes. With @script, the
 * string may stand in a script element of HTML: it has no '<', and therefore can neither end the
 * element nor begin a comment.
 */
void escape_json(FILE *out, const char *text, size_t size, bool script);

/* --- terminals ------------------------------------------------------------ */

/* Writes a text of at most @size bytes, which ends with the first 0. */
void write_printable(FILE *out, const char *text, size_t size);

/*
 * Stores a text that ends with a 0 in @buffer, which has @size bytes, and ends it with a 0. Cuts
 * the text after @width columns, unless that is 0, and where @buffer is full. Returns the number of
 * columns.
 */
size_t make_printable(char *buffer, size_t size, const char *text, size_t width);

#endif
