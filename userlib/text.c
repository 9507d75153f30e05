// SPDX-License-Identifier: MIT
/* Writing text into a buffer. Text that does not fit is cut off, as by snprintf(). */
#include <stdarg.h>
#include <stdio.h>

#include "internal.h"

void vsm_text_begin(struct vsm_text *text, char *to, size_t size)
{
	text->to = to;
	text->size = size;
	text->length = 0;
	if (size)
		to[0] = '\0';
}

void vsm_text_put(struct vsm_text *text, const char *format, ...)
{
	bool fits = text->length < text->size;
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(fits ? text->to + text->length : NULL,
			   fits ? text->size - text->length : 0, format, args);
	va_end(args);
	if (length > 0)
		text->length += length;
}
