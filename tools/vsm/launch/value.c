// SPDX-License-Identifier: MIT
/*
 * Values in launch files and on the command line: sizes, dimensions, times, typed numbers.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <vsm.h>

#include "base.h"
#include "launch/value.h"
#include "names.h"

/* --- typed numbers -------------------------------------------------------- */

static const struct value_type types[] = {
	{ "i8", 1, VALUE_SIGNED },
	{ "i16", 2, VALUE_SIGNED },
	{ "i32", 4, VALUE_SIGNED },
	{ "i64", 8, VALUE_SIGNED },
	{ "u8", 1, VALUE_UNSIGNED },
	{ "u16", 2, VALUE_UNSIGNED },
	{ "u32", 4, VALUE_UNSIGNED },
	{ "u64", 8, VALUE_UNSIGNED },
	{ "b8", 1, VALUE_BITS },
	{ "b16", 2, VALUE_BITS },
	{ "b32", 4, VALUE_BITS },
	{ "b64", 8, VALUE_BITS },
	{ "f32", 4, VALUE_FLOAT },
	{ "f64", 8, VALUE_FLOAT },
};

const struct value_type *value_type_find(struct span name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(types); i++)
		if (span_is(name, types[i].name))
			return &types[i];
	return NULL;
}

bool need_value_type(struct cursor *c, const struct value_type **type)
{
	const char *names[ARRAY_SIZE(types)];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(types); i++)
		names[i] = types[i].name;
	if (!need_choice(c, names, ARRAY_SIZE(names), &i))
		return false;
	*type = &types[i];
	return true;
}

static bool need_integer(struct cursor *c, const struct value_type *type, uint64_t *bits)
{
	/* A number of type i32 is signed or unsigned: i32:0xffffffff is the same as i32:-1. */
	uint64_t max = type->bytes == 8 ? UINT64_MAX : (1ULL << 8 * type->bytes) - 1;
	uint64_t number;

	if (type->kind != VALUE_SIGNED || !take(c, '-'))
		return need_number(c, type->name, max, bits);
	if (!need_number(c, type->name, max / 2 + 1, &number))
		return false;
	*bits = -number & max;
	return true;
}

static bool need_float(struct cursor *c, const struct value_type *type, uint64_t *bits)
{
	char text[QUOTE_SIZE], copy[64], *end;
	struct span span;
	double number;
	float single;
	uint32_t word;

	skip_spaces(c);
	span.text = c->at;
	while (c->at < c->end && (isalnum((unsigned char)*c->at) || memchr("+-.", *c->at, 3)))
		c->at++;
	span.length = c->at - span.text;
	if (span.length < sizeof(copy)) {
		memcpy(copy, span.text, span.length);
		copy[span.length] = '\0';
		/* strtof() rounds once. A cast of the result of strtod() would round twice. */
		single = strtof(copy, &end);
		number = strtod(copy, &end);
		if (span.length && !*end) {
			memcpy(&word, &single, sizeof(word));
			memcpy(bits, &number, sizeof(*bits));
			if (type->bytes == 4)
				*bits = word;
			return true;
		}
	}
	c->at = span.text;
	return error_at(c, span.text, "expected a number of type %s, found %s", type->name,
			span.length ? quote(text, span) : found(c, text));
}

bool need_value(struct cursor *c, const struct value_type *type, uint64_t *bits)
{
	return type->kind == VALUE_FLOAT ? need_float(c, type, bits) : need_integer(c, type, bits);
}

void print_value(FILE *out, const struct value_type *type, const void *at)
{
	uint64_t bits = 0;
	double number;
	float single;

	/* The memory of the device is little-endian, as is every host that has the driver. */
	memcpy(&bits, at, type->bytes);
	switch (type->kind) {
	case VALUE_UNSIGNED:
		fprintf(out, "%" PRIu64, bits);
		break;
	case VALUE_SIGNED:
		fprintf(out, "%" PRId64,
			(int64_t)(bits << (64 - 8 * type->bytes)) >> (64 - 8 * type->bytes));
		break;
	case VALUE_BITS:
		fprintf(out, "0x%0*" PRIx64, 2 * (int)type->bytes, bits);
		break;
	case VALUE_FLOAT:
		if (type->bytes == 4) {
			memcpy(&single, at, sizeof(single));
			fprintf(out, "%.9g", single);
		} else {
			memcpy(&number, at, sizeof(number));
			fprintf(out, "%.17g", number);
		}
		break;
	}
}

