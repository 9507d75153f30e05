// SPDX-License-Identifier: MIT
/*
 * Arguments of kernels on the command line: --arg.
 */
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "launch/buffer.h"
#include "launch/option.h"
#include "launch/tensor.h"

/* The words of an argument: fills, the words below, words for tensor maps. */
enum {
	IN = FILL_WORDS, OUT, PRINT, BUF, TENSOR_FIRST,
	OPTION_WORDS = TENSOR_FIRST + TENSOR_WORDS - 1,
};

#define BUFFER_WORDS BUF

static const char *const own_words[] = { "in", "out", "print", "buf" };

/**
 * struct option_arg - An argument that is being parsed
 * @plan: Plan
 * @c: Place in the text
 * @name: Name of its buffer and tensor map
 * @buffer: Its buffer; no words about the contents may be given if it has none
 * @fill: Place of the word for the contents; NULL if there is none so far
 * @in: File with the contents, or NULL
 * @in_place: Place of @in
 * @out: File that the buffer is written to, or NULL
 * @count: Number of printed elements
 * @type: Type of printed elements; NULL if nothing is printed
 * @print_place: Place of @count
 * @shared: Buffer of another argument that a tensor map uses; -1 for a buffer of its own
 * @text: Text of a tensor map; its tensor is NULL if the argument is a buffer
 */
struct option_arg {
	struct plan *plan;
	struct cursor c;
	struct span name;
	struct plan_buffer buffer;
	const char *fill;
	char *in;
	const char *in_place;
	char *out;
	uint64_t count;
	const struct value_type *type;
	const char *print_place;
	int shared;
	struct tensor_text text;
};

static bool parse_fill(struct option_arg *o, const char *where, enum fill fill)
{
	if (o->fill)
		return error_at(&o->c, where, "the contents are given twice");
	o->fill = where;
	o->buffer.fill = fill;
	if ((fill == FILL_RANDOM || fill == FILL_RANDOMF) && take(&o->c, '='))
		return need_number(&o->c, "a seed", UINT64_MAX, &o->buffer.seed);
	return true;
}

static bool parse_in(struct option_arg *o, const char *where)
{
	if (o->fill)
		return error_at(&o->c, where, "the contents are given twice");
	o->fill = where;
	o->in_place = where;
	return need(&o->c, '=') && need_file(&o->c, ':', &o->in);
}

static bool parse_out(struct option_arg *o, const char *where)
{
	if (o->out)
		return error_at(&o->c, where, "out is given twice");
	return need(&o->c, '=') && need_file(&o->c, ':', &o->out);
}

static bool parse_print(struct option_arg *o, const char *where)
{
	if (o->type)
		return error_at(&o->c, where, "print is given twice");
	o->print_place = where;
	o->type = value_type_find((struct span){ "u32", 3 });
	return need(&o->c, '=') && need_bytes(&o->c, "a count", UINT64_MAX / 8, &o->count) &&
	       (!take(&o->c, ',') || need_value_type(&o->c, &o->type));
}

static bool parse_buf(struct option_arg *o, const char *where)
{
	uint64_t number;
	char name[32];

	if (!need(&o->c, '=') || !need_number(&o->c, "an argument", UINT32_MAX, &number))
		return false;
	snprintf(name, sizeof(name), "arg%u", (unsigned int)number);
	o->shared = names_find(&o->plan->buffer_names, (struct span){ name, strlen(name) });
	return o->shared >= 0 ||
	       error_at(&o->c, where, "argument %u is no buffer before this one",
			(unsigned int)number);
}

static bool parse_part(struct option_arg *o)
{
	const char *words[OPTION_WORDS];
	const char *where;
	unsigned int i;

	memcpy(words, fill_names, FILL_WORDS * sizeof(*words));
	memcpy(words + IN, own_words, sizeof(own_words));
	memcpy(words + TENSOR_FIRST, tensor_words + 1, (TENSOR_WORDS - 1) * sizeof(*words));
	skip_spaces(&o->c);
	where = o->c.at;
	if (!need_choice(&o->c, words, o->text.tensor ? OPTION_WORDS : BUFFER_WORDS, &i))
		return false;
	switch (i) {
	case IN:
		return parse_in(o, where);
	case OUT:
		return parse_out(o, where);
	case PRINT:
		return parse_print(o, where);
	case BUF:
		return parse_buf(o, where);
	default:
		if (i < FILL_WORDS)
			return parse_fill(o, where, i);
		return parse_tensor_key(&o->c, where, i - TENSOR_FIRST + 1, true, &o->text);
	}
}

static bool parse_parts(struct option_arg *o)
{
	while (!at_end(&o->c)) {
		if (!need(&o->c, ':') || !parse_part(o))
			return false;
	}
	return true;
}

/* --- kinds of arguments --------------------------------------------------- */

