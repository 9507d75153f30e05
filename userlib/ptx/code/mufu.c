// SPDX-License-Identifier: MIT
/*
 * The special functions of an NVIDIA GPU, bit by bit (selftests/golden/README.rst).
 *
 * The first bits of a fraction choose a segment, and the other bits are x. The result is a
 * quadratic of x with the coefficients of the segment (mufu.py). The square of x is not exact.
 */
#include <math.h>

#include "code/mufu.h"

#define F32_FRACTION	0x7fffffu
#define F32_HIDDEN	0x800000u

/* The coefficients of a segment, in units that mufu.py says */
struct segment {
	int32_t c0, c1, c2;
};

#include "mufu_tables.h"

/* x^2 / 2^19 for 17 bits. The low bits of each partial product are dropped. */
static uint32_t square(uint32_t x)
{
	uint32_t sum = 0;

	for (unsigned int i = 1; i < 17; i++)
		sum += x >> (18 - i) & -(x >> i & 1);
	return sum >> 1;
}

/* The quadratic. @shift0 and @shift2 bring c0 and c2 to the unit of c1 * @x. */
static int64_t interpolate(const struct segment *s, uint32_t x, unsigned int shift0,
			   unsigned int shift2)
{
	return ((int64_t)s->c0 << shift0) + (int64_t)s->c1 * x +
	       (int64_t)s->c2 * (int64_t)((uint64_t)square(x) << shift2);
}

/* @fraction is from 2^23 to 2^24, and stands for 1 to 2. */
static uint32_t pack(uint32_t sign, int exponent, uint32_t fraction)
{
	exponent += (int)(fraction >> 24);
	if (exponent <= 0)
		return sign;
	if (exponent >= 255)
		return sign | F32_INF;
	return sign | (uint32_t)exponent << 23 | (fraction & F32_FRACTION);
}

/* @value / 2^@one, rounded towards zero. */
static uint32_t pack_fixed(uint32_t sign, uint64_t value, int one)
{
	int drop = 40 - __builtin_clzll(value | 1);

	if (!value)
		return sign;
	return pack(sign, 127 + 23 + drop - one,
		    (uint32_t)(drop < 0 ? value << -drop : value >> drop));
}

static uint32_t rcp(uint32_t sign, int exponent, uint32_t fraction)
{
	int64_t value = interpolate(&rcp_segments[fraction >> 16], (fraction & 0xffff) << 1, 14, 1);

	return pack(sign, 253 - exponent, (uint32_t)((value + 0x8fce) >> 16));
}

static uint32_t rsqrt(int exponent, uint32_t fraction)
{
	uint32_t odd = ~(uint32_t)exponent & 1;
	int64_t value = interpolate(&rsqrt_segments[odd << 6 | fraction >> 17],
				    fraction & 0x1ffff, 14, 2);
	int result = 126 - ((exponent - 127) >> 1);

	return pack(0, result, odd | fraction ? (uint32_t)((value + 0x7fff) >> 16) : 1u << 24);
}

/*
 * The table of an H100 is not known. Its results are a sixth of the last bit too small on average.
 */
static uint32_t square_root(uint32_t x)
{
	int exponent = (int)(x >> 23) + 127;
	double root = sqrt((double)((x & F32_FRACTION) | F32_HIDDEN) * (exponent & 1 ? 2 : 1));

	/* A square root of 24 or 25 bits, times the square root of 2^23, has 24 bits. */
	return pack(0, exponent >> 1, (uint32_t)(root * 0x1.6a09e667f3bcdp11 + 1.0 / 3));
}

/* The argument is multiplied by 1 / (2 pi), rounded towards zero, to get turns. */
static uint32_t sine(uint32_t x, uint32_t quadrant)
{
	uint32_t sign = quadrant ? 0 : x & F32_SIGN;
	uint64_t bits = f64_bits((double)f32_value(x & ~F32_SIGN) * (double)0.15915494f);
	/* 2^23 are a quarter of a turn. Large numbers are whole turns. */
	double number = f64_value(bits & ~((1ull << 29) - 1)) * 0x1p25;
	uint32_t part = number < 0x1p49 ? (uint32_t)((uint64_t)number & 0x1ffffff) : 0;

	quadrant += part >> 23;
	part &= F32_FRACTION;
	if (quadrant & 1)
		part ^= F32_FRACTION;
	sign ^= quadrant << 30 & F32_SIGN;
	return pack_fixed(sign, (uint64_t)interpolate(&sin_segments[part >> 17], part & 0x1ffff, 12,
						      0), 37);
}

