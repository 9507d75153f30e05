/* SPDX-License-Identifier: MIT */
/*
 * What instructions on floats compute, with integers of 128 bits and one bit at a time, after IEEE
 * 754 and the descriptions of the PTX ISA. Nothing here is shared with the code that is tested.
 */
#ifndef _PTX_TESTS_REFERENCE_FLOAT_H_
#define _PTX_TESTS_REFERENCE_FLOAT_H_

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* A format: bits of the exponent, and of the fraction that is stored. */
struct ref_format {
	int exponent;
	int fraction;
	uint64_t nan;	/* canonical */
};

static const struct ref_format ref_f16 = { 5, 10, 0x7fff };
static const struct ref_format ref_bf16 = { 8, 7, 0x7fff };
static const struct ref_format ref_tf32 = { 8, 10, 0x3ffff };
static const struct ref_format ref_f32 = { 8, 23, 0x7fffffff };
static const struct ref_format ref_f64 = { 11, 52, 0xfff8000000000000 };

enum ref_mode { REF_RN, REF_RZ, REF_RM, REF_RP, REF_RNA };

/* A value: (m + something) * 2^e. The something is 0, or between 0 and 1 if @more. */
struct ref_value {
	bool nan;
	bool inf;
	bool sign;
	bool more;
	__uint128_t m;
	int e;
};

static inline uint64_t ref_sign_bit(const struct ref_format *f)
{
	return (uint64_t)1 << (f->exponent + f->fraction);
}

static inline uint64_t ref_inf(const struct ref_format *f)
{
	return (((uint64_t)1 << f->exponent) - 1) << f->fraction;
}

static inline uint64_t ref_one(const struct ref_format *f)
{
	return (((uint64_t)1 << (f->exponent - 1)) - 1) << f->fraction;
}

static inline bool ref_is_nan(const struct ref_format *f, uint64_t bits)
{
	return (bits & ~ref_sign_bit(f)) > ref_inf(f);
}

static inline uint64_t ref_flush(const struct ref_format *f, uint64_t bits)
{
	return bits & ref_inf(f) ? bits : bits & ref_sign_bit(f);
}

static inline struct ref_value ref_decode(const struct ref_format *f, uint64_t bits)
{
	struct ref_value v = { .sign = bits & ref_sign_bit(f) };
	int exponent = (int)((bits & ref_inf(f)) >> f->fraction);

	v.m = bits & (((uint64_t)1 << f->fraction) - 1);
	if (exponent == (1 << f->exponent) - 1) {
		v.nan = v.m;
		v.inf = !v.m;
	} else if (exponent) {
		v.m += (uint64_t)1 << f->fraction;
		v.e = exponent;
	} else {
		v.e = 1;
	}
	v.e -= (1 << (f->exponent - 1)) - 1 + f->fraction;
	return v;
}

/* Should the magnitude be increased, if @half and @more are what is lost of it? */
static inline bool ref_up(enum ref_mode mode, bool sign, bool odd, bool half, bool more)
{
	switch (mode) {
	case REF_RN:
		return half && (more || odd);
	case REF_RNA:
		return half;
	case REF_RM:
		return sign && (half || more);
	case REF_RP:
		return !sign && (half || more);
	default:
		return false;
	}
}

static inline uint64_t ref_round(const struct ref_format *f, enum ref_mode mode, struct ref_value v)
{
	const int smallest = 2 - (1 << (f->exponent - 1)) - f->fraction;
	const int largest = (1 << (f->exponent - 1)) - 1 - f->fraction;
	const __uint128_t limit = (__uint128_t)1 << (f->fraction + 1);
	uint64_t sign = v.sign ? ref_sign_bit(f) : 0;
	bool half = false, more = v.more;

	if (v.nan)
		return f->nan;
	if (v.inf)
		return sign | ref_inf(f);
	if (!v.m && !v.more)
		return sign;
	/* Make the number of bits right, from above and from below. */
	while (v.m >= limit || v.e < smallest) {
		more |= half;
		half = v.m & 1;
		v.m >>= 1;
		v.e++;
		if (!v.m && v.e < smallest - 2) {
			more |= half;
			half = false;
			v.e = smallest;
		}
	}
	while (v.m < limit / 2 && v.e > smallest) {
		v.m <<= 1;
		v.e--;
	}
	if (ref_up(mode, v.sign, v.m & 1, half, more))
		v.m++;
	if (v.m == limit) {
		v.m /= 2;
		v.e++;
	}
	if (v.e > largest) {
		bool to_inf = mode == REF_RN || mode == REF_RNA ||
			      mode == (v.sign ? REF_RM : REF_RP);

		return sign | (to_inf ? ref_inf(f) : ref_inf(f) - 1);
	}
	if (v.m < limit / 2)
		return sign | (uint64_t)v.m;
	return sign | (uint64_t)(v.e - smallest + 1) << f->fraction |
	       (uint64_t)(v.m - limit / 2);
}

