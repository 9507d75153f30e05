/* SPDX-License-Identifier: MIT */
/*
 * Reads a line character by character, and reports errors with their place.
 */
#ifndef _PTX_TEXT_LEX_H_
#define _PTX_TEXT_LEX_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* At most this number of errors of a file are reported. */
#define MAX_ERRORS 20

/**
 * struct errors - The errors of a file
 * @path: Path of the file
 * @out: Stream to which each error is written, as a line FILE:LINE:COLUMN: message
 * @count: Number of errors
 */
struct errors {
	const char *path;
	FILE *out;
	unsigned int count;
};

/**
 * struct cursor - A place in a line
 * @errors: Where errors in the line are counted and written
 * @line: Number of the line
 * @start: First character of the line
 * @at: Next character
 * @end: End of the line without its comment
 */
struct cursor {
	struct errors *errors;
	unsigned int line;
	const char *start;
	const char *at;
	const char *end;
};

/** struct span - Some characters of a line */
struct span {
	const char *text;
	size_t length;
};

/* Reports an error at a line and column. Line 0 stands for the whole file. */
void error_add(struct errors *errors, unsigned int line, unsigned int column,
	       const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Reports an error at @where in the line. Returns false. */
bool error_at(const struct cursor *c, const char *where, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
unsigned int column_of(const struct cursor *c, const char *where);

/*
 * take(), take_...(), need() and need_...() skip spaces, read something and move the cursor behind
 * it. If it is not there, need() and need_...() report an error and return false.
 */
void skip_spaces(struct cursor *c);
/* Removes spaces from the end of the line. */
void trim(struct cursor *c);
bool at_end(struct cursor *c);
/* Is the next character a digit? */
bool at_number(struct cursor *c);
bool take(struct cursor *c, char character);
bool need(struct cursor *c, char character);
/* The line must end here. */
bool need_end(struct cursor *c);
/* Reads ==. */
bool need_equal(struct cursor *c);
/* Takes letters, digits, _ and $. The span is empty if there are none. */
struct span take_word(struct cursor *c);
/* Takes the name of an operation: letters, digits, _ and dots. May be empty. */
struct span take_dotted(struct cursor *c);
/* Reads a word that does not begin with a digit. @what is its name in the error. */
bool need_name(struct cursor *c, const char *what, struct span *name);
/* Reads a decimal or hexadecimal (0x) number from 0 to @max. */
bool need_number(struct cursor *c, const char *what, uint64_t max, uint64_t *number);
/* Reads a number from @min to @max, which may have a minus sign. */
bool need_signed(struct cursor *c, const char *what, int64_t min, int64_t max, int64_t *number);
/* Reads a number from 1 to @max. */
bool need_size(struct cursor *c, const char *what, uint32_t max, uint32_t *size);

bool span_is(struct span span, const char *text);

/* Size of the text of quote() and found(). */
#define QUOTE_SIZE 48

/* Writes the span in quotes to @text, shortened if it is long. Returns @text. */
const char *quote(char text[QUOTE_SIZE], struct span span);
/* Writes the word or character at the cursor to @text, for an error. Returns @text. */
const char *found(struct cursor *c, char text[QUOTE_SIZE]);

#endif
