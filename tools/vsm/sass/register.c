// SPDX-License-Identifier: MIT
/*
 * Reads names of registers of machine code.
 */
#include <ctype.h>
#include <string.h>

#include "base.h"
#include "sass/register.h"

static const struct {
	const char *prefix;
	char none;
	int last;
} files[] = {
	[SASS_R] = { "R", 'Z', 254 },
	[SASS_UR] = { "UR", 'Z', 62 },
	[SASS_P] = { "P", 'T', 6 },
	[SASS_UP] = { "UP", 'T', 6 },
};

static void set_name(struct sass_register *reg)
{
	const char *prefix = files[reg->file].prefix;

	if (reg->number < 0)
		snprintf(reg->name, sizeof(reg->name), "%s%c", prefix, files[reg->file].none);
	else
		snprintf(reg->name, sizeof(reg->name), "%s%d", prefix, reg->number);
}

/* Is @word the name of a register of the set @file? Sets @reg, except for its name. */
static bool is_register(struct span word, enum sass_file file, struct sass_register *reg)
{
	size_t length = strlen(files[file].prefix);
	size_t i;

	if (word.length <= length || memcmp(word.text, files[file].prefix, length))
		return false;
	reg->file = file;
	reg->number = -1;
	if (word.length == length + 1 && word.text[length] == files[file].none)
		return true;
	reg->number = 0;
	for (i = length; i < word.length; i++) {
		if (!isdigit((unsigned char)word.text[i]) || i > length + 2)
			return false;
		reg->number = 10 * reg->number + word.text[i] - '0';
	}
	return reg->number <= files[file].last;
}

bool sass_at_register(const struct cursor *c)
{
	struct cursor ahead = *c;

	skip_spaces(&ahead);
	return ahead.at < ahead.end && strchr("RUP", *ahead.at);
}

bool sass_need_register(struct cursor *c, struct sass_register *reg)
{
	struct span word = take_word(c);
	char text[QUOTE_SIZE];
	unsigned int file;

	reg->where = word.text;
	for (file = 0; file < ARRAY_SIZE(files); file++) {
		if (!is_register(word, file, reg))
			continue;
		set_name(reg);
		return true;
	}
	c->at = word.text;
	return error_at(c, word.text,
			"%s is not a register: there are R0 to R254 and RZ, UR0 to UR62 and URZ, P0 to P6 and PT, UP0 to UP6 and UPT",
			found(c, text));
}

bool sass_is_last(const struct sass_register *reg)
{
	return reg->number == files[reg->file].last;
}

void sass_move(struct sass_register *reg, int distance)
{
	reg->number += distance;
	set_name(reg);
}

struct span sass_name(const struct sass_register *reg)
{
	return (struct span){ .text = reg->name, .length = strlen(reg->name) };
}
