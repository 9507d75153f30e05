// SPDX-License-Identifier: MIT
/*
 * Error messages.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load/module.h"

static int message_write(FILE *file, const char *old, const char *path, uint32_t line,
			 uint32_t column, const char *format, va_list arguments)
{
	if (old)
		fputs(old, file);
	if (line)
		fprintf(file, "%s:%u:%u: ", path, line, column);
	else
		fprintf(file, "%s: ", path);
	vfprintf(file, format, arguments);
	fputc('\n', file);
	return ferror(file);
}

void ptx_message(struct ptx_messages *messages, const char *path, uint32_t line, uint32_t column,
		 const char *format, ...)
{
	va_list arguments;
	char *text = NULL;
	size_t size;
	FILE *file;
	int error;

	if (messages->count >= PTX_MAX_MESSAGES)
		return;
	messages->count++;
	file = open_memstream(&text, &size);
	if (!file) {
		messages->failed = true;
		return;
	}
	va_start(arguments, format);
	error = message_write(file, messages->text, path, line, column, format, arguments);
	va_end(arguments);
	if (fclose(file) || error) {
		free(text);
		messages->failed = true;
		return;
	}
	free(messages->text);
	messages->text = text;
}