/* --- numbers with a unit -------------------------------------------------- */

/**
 * struct unit - A unit behind a number
 * @name: Its name
 * @factor: What the number is multiplied by
 */
struct unit {
	const char *name;
	uint64_t factor;
};

/*
 * Reads a number that is directly followed by one of @count units. A number without a unit must
 * have the unit with the empty name. @names is the list of units for errors.
 */
static bool need_with_unit(struct cursor *c, const char *what, const struct unit *units,
			   unsigned int count, const char *names, uint64_t *number)
{
	struct cursor digits = *c;
	char text[QUOTE_SIZE];
	struct span word;
	unsigned int i;
	size_t length;

	skip_spaces(c);
	word = take_word(c);
	if (!word.length || !isdigit((unsigned char)word.text[0]))
		return need_number(&digits, what, UINT64_MAX, number);
	for (length = word.length; length && isalpha((unsigned char)word.text[length - 1]);)
		length--;
	/* 0x1f has no unit. */
	if (word.length > 1 && (word.text[1] | ' ') == 'x')
		length = word.length;
	for (i = 0; i < count; i++)
		if (span_is((struct span){ word.text + length, word.length - length },
			    units[i].name))
			break;
	if (i == count)
		return error_at(c, word.text, "%s is no value for %s: the units are %s",
				quote(text, word), what, names);
	digits.end = word.text + length;
	return need_number(&digits, what, UINT64_MAX / units[i].factor, number) &&
	       (*number *= units[i].factor, true);
}

bool need_bytes(struct cursor *c, const char *what, uint64_t max, uint64_t *bytes)
{
	static const struct unit units[] = {
		{ "", 1 },
		{ "K", 1 << 10 },
		{ "M", 1 << 20 },
		{ "G", 1 << 30 },
	};
	const char *where;

	skip_spaces(c);
	where = c->at;
	if (!need_with_unit(c, what, units, ARRAY_SIZE(units), "K, M and G", bytes))
		return false;
	return *bytes <= max ||
	       error_at(c, where, "%" PRIu64 " is too large for %s, which is at most %" PRIu64,
			*bytes, what, max);
}

bool need_time(struct cursor *c, const char *what, uint64_t *ns)
{
	static const struct unit units[] = {
		{ "ns", 1 },
		{ "us", 1000 },
		{ "ms", 1000000 },
		{ "s", 1000000000 },
		{ "m", 60000000000 },
		{ "h", 3600000000000 },
	};
	const char *where;

	skip_spaces(c);
	where = c->at;
	if (!need_with_unit(c, what, units, ARRAY_SIZE(units), "ns, us, ms, s, m and h", ns))
		return false;
	return *ns || error_at(c, where, "%s cannot be 0", what);
}

bool need_dimensions(struct cursor *c, const char *what, uint32_t dimensions[3])
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		dimensions[i] = 1;
	i = 0;
	do {
		if (i == 3)
			return error_at(c, c->at, "%s has at most 3 dimensions", what);
		if (!need_size(c, what, UINT32_MAX, &dimensions[i++]))
			return false;
	} while (take(c, ','));
	return true;
}

/* --- words ---------------------------------------------------------------- */

bool need_policy(struct cursor *c, unsigned int *policy)
{
	static const char *const policies[] = {
		[DRM_VSM_POLICY_STRICT] = "strict",
		[DRM_VSM_POLICY_HARDWARE] = "hardware",
	};

	return need_choice(c, policies, ARRAY_SIZE(policies), policy);
}

bool need_file(struct cursor *c, char stop, char **name)
{
	const char *start;

	skip_spaces(c);
	start = c->at;
	while (c->at < c->end && *c->at != stop && (stop || !isspace((unsigned char)*c->at)))
		c->at++;
	if (c->at == start)
		return error_at(c, start, "expected the name of a file");
	*name = must(strndup(start, c->at - start));
	return true;
}
