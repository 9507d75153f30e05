/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Addition and order of binary floating point numbers, computed with integers. A number is held in
 * the low bits of a __u64.
 */
#ifndef _VSM_FLOAT_H_
#define _VSM_FLOAT_H_

#include "vsm_core.h"

#ifdef __KERNEL__
#include <linux/bitops.h>
#else
static inline int fls64(__u64 x)
{
	return x ? 64 - __builtin_clzll(x) : 0;
}
#endif

/**
 * struct vsm_float - A floating point format
 * @mantissa: Stored bits of the mantissa, at most 59 (the hidden bit is not counted)
 * @exponent: Bits of the exponent
 * @flush: Addition replaces subnormal operands and results by zeros of the same sign
 * @payload: If an operand is NaN, the sum is that NaN made quiet; if both are, the first one
 * @nan: The NaN that a sum is otherwise
 */
struct vsm_float {
	int mantissa;
	int exponent;
	bool flush;
	bool payload;
	__u64 nan;
};

static __always_inline __u64 vsm_float_sign(const struct vsm_float *f)
{
	return 1ULL << (f->exponent + f->mantissa);
}

static __always_inline __u64 vsm_float_inf(const struct vsm_float *f)
{
	return vsm_float_sign(f) - (1ULL << f->mantissa);
}

static __always_inline bool vsm_float_is_nan(const struct vsm_float *f, __u64 a)
{
	return (a & (vsm_float_sign(f) - 1)) > vsm_float_inf(f);
}

/* Map numbers that are not NaN to unsigned integers of the same order. -0 is below +0. */
static __always_inline __u64 vsm_float_order(const struct vsm_float *f, __u64 a)
{
	return a & vsm_float_sign(f) ? ~a & (vsm_float_sign(f) - 1) : a | vsm_float_sign(f);
}

static __always_inline __u64 vsm_float_flush(const struct vsm_float *f, __u64 a)
{
	return a & vsm_float_inf(f) ? a : a & vsm_float_sign(f);
}

static __always_inline __u64 vsm_float_nan_sum(const struct vsm_float *f, __u64 a, __u64 b)
{
	const __u64 quiet = 1ULL << (f->mantissa - 1);

	if (f->payload && vsm_float_is_nan(f, a))
		return a | quiet;
	if (f->payload && vsm_float_is_nan(f, b))
		return b | quiet;
	return f->nan;
}

/*
 * The sum of two finite numbers. @large and @small are their magnitudes, of which @large is not
 * below @small. @sign is the sign of the number with magnitude @large.
 */
static __always_inline __u64 vsm_float_finite_sum(const struct vsm_float *f, __u64 sign,
						  __u64 large, __u64 small, bool subtract)
{
	const __u64 hidden = 1ULL << f->mantissa;
	__u64 sum = large & (hidden - 1), other = small & (hidden - 1), lost;
	int exp = large >> f->mantissa, other_exp = small >> f->mantissa, shift;

	/* Subnormal numbers have the exponent 1 and no hidden bit. */
	if (exp)
		sum |= hidden;
	else
		exp = 1;
	if (other_exp)
		other |= hidden;
	else
		other_exp = 1;

	/*
	 * Three more bits: guard, round and sticky. The sticky bit is set if a bit below it was
	 * set.
	 */
	sum <<= 3;
	other <<= 3;
	shift = exp - other_exp;
	if (shift > f->mantissa + 4)
		shift = f->mantissa + 4;
	lost = other & ((1ULL << shift) - 1);
	other >>= shift;
	if (lost)
		other |= 1;

	if (subtract) {
		sum -= other;
		if (!sum)
			return 0;
		shift = f->mantissa + 4 - fls64(sum);
		if (shift > exp - 1)
			shift = exp - 1;
		sum <<= shift;
		exp -= shift;
	} else {
		sum += other;
		if (sum >= hidden << 4) {
			sum = sum >> 1 | (sum & 1);
			exp++;
		}
	}

	/* The hidden bit adds 1 to the exponent. Rounding up may add 1 as well. */
	lost = sum & 7;
	sum = (sum >> 3) + ((__u64)(exp - 1) << f->mantissa);
	if (lost > 4 || (lost == 4 && sum & 1))
		sum++;
	return sign | (sum < vsm_float_inf(f) ? sum : vsm_float_inf(f));
}

/**
 * vsm_float_add - Add two numbers, rounding to nearest even
 * @f: Format of both numbers, a compile-time constant
 * @a: First number
 * @b: Second number
 */
static __always_inline __u64 vsm_float_add(const struct vsm_float *f, __u64 a, __u64 b)
{
	const __u64 sign = vsm_float_sign(f), inf = vsm_float_inf(f);
	__u64 large, small, sum;

	if (f->flush) {
		a = vsm_float_flush(f, a);
		b = vsm_float_flush(f, b);
	}
	large = a & (sign - 1);
	small = b & (sign - 1);
	if (large >= inf || small >= inf) {
		if (large > inf || small > inf || (large == small && a != b))
			return vsm_float_nan_sum(f, a, b);
		return large == inf ? a : b;
	}
	if (large >= small)
		sum = vsm_float_finite_sum(f, a & sign, large, small, (a ^ b) & sign);
	else
		sum = vsm_float_finite_sum(f, b & sign, small, large, (a ^ b) & sign);
	return f->flush ? vsm_float_flush(f, sum) : sum;
}

/**
 * vsm_float_min - The smaller of two numbers
 * @f: Format of both numbers, a compile-time constant
 * @a: First number
 * @b: Second number
 *
 * The result is NaN only if both numbers are NaN. -0 is smaller than +0.
 */
static __always_inline __u64 vsm_float_min(const struct vsm_float *f, __u64 a, __u64 b)
{
	if (vsm_float_is_nan(f, a))
		return vsm_float_is_nan(f, b) ? f->nan : b;
	if (vsm_float_is_nan(f, b))
		return a;
	return vsm_float_order(f, a) < vsm_float_order(f, b) ? a : b;
}

/**
 * vsm_float_max - The larger of two numbers
 * @f: Format of both numbers, a compile-time constant
 * @a: First number
 * @b: Second number
 *
 * The result is NaN only if both numbers are NaN. +0 is larger than -0.
 */
static __always_inline __u64 vsm_float_max(const struct vsm_float *f, __u64 a, __u64 b)
{
	if (vsm_float_is_nan(f, a))
		return vsm_float_is_nan(f, b) ? f->nan : b;
	if (vsm_float_is_nan(f, b))
		return a;
	return vsm_float_order(f, a) > vsm_float_order(f, b) ? a : b;
}

#endif
