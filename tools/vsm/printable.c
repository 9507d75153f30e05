// SPDX-License-Identifier: MIT
/*
 * Texts that other processes choose, such as their names.
 */
#include <string.h>
#include <wchar.h>
#include <wctype.h>

#include "printable.h"

size_t write_printable(FILE *out, const char *text, size_t size)
{
	mbstate_t state = { };
	size_t columns = 0, bytes;
	wchar_t character;

	for (; size && *text; columns++) {
		bytes = mbrtowc(&character, text, size, &state);
		if (bytes > size) {
			/* No character begins here. */
			memset(&state, 0, sizeof(state));
			bytes = 1;
			character = 0;
		}
		/* Characters that change the direction of the text have no width. */
		if (iswprint(character) && wcwidth(character) == 1)
			fwrite(text, 1, bytes, out);
		else
			putc('?', out);
		text += bytes;
		size -= bytes;
	}
	return columns;
}
