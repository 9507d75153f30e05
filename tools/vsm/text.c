// SPDX-License-Identifier: MIT
/* Text for others: UTF-8, JSON, XML and terminals. */
#include <inttypes.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

#include "text.h"

/* --- UTF-8 ---------------------------------------------------------------- */

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

/* --- JSON and XML --------------------------------------------------------- */

/* May XML 1.0 have this character? It forbids most control characters, even as references. */
static bool is_in_xml(uint32_t character)
{
	if (character < 0x20)
		return character == '\t' || character == '\n' || character == '\r';
	return character != 0xfffe && character != 0xffff;
}

void escape_xml(FILE *out, const char *text, size_t size, bool attribute)
{
	const char *end = text + size;
	uint32_t character;
	size_t bytes;

	for (; text < end; text += bytes) {
		bytes = utf8_next(text, end - text, &character);
		/* In an attribute, a reader would change tabs and ends of lines. */
		if (character == UTF8_REPLACEMENT || !is_in_xml(character))
			fputs(UTF8_REPLACEMENT_TEXT, out);
		else if (character == '\r' || (character < 0x20 && attribute) ||
			 (character < 0x80 && strchr("<>&\"", character)))
			fprintf(out, "&#%" PRIu32 ";", character);
		else
			fwrite(text, 1, bytes, out);
	}
}

void escape_json(FILE *out, const char *text, size_t size, bool script)
{
	static const char named[] = "\b\f\n\r\t\"\\", letters[] = "bfnrt\"\\";
	const char *end = text + size, *name;
	uint32_t character;
	size_t bytes;

	putc('"', out);
	for (; text < end; text += bytes) {
		bytes = utf8_next(text, end - text, &character);
		name = character && character < 0x80 ? strchr(named, character) : NULL;
		if (name)
			fprintf(out, "\\%c", letters[name - named]);
		else if (character < 0x20 || character == 0x7f || (character == '<' && script))
			fprintf(out, "\\u%04" PRIx32, character);
		else if (character == UTF8_REPLACEMENT)
			fputs(UTF8_REPLACEMENT_TEXT, out);
		else
			fwrite(text, 1, bytes, out);
	}
	putc('"', out);
}

/* --- terminals ------------------------------------------------------------ */

/*
 * Reads the next character of a text of @size bytes, at least one. Returns its bytes. Sets @shown
 * to the bytes to show, and returns their number in @length.
 */
static size_t next(const char *text, size_t size, const char **shown, size_t *length)
{
	mbstate_t state = { };
	wchar_t character;
	size_t bytes = mbrtowc(&character, text, size, &state);

	/* Characters that change the direction of the text have no width. */
	if (bytes && bytes <= size && iswprint(character) && wcwidth(character) == 1) {
		*shown = text;
		*length = bytes;
		return bytes;
	}
	*shown = "?";
	*length = 1;
	return bytes && bytes <= size ? bytes : 1;
}

void write_printable(FILE *out, const char *text, size_t size)
{
	const char *end = text + strnlen(text, size), *shown;
	size_t length;

	while (text < end) {
		text += next(text, end - text, &shown, &length);
		fwrite(shown, 1, length, out);
	}
}

size_t make_printable(char *buffer, size_t size, const char *text, size_t width)
{
	const char *end = text + strlen(text), *shown;
	size_t columns = 0, used = 0, length;

	while (text < end && !(width && columns == width)) {
		text += next(text, end - text, &shown, &length);
		if (used + length >= size)
			break;
		memcpy(buffer + used, shown, length);
		used += length;
		columns++;
	}
	buffer[used] = '\0';
	return columns;
}
