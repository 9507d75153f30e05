/* SPDX-License-Identifier: MIT */
/*
 * Writes texts into XML, HTML and JSON. The texts come from other people, such as names of files
 * and command lines, and may contain any byte. U+FFFD takes the place of each byte that is no part
 * of a character in UTF-8.
 */
#ifndef _ESCAPE_H_
#define _ESCAPE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

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

#endif