static uint32_t ex2(uint32_t sign, int exponent, uint32_t fraction)
{
	int shift = exponent - 127, result;
	uint32_t fixed = fraction | F32_HIDDEN;
	int64_t value;

	if (shift >= 7)
		return sign ? 0 : F32_INF;
	if (shift >= 0)
		fixed <<= shift;
	else
		fixed = shift < -31 ? 0 : fixed >> -shift;
	result = (int)(fixed >> 23);
	fixed &= F32_FRACTION;
	if (sign) {
		result = fixed ? -result - 1 : -result;
		fixed = fixed ? fixed ^ F32_FRACTION : 0;
	}
	value = interpolate(&ex2_segments[fixed >> 17], fixed & 0x1ffff, 13, 0);
	return pack(0, 127 + result, (uint32_t)((value + 0x77e2) >> 15));
}

static uint32_t lg2(int exponent, uint32_t fraction)
{
	int64_t value = 0;

	if (fraction || exponent != 127)
		value = (interpolate(&lg2_segments[fraction >> 17], fraction & 0x1ffff, 12, 1) +
			 0x3345) >> 2;
	value += (int64_t)(exponent - 127) * (1ll << 36);
	if (value < 0)
		return pack_fixed(F32_SIGN, (uint64_t)~value, 36);
	return pack_fixed(0, (uint64_t)value, 36);
}

/* Small numbers are their own hyperbolic tangents. From 8 on, it is 1. */
static uint32_t hyperbolic_tangent(uint32_t sign, int exponent, uint32_t fraction)
{
	/* The first segment of each power of two from 2^-8 on, and the bits of their number */
	static const uint8_t first[11] = { 0, 1, 2, 3, 5, 7, 11, 15, 19, 27, 43 };
	static const uint8_t bits[11] = { 0, 0, 0, 1, 1, 2, 2, 2, 3, 4, 3 };
	int power = exponent - 127 + 8;
	uint32_t index, x;

	if (power < 0)
		return sign | (uint32_t)exponent << 23 | fraction;
	if (power > 10)
		return sign | F32_ONE;
	index = first[power] + (fraction >> (23 - bits[power]));
	x = (fraction << bits[power] & F32_FRACTION) >> 6;
	return pack_fixed(sign, (uint64_t)interpolate(&tanh_segments[index], x, 15, 1), 39);
}

uint32_t ptx_mufu(enum ptx_float_op op, uint32_t x)
{
	const uint32_t sign = x & F32_SIGN, fraction = x & F32_FRACTION;
	const int exponent = x >> 23 & 0xff;
	const bool infinite = (x & ~F32_SIGN) == F32_INF;

	if (f32_is_nan(x))
		return F32_NAN;
	switch (op) {
	case FLOAT_RCP:
		return !exponent ? sign | F32_INF : infinite ? sign : rcp(sign, exponent, fraction);
	case FLOAT_RSQRT:
		if (!exponent)
			return sign | F32_INF;
		return sign ? F32_NAN : infinite ? 0 : rsqrt(exponent, fraction);
	case FLOAT_SQRT:
		if (!exponent)
			return sign;
		return sign ? F32_NAN : infinite ? x : square_root(x);
	case FLOAT_SIN:
		return infinite ? F32_NAN : sine(f32_flush(x), 0);
	case FLOAT_COS:
		return infinite ? F32_NAN : sine(f32_flush(x), 1);
	case FLOAT_EX2:
		return ex2(sign, exponent, exponent ? fraction : 0);
	case FLOAT_LG2:
		if (!exponent)
			return F32_SIGN | F32_INF;
		return sign ? F32_NAN : infinite ? x : lg2(exponent, fraction);
	default:
		return hyperbolic_tangent(sign, exponent, fraction);
	}
}

uint64_t ptx_mufu_64h(enum ptx_float_op op, uint64_t x)
{
	const uint64_t sign = x & F64_SIGN, upper = x >> 32 << 32;
	const int exponent = x >> 52 & 0x7ff;
	/* The argument is a number from 1 to 4, times a power of two that has a square root. */
	const int odd = op == FLOAT_RSQRT && !(exponent & 1), power = exponent - 1023 - odd;
	uint32_t part = (uint32_t)(127 + odd) << 23 | (uint32_t)(x >> 32 & 0xfffff) << 3;
	int result;

	if (f64_is_nan(upper))
		return (uint64_t)F32_NAN << 32;
	if (!exponent)
		return sign | F64_INF;
	if (op == FLOAT_RSQRT && sign)
		return (uint64_t)F32_NAN << 32;
	if (exponent == 0x7ff)
		return sign;
	part = ptx_mufu(op, part);
	result = 1023 + (int)(part >> 23) - 127 - (op == FLOAT_RSQRT ? power / 2 : power);
	if (result <= 0)
		return sign;
	return sign | (uint64_t)result << 52 | (uint64_t)((part & F32_FRACTION) >> 3) << 32;
}
