/* SPDX-License-Identifier: MIT */
/*
 * A line of a scenario, character by character, and what is wrong with it.
 */
#ifndef _VSM_LEX_H_
#define _VSM_LEX_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* More errors than these do not help anybody. */
#define MAX_ERRORS 20

/**
 * struct errors - What is wrong with a file
 * @path: The file
 * @out: Where each error goes as a line FILE:LINE:COLUMN: message
 * @count: Errors
 */
struct errors {
	const char *path;
	FILE *out;
	unsigned int count;
};

/**
 * struct cursor - A place in a line
 * @errors: Where errors go
 * @line: Number of the line
 * @start: Its first character
 * @at: The next character
 * @end: Where the line, or what the comment leaves of it, ends
 */
struct cursor {
	struct errors *errors;
	unsigned int line;
	const char *start;
	const char *at;
	const char *end;
};

/** struct span - Characters of a line */
struct span {
	const char *text;
	size_t length;
};

void error_add(struct errors *errors, unsigned int line, unsigned int column,
	       const char *format, ...) __attribute__((format(printf, 4, 5)));
/* An error at @where in the line. Always false. */
bool error_at(const struct cursor *c, const char *where, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
unsigned int column_of(const struct cursor *c, const char *where);

void skip_spaces(struct cursor *c);
/* Let the line end before the spaces that it ends with. */
void trim(struct cursor *c);
bool at_end(struct cursor *c);
/* The next character, after spaces, if it is @character. */
bool take(struct cursor *c, char character);
/* As take(), or an error. */
bool need(struct cursor *c, char character);
/* Nothing may follow, or an error. */
bool need_end(struct cursor *c);
/* Letters, digits and _ after spaces; empty if the first is none of them. */
struct span take_word(struct cursor *c);
/* What begins like a number. */
bool at_number(struct cursor *c);
/* A number, decimal or 0x, up to @max; @what is its name in errors. */
bool need_number(struct cursor *c, const char *what, uint64_t max, uint64_t *number);

/* The same, which may have a - before it and may be down to @min. */
bool need_signed(struct cursor *c, const char *what, int64_t min, int64_t max, int64_t *number);

/* A word that is no number, or an error; @what is its name there. */
bool need_name(struct cursor *c, const char *what, struct span *name);

bool span_is(struct span span, const char *text);

/* Room for a name or what stands in its place, quoted, in a message. */
#define QUOTE_SIZE 48

/* A span in quotes, as far as it can be printed. */
const char *quote(char text[QUOTE_SIZE], struct span span);
/* What is found at the cursor. */
const char *found(struct cursor *c, char text[QUOTE_SIZE]);

/**
 * struct nearest - The name among several that a span was most likely meant to be
 * @span: What is there
 * @name: The nearest so far, NULL if none is near
 * @distance: How far it is
 */
struct nearest {
	struct span span;
	const char *name;
	unsigned int distance;
};

void nearest_try(struct nearest *nearest, const char *name);

/* "; did you mean NAME?", or nothing. */
#define MEANT_SIZE 96
const char *meant(const struct nearest *nearest, const char *prefix, char text[MEANT_SIZE]);

#endif
