// SPDX-License-Identifier: MIT
/*
 * Text: reads lines character by character, reports errors with their place, and writes parts of
 * sentences.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "vsm_syntax.h"

/* --- reading lines -------------------------------------------------------- */

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

/* --- similar names -------------------------------------------------------- */

/* The smallest number of insertions, deletions and replacements that change @a to @b. */
static unsigned int edit_distance(struct span a, const char *b)
{
	unsigned int row[QUOTE_SIZE];
	size_t length = strlen(b);
	size_t i, j;

	if (length >= QUOTE_SIZE || a.length >= QUOTE_SIZE)
		return QUOTE_SIZE;
	for (j = 0; j <= length; j++)
		row[j] = j;
	for (i = 0; i < a.length; i++) {
		unsigned int diagonal = row[0];

		row[0] = i + 1;
		for (j = 1; j <= length; j++) {
			unsigned int above = row[j];
			unsigned int best = diagonal + (a.text[i] != b[j - 1]);

			if (above + 1 < best)
				best = above + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			diagonal = above;
			row[j] = best;
		}
	}
	return row[length];
}

void nearest_try(struct nearest *nearest, const char *name)
{
	unsigned int distance = edit_distance(nearest->word, name);

	/* At most a third of the name may be wrong. */
	if (distance * 3 > strlen(name) + 2 || (nearest->name && distance >= nearest->distance))
		return;
	nearest->name = name;
	nearest->distance = distance;
}

const char *meant(const struct nearest *nearest, const char *prefix, char text[MEANT_SIZE])
{
	text[0] = '\0';
	if (nearest->name)
		snprintf(text, MEANT_SIZE, "; did you mean %s%s?", prefix, nearest->name);
	return text;
}

/* --- masks ---------------------------------------------------------------- */

/* Takes the lowest run of bits from a mask. A run of two bits counts as two runs. */
static void take_run(uint32_t *mask, unsigned int *first, unsigned int *last)
{
	*first = __builtin_ctz(*mask);
	*last = *first;
	while (*last < 31 && *mask >> (*last + 1) & 1)
		(*last)++;
	if (*last == *first + 1)
		*last = *first;
	*mask &= *last == 31 ? 0 : ~0u << (*last + 1);
}

const char *bits_text(char text[BITS_SIZE], const char *noun, uint32_t mask)
{
	const char *before = "";
	size_t length = snprintf(text, BITS_SIZE, "%s%s ", noun, mask & (mask - 1) ? "s" : "");

	while (mask && length < BITS_SIZE) {
		unsigned int first, last;

		take_run(&mask, &first, &last);
		length += snprintf(text + length, BITS_SIZE - length, "%s%u", before, first);
		if (last > first && length < BITS_SIZE)
			length += snprintf(text + length, BITS_SIZE - length, " to %u", last);
		before = ", ";
		if (mask) {
			uint32_t rest = mask;
			unsigned int a, b;

			take_run(&rest, &a, &b);
			if (!rest)
				before = " and ";
		}
	}
	return text;
}

/* --- names in the source -------------------------------------------------- */

/*
 * In C++ the name of a variable in a function is "_ZZ", the name and type of the function, "E", and
 * the name with its length before it; "_" and a number may follow. The name of the function may
 * contain the same pattern, so the last one counts.
 */
struct span symbol_name(const char *symbol)
{
	size_t at = strncmp(symbol, "_ZZ", 3) ? 0 : strlen(symbol);

	while (at-- > 1) {
		unsigned long length, rest;
		char *name;

		if (symbol[at - 1] != 'E' || !isdigit((unsigned char)symbol[at]))
			continue;
		length = strtoul(symbol + at, &name, 10);
		rest = strlen(name);
		if (length && (rest == length || (rest > length && name[length] == '_')))
			return (struct span){ .text = name, .length = length };
	}
	return (struct span){ .text = symbol, .length = strlen(symbol) };
}

/* --- phrases -------------------------------------------------------------- */

void ptx_phrase_count(FILE *out, uint64_t count, const char *noun)
{
	fprintf(out, "%llu %s%s", (unsigned long long)count, noun, count == 1 ? "" : "s");
}

bool ptx_phrase_threads(FILE *out, const uint32_t lanes[PHRASE_WARPS],
			const uint32_t all[PHRASE_WARPS])
{
	uint32_t warps = 0, mask = 0, warp;
	bool same = true, whole = true;
	char text[BITS_SIZE];

	for (warp = 0; warp < PHRASE_WARPS; warp++) {
		if (!lanes[warp])
			continue;
		same &= !warps || lanes[warp] == mask;
		whole &= lanes[warp] == all[warp];
		warps |= 1u << warp;
		mask = lanes[warp];
	}
	if (!whole && same)
		fprintf(out, "%s of ", bits_text(text, "lane", mask));
	else if (!whole)
		fprintf(out, "lanes of ");
	fprintf(out, "%s", bits_text(text, "warp", warps));
	return !(warps & (warps - 1)) && (whole || !(mask & (mask - 1)));
}

/* What the phase lacks of the bytes that were announced. */
static void phrase_bytes(FILE *out, int64_t tx, uint64_t announced)
{
	bool known = announced != PHRASE_UNKNOWN;

	if (tx > 0) {
		ptx_phrase_count(out, tx, "byte");
		if (known)
			fprintf(out, " of %llu announced", (unsigned long long)announced);
		fprintf(out, " %s missing", tx == 1 ? "is" : "are");
	} else if (tx < 0) {
		ptx_phrase_count(out, -tx, "byte");
		fprintf(out, " more have come than ");
		if (known)
			fprintf(out, "the %llu that were announced", (unsigned long long)announced);
		else
			fprintf(out, "were announced");
	} else if (!known) {
		fprintf(out, "no bytes are missing");
	} else if (announced) {
		fprintf(out, "all %llu announced bytes have come", (unsigned long long)announced);
	} else {
		fprintf(out, "no bytes were announced");
	}
}

void ptx_phrase_lack(FILE *out, const struct vsm_mbarrier_fields *fields, uint64_t expected,
		     uint64_t announced)
{
	if (fields->pending) {
		ptx_phrase_count(out, fields->pending, "arrival");
		fprintf(out, " of %llu %s missing; ", (unsigned long long)expected,
			fields->pending == 1 ? "is" : "are");
	} else {
		fprintf(out, "all arrivals have come; ");
	}
	phrase_bytes(out, fields->tx, announced);
}

const char *ptx_word_marks(const struct vsm_mbarrier_fields *fields)
{
	if (fields->poison)
		return fields->reserved ? ", poison, reserved bits" : ", poison";
	return fields->reserved ? ", reserved bits" : "";
}

void ptx_phrase_word(FILE *out, uint64_t word, const struct vsm_mbarrier_fields *fields)
{
	fprintf(out, "word 0x%016llx: phase parity %u, pending %u, expected %u, tx-count %d%s",
		(unsigned long long)word, fields->phase, fields->pending, fields->expected,
		fields->tx, ptx_word_marks(fields));
}

void ptx_phrase_barrier(FILE *out, uint32_t number, uint32_t needs)
{
	fprintf(out, "barrier %u, which needs %u threads", number, needs);
}

void ptx_phrase_arrived(FILE *out, uint32_t arrived, uint32_t needs)
{
	fprintf(out, "%u threads have arrived, %u are missing", arrived, needs - arrived);
}
