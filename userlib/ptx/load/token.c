// SPDX-License-Identifier: MIT
/*
 * Tokens.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "load/parser.h"
#include "load/token.h"

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_follow(char c)
{
	return is_letter(c) || is_digit(c) || c == '_' || c == '$';
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static void new_line(struct ptx_lexer *lexer, const char *start)
{
	lexer->line++;
	lexer->start = start;
}

/* Skips a comment. Returns false, and stays before it, if it does not end. */
static bool skip_comment(struct ptx_lexer *lexer)
{
	struct ptx_lexer from = *lexer;
	const char *at = lexer->at + 2;

	if (lexer->at[1] == '/') {
		at = memchr(at, '\n', lexer->end - at);
		lexer->at = at ? at : lexer->end;
		return true;
	}
	for (; at < lexer->end; at++) {
		if (*at == '\n') {
			new_line(lexer, at + 1);
		} else if (*at == '*' && at[1] == '/') {
			lexer->at = at + 2;
			return true;
		}
	}
	*lexer = from;
	return false;
}

/* Skips spaces and comments. Returns false, and stays before it, if a comment does not end. */
static bool skip_blank(struct ptx_lexer *lexer)
{
	for (;;) {
		const char *at = lexer->at;

		if (*at == '\n')
			new_line(lexer, at + 1);
		if (is_space(*at))
			lexer->at++;
		else if (*at != '/' || (at[1] != '/' && at[1] != '*'))
			return true;
		else if (!skip_comment(lexer))
			return false;
	}
}

static const char *follow_end(const char *at)
{
	while (is_follow(*at))
		at++;
	return at;
}

static const char *number_end(const char *at)
{
	if (*at == '0' && is_letter(at[1]) && at[1] != 'e' && at[1] != 'E')
		return follow_end(at);
	while (is_digit(*at))
		at++;
	if (*at == '.') {
		at++;
		while (is_digit(*at))
			at++;
	}
	if (*at == 'e' || *at == 'E') {
		const char *exponent = at + 1;

		if (*exponent == '+' || *exponent == '-')
			exponent++;
		if (is_digit(*exponent))
			at = exponent;
	}
	return follow_end(at);
}

/* The end of a directive or a part of an opcode: .shared::cta is one. */
static const char *dotted_end(const char *at)
{
	at = follow_end(at + 1);
	while (at[0] == ':' && at[1] == ':' && is_follow(at[2]))
		at = follow_end(at + 2);
	return at;
}

static int mark_at(const char *at)
{
	static const char twice[] = "<>&|=";

	if (!at[0])
		return 0;
	if (strchr(twice, at[0]) && at[1] == at[0])
		return MARK(at[0], at[0]);
	if (strchr("<>!", at[0]) && at[1] == '=')
		return MARK(at[0], '=');
	return strchr("{}[]()<>,;:@!|+-*/%&^~?=", at[0]) ? at[0] : 0;
}

static void read_string(struct ptx_parser *p)
{
	const char *at = p->lexer.at + 1;

	p->token.kind = TOKEN_STRING;
	p->token.text = at;
	while (at < p->lexer.end && *at != '"' && *at != '\n')
		at += *at == '\\' && at + 1 < p->lexer.end && at[1] != '\n' ? 2 : 1;
	p->token.length = at - p->token.text;
	if (*at != '"')
		ptx_error(p, "the string has no closing quote");
	p->lexer.at = *at == '"' ? at + 1 : at;
}

/* Reports a character that begins no token, and skips it and all that follow it. */
static void skip_bad(struct ptx_parser *p)
{
	const char *at = p->lexer.at;

	if (*at == '#')
		ptx_error(p, "lines that begin with # are not supported: preprocess the file");
	else if (isprint((unsigned char)*at))
		ptx_error(p, "unexpected character '%c'", *at);
	else
		ptx_error(p, "unexpected byte 0x%02x", (unsigned char)*at);
	do {
		at++;
	} while (at < p->lexer.end && !is_space(*at) && !is_follow(*at) && *at != '"' &&
		 !mark_at(at));
	p->lexer.at = at;
}

