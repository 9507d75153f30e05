// SPDX-License-Identifier: MIT
/*
 * A PTX module as it is read from text: variables, functions, and instructions with their operands.
 *
 * Names are resolved: an operand refers to a register, a variable, a function or a label by index
 * or pointer. The opcode of an instruction is not interpreted: the parser accepts any opcode, and
 * code/ decides whether it can be executed. Everything belongs to the module, and is freed with it.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load/module.h"

/* --- types ---------------------------------------------------------------- */

enum {
	SIGNED = 1,
	FLOAT = 2,
};

static const struct {
	const char *name;
	uint8_t size;
	uint8_t flags;
} types[TYPES] = {
	[TYPE_NONE] = { "none", 0, 0 },
	[TYPE_PRED] = { "pred", 0, 0 },
	[TYPE_B8] = { "b8", 1, 0 },
	[TYPE_B16] = { "b16", 2, 0 },
	[TYPE_B32] = { "b32", 4, 0 },
	[TYPE_B64] = { "b64", 8, 0 },
	[TYPE_B128] = { "b128", 16, 0 },
	[TYPE_U8] = { "u8", 1, 0 },
	[TYPE_U16] = { "u16", 2, 0 },
	[TYPE_U32] = { "u32", 4, 0 },
	[TYPE_U64] = { "u64", 8, 0 },
	[TYPE_S8] = { "s8", 1, SIGNED },
	[TYPE_S16] = { "s16", 2, SIGNED },
	[TYPE_S32] = { "s32", 4, SIGNED },
	[TYPE_S64] = { "s64", 8, SIGNED },
	[TYPE_F16] = { "f16", 2, SIGNED | FLOAT },
	[TYPE_F16X2] = { "f16x2", 4, SIGNED | FLOAT },
	[TYPE_BF16] = { "bf16", 2, SIGNED | FLOAT },
	[TYPE_BF16X2] = { "bf16x2", 4, SIGNED | FLOAT },
	[TYPE_TF32] = { "tf32", 4, SIGNED | FLOAT },
	[TYPE_F32] = { "f32", 4, SIGNED | FLOAT },
	[TYPE_F64] = { "f64", 8, SIGNED | FLOAT },
};

unsigned int ptx_type_size(enum ptx_type type)
{
	return types[type].size;
}

bool ptx_type_is_signed(enum ptx_type type)
{
	return types[type].flags & SIGNED;
}

bool ptx_type_is_float(enum ptx_type type)
{
	return types[type].flags & FLOAT;
}

enum ptx_type ptx_type_named(const char *name, unsigned int length)
{
	enum ptx_type type;

	for (type = TYPE_PRED; type < TYPES; type++) {
		if (strlen(types[type].name) == length && !memcmp(types[type].name, name, length))
			return type;
	}
	return TYPE_NONE;
}

const char *ptx_type_name(enum ptx_type type)
{
	return types[type].name;
}

/* --- messages ------------------------------------------------------------- */

static int message_write(FILE *file, const char *old, const char *path, uint32_t line,
			 uint32_t column, const char *format, va_list arguments)
{
	if (old)
		fputs(old, file);
	if (line)
		fprintf(file, "%s:%u:%u: ", path, line, column);
	else
		fprintf(file, "%s: ", path);
	vfprintf(file, format, arguments);
	fputc('\n', file);
	return ferror(file);
}

void ptx_message(struct ptx_messages *messages, const char *path, uint32_t line, uint32_t column,
		 const char *format, ...)
{
	va_list arguments;
	char *text = NULL;
	size_t size;
	FILE *file;
	int error;

	if (messages->count >= PTX_MAX_MESSAGES)
		return;
	messages->count++;
	file = open_memstream(&text, &size);
	if (!file) {
		messages->failed = true;
		return;
	}
	va_start(arguments, format);
	error = message_write(file, messages->text, path, line, column, format, arguments);
	va_end(arguments);
	if (fclose(file) || error) {
		free(text);
		messages->failed = true;
		return;
	}
	free(messages->text);
	messages->text = text;
}
