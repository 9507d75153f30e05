/* SPDX-License-Identifier: MIT */
/*
 * Floating-point formats as bits: taking values apart, and rounding exact values to a format.
 *
 * This is integer arithmetic: it does not depend on the rounding mode of the machine.
 */
#ifndef _PTX_CODE_FLOAT_BITS_H_
#define _PTX_CODE_FLOAT_BITS_H_

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* NaNs that results have. The f64 one is what NVIDIA GPUs return if no operand is a NaN. */
#define F16_NAN		0x7fffu		/* of bf16, too */
#define F32_NAN		0x7fffffffu
#define F64_NAN		0xfff8000000000000ull
#define F64_QUIET	0x0008000000000000ull

#define F32_SIGN	0x80000000u
#define F32_INF		0x7f800000u
#define F32_ONE		0x3f800000u
#define F64_SIGN	0x8000000000000000ull
#define F64_INF		0x7ff0000000000000ull
#define F64_ONE		0x3ff0000000000000ull

/* A binary format */
struct ptx_format {
	uint8_t exponent;	/* bits of the exponent */
	/* Bits of the fraction, without the leading bit that is not stored */
	uint8_t fraction;
	uint8_t shift;	/* number of zero bits below the fraction (tf32 is stored in 32 bits) */
	/*
	 * There are no infinities: the largest exponent is that of numbers, too, and only the
	 * largest fraction is a NaN (e4m3).
	 */
	bool finite;
};

extern const struct ptx_format ptx_f16, ptx_bf16, ptx_tf32, ptx_f32, ptx_f64, ptx_e4m3, ptx_e5m2;

/** enum ptx_round - Rounding modes */
enum ptx_round {
	ROUND_NEAREST,		/* ties to even */
	ROUND_ZERO,
	ROUND_DOWN,
	ROUND_UP,
	ROUND_AWAY,		/* to nearest, ties away from zero */
};

/* A floating-point value, taken apart */
struct ptx_number {
	enum {
		NUMBER_FINITE,
		NUMBER_INF,
		NUMBER_NAN,
	} kind;		/* what it is */
	bool sign;	/* it is negative */
	int exponent;	/* NUMBER_FINITE: the value is @fraction * 2^@exponent */
	/* NUMBER_FINITE: 0 for a zero. NUMBER_NAN: the payload, its first bit in bit 63. */
	uint64_t fraction;
};

struct ptx_number ptx_float_unpack(const struct ptx_format *format, uint64_t bits);

/* The bits of the finite @number, rounded to @format. A value too large becomes infinite, or the
 * largest finite value if @mode rounds towards zero. A format without infinities has its NaN then.
 */
uint64_t ptx_float_pack(const struct ptx_format *format, enum ptx_round mode,
			const struct ptx_number *number);

/* Round the finite @number to an integer. The sign of a zero is kept. */
void ptx_float_round(struct ptx_number *number, enum ptx_round mode);

/* Bits of the sign, of infinity (or of the NaN behind all numbers), and of the largest number. */
static inline uint64_t ptx_float_sign(const struct ptx_format *f)
{
	return 1ull << (f->exponent + f->fraction + f->shift);
}

static inline uint64_t ptx_float_inf(const struct ptx_format *f)
{
	if (f->finite)
		return ((1ull << (f->exponent + f->fraction)) - 1) << f->shift;
	return ((1ull << f->exponent) - 1) << (f->fraction + f->shift);
}

static inline uint64_t ptx_float_max(const struct ptx_format *f)
{
	return ptx_float_inf(f) - (1ull << f->shift);
}

static inline float f32_value(uint32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static inline uint32_t f32_bits(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static inline double f64_value(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static inline uint64_t f64_bits(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* The bits of 2^@n. */
#define F64_POWER(n)	((uint64_t)(1023 + (n)) << 52)

/* All of these are exact, in every rounding mode of the machine. */
static inline uint32_t f32_from_f16(uint16_t bits)
{
	uint32_t sign = (uint32_t)(bits & 0x8000) << 16;
	uint32_t exponent = bits >> 10 & 0x1f;
	uint32_t fraction = bits & 0x3ff;

	if (exponent == 0x1f)
		return sign | F32_INF | fraction << 13;
	if (exponent == 0)
		return sign | f32_bits((float)(int32_t)fraction / (1 << 24));
	return sign | (exponent + 112) << 23 | fraction << 13;
}

static inline uint32_t f32_from_bf16(uint16_t bits)
{
	return (uint32_t)bits << 16;
}

/*
 * The nearest f16 or bf16. The machine must round to nearest: adding 2^28 rounds numbers below
 * 2^-14 to multiples of 2^-24, the smallest f16; 2^-81 does the same for bf16.
 */
static inline uint32_t f16_from_f64(double value)
{
	uint64_t bits = f64_bits(value);
	uint32_t sign = (uint32_t)(bits >> 48) & 0x8000;

	bits &= ~F64_SIGN;
	if (bits > F64_INF)
		return F16_NAN;
	if (bits >= f64_bits(65520))
		return sign | 0x7c00;
	if (bits < F64_POWER(-14))
		return sign | (uint32_t)(f64_bits(f64_value(bits) + f64_value(F64_POWER(28))) -
				  F64_POWER(28));
	bits += (1ull << 41) - 1 + (bits >> 42 & 1);
	return sign | (uint32_t)((bits >> 42) - ((1023 - 15) << 10));
}

static inline uint32_t bf16_from_f64(double value)
{
	uint64_t bits = f64_bits(value);
	uint32_t sign = (uint32_t)(bits >> 48) & 0x8000;

	bits &= ~F64_SIGN;
	if (bits > F64_INF)
		return F16_NAN;
	if (bits >= f64_bits(0x1.ffp127))
		return sign | 0x7f80;
	if (bits < F64_POWER(-126))
		return sign | (uint32_t)(f64_bits(f64_value(bits) + f64_value(F64_POWER(-81))) -
				  F64_POWER(-81));
	bits += (1ull << 44) - 1 + (bits >> 45 & 1);
	return sign | (uint32_t)((bits >> 45) - ((1023 - 127) << 7));
}

static inline bool f32_is_nan(uint32_t bits)
{
	return (bits & ~F32_SIGN) > F32_INF;
}

static inline bool f64_is_nan(uint64_t bits)
{
	return (bits & ~F64_SIGN) > F64_INF;
}

/* A subnormal number becomes a zero with its sign. */
static inline uint32_t f32_flush(uint32_t bits)
{
	return bits & F32_INF ? bits : bits & F32_SIGN;
}

#endif