static void read_token(struct ptx_parser *p)
{
	struct ptx_token *token = &p->token;
	const char *at = p->lexer.at;
	const char *end;

	if (is_digit(*at) || (*at == '.' && is_digit(at[1]) && !is_follow(at[-1]))) {
		token->kind = TOKEN_NUMBER;
		end = number_end(at);
	} else if (*at == '.' && is_follow(at[1])) {
		token->kind = TOKEN_DOTTED;
		end = dotted_end(at);
	} else if (is_follow(*at) || (*at == '%' && is_follow(at[1]))) {
		token->kind = TOKEN_WORD;
		end = follow_end(at + 1);
	} else {
		token->kind = TOKEN_MARK;
		token->mark = mark_at(at);
		end = at + (token->mark > 0xff ? 2 : 1);
	}
	token->length = end - at;
	p->lexer.at = end;
}

void ptx_next(struct ptx_parser *p)
{
	struct ptx_lexer *lexer = &p->lexer;
	struct ptx_token *token = &p->token;

	for (;;) {
		bool closed = skip_blank(lexer);

		*token = (struct ptx_token){ .line = lexer->line, .text = lexer->at,
					     .column = lexer->at - lexer->start + 1 };
		if (!closed) {
			ptx_error(p, "the comment is not closed");
			lexer->at = lexer->end;
		}
		if (p->error || lexer->at >= lexer->end)
			return;
		if (*lexer->at == '"') {
			read_string(p);
			return;
		}
		if (is_follow(*lexer->at) || (*lexer->at == '.' && is_follow(lexer->at[1])) ||
		    (*lexer->at && mark_at(lexer->at))) {
			read_token(p);
			return;
		}
		skip_bad(p);
	}
}

bool ptx_next_is(const struct ptx_parser *p, char mark)
{
	struct ptx_lexer lexer = p->lexer;

	skip_blank(&lexer);
	return lexer.at < lexer.end && *lexer.at == mark;
}

bool ptx_at(const struct ptx_parser *p, int mark)
{
	return p->token.kind == TOKEN_MARK && p->token.mark == mark;
}

bool ptx_token_is(const struct ptx_token *token, const char *text)
{
	return (token->kind == TOKEN_WORD || token->kind == TOKEN_DOTTED) &&
	       !strncmp(token->text, text, token->length) && !text[token->length];
}

bool ptx_take(struct ptx_parser *p, int mark)
{
	if (!ptx_at(p, mark))
		return false;
	ptx_next(p);
	return true;
}

bool ptx_take_word(struct ptx_parser *p, const char *text)
{
	if (!ptx_token_is(&p->token, text))
		return false;
	ptx_next(p);
	return true;
}

bool ptx_need(struct ptx_parser *p, char mark)
{
	const char what[] = { '\'', mark, '\'', '\0' };

	return ptx_take(p, mark) || ptx_expected(p, what);
}

/* Does the brace at the token close a vector or an initialiser, not a scope? */
static bool closes_vector(const struct ptx_parser *p)
{
	return ptx_next_is(p, ',') || ptx_next_is(p, ';') || ptx_next_is(p, ']') ||
	       ptx_next_is(p, ')');
}

/* Skips a scope or a vector. Returns true if there was a semicolon in it. */
static bool skip_braces(struct ptx_parser *p)
{
	unsigned int depth = 0;
	bool semicolon = false;

	do {
		depth += ptx_at(p, '{');
		depth -= ptx_at(p, '}');
		semicolon |= ptx_at(p, ';');
		ptx_next(p);
	} while (depth && p->token.kind != TOKEN_END);
	return semicolon;
}

void ptx_recover(struct ptx_parser *p)
{
	p->nesting = 0;
	if (ptx_at(p, '{') && skip_braces(p))
		return;
	while (p->token.kind != TOKEN_END) {
		if (ptx_take(p, ';') || (ptx_at(p, '}') && !closes_vector(p)))
			return;
		ptx_next(p);
	}
}

void ptx_recover_module(struct ptx_parser *p)
{
	unsigned int depth = 0;

	p->nesting = 0;
	/* A brace closes the body of a function, or belongs to an initialiser. */
	while (p->token.kind != TOKEN_END) {
		if (!depth && ptx_take(p, ';'))
			return;
		if (ptx_at(p, '{')) {
			depth++;
		} else if (ptx_at(p, '}') && (!depth || !--depth) && !closes_vector(p)) {
			ptx_next(p);
			return;
		}
		ptx_next(p);
	}
}
