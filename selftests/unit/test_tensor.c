// SPDX-License-Identifier: MIT
/*
 * Random tensor copies, performed by the core and by the model. All memory is compared after each
 * copy. VSM_TEST_SEED repeats a run.
 */
#include "unit.h"

#include <vsm_core.h>

#include "tensor_model.h"

#define COPIES		1000000
#define MUTATIONS	300000

/* No copy may change the GUARD bytes before and after the tensor and the window. */
#define GUARD		256
#define GLOBAL		(8 << 10)
#define WINDOW		(8 << 10)
#define ROWS		24		/* most rows of a box */

#define T(x)	DRM_VSM_TENSOR_##x
#define RED_OPS	9

/* Tensor and window, each once for the core [0] and once for the model [1] */
struct memory {
	__u64 seed;		/* seed of the run */
	__u64 rng;		/* state of the random numbers */
	unsigned long copies;	/* number of copies so far */
	unsigned char global[2][GUARD + GLOBAL + GUARD] __attribute__((aligned(64)));
	unsigned char window[2][GUARD + WINDOW + GUARD] __attribute__((aligned(128)));
};

enum direction { LOAD, STORE, REDUCE, DIRECTIONS };

/* How often each case occurred. The test fails if a case occurred too rarely. */
struct tally {
	unsigned long layouts[DIRECTIONS][3][3][4];	/* [mode][interleave][swizzle] */
	unsigned long types[DIRECTIONS][13];
	unsigned long ranks[3][6];
	unsigned long reds[13][RED_OPS];
	unsigned long zeros, nans, dropped, stepped, spread;
};

static struct memory memory;
static struct tally tally;

static __u64 below(__u64 bound)
{
	return unit_below(&memory.rng, bound);
}

static bool one_in(__u64 n)
{
	return !below(n);
}

static __s64 between(__s64 low, __s64 high)
{
	return low + (__s64)below((__u64)(high - low + 1));
}

static __u64 rounded(__u64 a, __u64 b)
{
	return (a + b - 1) / b * b;
}

/* These functions draw a legal map whose tensor fits in the memory. */

static __u32 unit_of(const struct drm_vsm_tensor_map *map)
{
	return map->interleave == T(INTERLEAVE_32B) ? 32 : 16;
}

static void draw_kind(struct drm_vsm_tensor_map *map)
{
	map->type = below(13);
	map->mode = one_in(3) ? T(IM2COL) : T(TILED);
	map->interleave = one_in(2) ? 0 : below(3);
	map->rank = map->interleave || map->mode == T(IM2COL) ? between(3, 5) : between(1, 5);
	map->swizzle = below(4);
	map->fill = map->type >= T(FLOAT16) ? below(2) : 0;
	map->l2_promotion = below(4);
	map->offset = below(8) * unit_of(map);
}

static void draw_row(struct drm_vsm_tensor_map *map, __u32 size)
{
	__u32 most = 256, n;

	if (map->swizzle)
		most = (16U << map->swizzle) / size;
	else if (!one_in(16))
		most = 64 / size;
	n = 16 / size * (1 + below(most * size / 16));
	if (map->mode == T(IM2COL))
		map->channels = n;
	else
		map->box[0] = n;
}

static void draw_box(struct drm_vsm_tensor_map *map)
{
	__u32 size = tensor_model_size(map->type), left = 1 + below(ROWS), d;

	for (d = 0; d < map->rank; d++)
		map->element_stride[d] = one_in(4) ? between(1, 8) : 1;
	draw_row(map, size);
	if (map->mode == T(IM2COL)) {
		map->pixels = left;
		return;
	}
	for (d = 1; d < map->rank; d++) {
		__u32 n = 1 + below(left), step = map->element_stride[d];

		map->box[d] = (n - 1) * step + 1 + below(step);
		left /= n;
	}
}

static void draw_corners(struct drm_vsm_tensor_map *map)
{
	int limit = map->rank == 3 ? 32768 : map->rank == 4 ? 128 : 16, d;

	for (d = 0; d < map->rank - 2; d++) {
		__s64 last = (__s64)map->size[d + !map->interleave] - 1, upper = between(-3, 3);
		__s64 lower = between(-3, 3);

		if (one_in(16))
			lower = between(-limit, limit - 1);
		if (lower > last + upper)
			lower = last + upper;
		map->lower[d] = lower < -limit ? -limit : lower > limit - 1 ? limit - 1 : lower;
		map->upper[d] = upper;
	}
}

