// SPDX-License-Identifier: MIT
/*
 * Tensor maps of launch files and of the command line.
 */
#include "launch/tensor.h"

const char *const tensor_words[TENSOR_WORDS] = {
	[TENSOR_TYPE] = "a type",
	[TENSOR_DIMS] = "dims",
	[TENSOR_STRIDES] = "stride",
	[TENSOR_ELEMENTSTRIDES] = "elementstride",
	[TENSOR_INTERLEAVE] = "interleave",
	[TENSOR_SWIZZLE] = "swizzle",
	[TENSOR_FILL] = "fill",
	[TENSOR_BOX] = "box",
	[TENSOR_LOWER] = "lower",
	[TENSOR_UPPER] = "upper",
	[TENSOR_CHANNELS] = "channels",
	[TENSOR_PIXELS] = "pixels",
	[KEY_OFFSET] = "offset",
	[KEY_IM2COL] = "im2col",
};

bool parse_element_type(struct cursor *c, struct tensor_text *text)
{
	text->names = tensor_words;
	skip_spaces(c);
	text->where[TENSOR_TYPE] = c->at;
	return parse_tensor_value(c, TENSOR_TYPE, text);
}

bool parse_tensor_key(struct cursor *c, const char *where, unsigned int key, bool equal,
		      struct tensor_text *text)
{
	/* This word only introduces the keys of an im2col map. */
	if (key == KEY_IM2COL)
		return true;
	if (equal && !need(c, '='))
		return false;
	if (key == KEY_OFFSET)
		return need_bytes(c, "offset", UINT64_MAX, &text->tensor->offset);
	if (text->where[key])
		return error_at(c, where, "%s is given twice", tensor_words[key]);
	text->where[key] = where;
	return parse_tensor_value(c, key, text);
}
