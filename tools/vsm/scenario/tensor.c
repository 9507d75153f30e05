// SPDX-License-Identifier: MIT
/*
 * Parses tensor maps.
 */
#include <stdlib.h>

#include "base.h"
#include "scenario/tensor.h"

static const char *const tensor_keys[] = {
	[TENSOR_TYPE] = "type",
	[TENSOR_DIMS] = "dims",
	[TENSOR_STRIDES] = "strides",
	[TENSOR_ELEMENTSTRIDES] = "elementstrides",
	[TENSOR_INTERLEAVE] = "interleave",
	[TENSOR_SWIZZLE] = "swizzle",
	[TENSOR_FILL] = "fill",
	[TENSOR_BOX] = "box",
	[TENSOR_LOWER] = "lower",
	[TENSOR_UPPER] = "upper",
	[TENSOR_CHANNELS] = "channels",
	[TENSOR_PIXELS] = "pixels",
};

static bool parse_tensor(struct parser *p, struct cursor *c, struct tensor *tensor)
{
	struct tensor_text text = { .tensor = tensor, .names = tensor_keys };
	const struct keys keys = {
		.names = tensor_keys,
		.count = TENSOR_KEYS,
		.value = parse_tensor_value,
		.to = &text,
		.where = text.where,
	};
	struct span name;
	int buffer;

	if (!need_name(c, "a buffer", &name))
		return false;
	buffer = names_need(&p->scenario->buffers, c, "buffer", name);
	if (buffer < 0)
		return false;
	tensor->buffer = buffer;
	if (take(c, '+') && !need_number(c, "an offset", UINT64_MAX, &tensor->offset))
		return false;
	return need_keys(c, &keys) && tensor_complete(c, &text);
}

bool parse_tensormap(struct parser *p, struct cursor *c)
{
	struct scenario *s = p->scenario;
	struct tensor *tensor;
	struct span name;
	bool good;

	if (!need_name(c, "the tensor map's name", &name) ||
	    !names_need_new(&s->maps, c, "tensor map", name))
		return false;
	tensor = must(calloc(1, sizeof(*tensor)));
	good = parse_tensor(p, c, tensor);
	/* Add the name even after an error: otherwise later statements have errors that follow. */
	tensor->map = names_add(&s->maps, name);
	scenario_add(s, STATEMENT_TENSORMAP, c->line)->tensor = tensor;
	return good;
}
