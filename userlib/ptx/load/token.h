/* SPDX-License-Identifier: MIT */
/*
 * Splits PTX text into tokens.
 */
#ifndef _PTX_LOAD_TOKEN_H_
#define _PTX_LOAD_TOKEN_H_

#include "load/state.h"
#include "vsm_syntax.h"

static inline struct span ptx_token_span(const struct ptx_token *token)
{
	return (struct span){ .text = token->text, .length = token->length };
}

/* Reads the next token. */
void ptx_next(struct ptx_parser *p);
/* Is @mark the next thing behind the token? */
bool ptx_next_is(const struct ptx_parser *p, char mark);
/* Is the token this mark? */
bool ptx_at(const struct ptx_parser *p, int mark);
/* Is the token this word or directive? */
bool ptx_token_is(const struct ptx_token *token, const char *text);
/* If the token is this mark, go to the next one. */
bool ptx_take(struct ptx_parser *p, int mark);
bool ptx_take_word(struct ptx_parser *p, const char *text);
/* The token must be this mark. */
bool ptx_need(struct ptx_parser *p, char mark);
/* After an error: goes behind the next semicolon, or to the brace that closes the scope. */
void ptx_recover(struct ptx_parser *p);
/* After an error in a module: goes behind the next semicolon, or behind the end of a body. */
void ptx_recover_module(struct ptx_parser *p);

#endif
