/* SPDX-License-Identifier: MIT */
/*
 * Memory and errors of the parser.
 *
 * Functions of the parser that read something return false (or NULL) when they could not: then an
 * error has been reported, or the parser has stopped. A parser that has stopped reads only
 * TOKEN_END and reports nothing more, so that every loop ends.
 */
#ifndef _PTX_LOAD_PARSER_H_
#define _PTX_LOAD_PARSER_H_

#include <stddef.h>

#include "load/state.h"

/* Returns zeros that belong to the module, or NULL. */
void *ptx_new(struct ptx_parser *p, size_t count, size_t size);
/* Adds an element of zeros to a list. */
void *ptx_list_add(struct ptx_parser *p, struct ptx_list *list, size_t size);
/* Moves the elements from @first on to the module. The result is not NULL if there is none. */
void *ptx_list_keep(struct ptx_parser *p, struct ptx_list *list, unsigned int first, size_t size);
void ptx_list_free(struct ptx_list *list);
/* Stops because memory has run out. */
void ptx_out_of_memory(struct ptx_parser *p);
/* Report an error. Both return false. */
bool ptx_error_at(struct ptx_parser *p, uint32_t line, uint32_t column, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
bool ptx_error(struct ptx_parser *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* "expected @what, found ..." at the token. Returns false. */
bool ptx_expected(struct ptx_parser *p, const char *what);

#endif