/* Draws a dense tensor with gaps between rows, or a tensor with random strides. */
static void draw_tensor(struct drm_vsm_tensor_map *map)
{
	__u32 size = tensor_model_size(map->type), unit = unit_of(map), d;
	bool dense = !one_in(3);
	__u64 extent;

	map->size[0] = 1 + below(one_in(2) ? 32 / size : 512 / size);
	if (map->interleave)
		map->size[0] = 1 + below(9);
	extent = rounded(map->size[0] * (map->interleave ? unit : size), unit);
	for (d = 1; d < map->rank; d++) {
		map->size[d] = 1 + below(9);
		map->stride[d - 1] = extent + (one_in(4) ? below(4) * unit : 0);
		if (!dense)
			map->stride[d - 1] = below(17) * unit;
		extent = map->stride[d - 1] * map->size[d];
	}
	/*
	 * With a stride of 0 all elements of a dimension are at the same place, so that very large
	 * coordinates are in bounds.
	 */
	if (one_in(32)) {
		d = 1 + below(map->rank);
		if (d < map->rank) {
			map->size[d] = one_in(2) ? 1ULL << 32 : 1 + below(1ULL << 32);
			map->stride[d - 1] = 0;
		}
	}
}

static struct drm_vsm_tensor_map draw_map(void)
{
	struct drm_vsm_tensor_map map = { .buffer = below(1ULL << 32) };

	draw_kind(&map);
	do
		draw_box(&map);
	while (vsm_tensor_map_window(&map) > WINDOW);
	do
		draw_tensor(&map);
	while (map.offset + vsm_tensor_map_extent(&map) > GLOBAL);
	if (map.mode == T(IM2COL))
		draw_corners(&map);
	return map;
}

static __s32 draw_coord(const struct drm_vsm_tensor_map *map, __u32 d)
{
	__s64 last = (__s64)map->size[d] - 1;

	if (one_in(64))
		return one_in(2) ? INT32_MIN : INT32_MAX;
	if (last > INT32_MAX)
		return one_in(4) ? between(-2, 2) : between(INT32_MIN, INT32_MAX);
	return one_in(2) ? between(-3, last + 3) : between(0, last);
}

static void draw_operands(const struct drm_vsm_tensor_map *map, struct drm_vsm_insn *insn,
			  enum direction direction)
{
	struct drm_vsm_tensor_operands *o = &insn->u.tensor;
	__u32 per = 16 / tensor_model_size(map->type), d;

	for (d = 0; d < map->rank; d++)
		o->coords[d] = draw_coord(map, d);
	/*
	 * The device refuses a box that does not begin at a multiple of 16 bytes, but the code that
	 * copies does not know that and must handle it.
	 */
	if (!map->interleave && !one_in(16))
		o->coords[0] = o->coords[0] / (__s32)per * (__s32)per;
	if (map->mode != T(IM2COL))
		return;
	if (direction == LOAD)
		o->offsets = one_in(4) ? below(map->rank == 5 ? 1 << 15 : 1 << 16) :
			     below(3) | below(3) << (map->rank == 4 ? 8 : map->rank == 5 ? 5 : 1);
	for (d = 0; d + 2 < map->rank; d++)
		if (!one_in(32)) {
			__u32 at = d + !map->interleave;
			__s64 low = map->lower[d];
			__s64 high = (__s64)map->size[at] - 1 + map->upper[d];

			o->coords[at] = between(low, high > low + 40 ? low + 40 : high);
		}
}

