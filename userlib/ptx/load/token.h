/* SPDX-License-Identifier: MIT */
/*
 * Splits PTX text into tokens.
 */
#ifndef _PTX_LOAD_TOKEN_H_
#define _PTX_LOAD_TOKEN_H_

#include <stdbool.h>
#include <stdint.h>

#include "text/lex.h"

struct ptx_parser;

/** enum ptx_token_kind - Kinds of tokens */
enum ptx_token_kind {
	TOKEN_END,
	TOKEN_WORD,	/* name, %r1, _, opcode up to its first dot */
	TOKEN_DOTTED,	/* .global, .shared::cta */
	TOKEN_NUMBER,
	TOKEN_STRING,	/* without its quotes */
	TOKEN_MARK,	/* punctuation */
};

/* Marks of two characters */
#define MARK(a, b) ((a) << 8 | (b))

/**
 * struct ptx_token - A token
 * @kind: What it is
 * @mark: TOKEN_MARK: its character, or MARK() of its two characters
 * @text: First character
 * @length: Number of characters
 * @line: Place of the first character
 * @column: Place of the first character
 */
struct ptx_token {
	enum ptx_token_kind kind;
	int mark;
	const char *text;
	unsigned int length;
	uint32_t line;
	uint32_t column;
};

static inline struct span ptx_token_span(const struct ptx_token *token)
{
	return (struct span){ .text = token->text, .length = token->length };
}

/**
 * struct ptx_lexer - A place in the text
 * @at: Next character
 * @end: End of the text, where a zero stands
 * @start: First character of the line
 * @line: Number of the line
 */
struct ptx_lexer {
	const char *at;
	const char *end;
	const char *start;
	uint32_t line;
};

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
