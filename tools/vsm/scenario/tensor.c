// SPDX-License-Identifier: MIT
/*
 * Parses tensor maps.
 */
#include <stdlib.h>

#include "base.h"
#include "scenario/tensor.h"

enum {
	TYPE, DIMS, STRIDES, ELEMENTSTRIDES, INTERLEAVE, SWIZZLE, FILL, BOX, LOWER, UPPER, CHANNELS,
	PIXELS,
};

static const char *const tensor_keys[] = {
	[TYPE] = "type",
	[DIMS] = "dims",
	[STRIDES] = "strides",
	[ELEMENTSTRIDES] = "elementstrides",
	[INTERLEAVE] = "interleave",
	[SWIZZLE] = "swizzle",
	[FILL] = "fill",
	[BOX] = "box",
	[LOWER] = "lower",
	[UPPER] = "upper",
	[CHANNELS] = "channels",
	[PIXELS] = "pixels",
};

static const struct {
	const char *name;
	unsigned int bytes;
} tensor_types[] = {
	[DRM_VSM_TENSOR_UINT8] = { "u8", 1 },
	[DRM_VSM_TENSOR_UINT16] = { "u16", 2 },
	[DRM_VSM_TENSOR_UINT32] = { "u32", 4 },
	[DRM_VSM_TENSOR_INT32] = { "s32", 4 },
	[DRM_VSM_TENSOR_UINT64] = { "u64", 8 },
	[DRM_VSM_TENSOR_INT64] = { "s64", 8 },
	[DRM_VSM_TENSOR_FLOAT16] = { "f16", 2 },
	[DRM_VSM_TENSOR_FLOAT32] = { "f32", 4 },
	[DRM_VSM_TENSOR_FLOAT64] = { "f64", 8 },
	[DRM_VSM_TENSOR_BFLOAT16] = { "bf16", 2 },
	[DRM_VSM_TENSOR_FLOAT32_FTZ] = { "f32_ftz", 4 },
	[DRM_VSM_TENSOR_TFLOAT32] = { "tf32", 4 },
	[DRM_VSM_TENSOR_TFLOAT32_FTZ] = { "tf32_ftz", 4 },
};

/**
 * struct tensor_line - A tensormap statement that is being parsed
 * @tensor: The tensor map
 * @counts: Number of elements of each list, indexed by the key of the list
 */
struct tensor_line {
	struct tensor *tensor;
	unsigned int counts[ARRAY_SIZE(tensor_keys)];
};

/* Reads a list of at most @max_count numbers, each from @min to @max. */
static bool parse_list(struct cursor *c, const char *what, int64_t min, int64_t max,
		       int64_t *numbers, unsigned int max_count, unsigned int *count)
{
	*count = 0;
	do {
		if (*count == max_count)
			return error_at(c, c->at, "%s has at most %u elements", what, max_count);
		if (!need_signed(c, what, min, max, &numbers[*count]))
			return false;
		++*count;
	} while (take(c, ','));
	return true;
}

static bool parse_tensor_list(struct cursor *c, unsigned int key, struct tensor_line *line)
{
	struct tensor *t = line->tensor;
	bool corner = key == LOWER || key == UPPER;
	unsigned int room = corner ? 3 : key == STRIDES ? 4 : 5;
	int64_t min = corner ? INT32_MIN : 0;
	int64_t max = key == DIMS || key == STRIDES ? INT64_MAX : corner ? INT32_MAX : UINT32_MAX;
	int64_t numbers[5];
	unsigned int i;

	if (!parse_list(c, tensor_keys[key], min, max, numbers, room, &line->counts[key]))
		return false;
	for (i = 0; i < line->counts[key]; i++) {
		switch (key) {
		case DIMS:
			t->dims[i] = numbers[i];
			break;
		case STRIDES:
			t->strides[i] = numbers[i];
			break;
		case ELEMENTSTRIDES:
			t->element_strides[i] = numbers[i];
			break;
		case BOX:
			t->box[i] = numbers[i];
			break;
		case LOWER:
			t->lower[i] = numbers[i];
			break;
		default:
			t->upper[i] = numbers[i];
			break;
		}
	}
	return true;
}

static bool parse_tensor_type(struct cursor *c, unsigned int *type)
{
	const char *names[ARRAY_SIZE(tensor_types)];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tensor_types); i++)
		names[i] = tensor_types[i].name;
	return need_choice(c, names, ARRAY_SIZE(names), type);
}