/* Does PTX 9.7.9.25.5.3 have this operation for this type of tensor? */
static bool there_is(__u8 op, __u8 type)
{
	switch (op) {
	case DRM_VSM_RED_ADD:
		return type == T(UINT32) || type == T(INT32) || type == T(UINT64) ||
		       type == T(FLOAT16) || type == T(BFLOAT16) || type == T(FLOAT32) ||
		       type == T(FLOAT32_FTZ);
	case DRM_VSM_RED_MIN:
	case DRM_VSM_RED_MAX:
		return (type >= T(UINT32) && type <= T(INT64)) || type == T(FLOAT16) ||
		       type == T(BFLOAT16);
	case DRM_VSM_RED_INC:
	case DRM_VSM_RED_DEC:
		return type == T(UINT32);
	case DRM_VSM_RED_AND:
	case DRM_VSM_RED_OR:
	case DRM_VSM_RED_XOR:
		return type >= T(UINT32) && type <= T(INT64);
	default:
		return false;
	}
}

static bool draw_reduction(const struct drm_vsm_tensor_map *map, __u8 *op)
{
	*op = 1 + below(RED_OPS - 1);
	return there_is(*op, map->type);
}

/* The copy for which the model visits elements */
struct side {
	const struct drm_vsm_tensor_map *map;	/* tensor map */
	__u8 op;				/* operation of a reduction */
};

static unsigned char *model_shared(const struct tensor_element *element)
{
	assert_true(element->shared + element->size <= WINDOW);
	return memory.window[1] + GUARD + element->shared;
}

static unsigned char *model_global(const struct tensor_element *element, const struct side *side)
{
	__u64 offset = side->map->offset + element->global;

	assert_true(offset + element->size <= GLOBAL);
	return memory.global[1] + GUARD + offset;
}

/* Rounds to 10 bits of mantissa, ties away from zero. */
static void round_tf32(unsigned char *bytes)
{
	__u32 bits, rest;

	memcpy(&bits, bytes, sizeof(bits));
	rest = bits % 0x2000;
	if ((bits & 0x7f800000) != 0x7f800000)
		bits += rest < 0x1000 ? -rest : 0x2000 - rest;
	else if (bits & 0x7fffff)
		bits = 0x7fffe000;
	memcpy(bytes, &bits, sizeof(bits));
}

static void load_element(const struct tensor_element *element, void *data)
{
	const struct side *side = data;
	unsigned char *to = model_shared(element);
	__u32 i;

	if (element->inside) {
		memcpy(to, model_global(element, side), element->size);
		if (side->map->type == T(TFLOAT32) || side->map->type == T(TFLOAT32_FTZ))
			round_tf32(to);
		return;
	}
	for (i = 0; i < element->size; i++)
		to[i] = !side->map->fill ? 0 : i % 2 ? 0x7f : 0xf7;
	if (side->map->fill)
		tally.nans++;
	else
		tally.zeros++;
}

static void store_element(const struct tensor_element *element, void *data)
{
	const struct side *side = data;

	if (element->inside)
		memcpy(model_global(element, side), model_shared(element), element->size);
	else
		tally.dropped++;
}

static __u64 reduced(__u8 op, __u64 a, __u64 b, bool less)
{
	switch (op) {
	case DRM_VSM_RED_ADD:
		return a + b;
	case DRM_VSM_RED_MIN:
		return less ? a : b;
	case DRM_VSM_RED_MAX:
		return less ? b : a;
	case DRM_VSM_RED_INC:
		return a >= b ? 0 : a + 1;
	case DRM_VSM_RED_DEC:
		return a == 0 || a > b ? b : a - 1;
	case DRM_VSM_RED_AND:
		return a & b;
	case DRM_VSM_RED_OR:
		return a | b;
	default:
		return a ^ b;
	}
}

/* Use the core's arithmetic for floating point numbers: test_reduce_float tests it. */
static void reduce_float(const struct side *side, unsigned char *to, const unsigned char *from,
			 __u32 size)
{
	__u8 type = side->map->type == T(FLOAT16)  ? DRM_VSM_TYPE_F16 :
		    side->map->type == T(BFLOAT16) ? DRM_VSM_TYPE_BF16 : DRM_VSM_TYPE_F32;

	vsm_reduce(DRM_VSM_RED(side->op, type), to, from, size);
}

static void reduce_element(const struct tensor_element *element, void *data)
{
	const struct side *side = data;
	unsigned char *to, *from = model_shared(element);
	__u64 a = 0, b = 0;
	bool less;

	if (!element->inside) {
		tally.dropped++;
		return;
	}
	to = model_global(element, side);
	if (side->map->type >= T(FLOAT16)) {
		reduce_float(side, to, from, element->size);
		return;
	}
	memcpy(&a, to, element->size);
	memcpy(&b, from, element->size);
	less = side->map->type == T(INT32) ? (__s32)a < (__s32)b :
	       side->map->type == T(INT64) ? (__s64)a < (__s64)b : a < b;
	a = reduced(side->op, a, b, less);
	memcpy(to, &a, element->size);
}

