// SPDX-License-Identifier: MIT
/* Tensor maps: the values of their keys in a text, and their encoding. */
#include <string.h>

#include "base.h"
#include "tensormap.h"

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

static bool parse_tensor_list(struct cursor *c, unsigned int key, struct tensor_text *text)
{
	struct tensor *t = text->tensor;
	bool corner = key == TENSOR_LOWER || key == TENSOR_UPPER;
	unsigned int most = corner ? 3 : key == TENSOR_STRIDES ? 4 : 5;
	int64_t min = corner ? INT32_MIN : 0;
	int64_t max = key == TENSOR_DIMS || key == TENSOR_STRIDES ? INT64_MAX :
		      corner ? INT32_MAX : UINT32_MAX;
	int64_t numbers[5];
	unsigned int i;

	if (!parse_list(c, text->names[key], min, max, numbers, most, &text->counts[key]))
		return false;
	for (i = 0; i < text->counts[key]; i++) {
		switch (key) {
		case TENSOR_DIMS:
			t->dims[i] = numbers[i];
			break;
		case TENSOR_STRIDES:
			t->strides[i] = numbers[i];
			break;
		case TENSOR_ELEMENTSTRIDES:
			t->element_strides[i] = numbers[i];
			break;
		case TENSOR_BOX:
			t->box[i] = numbers[i];
			break;
		case TENSOR_LOWER:
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

bool parse_tensor_value(struct cursor *c, unsigned int key, void *to)
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
	struct tensor_text *text = to;
	struct tensor *t = text->tensor;

	switch (key) {
	case TENSOR_TYPE:
		return parse_tensor_type(c, &t->type);
	case TENSOR_INTERLEAVE:
		return need_choice(c, interleaves, ARRAY_SIZE(interleaves), &t->interleave);
	case TENSOR_SWIZZLE:
		return need_choice(c, swizzles, ARRAY_SIZE(swizzles), &t->swizzle);
	case TENSOR_FILL:
		return need_choice(c, fills, ARRAY_SIZE(fills), &t->fill);
	case TENSOR_CHANNELS:
		return need_size(c, "channels", UINT32_MAX, &t->channels);
	case TENSOR_PIXELS:
		return need_size(c, "pixels", UINT32_MAX, &t->pixels);
	default:
		return parse_tensor_list(c, key, text);
	}
}

/* Checks that each list has one element for each dimension that it is about. */
static bool check_lists(const struct cursor *c, const struct tensor_text *text)
{
	unsigned int rank = text->tensor->rank;
	unsigned int key;

	for (key = 0; key < TENSOR_KEYS; key++) {
		unsigned int count = rank;

		if (!text->where[key] || !text->counts[key])
			continue;
		if (key == TENSOR_STRIDES)
			count = rank - 1;
		else if (key == TENSOR_LOWER || key == TENSOR_UPPER)
			count = rank - 2;
		if (text->counts[key] != count)
			return error_at(c, text->where[key],
					"%s must have %u element%s: dims has %u", text->names[key],
					count, count == 1 ? "" : "s", rank);
	}
	return true;
}

/* Sets the mode: tiled if the map has box; im2col if it has pixels, channels, lower and upper. */
static bool check_mode(const struct cursor *c, const struct tensor_text *text)
{
	static const unsigned int im2col[] = {
		TENSOR_PIXELS, TENSOR_CHANNELS, TENSOR_LOWER, TENSOR_UPPER,
	};
	const char *const *where = text->where;
	struct tensor *tensor = text->tensor;
	const char *other = NULL;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(im2col); i++)
		if (where[im2col[i]] && !other)
			other = where[im2col[i]];
	if (where[TENSOR_BOX] && other)
		return error_at(c, other, "a map with a box is tiled, not im2col");
	tensor->mode = other ? DRM_VSM_TENSOR_IM2COL : DRM_VSM_TENSOR_TILED;
	if (!other)
		return where[TENSOR_BOX] ||
		       error_at(c, c->at,
				"a tensor map needs box, or pixels, channels, lower and upper");
	for (i = 0; i < ARRAY_SIZE(im2col); i++)
		if (!where[im2col[i]])
			return error_at(c, c->at, "an im2col map needs %s",
					text->names[im2col[i]]);
	return tensor->rank >= 3 ||
	       error_at(c, where[TENSOR_DIMS], "im2col needs 3 dimensions or more");
}

/* By default there are no gaps between elements, and every element of the box is copied. */
static void set_defaults(struct tensor *t, const char *const *where)
{
	uint64_t bytes = tensor_types[t->type].bytes;
	unsigned int i;

	/* In an interleaved map the elements of dimension 0 are slices of pixels. */
	if (t->interleave)
		bytes = t->interleave == DRM_VSM_TENSOR_INTERLEAVE_32B ? 32 : 16;
	for (i = 0; i < t->rank; i++) {
		/* vsm_tensor_map_encode_tiled() refuses such a stride. */
		if (__builtin_mul_overflow(bytes, t->dims[i], &bytes))
			bytes = UINT64_MAX;
		if (!where[TENSOR_STRIDES] && i + 1 < t->rank)
			t->strides[i] = bytes;
		if (!where[TENSOR_ELEMENTSTRIDES])
			t->element_strides[i] = 1;
	}
}

bool tensor_decode(struct tensor *t, const void *cuda)
{
	struct drm_vsm_tensor_map map;
	unsigned int d;

	if (vsm_tensor_map_from_cuda(cuda, &map))
		return false;
	t->mode = map.mode;
	t->rank = map.rank;
	t->type = map.type;
	t->interleave = map.interleave;
	t->swizzle = map.swizzle;
	t->fill = map.fill;
	t->l2_promotion = map.l2_promotion;
	t->channels = map.channels;
	t->pixels = map.pixels;
	memcpy(t->dims, map.size, sizeof(t->dims));
	memcpy(t->strides, map.stride, sizeof(t->strides));
	for (d = 0; d < VSM_TENSOR_MAX_RANK; d++) {
		t->element_strides[d] = map.element_stride[d];
		t->box[d] = map.box[d];
	}
	for (d = 0; d + 2 < VSM_TENSOR_MAX_RANK; d++) {
		t->lower[d] = map.lower[d];
		t->upper[d] = map.upper[d];
	}
	return true;
}

bool tensor_complete(const struct cursor *c, const struct tensor_text *text)
{
	const char *const *where = text->where;
	unsigned int key;

	for (key = 0; text->encoded && key < TENSOR_KEYS; key++)
		if (where[key])
			return error_at(c, where[key], "the CUtensorMap has the %s",
					text->names[key]);
	if (text->encoded)
		return true;
	if (!where[TENSOR_TYPE] || !where[TENSOR_DIMS])
		return error_at(c, c->at, "a tensor map needs %s",
				text->names[where[TENSOR_TYPE] ? TENSOR_DIMS : TENSOR_TYPE]);
	text->tensor->rank = text->counts[TENSOR_DIMS];
	if (!check_mode(c, text) || !check_lists(c, text))
		return false;
	set_defaults(text->tensor, where);
	return true;
}

uint64_t tensor_bytes(const struct tensor *tensor)
{
	uint64_t most = 0, bytes;
	unsigned int d;

	for (d = 0; d < tensor->rank; d++) {
		uint64_t stride = d ? tensor->strides[d - 1] : tensor_types[tensor->type].bytes;

		if (!tensor->dims[d])
			return 0;
		if (__builtin_mul_overflow(stride, tensor->dims[d], &bytes))
			return UINT64_MAX;
		most = bytes > most ? bytes : most;
	}
	return most;
}

int tensor_encode(const struct tensor *t, const struct vsm_buffer *buffer, uint64_t offset,
		  struct drm_vsm_tensor_map *map, const char **reason)
{
	struct vsm_tensor_config config = {
		.buffer = buffer,
		.offset = offset,
		.type = t->type,
		.rank = t->rank,
		.interleave = t->interleave,
		.swizzle = t->swizzle,
		.fill = t->fill,
		.l2_promotion = t->l2_promotion,
	};
	unsigned int d;

	for (d = 0; d < t->rank; d++) {
		config.size[d] = t->dims[d];
		config.element_stride[d] = t->element_strides[d];
		if (d)
			config.stride[d - 1] = t->strides[d - 1];
	}
	if (t->mode == DRM_VSM_TENSOR_TILED) {
		memcpy(config.box, t->box, t->rank * sizeof(t->box[0]));
		return vsm_tensor_map_encode_tiled(map, &config, reason);
	}
	config.channels = t->channels;
	config.pixels = t->pixels;
	for (d = 0; d + 2 < t->rank; d++) {
		config.lower[d] = t->lower[d];
		config.upper[d] = t->upper[d];
	}
	return vsm_tensor_map_encode_im2col(map, &config, reason);
}