/* Is the magnitude of a finite value below the smallest normal one? */
static inline bool ref_is_tiny(const struct ref_format *f, struct ref_value v)
{
	while (v.m > 1) {
		v.m >>= 1;
		v.e++;
	}
	return !v.nan && !v.inf && (!v.m || v.e < 2 - (1 << (f->exponent - 1)));
}

static inline struct ref_value ref_mul(struct ref_value a, struct ref_value b)
{
	struct ref_value v = { .sign = a.sign != b.sign };

	if (a.nan || b.nan || (a.inf && !b.inf && !b.m) || (b.inf && !a.inf && !a.m))
		v.nan = true;
	else if (a.inf || b.inf)
		v.inf = true;
	v.m = a.m * b.m;
	v.e = a.e + b.e;
	return v;
}

static inline int ref_top(struct ref_value v)
{
	while (v.m) {
		v.m >>= 1;
		v.e++;
	}
	return v.e;
}

/* The sum of exact values of at most 106 bits. The mode matters for the sign of zero only. */
static inline struct ref_value ref_add(struct ref_value a, struct ref_value b, enum ref_mode mode)
{
	struct ref_value v = { .nan = a.nan || b.nan };

	if (a.inf || b.inf) {
		v.inf = true;
		v.sign = a.inf ? a.sign : b.sign;
		v.nan |= a.inf && b.inf && a.sign != b.sign;
	}
	if (v.nan || v.inf)
		return v;
	if (!a.m || !b.m) {
		v = a.m ? a : b;
		if (!a.m && !b.m && a.sign != b.sign)
			v.sign = mode == REF_RM;
		return v;
	}
	/* a is the one that reaches higher; its first bit goes to bit 125. */
	if (ref_top(a) < ref_top(b)) {
		v = a;
		a = b;
		b = v;
	}
	while (!(a.m >> 125)) {
		a.m <<= 1;
		a.e--;
	}
	while (b.e > a.e) {
		b.m <<= 1;
		b.e--;
	}
	while (b.e < a.e) {
		b.more |= b.m & 1;
		b.m >>= 1;
		b.e++;
		if (!b.m)
			b.e = a.e;
	}
	v = a;
	v.more = b.more;
	if (a.sign == b.sign) {
		v.m = a.m + b.m;
	} else if (a.m == b.m && !b.more) {
		v.m = 0;
		v.sign = mode == REF_RM;
	} else if (a.m > b.m) {
		v.m = a.m - b.m - b.more;
	} else {
		v.m = b.m - a.m;
		v.sign = b.sign;
	}
	return v;
}

static inline struct ref_value ref_div(struct ref_value a, struct ref_value b)
{
	struct ref_value v = { .sign = a.sign != b.sign };

	v.nan = a.nan || b.nan || (a.inf && b.inf) || (!a.inf && !b.inf && !a.m && !b.m);
	if (v.nan)
		return v;
	v.inf = a.inf || (!b.inf && !b.m);
	if (v.inf || b.inf || !a.m)
		return v;
	while (!(a.m >> 126)) {
		a.m <<= 1;
		a.e--;
	}
	v.m = a.m / b.m;
	v.more = a.m % b.m;
	v.e = a.e - b.e;
	return v;
}

static inline struct ref_value ref_sqrt(struct ref_value a)
{
	struct ref_value v = { .sign = a.sign };

	v.nan = a.nan || (a.sign && (a.inf || a.m));
	v.inf = a.inf;
	if (v.nan || v.inf || !a.m)
		return v;
	while (!(a.m >> 124) || (a.e & 1)) {
		a.m <<= 1;
		a.e--;
	}
	for (__uint128_t step = (__uint128_t)1 << 63; step; step >>= 1)
		if ((v.m + step) * (v.m + step) <= a.m)
			v.m += step;
	v.more = v.m * v.m != a.m;
	v.e = a.e / 2;
	return v;
}

