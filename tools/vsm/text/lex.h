/* SPDX-License-Identifier: MIT */
/*
 * Reads a line of a scenario character by character, and reports errors with their place.
 */
#ifndef _TEXT_LEX_H_
#define _TEXT_LEX_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Errors of a file that are reported; more do not help anybody. */
#define MAX_ERRORS 20

/**
 * struct errors - The errors of a file
 * @path: Path of the file
 * @out: Receives each error as a line FILE:LINE:COLUMN: message
 * @count: Number of errors
 */
struct errors {
	const char *path;
	FILE *out;
	unsigned int count;
};

/**
 * struct cursor - A place in a line
 * @errors: Receives the errors
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

/* Reports an error at a line and column. Line 0: an error of the whole file. */
void error_add(struct errors *errors, unsigned int line, unsigned int column,
	       const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Reports an error at @where in the line. Returns false. */
bool error_at(const struct cursor *c, const char *where, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
unsigned int column_of(const struct cursor *c, const char *where);

/*
 * Functions take_...() move the cursor behind what they find. Functions need_...() do the same;
 * if they do not find it they report an error and return false. Spaces before it are skipped.
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
/* Two equal signs. */
bool need_equal(struct cursor *c);
/* Letters, digits, _ and $. Empty if there are none. */
struct span take_word(struct cursor *c);
/* Letters, digits, _ and dots, as in the name of an operation. Empty if there are none. */
struct span take_dotted(struct cursor *c);
/* A word that does not begin with a digit. Errors call it @what. */
bool need_name(struct cursor *c, const char *what, struct span *name);
/* A number, decimal or 0x, from 0 to @max. */
bool need_number(struct cursor *c, const char *what, uint64_t max, uint64_t *number);
/* A number from @min to @max that may have a minus sign. */
bool need_signed(struct cursor *c, const char *what, int64_t min, int64_t max, int64_t *number);
/* A number from 1 to @max. */
bool need_size(struct cursor *c, const char *what, uint32_t max, uint32_t *size);

bool span_is(struct span span, const char *text);

/* Size of a quoted name in a message. */
#define QUOTE_SIZE 48

/* Writes the span in quotes, shortened if it is long. Returns @text. */
const char *quote(char text[QUOTE_SIZE], struct span span);
/* Writes what stands at the cursor. Returns @text. */
const char *found(struct cursor *c, char text[QUOTE_SIZE]);

#endif
