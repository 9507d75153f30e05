// SPDX-License-Identifier: MIT
/*
 * Reductions: which of them exist, integer reductions compared with the host's arithmetic, known
 * sums of floating point numbers, and reductions of the same element by several threads.
 */
#include <pthread.h>

#include "unit.h"

#include <vsm_core.h>

#define PAIRS		190000	/* of integers per type */

/* Reduces one element. Its two neighbours must not change. */
static __u64 reduce(__u8 red, __u64 element, __u64 operand)
{
	__u64 to[3] = { POISON, element, POISON };
	__u32 size = vsm_reduce_size(red);

	memcpy((char *)&to[1] + size, to, sizeof(to[0]) - size);
	vsm_reduce(red, &to[1], &operand, size);
	assert_true(to[0] == POISON && to[2] == POISON);
	assert_memory_equal((char *)&to[1] + size, to, sizeof(to[0]) - size);
	if (size < sizeof(to[1]))
		to[1] &= (1ULL << size * 8) - 1;
	return to[1];
}

static void expect(__u8 red, __u64 element, __u64 operand, __u64 expected)
{
	__u64 value = reduce(red, element, operand);

	if (value != expected)
		fail_msg("red %#x of %#llx by %#llx is %#llx, not %#llx", red, element, operand,
			 value, expected);
}

/* The tables of operations and types in PTX 9.7.9.25.4.2, 9.7.9.25.5.3 and 9.7.13.7. */
static const struct {
	enum vsm_reduce_where where;
	const char *ops;
	const char *types;
} ptx[] = {
	{ VSM_REDUCE_SHARED, "add", "u32 s32 u64" },
	{ VSM_REDUCE_SHARED, "min max", "u32 s32" },
	{ VSM_REDUCE_SHARED, "inc dec", "u32" },
	{ VSM_REDUCE_SHARED, "and or xor", "b32" },
	{ VSM_REDUCE_GLOBAL, "add", "u32 s32 u64 f32 f64 f16 bf16" },
	{ VSM_REDUCE_GLOBAL, "min max", "u32 s32 u64 s64 f16 bf16" },
	{ VSM_REDUCE_GLOBAL, "inc dec", "u32" },
	{ VSM_REDUCE_GLOBAL, "and or xor", "b32 b64" },
	{ VSM_REDUCE_TENSOR, "add", "u32 s32 u64 f32 f16 bf16" },
	{ VSM_REDUCE_TENSOR, "min max", "u32 s32 u64 s64 f16 bf16" },
	{ VSM_REDUCE_TENSOR, "inc dec", "u32" },
	{ VSM_REDUCE_TENSOR, "and or xor", "b32 b64" },
	{ VSM_REDUCE_RED_ASYNC, "inc dec", "u32" },
	{ VSM_REDUCE_RED_ASYNC, "min max", "u32 s32" },
	{ VSM_REDUCE_RED_ASYNC, "and or xor", "b32" },
	{ VSM_REDUCE_RED_ASYNC, "add", "u32 s32 u64" },
};

static const char *const op_names[16] = {
	[DRM_VSM_RED_ADD] = "add", [DRM_VSM_RED_MIN] = "min", [DRM_VSM_RED_MAX] = "max",
	[DRM_VSM_RED_INC] = "inc", [DRM_VSM_RED_DEC] = "dec", [DRM_VSM_RED_AND] = "and",
	[DRM_VSM_RED_OR] = "or", [DRM_VSM_RED_XOR] = "xor",
};

static const char *const type_names[16] = {
	[DRM_VSM_TYPE_B32] = "b32", [DRM_VSM_TYPE_U32] = "u32", [DRM_VSM_TYPE_S32] = "s32",
	[DRM_VSM_TYPE_B64] = "b64", [DRM_VSM_TYPE_U64] = "u64", [DRM_VSM_TYPE_S64] = "s64",
	[DRM_VSM_TYPE_F16] = "f16", [DRM_VSM_TYPE_BF16] = "bf16", [DRM_VSM_TYPE_F32] = "f32",
	[DRM_VSM_TYPE_F64] = "f64",
};

/* Is @name one of @names? */
static bool named(const char *names, const char *name)
{
	const size_t length = name ? strlen(name) : 0;
	const char *p = names;

	while (length && (p = strstr(p, name))) {
		if ((p == names || p[-1] == ' ') && (!p[length] || p[length] == ' '))
			return true;
		p += length;
	}
	return false;
}

static bool ptx_has(int red, enum vsm_reduce_where where)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ptx); i++)
		if (ptx[i].where == where && named(ptx[i].ops, op_names[red & 0xf]) &&
		    named(ptx[i].types, type_names[red >> 4]))
			return true;
	return false;
}

