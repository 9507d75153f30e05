/* SPDX-License-Identifier: MIT */
/*
 * Reads the characters of texts that may be no UTF-8, such as names of files.
 */
#ifndef _UTF8_H_
#define _UTF8_H_

#include <stddef.h>
#include <stdint.h>

/* What takes the place of a byte that is no part of a character. */
#define UTF8_REPLACEMENT 0xfffd
#define UTF8_REPLACEMENT_TEXT "\xef\xbf\xbd"

/*
 * Reads the character at @text, which has @size bytes, at least one. Sets @character to its number
 * and returns its bytes. If there is no valid character, sets @character to UTF8_REPLACEMENT and
 * returns 1.
 */
size_t utf8_next(const char *text, size_t size, uint32_t *character);

#endif
