// SPDX-License-Identifier: MIT
/*
 * Reads the characters of texts that may be no UTF-8, such as names of files.
 */
#include "utf8.h"

/* Returns the bytes of the character that begins with @first; 0 if none begins so. */
static size_t bytes_of(unsigned char first)
{
	if (first < 0x80)
		return 1;
	if (first < 0xc2)
		return 0;
	if (first < 0xe0)
		return 2;
	if (first < 0xf0)
		return 3;
	return first < 0xf5 ? 4 : 0;
}

size_t utf8_next(const char *text, size_t size, uint32_t *character)
{
	/* The smallest number that needs so many bytes. A smaller one has a shorter form. */
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t bytes = bytes_of(*text), i;
	uint32_t number;

	*character = UTF8_REPLACEMENT;
	if (!bytes || bytes > size)
		return 1;
	number = bytes == 1 ? *text : *text & (0x7f >> bytes);
	for (i = 1; i < bytes; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 1;
		number = number << 6 | (text[i] & 0x3f);
	}
	/* 0xd800 to 0xdfff are halves of pairs in UTF-16, and no characters. */
	if (number < smallest[bytes] || number > 0x10ffff || (number >= 0xd800 && number < 0xe000))
		return 1;
	*character = number;
	return bytes;
}