static bool parse_tensor_value(struct cursor *c, unsigned int key, void *to)
{
	static const char *const interleaves[] = {
		[DRM_VSM_TENSOR_INTERLEAVE_NONE] = "none",
		[DRM_VSM_TENSOR_INTERLEAVE_16B] = "16B",
		[DRM_VSM_TENSOR_INTERLEAVE_32B] = "32B",
	};
	static const char *const swizzles[] = {
		[DRM_VSM_TENSOR_SWIZZLE_NONE] = "none",
		[DRM_VSM_TENSOR_SWIZZLE_32B] = "32B",
		[DRM_VSM_TENSOR_SWIZZLE_64B] = "64B",
		[DRM_VSM_TENSOR_SWIZZLE_128B] = "128B",
	};
	static const char *const fills[] = {
		[DRM_VSM_TENSOR_FILL_ZERO] = "zero",
		[DRM_VSM_TENSOR_FILL_NAN] = "nan",
	};
	struct tensor_line *line = to;
	struct tensor *t = line->tensor;

	switch (key) {
	case TYPE:
		return parse_tensor_type(c, &t->type);
	case INTERLEAVE:
		return need_choice(c, interleaves, ARRAY_SIZE(interleaves), &t->interleave);
	case SWIZZLE:
		return need_choice(c, swizzles, ARRAY_SIZE(swizzles), &t->swizzle);
	case FILL:
		return need_choice(c, fills, ARRAY_SIZE(fills), &t->fill);
	case CHANNELS:
		return need_size(c, "channels", UINT32_MAX, &t->channels);
	case PIXELS:
		return need_size(c, "pixels", UINT32_MAX, &t->pixels);
	default:
		return parse_tensor_list(c, key, line);
	}
}

/* Checks that each list has one element for each dimension that it is about. */
static bool check_lists(const struct cursor *c, const struct tensor_line *line,
			const char *const *where)
{
	unsigned int rank = line->tensor->rank;
	unsigned int key;

	for (key = 0; key < ARRAY_SIZE(tensor_keys); key++) {
		unsigned int count = rank;

		if (!where[key] || !line->counts[key])
			continue;
		if (key == STRIDES)
			count = rank - 1;
		else if (key == LOWER || key == UPPER)
			count = rank - 2;
		if (line->counts[key] != count)
			return error_at(c, where[key], "%s must have %u element%s: dims has %u",
					tensor_keys[key], count, count == 1 ? "" : "s", rank);
	}
	return true;
}

/* Sets the mode: tiled if the map has box; im2col if it has pixels, channels, lower and upper. */
static bool check_mode(const struct cursor *c, struct tensor *tensor, const char *const *where)
{
	static const unsigned int im2col[] = { PIXELS, CHANNELS, LOWER, UPPER };
	const char *other = NULL;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(im2col); i++)
		if (where[im2col[i]] && !other)
			other = where[im2col[i]];
	if (where[BOX] && other)
		return error_at(c, other, "a map with a box is tiled, not im2col");
	tensor->mode = other ? DRM_VSM_TENSOR_IM2COL : DRM_VSM_TENSOR_TILED;
	if (!other)
		return where[BOX] ||
		       error_at(c, c->at,
				"a tensor map needs box, or pixels, channels, lower and upper");
	for (i = 0; i < ARRAY_SIZE(im2col); i++)
		if (!where[im2col[i]])
			return error_at(c, c->at, "an im2col map needs %s",
					tensor_keys[im2col[i]]);
	return tensor->rank >= 3 || error_at(c, where[DIMS], "im2col needs 3 dimensions or more");
}

/* By default there are no gaps between elements, and every element of the box is copied. */
static void set_defaults(struct tensor *t, const char *const *where)
{
	uint64_t bytes = tensor_types[t->type].bytes;
	unsigned int i;

	for (i = 0; i < t->rank; i++) {
		bytes *= t->dims[i];
		if (!where[STRIDES] && i + 1 < t->rank)
			t->strides[i] = bytes;
		if (!where[ELEMENTSTRIDES])
			t->element_strides[i] = 1;
	}
}

static bool parse_tensor(struct parser *p, struct cursor *c, struct tensor *tensor)
{
	const char *where[ARRAY_SIZE(tensor_keys)] = { };
	struct tensor_line line = { .tensor = tensor };
	const struct keys keys = {
		.names = tensor_keys,
		.count = ARRAY_SIZE(tensor_keys),
		.value = parse_tensor_value,
		.to = &line,
		.where = where,
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
	if (!need_keys(c, &keys))
		return false;
	if (!where[TYPE] || !where[DIMS])
		return error_at(c, c->at, "a tensor map needs %s",
				tensor_keys[where[TYPE] ? DIMS : TYPE]);
	tensor->rank = line.counts[DIMS];
	if (!check_mode(c, tensor, where) || !check_lists(c, &line, where))
		return false;
	set_defaults(tensor, where);
	return true;
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