/* Performs a copy with the core and with the model. */
static void copy(const struct drm_vsm_tensor_map *map, const struct drm_vsm_insn *insn,
		 enum direction direction, __u32 offset)
{
	static const tensor_visit visits[] = { load_element, store_element, reduce_element };
	const struct drm_vsm_tensor_operands *o = &insn->u.tensor;
	struct side side = { .map = map, .op = insn->red & 0xf };
	unsigned char *global = memory.global[0] + GUARD + map->offset;
	unsigned char *window = memory.window[0] + GUARD;

	switch (direction) {
	case LOAD:
		vsm_tensor_load(map, o, global, window, offset);
		break;
	case STORE:
		vsm_tensor_store(map, o, global, window, offset);
		break;
	default:
		vsm_tensor_reduce(map, o, insn->red, global, window, offset);
	}
	tensor_model(map, o, offset, direction == STORE, visits[direction], &side);
}

static void check_memory(void)
{
	if (memcmp(memory.window[0], memory.window[1], sizeof(memory.window[0])))
		fail_msg("VSM_TEST_SEED=%#llx copy %lu: the window", memory.seed, memory.copies);
	if (memcmp(memory.global[0], memory.global[1], sizeof(memory.global[0])))
		fail_msg("VSM_TEST_SEED=%#llx copy %lu: the tensor", memory.seed, memory.copies);
}

static void randomize(void)
{
	__u64 bits;
	size_t i;

	for (i = 0; i < sizeof(memory.global[0]); i += sizeof(bits)) {
		bits = unit_random(&memory.rng);
		memcpy(memory.global[0] + i, &bits, sizeof(bits));
	}
	for (i = 0; i < sizeof(memory.window[0]); i += sizeof(bits)) {
		bits = unit_random(&memory.rng);
		memcpy(memory.window[0] + i, &bits, sizeof(bits));
	}
	memcpy(memory.global[1], memory.global[0], sizeof(memory.global[0]));
	memcpy(memory.window[1], memory.window[0], sizeof(memory.window[0]));
}

static void count(const struct drm_vsm_tensor_map *map, enum direction direction, __u8 op)
{
	__u32 d;

	tally.layouts[direction][map->mode][map->interleave][map->swizzle]++;
	tally.types[direction][map->type]++;
	tally.ranks[map->mode][map->rank]++;
	tally.reds[map->type][op]++;
	for (d = 0; d < map->rank; d++)
		tally.stepped += map->element_stride[d] > 1;
	tally.spread += vsm_tensor_map_window(map) > vsm_tensor_map_bytes(map);
}

static void copy_at_random(void)
{
	static const __u16 ops[] = {
		OP(CP_ASYNC_BULK_TENSOR_G2S),
		OP(CP_ASYNC_BULK_TENSOR_S2G),
		OP(CP_REDUCE_ASYNC_BULK_TENSOR),
	};
	struct drm_vsm_tensor_map map = draw_map();
	enum direction direction = below(DIRECTIONS);
	struct drm_vsm_insn insn = { 0 };
	enum drm_vsm_tensor_error error;
	__u32 room;
	__u8 op = 0;

	if (direction == REDUCE && !draw_reduction(&map, &op))
		direction = op % 2 ? LOAD : STORE;
	op = direction == REDUCE ? op : 0;
	insn.op = ops[direction];
	insn.mods = map.mode == T(IM2COL) ? MOD(IM2COL) : 0;
	insn.red = DRM_VSM_RED_DIMS(op, map.rank);
	draw_operands(&map, &insn, direction);

	error = vsm_tensor_map_check(&map);
	if (error)
		fail_msg("VSM_TEST_SEED=%#llx copy %lu: error %d of a map", memory.seed,
			 memory.copies, error);
	error = vsm_tensor_check(&map, &insn);
	if (error && error != T(ALIGNMENT) && error != T(OUTSIDE) && error != T(NEGATIVE))
		fail_msg("VSM_TEST_SEED=%#llx copy %lu: error %d", memory.seed, memory.copies,
			 error);
	room = (WINDOW - vsm_tensor_map_window(&map)) / 128;
	copy(&map, &insn, direction, below(room + 1) * 128);
	check_memory();
	count(&map, direction, op);
	memory.copies++;
}

