// SPDX-License-Identifier: MIT
/*
 * Texts that other processes choose, such as their names.
 */
#include <string.h>
#include <wchar.h>
#include <wctype.h>

#include "printable.h"

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
