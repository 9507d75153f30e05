// SPDX-License-Identifier: MIT
/*
 * Memory and errors of the parser.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load/parser.h"
#include "vsm_syntax.h"

/* Longest text of an error message */
#define MESSAGE 512

void ptx_out_of_memory(struct ptx_parser *p)
{
	if (p->arena->full)
		ptx_error(p, "the module is too large: it needs more than %llu MiB of memory",
			  PTX_MAX_MEMORY >> 20);
	p->error = p->arena->full ? -EINVAL : -ENOMEM;
}

void *ptx_new(struct ptx_parser *p, size_t count, size_t size)
{
	void *memory = p->error == -ENOMEM ? NULL : ptx_arena_take(p->arena, count, size);

	if (!memory)
		ptx_out_of_memory(p);
	return memory;
}

void *ptx_list_add(struct ptx_parser *p, struct ptx_list *list, size_t size)
{
	if (list->count == list->space) {
		unsigned int space = list->space ? 2 * list->space : 16;
		void *items = NULL;

		if (ptx_arena_charge(p->arena, (size_t)(space - list->space) * size))
			items = realloc(list->items, (size_t)space * size);
		if (!items) {
			ptx_out_of_memory(p);
			return NULL;
		}
		list->items = items;
		list->space = space;
	}
	return memset((char *)list->items + (size_t)list->count++ * size, 0, size);
}

void *ptx_list_keep(struct ptx_parser *p, struct ptx_list *list, unsigned int first, size_t size)
{
	unsigned int count = list->count - first;
	void *memory = ptx_new(p, count ? count : 1, size);

	if (memory && count)
		memcpy(memory, (char *)list->items + (size_t)first * size, (size_t)count * size);
	list->count = first;
	return memory;
}

void ptx_list_free(struct ptx_list *list)
{
	free(list->items);
	*list = (struct ptx_list){ };
}

bool ptx_error_at(struct ptx_parser *p, uint32_t line, uint32_t column, const char *format, ...)
{
	char text[MESSAGE];
	va_list arguments;

	if (p->error)
		return false;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	ptx_message(p->messages, p->path, line, column, "%s", text);
	if (p->messages->failed)
		p->error = -ENOMEM;
	else if (p->messages->count >= PTX_MAX_MESSAGES)
		p->error = -EINVAL;
	return false;
}

bool ptx_error(struct ptx_parser *p, const char *format, ...)
{
	char text[MESSAGE];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	return ptx_error_at(p, p->token.line, p->token.column, "%s", text);
}

bool ptx_expected(struct ptx_parser *p, const char *what)
{
	struct span found = { .text = p->token.text, .length = p->token.length };
	char text[QUOTE_SIZE];

	if (p->token.kind == TOKEN_END)
		return ptx_error(p, "expected %s, found the end of the file", what);
	if (p->token.kind == TOKEN_STRING)
		return ptx_error(p, "expected %s, found a string", what);
	return ptx_error(p, "expected %s, found %s", what, quote(text, found));
}
