// SPDX-License-Identifier: MIT
/*
 * Writes texts into HTML and SVG.
 */
#include <inttypes.h>
#include <stdbool.h>

#include "trace/markup.h"
#include "utf8.h"

/* XML allows no other control characters, not even escaped, and not these two (XML 1.0, 2.2). */
static bool in_xml(uint32_t character)
{
	return (character >= 0x20 && character != 0xfffe && character != 0xffff) ||
	       character == '\t' || character == '\n';
}

static const char *entity(uint32_t character)
{
	switch (character) {
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '&':
		return "&amp;";
	case '"':
		return "&quot;";
	default:
		return NULL;
	}
}

void markup_put(FILE *out, const char *text, size_t size)
{
	const char *end = text + size, *name;
	uint32_t character;
	size_t bytes;

	for (; text < end; text += bytes) {
		bytes = utf8_next(text, end - text, &character);
		name = entity(character);
		if (name)
			fputs(name, out);
		else if (character == UTF8_REPLACEMENT || !in_xml(character))
			fputs(UTF8_REPLACEMENT_TEXT, out);
		else
			fwrite(text, 1, bytes, out);
	}
}

void markup_put_json(FILE *out, const char *text, size_t size)
{
	const char *end = text + size;
	uint32_t character;
	size_t bytes;

	putc('"', out);
	for (; text < end; text += bytes) {
		bytes = utf8_next(text, end - text, &character);
		if (character == '"' || character == '\\')
			fprintf(out, "\\%c", (char)character);
		else if (character == '<' || character < 0x20 || character == 0x7f)
			fprintf(out, "\\u%04" PRIx32, character);
		else if (character == UTF8_REPLACEMENT)
			fputs(UTF8_REPLACEMENT_TEXT, out);
		else
			fwrite(text, 1, bytes, out);
	}
	putc('"', out);
}