TEST(reductions_are_those_of_ptx)
{
	int red, where, count = 0;

	for (where = VSM_REDUCE_GLOBAL; where <= VSM_REDUCE_RED_ASYNC; where++) {
		for (red = 0; red < 256; red++) {
			count += ptx_has(red, where);
			if (vsm_reduce_valid(red, where) != ptx_has(red, where))
				fail_msg("red %#x where %d", red, where);
		}
	}
	assert_int_equal(count, 27 + 12 + 26 + 12);
}

TEST(elements_have_the_size_of_their_type)
{
	int red;

	for (red = 0; red < 256; red++) {
		const char *name = type_names[red >> 4];

		assert_int_equal(vsm_reduce_size(red),
				 name ? atoi(name + strcspn(name, "136")) / 8 : 0);
	}
}

TEST(other_reductions_do_nothing)
{
	__u64 to[2] = { POISON, POISON };
	const __u64 from[2] = { 1, 1 };
	int red;

	for (red = 0; red < 256; red++) {
		if (ptx_has(red, VSM_REDUCE_GLOBAL))
			continue;
		vsm_reduce(red, to, from, sizeof(to));
		assert_true(to[0] == POISON && to[1] == POISON);
	}
}

TEST(each_element_is_reduced_by_its_own_operand)
{
	__u64 seed = unit_seed(), to[34], from[34], was[34], operands[34];
	int red, size, width, i;

	for (red = 0; red < 256; red++) {
		if (!ptx_has(red, VSM_REDUCE_GLOBAL))
			continue;
		width = vsm_reduce_size(red);
		for (size = 0; size <= 256; size += width) {
			for (i = 0; i < 34; i++) {
				was[i] = unit_random(&seed);
				operands[i] = unit_random(&seed);
			}
			memcpy(to, was, sizeof(to));
			memcpy(from, operands, sizeof(from));
			vsm_reduce(red, &to[1], &from[1], size);
			assert_memory_equal(from, operands, sizeof(from));
			assert_true(to[0] == was[0] && to[33] == was[33]);
			for (i = 0; i < 256; i += width) {
				__u64 element = 0, operand = 0;

				memcpy(&element, (char *)&was[1] + i, width);
				memcpy(&operand, (char *)&from[1] + i, width);
				if (i < size)
					element = reduce(red, element, operand);
				assert_memory_equal((char *)&to[1] + i, &element, width);
			}
		}
	}
}

static __u64 random_integer(__u64 *seed, __u64 near)
{
	static const __u64 corners[] = {
		0, 1, 2, 0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff,
		0x100000000, 0x7fffffffffffffff, 0x8000000000000000, 0x8000000000000001,
		0xffffffffffffffff,
	};

	switch (unit_below(seed, 4)) {
	case 0:
		return corners[unit_below(seed, ARRAY_SIZE(corners))];
	case 1:
		return near + unit_below(seed, 5) - 2;
	case 2:
		return unit_random(seed) >> unit_below(seed, 64);
	default:
		return unit_random(seed);
	}
}

TEST(integers_are_reduced_as_the_host_would)
{
	__u64 seed = unit_seed();
	int i;

	for (i = 0; i < PAIRS; i++) {
		const __u64 a = random_integer(&seed, 0), b = random_integer(&seed, a);
		const __u32 x = a, y = b;
		const __s64 sa = a, sb = b;
		const __s32 sx = x, sy = y;

		expect(RED(ADD, U32), x, y, (__u32)(x + y));
		expect(RED(ADD, S32), x, y, (__u32)((__s64)sx + sy));
		expect(RED(ADD, U64), a, b, a + b);
		expect(RED(MIN, U32), x, y, x < y ? x : y);
		expect(RED(MAX, U32), x, y, x < y ? y : x);
		expect(RED(MIN, S32), x, y, sx < sy ? x : y);
		expect(RED(MAX, S32), x, y, sx < sy ? y : x);
		expect(RED(MIN, U64), a, b, a < b ? a : b);
		expect(RED(MAX, U64), a, b, a < b ? b : a);
		expect(RED(MIN, S64), a, b, sa < sb ? a : b);
		expect(RED(MAX, S64), a, b, sa < sb ? b : a);
		expect(RED(AND, B32), x, y, x & y);
		expect(RED(OR, B32), x, y, x | y);
		expect(RED(XOR, B32), x, y, x ^ y);
		expect(RED(AND, B64), a, b, a & b);
		expect(RED(OR, B64), a, b, a | b);
		expect(RED(XOR, B64), a, b, a ^ b);
		expect(RED(INC, U32), x, y, x >= y ? 0 : x + 1);
		expect(RED(DEC, U32), x, y, x == 0 || x > y ? y : x - 1);
	}
}

