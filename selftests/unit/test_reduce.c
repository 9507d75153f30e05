// SPDX-License-Identifier: MIT
/*
 * Reductions against the arithmetic of the host, bit for bit: .f32 and .f64 against
 * its floating point unit, .f16 and .bf16 against sums in double that are rounded once,
 * since a double has more than twice their digits.
 */
#include <math.h>
#include <pthread.h>

#include "unit.h"

#include <vsm_reduce.h>

#define PAIRS		1500000
#define BATCH		4096

/**
 * struct format - A floating point type, as arithmetic
 * @type: &enum drm_vsm_type
 * @digits: Digits of the mantissa, with the first
 * @least: Exponent of the smallest normal number
 * @bits: Bits of a number
 * @nan: Canonical NaN
 */
struct format {
	__u8 type;
	int digits;
	int least;
	int bits;
	__u64 nan;
};

static const struct format f16_format = { DRM_VSM_TYPE_F16, 11, -14, 16, 0x7fff };
static const struct format bf16_format = { DRM_VSM_TYPE_BF16, 8, -126, 16, 0x7fff };
static const struct format f32_format = { DRM_VSM_TYPE_F32, 24, -126, 32, 0x7fffffff };
static const struct format f64_format = { DRM_VSM_TYPE_F64, 53, -1022, 64, 0xfff8000000000000 };

static __u64 format_sign(const struct format *f)
{
	return 1ULL << (f->bits - 1);
}

static __u64 format_inf(const struct format *f)
{
	return format_sign(f) - (1ULL << (f->digits - 1));
}

static __u64 magnitude(const struct format *f, __u64 bits)
{
	return bits & (format_sign(f) - 1);
}

static bool is_nan(const struct format *f, __u64 bits)
{
	return magnitude(f, bits) > format_inf(f);
}

static bool is_subnormal(const struct format *f, __u64 bits)
{
	return magnitude(f, bits) && magnitude(f, bits) < 1ULL << (f->digits - 1);
}

/* The value of a number that is no NaN. */
static double decode(const struct format *f, __u64 bits)
{
	__u64 m = magnitude(f, bits), hidden = 1ULL << (f->digits - 1);
	int exponent = m / hidden;
	double x;

	if (m == format_inf(f))
		x = INFINITY;
	else if (!exponent)
		x = ldexp(m, f->least - f->digits + 1);
	else
		x = ldexp(m % hidden + hidden, f->least - f->digits + exponent);
	return bits & format_sign(f) ? -x : x;
}

/* The number nearest to a value, which is counted in units of its last digit. */
static __u64 encode(const struct format *f, double x)
{
	__u64 sign = signbit(x) ? format_sign(f) : 0, m;
	int exponent;

	x = fabs(x);
	if (isnan(x))
		return f->nan;
	if (isinf(x))
		return sign | format_inf(f);
	frexp(x, &exponent);
	exponent = x ? exponent - 1 : f->least;
	if (exponent < f->least)
		exponent = f->least;
	m = nearbyint(ldexp(x, f->digits - 1 - exponent));
	m += (__u64)(exponent - f->least) << (f->digits - 1);
	return sign | (m < format_inf(f) ? m : format_inf(f));
}

/* One element, reduced among neighbours that have to stay as they are. */
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

