// SPDX-License-Identifier: MIT
/*
 * Reads a line character by character, and reports errors with their place.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "text/lex.h"

static void add(struct errors *errors, unsigned int line, unsigned int column,
		const char *format, va_list args)
{
	errors->count++;
	if (errors->count > MAX_ERRORS)
		return;
	if (line)
		fprintf(errors->out, "%s:%u:%u: ", errors->path, line, column);
	else
		fprintf(errors->out, "%s: ", errors->path);
	vfprintf(errors->out, format, args);
	fputc('\n', errors->out);
	if (errors->count == MAX_ERRORS)
		fprintf(errors->out, "%s: too many errors\n", errors->path);
}

void error_add(struct errors *errors, unsigned int line, unsigned int column,
	       const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add(errors, line, column, format, args);
	va_end(args);
}

unsigned int column_of(const struct cursor *c, const char *where)
{
	return where - c->start + 1;
}

bool error_at(const struct cursor *c, const char *where, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add(c->errors, c->line, column_of(c, where), format, args);
	va_end(args);
	return false;
}

static bool is_space(char character)
{
	return character == ' ' || character == '\t' || character == '\r';
}

void skip_spaces(struct cursor *c)
{
	while (c->at < c->end && is_space(*c->at))
		c->at++;
}

void trim(struct cursor *c)
{
	while (c->end > c->at && is_space(c->end[-1]))
		c->end--;
}

bool at_end(struct cursor *c)
{
	skip_spaces(c);
	return c->at == c->end;
}

bool take(struct cursor *c, char character)
{
	if (at_end(c) || *c->at != character)
		return false;
	c->at++;
	return true;
}

bool need(struct cursor *c, char character)
{
	char text[QUOTE_SIZE];

	return take(c, character) ||
	       error_at(c, c->at, "expected '%c', found %s", character, found(c, text));
}

bool need_end(struct cursor *c)
{
	char text[QUOTE_SIZE];

	if (at_end(c))
		return true;
	if (c->end - c->at >= 2 && !memcmp(c->at, "//", 2))
		return error_at(c, c->at, "a comment must begin with #");
	return error_at(c, c->at, "expected the end of the line, found %s", found(c, text));
}

bool need_equal(struct cursor *c)
{
	char text[QUOTE_SIZE];

	skip_spaces(c);
	if (c->end - c->at >= 2 && !memcmp(c->at, "==", 2)) {
		c->at += 2;
		return true;
	}
	return error_at(c, c->at, "expected '==', found %s", found(c, text));
}

static bool in_word(char character)
{
	return isalnum((unsigned char)character) || character == '_' || character == '$';
}

static struct span word_at(const struct cursor *c)
{
	struct span span = { .text = c->at };

	while (span.text + span.length < c->end && in_word(span.text[span.length]))
		span.length++;
	return span;
}

struct span take_word(struct cursor *c)
{
	struct span span;

	skip_spaces(c);
	span = word_at(c);
	c->at += span.length;
	return span;
}

struct span take_dotted(struct cursor *c)
{
	struct span span;

	skip_spaces(c);
	span.text = c->at;
	while (c->at < c->end && (isalnum((unsigned char)*c->at) || *c->at == '.' ||
				  *c->at == '_'))
		c->at++;
	span.length = c->at - span.text;
	return span;
}

bool at_number(struct cursor *c)
{
	return !at_end(c) && isdigit((unsigned char)*c->at);
}

static int digit_value(char digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	if (digit >= 'a' && digit <= 'f')
		return digit - 'a' + 10;
	if (digit >= 'A' && digit <= 'F')
		return digit - 'A' + 10;
	return 16;
}

bool need_number(struct cursor *c, const char *what, uint64_t max, uint64_t *number)
{
	struct span span;
	char text[QUOTE_SIZE];
	uint64_t value = 0;
	int base = 10;
	size_t i = 0;

	if (!at_number(c))
		return error_at(c, c->at, "expected %s, a number (decimal or 0x), found %s", what,
				found(c, text));
	span = take_word(c);
	if (span.length > 2 && span.text[0] == '0' && (span.text[1] | ' ') == 'x') {
		base = 16;
		i = 2;
	}
	quote(text, span);
	for (; i < span.length; i++) {
		int digit = digit_value(span.text[i]);

		if (digit >= base)
			return error_at(c, span.text,
					"%s is not a number: write decimal, or hex after 0x",
					text);
		if (__builtin_mul_overflow(value, (uint64_t)base, &value) ||
		    __builtin_add_overflow(value, (uint64_t)digit, &value))
			return error_at(c, span.text, "%s has more than 64 bits", text);
	}
	if (value > max)
		return error_at(c, span.text, "%s is too large for %s, which is at most %" PRIu64,
				text, what, max);
	*number = value;
	return true;
}

bool need_signed(struct cursor *c, const char *what, int64_t min, int64_t max, int64_t *number)
{
	const char *where;
	uint64_t value;

	skip_spaces(c);
	where = c->at;
	if (!take(c, '-')) {
		if (!need_number(c, what, max, &value))
			return false;
		*number = value;
		return true;
	}
	if (!need_number(c, what, INT64_MAX, &value))
		return false;
	*number = -(int64_t)value;
	return *number >= min ||
	       error_at(c, where, "-%" PRIu64 " is too small for %s, which is at least %" PRId64,
			value, what, min);
}

bool need_size(struct cursor *c, const char *what, uint32_t max, uint32_t *size)
{
	const char *where;
	uint64_t number;

	skip_spaces(c);
	where = c->at;
	if (!need_number(c, what, max, &number))
		return false;
	if (!number)
		return error_at(c, where, "%s cannot be 0", what);
	*size = number;
	return true;
}

bool need_name(struct cursor *c, const char *what, struct span *name)
{
	char text[QUOTE_SIZE];

	if (!at_number(c)) {
		*name = take_word(c);
		if (name->length)
			return true;
	}
	return error_at(c, c->at, "expected %s, found %s", what, found(c, text));
}

bool span_is(struct span span, const char *text)
{
	return strlen(text) == span.length && !memcmp(text, span.text, span.length);
}

const char *quote(char text[QUOTE_SIZE], struct span span)
{
	size_t length = span.length < QUOTE_SIZE - 6 ? span.length : QUOTE_SIZE - 6;
	size_t i;

	text[0] = '\'';
	for (i = 0; i < length; i++)
		text[i + 1] = isprint((unsigned char)span.text[i]) ? span.text[i] : '?';
	snprintf(text + 1 + length, QUOTE_SIZE - 1 - length, "%s'",
		 length < span.length ? "..." : "");
	return text;
}

const char *found(struct cursor *c, char text[QUOTE_SIZE])
{
	struct span span = { .text = c->at, .length = 1 };

	if (at_end(c)) {
		snprintf(text, QUOTE_SIZE, "the end of the line");
		return text;
	}
	span = word_at(c);
	if (!span.length)
		span.length = 1;
	if (isprint((unsigned char)*c->at))
		return quote(text, span);
	snprintf(text, QUOTE_SIZE, "the byte 0x%02x", (unsigned char)*c->at);
	return text;
}
