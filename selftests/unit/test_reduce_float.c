// SPDX-License-Identifier: MIT
/*
 * Reductions of floating point numbers, compared with the host bit by bit. .f32 and .f64 are
 * compared with its floating point unit. .f16 and .bf16 are compared with sums in double that are
 * rounded once. That is exact enough because a double has more than twice as many digits.
 */
#include <math.h>

#include "unit.h"

#include <vsm_core.h>

#define PAIRS		1500000
#define BATCH		4096

/* The properties of a floating point type */
struct format {
	__u8 type;	/* enum drm_vsm_type */
	int digits;	/* binary digits of the mantissa, including the hidden first digit */
	int least;	/* exponent of the smallest normal number */
	int bits;	/* size of a number in bits */
	__u64 nan;	/* the NaN that invalid operations return */
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

/* The value of a number. It must not be a NaN. */
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

/* The number of the format that is nearest to @x. nearbyint() rounds in units of the last digit. */
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

/*
 * The sum of .f16 or .bf16 numbers. A double holds a sum of .f16 exactly. It may round a sum of
 * .bf16, but it has so many digits that the final result is the same.
 */
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

/*
 * Fills in operands whose exponent is near an end of the range or near that of 1, with mantissas at
 * which the rounding changes. Returns their number.
 */
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

/* Reduces every possible element by each of the operands, and then by random numbers. */
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

/* How often each special case occurred in random sums; each must occur */
struct seen {
	int subnormal_operand;	/* an operand was subnormal */
	int subnormal_sum;	/* the sum was subnormal */
	int cancelled;		/* the sum was smaller than a thousandth of an operand */
	int tie;		/* the exact sum was half way between two numbers */
	int overflow;		/* the sum of finite operands was infinite */
	int nan;		/* the sum was a NaN */
};

/*
 * Draws two operands. Often they are related, because the sum of unrelated ones is mostly the
 * larger of them.
 */
static void random_operands(const struct format *f, __u64 *seed, __u64 *a, __u64 *b)
{
	const __u64 hidden = 1ULL << (f->digits - 1), mask = format_sign(f) * 2 - 1;
	__u64 r = unit_random(seed);
	__s64 exponent;

	*a = unit_random(seed) & mask;
	*b = unit_random(seed) & mask;
	/*
	 * If the last bits of the operands are 0, the sum is more often half way between two
	 * numbers.
	 */
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

/* The host's floating point unit adds. It keeps subnormal numbers, which .f32 flushes to 0. */
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

/* The result keeps the payload of the first NaN, as silicon does. */
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
	/*
	 * The exact rounding error. It is half a unit of the last digit if the exact sum was a tie.
	 */
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
