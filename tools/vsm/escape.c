// SPDX-License-Identifier: MIT
/*
 * Writes texts into XML, HTML and JSON.
 */
#include <inttypes.h>
#include <string.h>

#include "escape.h"
#include "utf8.h"

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