/* PTX's tables of operations and types: 9.7.9.25.4.2, 9.7.9.25.5.3, 9.7.13.7. */
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

	for (i = 0; i < PAIRS / 8; i++) {
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

/* The sum of .f16 or .bf16 numbers. A double holds the former's, and rounds the latter's well. */
static __u64 half_sum(const struct format *f, const double *values, __u16 a, __u16 b)
{
	return encode(f, values[a] + values[b]);
}

static __u64 half_min(const struct format *f, const double *values, __u16 a, __u16 b)
{
	if (isnan(values[a]) && isnan(values[b]))
		return f->nan;
	if (isnan(values[a]) || values[b] < values[a])
		return b;
	return values[a] == values[b] ? a | b : a;
}

static __u64 half_max(const struct format *f, const double *values, __u16 a, __u16 b)
{
	if (isnan(values[a]) && isnan(values[b]))
		return f->nan;
	if (isnan(values[a]) || values[b] > values[a])
		return b;
	return values[a] == values[b] ? a & b : a;
}

typedef __u64 (*half_oracle)(const struct format *f, const double *values, __u16 a, __u16 b);

/* An operand for every exponent that is near an end or that of 1, and telling mantissas. */
static int half_operands(const struct format *f, __u16 *operands)
{
	const int hidden = 1 << (f->digits - 1), exponents = 0x8000 / hidden;
	const int mantissas[] = { 0, 1, hidden / 2, hidden / 2 + 1, hidden - 1 };
	int exponent, count = 0;
	size_t i;

	for (exponent = 0; exponent < exponents; exponent++) {
		if (abs(exponent - exponents / 2) > 10 && exponent > 8 &&
		    exponent < exponents - 8)
			continue;
		for (i = 0; i < ARRAY_SIZE(mantissas); i++) {
			operands[count++] = exponent * hidden + mantissas[i];
			operands[count++] = 0x8000 | (exponent * hidden + mantissas[i]);
		}
	}
	return count;
}

/* Every element by each of some operands, then by random ones. */
static void half_matches(const struct format *f, int op, half_oracle oracle)
{
	static __u16 to[0x10000], from[0x10000], operands[1000];
	static double values[0x10000];
	const int count = half_operands(f, operands);
	__u64 seed = unit_seed();
	int i, j;

	for (i = 0; i < 0x10000; i++)
		values[i] = is_nan(f, i) ? NAN : decode(f, i);
	for (i = 0; i < count + 16; i++) {
		for (j = 0; j < 0x10000; j++) {
			to[j] = j;
			from[j] = i < count ? operands[i] : unit_random(&seed);
		}
		vsm_reduce(DRM_VSM_RED(op, f->type), to, from, sizeof(to));
		for (j = 0; j < 0x10000; j++) {
			const __u16 expected = oracle(f, values, j, from[j]);

			if (to[j] != expected)
				fail_msg("%#x, %#x: %#x, not %#x", j, from[j], to[j], expected);
		}
	}
}

TEST(f16_is_added_as_rounded_from_the_exact_sum)
{
	half_matches(&f16_format, DRM_VSM_RED_ADD, half_sum);
}

TEST(bf16_is_added_as_rounded_from_the_exact_sum)
{
	half_matches(&bf16_format, DRM_VSM_RED_ADD, half_sum);
}

TEST(halves_are_ordered_with_nan_last)
{
	half_matches(&f16_format, DRM_VSM_RED_MIN, half_min);
	half_matches(&f16_format, DRM_VSM_RED_MAX, half_max);
	half_matches(&bf16_format, DRM_VSM_RED_MIN, half_min);
	half_matches(&bf16_format, DRM_VSM_RED_MAX, half_max);
}

/**
 * struct seen - What random sums have met, so that the test knows it met all
 * @subnormal_operand: Subnormal operands
 * @subnormal_sum: Subnormal sums
 * @cancelled: Sums of less than a thousandth of their operands
 * @tie: Operands whose exact sum is half way between two numbers
 * @overflow: Infinite sums of finite operands
 * @nan: NaN sums
 */
struct seen {
	int subnormal_operand;
	int subnormal_sum;
	int cancelled;
	int tie;
	int overflow;
	int nan;
};

/* Two operands, related so that more happens than a sum that is the larger one. */
static void random_operands(const struct format *f, __u64 *seed, __u64 *a, __u64 *b)
{
	const __u64 hidden = 1ULL << (f->digits - 1), mask = format_sign(f) * 2 - 1;
	__u64 r = unit_random(seed);
	__s64 exponent;

	*a = unit_random(seed) & mask;
	*b = unit_random(seed) & mask;
	/* Few bits, or the last ones alike, make ties. */
	if (r & 1)
		*a &= ~((1ULL << unit_below(seed, f->digits)) - 1);
	if (r & 2)
		*b &= ~((1ULL << unit_below(seed, f->digits)) - 1);
	switch (r >> 2 & 7) {
	case 0:
		*a = (*a & (format_sign(f) | (hidden - 1))) + hidden * unit_below(seed, 3);
		*b = (*b & (format_sign(f) | (hidden - 1))) + hidden * unit_below(seed, 3);
		break;
	case 1:
		*b = (*a ^ format_sign(f)) + unit_below(seed, 9) - 4;
		break;
	case 2:
		*a = format_inf(f) - hidden * unit_below(seed, 4) + (*a & (hidden - 1));
		*b = format_inf(f) - hidden * unit_below(seed, 4) + (*b & (hidden - 1));
		*b |= r & 32 ? format_sign(f) : 0;
		break;
	case 3:
		break;
	default:
		exponent = magnitude(f, *a) / hidden - f->digits - 2 +
			   unit_below(seed, 2 * f->digits + 5);
		if (exponent >= 0 && exponent <= (__s64)(format_inf(f) / hidden))
			*b = (*b & (format_sign(f) | (hidden - 1))) + exponent * hidden;
		break;
	}
	*a &= mask;
	*b &= mask;
}

static __u64 flushed(const struct format *f, __u64 bits)
{
	return is_subnormal(f, bits) ? bits & format_sign(f) : bits;
}

/* By the unit itself, which keeps subnormal numbers: these are flushed around it. */
static __u64 sum_f32(__u64 a, __u64 b)
{
	__u32 x = flushed(&f32_format, a), y = flushed(&f32_format, b);
	float p, q;

	memcpy(&p, &x, sizeof(p));
	memcpy(&q, &y, sizeof(q));
	p += q;
	if (isnan(p))
		return f32_format.nan;
	memcpy(&x, &p, sizeof(x));
	return flushed(&f32_format, x);
}

/* As IEEE 754 recommends, the payload of a NaN survives; silicon keeps the first one's. */
static __u64 sum_f64(__u64 a, __u64 b)
{
	const __u64 quiet = 1ULL << (f64_format.digits - 2);
	double p, q;

	if (is_nan(&f64_format, a))
		return a | quiet;
	if (is_nan(&f64_format, b))
		return b | quiet;
	memcpy(&p, &a, sizeof(p));
	memcpy(&q, &b, sizeof(q));
	p += q;
	if (isnan(p))
		return f64_format.nan;
	memcpy(&a, &p, sizeof(a));
	return a;
}

static void look_at(const struct format *f, __u64 a, __u64 b, __u64 sum, struct seen *seen)
{
	const __u64 m = magnitude(f, sum);
	double x, y, rest;

	seen->subnormal_operand += is_subnormal(f, a) || is_subnormal(f, b);
	seen->subnormal_sum += is_subnormal(f, sum);
	seen->nan += is_nan(f, sum);
	seen->overflow += m == format_inf(f) && magnitude(f, a) < m && magnitude(f, b) < m;
	if (magnitude(f, a) >= format_inf(f) || magnitude(f, b) >= format_inf(f) ||
	    m >= format_inf(f))
		return;
	x = decode(f, a);
	y = decode(f, b);
	seen->cancelled += m && fabs(decode(f, sum)) < fabs(x) / 1000;
	/* What rounding left out, exactly: half a unit in the last place? */
	rest = fabs(x) > fabs(y) ? y - (decode(f, sum) - x) : x - (decode(f, sum) - y);
	seen->tie += rest && fabs(rest) * 2 == decode(f, m + 1) - decode(f, m);
}

static void sums_match(const struct format *f, __u64 (*oracle)(__u64 a, __u64 b))
{
	static __u64 to[BATCH], from[BATCH], was[BATCH];
	const __u8 red = DRM_VSM_RED(DRM_VSM_RED_ADD, f->type);
	const int width = f->bits / 8;
	__u64 seed = unit_seed();
	struct seen seen = { 0 };
	int i, done;

	for (done = 0; done < PAIRS; done += BATCH) {
		for (i = 0; i < BATCH; i++) {
			__u64 a, b;

			random_operands(f, &seed, &a, &b);
			was[i] = a;
			memcpy((char *)to + i * width, &a, width);
			memcpy((char *)from + i * width, &b, width);
		}
		vsm_reduce(red, to, from, BATCH * width);
		for (i = 0; i < BATCH; i++) {
			__u64 sum = 0, b = 0, expected;

			memcpy(&sum, (char *)to + i * width, width);
			memcpy(&b, (char *)from + i * width, width);
			expected = oracle(was[i], b);
			if (sum != expected)
				fail_msg("%#llx + %#llx: %#llx, not %#llx", was[i], b, sum,
					 expected);
			look_at(f, was[i], b, sum, &seen);
		}
	}
	assert_true(seen.subnormal_operand > PAIRS / 100);
	assert_true(f == &f32_format || seen.subnormal_sum > PAIRS / 100);
	assert_true(seen.cancelled > PAIRS / 100);
	assert_true(seen.tie > PAIRS / 100);
	assert_true(seen.overflow > PAIRS / 100);
	assert_true(seen.nan > PAIRS / 1000);
}

TEST(f32_is_added_as_the_host_does_with_subnormals_flushed)
{
	sums_match(&f32_format, sum_f32);
}

TEST(f64_is_added_as_the_host_does)
{
	sums_match(&f64_format, sum_f64);
}

/* Numbers written out, for the reader and against a mistake that oracles share. */
TEST(sums_that_are_known)
{
	static const struct {
		__u8 red;
		__u64 a;
		__u64 b;
		__u64 sum;
	} rows[] = {
		/* Ties go to even. */
		{ RED(ADD, F16), 0x3c00, 0x1000, 0x3c00 },	/* 1 + 2^-11 */
		{ RED(ADD, F16), 0x3c01, 0x1000, 0x3c02 },
		{ RED(ADD, F16), 0x3c00, 0x1001, 0x3c01 },
		{ RED(ADD, BF16), 0x3f80, 0x3b80, 0x3f80 },	/* 1 + 2^-8 */
		{ RED(ADD, BF16), 0x3f81, 0x3b80, 0x3f82 },
		{ RED(ADD, F32), 0x3f800000, 0x33800000, 0x3f800000 },
		{ RED(ADD, F32), 0x3f800001, 0x33800000, 0x3f800002 },
		{ RED(ADD, F64), 0x3ff0000000000000, 0x3ca0000000000000, 0x3ff0000000000000 },
		{ RED(ADD, F64), 0x3ff0000000000001, 0x3ca0000000000000, 0x3ff0000000000002 },
		/* The last finite number: half a unit above it is infinite. */
		{ RED(ADD, F16), 0x7bff, 0x4bff, 0x7bff },
		{ RED(ADD, F16), 0x7bff, 0x4c00, 0x7c00 },
		{ RED(ADD, BF16), 0x7f7f, 0x7f7f, 0x7f80 },
		{ RED(ADD, F32), 0x7f7fffff, 0x73000000, 0x7f800000 },
		{ RED(ADD, F64), 0xffefffffffffffff, 0xffefffffffffffff, 0xfff0000000000000 },
		/* .f32 flushes operands and sums to zeros of their sign, the others do not. */
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
		/* Order. */
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

/**
 * struct meeting - Threads that reduce the same elements
 * @red: How
 * @start: They begin together
 * @elements: What they reduce
 * @operands: By what, each of them ROUNDS times
 */
struct meeting {
	__u8 red;
	pthread_barrier_t start;
	__u64 elements[SHARED_BYTES / 8];
	__u64 operands[SHARED_BYTES / 8];
};

static void *reduce_often(void *arg)
{
	struct meeting *m = arg;
	int i;

	pthread_barrier_wait(&m->start);
	for (i = 0; i < ROUNDS; i++)
		vsm_reduce(m->red, m->elements, m->operands, SHARED_BYTES);
	return NULL;
}

/* The sums are whole numbers that each type holds, so that their order is no matter. */
TEST(no_reduction_is_lost_where_threads_meet)
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
	static struct meeting m;
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

/* The same code where another writer is always first. */
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