TEST(inc_and_dec_stay_between_0_and_the_operand)
{
	__u32 up = 0, down = 0, i;

	for (i = 1; i < 100; i++) {
		up = reduce(RED(INC, U32), up, 6);
		assert_int_equal(up, i % 7);
		down = reduce(RED(DEC, U32), down, 6);
		assert_int_equal(down, (7 - i % 7) % 7);
	}
	expect(RED(INC, U32), 0xffffffff, 0xffffffff, 0);
	expect(RED(INC, U32), 7, 6, 0);
	expect(RED(INC, U32), 0, 0, 0);
	expect(RED(DEC, U32), 0, 0xffffffff, 0xffffffff);
	expect(RED(DEC, U32), 7, 6, 6);
	expect(RED(DEC, U32), 0, 0, 0);
}

/* These sums are known, in case the core and the other tests compute in the same wrong way. */
TEST(sums_that_are_known)
{
	static const struct {
		__u8 red;
		__u64 a;
		__u64 b;
		__u64 sum;
	} rows[] = {
		/* If the sum is half way between two numbers, the even one is the result. */
		{ RED(ADD, F16), 0x3c00, 0x1000, 0x3c00 },	/* 1 + 2^-11 */
		{ RED(ADD, F16), 0x3c01, 0x1000, 0x3c02 },
		{ RED(ADD, F16), 0x3c00, 0x1001, 0x3c01 },
		{ RED(ADD, BF16), 0x3f80, 0x3b80, 0x3f80 },	/* 1 + 2^-8 */
		{ RED(ADD, BF16), 0x3f81, 0x3b80, 0x3f82 },
		{ RED(ADD, F32), 0x3f800000, 0x33800000, 0x3f800000 },
		{ RED(ADD, F32), 0x3f800001, 0x33800000, 0x3f800002 },
		{ RED(ADD, F64), 0x3ff0000000000000, 0x3ca0000000000000, 0x3ff0000000000000 },
		{ RED(ADD, F64), 0x3ff0000000000001, 0x3ca0000000000000, 0x3ff0000000000002 },
		/* The largest finite number plus half a unit of its last digit is infinite. */
		{ RED(ADD, F16), 0x7bff, 0x4bff, 0x7bff },
		{ RED(ADD, F16), 0x7bff, 0x4c00, 0x7c00 },
		{ RED(ADD, BF16), 0x7f7f, 0x7f7f, 0x7f80 },
		{ RED(ADD, F32), 0x7f7fffff, 0x73000000, 0x7f800000 },
		{ RED(ADD, F64), 0xffefffffffffffff, 0xffefffffffffffff, 0xfff0000000000000 },
		/*
		 * .f32 replaces subnormal operands and sums by zeros of the same sign. The other
		 * types do not.
		 */
		{ RED(ADD, F32), 0x00000001, 0x00000001, 0x00000000 },
		{ RED(ADD, F32), 0x80000001, 0x807fffff, 0x80000000 },
		{ RED(ADD, F32), 0x80000001, 0x00000001, 0x00000000 },
		{ RED(ADD, F32), 0x3f800000, 0x00400000, 0x3f800000 },
		{ RED(ADD, F32), 0x00c00000, 0x80800000, 0x00000000 },
		{ RED(ADD, F32), 0x00800000, 0x80c00000, 0x80000000 },
		{ RED(ADD, F16), 0x0001, 0x0001, 0x0002 },
		{ RED(ADD, F16), 0x03ff, 0x0001, 0x0400 },
		{ RED(ADD, F16), 0x0600, 0x8400, 0x0200 },
		{ RED(ADD, BF16), 0x8001, 0x8001, 0x8002 },
		{ RED(ADD, BF16), 0x0080, 0x80c0, 0x8040 },
		{ RED(ADD, F64), 1, 1, 2 },
		{ RED(ADD, F64), 0x000fffffffffffff, 1, 0x0010000000000000 },
		/* Zeros. */
		{ RED(ADD, F16), 0x8000, 0x8000, 0x8000 },
		{ RED(ADD, F16), 0x8000, 0x0000, 0x0000 },
		{ RED(ADD, F16), 0xbc00, 0x3c00, 0x0000 },
		{ RED(ADD, F32), 0x80000000, 0x80000000, 0x80000000 },
		{ RED(ADD, F64), 0x8000000000000000, 0, 0 },
		/* NaNs. */
		{ RED(ADD, F16), 0x7c00, 0xfc00, 0x7fff },
		{ RED(ADD, F16), 0xfc01, 0x3c00, 0x7fff },
		{ RED(ADD, BF16), 0x3f80, 0xff81, 0x7fff },
		{ RED(ADD, F32), 0x7f800000, 0xff800000, 0x7fffffff },
		{ RED(ADD, F32), 0xffc12345, 0x3f800000, 0x7fffffff },
		{ RED(ADD, F64), 0x7ff0000000000000, 0xfff0000000000000, 0xfff8000000000000 },
		{ RED(ADD, F64), 0x7ff0000000000005, 0xfff8000000000007, 0x7ff8000000000005 },
		{ RED(ADD, F64), 0x3ff0000000000000, 0xfff0000000000007, 0xfff8000000000007 },
		/* Minimum and maximum: -0 is less than +0, and a number wins against a NaN. */
		{ RED(MIN, F16), 0x0000, 0x8000, 0x8000 },
		{ RED(MAX, F16), 0x8000, 0x0000, 0x0000 },
		{ RED(MIN, BF16), 0x7f81, 0x3f80, 0x3f80 },
		{ RED(MAX, BF16), 0xbf80, 0xff81, 0xbf80 },
		{ RED(MAX, BF16), 0x7f81, 0xff81, 0x7fff },
		{ RED(MIN, F16), 0x8001, 0xfc00, 0xfc00 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		expect(rows[i].red, rows[i].a, rows[i].b, rows[i].sum);
}

#define THREADS		4
#define ROUNDS		64
#define SHARED_BYTES	32768

/* Threads that reduce the same elements */
struct shared_reduction {
	__u8 red;				/* operation and type */
	pthread_barrier_t start;	/* barrier that all threads pass before they begin */
	__u64 elements[SHARED_BYTES / 8];	/* elements that all threads reduce */
	__u64 operands[SHARED_BYTES / 8];	/* operands that each thread applies ROUNDS times */
};

static void *reduce_often(void *arg)
{
	struct shared_reduction *m = arg;
	int i;

	pthread_barrier_wait(&m->start);
	for (i = 0; i < ROUNDS; i++)
		vsm_reduce(m->red, m->elements, m->operands, SHARED_BYTES);
	return NULL;
}

/* Each type holds all these sums exactly. The result therefore does not depend on the order. */
TEST(concurrent_reductions_all_count)
{
	static const struct {
		__u8 red;
		__u64 first;
		__u64 operand;
		__u64 last;
	} rows[] = {
		{ RED(ADD, U32), 5, 3, 5 + 3 * THREADS * ROUNDS },
		{ RED(ADD, U64), 5, 1ULL << 40, 5 + (1ULL << 40) * THREADS * ROUNDS },
		{ RED(INC, U32), 5, 0xffffffff, 5 + THREADS * ROUNDS },
		{ RED(DEC, U32), 5000, 0xffffffff, 5000 - THREADS * ROUNDS },
		{ RED(XOR, B64), 5, ~0ULL, 5 },
		{ RED(ADD, F16), 0, 0x3c00, 0x5c00 },		/* 256 times 1.0 */
		{ RED(ADD, BF16), 0, 0x3f80, 0x4380 },
		{ RED(ADD, F32), 0, 0x3f800000, 0x43800000 },
		{ RED(ADD, F64), 0, 0x3ff0000000000000, 0x4070000000000000 },
	};
	static struct shared_reduction m;
	pthread_t threads[THREADS];
	size_t i, j;

	assert_int_equal(pthread_barrier_init(&m.start, NULL, THREADS), 0);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		const __u32 width = vsm_reduce_size(rows[i].red);

		m.red = rows[i].red;
		for (j = 0; j < SHARED_BYTES; j += width) {
			memcpy((char *)m.elements + j, &rows[i].first, width);
			memcpy((char *)m.operands + j, &rows[i].operand, width);
		}
		for (j = 0; j < THREADS; j++)
			assert_int_equal(pthread_create(&threads[j], NULL, reduce_often, &m), 0);
		for (j = 0; j < THREADS; j++)
			assert_int_equal(pthread_join(threads[j], NULL), 0);
		for (j = 0; j < SHARED_BYTES; j += width)
			if (memcmp((char *)m.elements + j, &rows[i].last, width))
				fail_msg("red %#x: byte %zu", m.red, j);
	}
	pthread_barrier_destroy(&m.start);
}

/* Compile vsm_reduce.c a second time, with an exchange that always loses against another writer. */
static __u64 lost_races;

#define try_cmpxchg_relaxed(p, old, new) \
	((void)(new), *(old) = *(p) += 1, lost_races++, false)
#define vsm_reduce_valid losing_reduce_valid
#define vsm_reduce_size losing_reduce_size
#define vsm_reduce losing_reduce
#include <vsm_reduce.c>

TEST(a_writer_that_is_always_first_is_overwritten_in_the_end)
{
	__u32 element = 0, operand = 0x80000000;

	lost_races = 0;
	losing_reduce(RED(OR, B32), &element, &operand,
		      sizeof(element));
	assert_true(lost_races > 1000 && lost_races < 1000000);
	assert_int_equal(element, 0x80000000 | lost_races);
}