static void check_often(unsigned long times)
{
	assert_in_range(times, COPIES / 1000, COPIES);
}

static void check_layouts(enum direction direction)
{
	__u32 mode, interleave, swizzle;

	for (mode = T(TILED); mode <= T(IM2COL); mode++)
		for (interleave = 0; interleave < 3; interleave++)
			for (swizzle = 0; swizzle < 4; swizzle++)
				check_often(tally.layouts[direction][mode][interleave][swizzle]);
}

static void check_tally(void)
{
	__u32 direction, type, op, rank;

	for (direction = 0; direction < DIRECTIONS; direction++)
		check_layouts(direction);
	for (type = 0; type < 13; type++) {
		check_often(tally.types[LOAD][type]);
		check_often(tally.types[STORE][type]);
		for (op = 1; op < RED_OPS; op++)
			assert_int_equal(tally.reds[type][op] > COPIES / 1000, there_is(op, type));
	}
	for (rank = 1; rank <= 5; rank++) {
		check_often(tally.ranks[T(TILED)][rank]);
		if (rank >= 3)
			check_often(tally.ranks[T(IM2COL)][rank]);
	}
	assert_true(tally.zeros > COPIES && tally.nans > COPIES && tally.dropped > COPIES);
	assert_true(tally.stepped > COPIES / 10 && tally.spread > COPIES / 100);
}

TEST(copies_are_the_model_s)
{
	memory.seed = unit_seed();
	memory.rng = memory.seed;
	while (memory.copies < COPIES) {
		if (memory.copies % 4096 == 0)
			randomize();
		copy_at_random();
	}
	check_tally();
}

/*
 * The map differs from a legal one in a few bits. If the core accepts it, copy a box between
 * allocations of exactly the sizes that the core computes. The address sanitizer then finds every
 * access outside of them.
 */
static bool mutant_is_safe(struct drm_vsm_tensor_map *map, const struct drm_vsm_tensor_operands *o)
{
	unsigned char *global, *window;
	__u64 extent;

	if (vsm_tensor_map_check(map))
		return false;
	extent = vsm_tensor_map_extent(map);
	assert_true(vsm_tensor_map_bytes(map) <= vsm_tensor_map_window(map));
	if (extent > 1 << 20 || vsm_tensor_map_window(map) > 1 << 16)
		return false;
	global = calloc(1, extent);
	window = malloc(vsm_tensor_map_window(map));
	assert_true(global && window);
	vsm_tensor_load(map, o, global, window, 0);
	vsm_tensor_store(map, o, global, window, 0);
	free(window);
	free(global);
	return true;
}

TEST(no_map_is_dangerous)
{
	unsigned long i, accepted = 0, refused = 0;

	memory.rng = unit_seed();
	for (i = 0; i < MUTATIONS; i++) {
		struct drm_vsm_tensor_map map = draw_map();
		struct drm_vsm_insn insn = { 0 };
		__u32 bits = 1 + below(3);

		draw_operands(&map, &insn, LOAD);
		while (bits--)
			((unsigned char *)&map)[below(sizeof(map))] ^= 1 << below(8);
		if (one_in(8))
			insn.u.tensor.coords[below(5)] = unit_random(&memory.rng);
		insn.u.tensor.offsets = unit_random(&memory.rng);
		if (mutant_is_safe(&map, &insn.u.tensor))
			accepted++;
		else
			refused++;
	}
	assert_true(accepted > MUTATIONS / 50 && refused > MUTATIONS / 2);

	for (i = 0; i < MUTATIONS; i++) {
		struct drm_vsm_tensor_map map;
		size_t at;

		for (at = 0; at < sizeof(map); at++)
			((unsigned char *)&map)[at] = unit_random(&memory.rng);
		assert_int_not_equal(vsm_tensor_map_check(&map), T(OK));
	}
}
