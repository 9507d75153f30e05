/* SPDX-License-Identifier: MIT */
/*
 * Names, what they stand for, and the scopes in which they do.
 */
#ifndef _PTX_LOAD_NAME_H_
#define _PTX_LOAD_NAME_H_

#include "load/state.h"
#include "vsm_syntax.h"

static inline struct span ptx_word_span(const struct ptx_word *word)
{
	return (struct span){ .text = word->text, .length = word->length };
}

/* Defines the names that PTX itself defines, and opens the scope of the module. */
bool ptx_names_init(struct ptx_parser *p);
void ptx_names_free(struct ptx_parser *p);
/* Returns the name, or NULL if memory has run out. */
struct ptx_word *ptx_word(struct ptx_parser *p, const char *text, unsigned int length);
/*
 * Declares a name in the current scope. @place is where, for the error. Returns NULL after an
 * error: the name is declared in this scope already.
 */
struct ptx_symbol *ptx_declare(struct ptx_parser *p, struct ptx_word *word,
			       enum ptx_symbol_kind kind, const struct ptx_token *place);
bool ptx_scope_open(struct ptx_parser *p);
/* Closes the current scope. Its labels must have been resolved. */
void ptx_scope_close(struct ptx_parser *p);
/* Reports that a name is unknown. @what is what it should be. Returns false. */
bool ptx_unknown(struct ptx_parser *p, const struct ptx_word *word, uint32_t line, uint32_t column,
		 const char *what);

#endif