static void add_output(struct option_arg *o, unsigned int buffer, char *file)
{
	struct plan_output *output = &plan_add_step(o->plan, STEP_OUTPUT, 0)->output;

	output->place.buffer = buffer;
	output->file = file;
	output->count = o->count;
	output->type = o->type;
}

static void add_outputs(struct option_arg *o, unsigned int buffer)
{
	if (o->type)
		add_output(o, buffer, NULL);
	if (o->out)
		add_output(o, buffer, o->out);
	o->out = NULL;
}

/* Adds the buffer of an argument to the plan, and its outputs. */
static bool add_buffer(struct option_arg *o, unsigned int *index)
{
	if (o->shared >= 0) {
		*index = o->shared;
		o->buffer.size = o->plan->buffers[o->shared].size;
		if (o->fill)
			return error_at(&o->c, o->fill, "argument %s has the contents",
					o->plan->buffer_names.names[o->shared] + strlen("arg"));
	} else {
		if (o->in && !read_contents(&o->c, o->in_place, o->in, &o->buffer))
			return false;
		*index = o->plan->buffer_names.count;
		*plan_add_buffer(o->plan, o->name) = o->buffer;
		o->buffer.bytes = NULL;
	}
	if (o->type && o->count * o->type->bytes > o->buffer.size)
		return error_at(&o->c, o->print_place,
				"the buffer does not have so many elements");
	add_outputs(o, *index);
	return true;
}

static bool parse_option_buffer(struct option_arg *o, struct plan_arg *arg)
{
	arg->kind = ARG_POINTER;
	if (!need_bytes(&o->c, "a size", SIZE_MAX / 2, &o->buffer.size))
		return false;
	if (!o->buffer.size)
		return error_at(&o->c, o->c.start, "a size cannot be 0");
	return parse_parts(o) && add_buffer(o, &arg->place.buffer);
}

static bool parse_option_tensor(struct option_arg *o, struct plan_arg *arg)
{
	struct tensor tensor = { };
	uint64_t bytes;

	arg->kind = ARG_TENSOR;
	o->text.tensor = &tensor;
	if (!parse_element_type(&o->c, &o->text) || !parse_parts(o) ||
	    !tensor_complete(&o->c, &o->text))
		return false;
	bytes = tensor_bytes(&tensor);
	if (__builtin_add_overflow(bytes, tensor.offset, &o->buffer.size) ||
	    o->buffer.size > SIZE_MAX / 2)
		return error_at(&o->c, o->c.start, "the tensor is too large");
	if (!bytes)
		return error_at(&o->c, o->text.where[TENSOR_DIMS], "dims cannot be 0");
	if (!add_buffer(o, &tensor.buffer))
		return false;
	arg->tensor = o->plan->tensor_names.count;
	plan_add_tensor(o->plan, o->name, 0)->tensor = tensor;
	return true;
}

static bool parse_option_number(struct option_arg *o, struct plan_arg *arg)
{
	arg->kind = ARG_NUMBER;
	return need_value_type(&o->c, &arg->type) && need(&o->c, ':') &&
	       need_value(&o->c, arg->type, &arg->bits) && need_end(&o->c);
}

static bool parse_arg(struct option_arg *o, struct plan_arg *arg)
{
	struct cursor *c = &o->c;
	struct span word;
	char text[QUOTE_SIZE];

	if (!need_name(c, "TYPE:NUMBER, buf:SIZE or tensor:TYPE:dims=...:box=...", &word))
		return false;
	if (span_is(word, "buf"))
		return need(c, ':') && parse_option_buffer(o, arg);
	if (span_is(word, "tensor"))
		return need(c, ':') && parse_option_tensor(o, arg);
	if (!value_type_find(word))
		return error_at(c, word.text,
				"%s is no kind of argument: use i32, f32, ..., buf or tensor",
				quote(text, word));
	c->at = word.text;
	return parse_option_number(o, arg);
}

bool parse_option_arg(struct plan *plan, unsigned int number, const char *text)
{
	struct option_arg o = { .plan = plan, .shared = -1 };
	struct errors errors = { .out = stderr };
	struct plan_arg arg = { };
	char *path, name[32];
	bool good;

	if (asprintf(&path, "vsm: launch: --arg %s", text) < 0)
		must(NULL);
	errors.path = path;
	snprintf(name, sizeof(name), "arg%u", number);
	o.name = (struct span){ name, strlen(name) };
	o.c = (struct cursor){
		.errors = &errors,
		.start = text,
		.at = text,
		.end = text + strlen(text),
	};
	good = parse_arg(&o, &arg);
	if (good)
		*plan_add_arg(plan_last_launch(plan)) = arg;
	free(o.buffer.bytes);
	free(o.in);
	free(o.out);
	free(path);
	return good;
}