/* The value rounded to an integer. */
static inline struct ref_value ref_to_integer(struct ref_value v, enum ref_mode mode)
{
	bool half = false, more = false;

	while (v.e < 0 && v.m) {
		more |= half;
		half = v.m & 1;
		v.m >>= 1;
		v.e++;
	}
	/* What is left of a number that is smaller than a half. */
	if (v.e < 0) {
		more |= half;
		half = false;
		v.e = 0;
	}
	if (ref_up(mode, v.sign, v.m & 1, half, more))
		v.m++;
	return v;
}

/* -0 is less than +0. */
static inline uint64_t ref_min_max(const struct ref_format *f, bool max, bool nan, uint64_t a,
				   uint64_t b)
{
	__int128_t x = a & ~ref_sign_bit(f);
	__int128_t y = b & ~ref_sign_bit(f);

	if (a & ref_sign_bit(f))
		x = -x - 1;
	if (b & ref_sign_bit(f))
		y = -y - 1;
	if (ref_is_nan(f, a) && ref_is_nan(f, b))
		return f->nan;
	if (ref_is_nan(f, a) || ref_is_nan(f, b))
		return nan ? f->nan : ref_is_nan(f, a) ? b : a;
	return max ? (x > y ? a : b) : (x < y ? a : b);
}

/* .ftz, .sat and .relu of a result. */
static inline uint64_t ref_finish(const struct ref_format *f, uint64_t bits, bool ftz, bool sat,
				  bool relu)
{
	if (ref_is_nan(f, bits))
		return sat ? 0 : f->nan;
	if (ftz)
		bits = ref_flush(f, bits);
	if ((sat || relu) && bits & ref_sign_bit(f))
		return 0;
	return sat && bits > ref_one(f) ? ref_one(f) : bits;
}

/* Random numbers, the same in every run. */
static inline uint64_t ref_random(void)
{
	static uint64_t state = 0x9e3779b97f4a7c15;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x2545f4914f6cdd1d;
}

/*
 * An operand: special values, arbitrary bits, few bits (which make halfway cases), or a value that
 * is near @other or a few powers of two away.
 */
static inline uint64_t ref_operand(const struct ref_format *f, uint64_t other)
{
	const uint64_t sign = ref_sign_bit(f);
	const uint64_t inf = ref_inf(f);
	const uint64_t one = ref_one(f);
	const uint64_t all = 2 * sign - 1;
	const uint64_t fraction = ((uint64_t)1 << f->fraction) - 1;
	const uint64_t special[] = {
		0, 1, 2, fraction, fraction - 1, fraction + 1, fraction + 2, inf - 1, inf, inf + 1,
		inf + (fraction + 1) / 2, all & ~sign, one, one - 1, one + 1, one / 2,
		one + 2 * (fraction + 1),
	};
	uint64_t bits = ref_random();
	uint64_t random = ref_random();

	switch (random & 7) {
	case 0:
		bits = special[(random >> 8) % (sizeof(special) / sizeof(*special))];
		return (bits & all) ^ (random >> 63 ? sign : 0);
	case 1:
	case 2:
		return bits & all;
	case 3:
	case 4:
		/* Near 1, with one or two bits at the end or the begin. */
		bits = one + (((random >> 8) % (2 * (unsigned int)f->fraction + 8)) <<
			      f->fraction) - (((uint64_t)f->fraction + 4) << f->fraction);
		bits &= inf;
		bits |= ((uint64_t)1 << (random >> 20) % (unsigned int)f->fraction) -
			(random >> 40 & 1);
		bits ^= random >> 41 & 1 ? fraction : 0;
		return (bits & all & ~sign) ^ (random >> 63 ? sign : 0);
	case 5:
		return (other + (random >> 8) % 5 - 2) & all;
	case 6:
		bits = other - (((uint64_t)f->fraction + 3) << f->fraction);
		bits += ((random >> 8) % (2 * (unsigned int)f->fraction + 6)) << f->fraction;
		return (bits ^ (random >> 63 ? sign : 0)) & all;
	default:
		/* Subnormal. */
		return (bits & fraction) | (random >> 63 ? sign : 0);
	}
}

#endif
