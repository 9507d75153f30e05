// SPDX-License-Identifier: MIT
/*
 * Approximations: the forms with .approx and .full, and sin, cos, lg2, ex2 and tanh.
 *
 * As on an H100, all of them are made from its special functions. These flush subnormal numbers.
 * Without .ftz, the argument and the result are therefore scaled.
 */
#include <float.h>
#include <math.h>

#include "code/mufu.h"

static float mufu(enum ptx_float_op op, float x)
{
	return f32_value(ptx_mufu(op, f32_bits(x)));
}

/* A product. .ftz decides before rounding. */
static float multiply(float a, float b, bool ftz)
{
	double product = (double)a * b;

	return ftz && fabs(product) < FLT_MIN ? copysignf(0, (float)product) : (float)product;
}

static float divide(float a, float b, uint64_t imm)
{
	const bool ftz = imm & MOD_FTZ;
	float scale = 1;

	if (!ftz && fabsf(b) < FLT_MIN)
		scale = 0x1p24f;
	/* div.approx does not scale large divisors: their reciprocal is 0. */
	else if (imm & MOD_FULL && fabsf(b) > 0x1p126f)
		scale = 0.25f;
	a = multiply(a, scale, ftz);
	return multiply(a, mufu(FLOAT_RCP, b * scale), ftz);
}

/* A function of a number that may be subnormal, or may have a subnormal result. */
static float scaled(enum ptx_float_op op, float x)
{
	const bool small = fabsf(x) < FLT_MIN;

	switch (op) {
	case FLOAT_RCP:
		if (fabsf(x) > 0x1p126f)
			return mufu(op, x * 0.25f) * 0.25f;
		return small ? mufu(op, x * 0x1p24f) * 0x1p24f : mufu(op, x);
	case FLOAT_SQRT:
		return small ? mufu(op, x * 0x1p24f) / 0x1p12f : mufu(op, x);
	case FLOAT_RSQRT:
		return small ? mufu(op, x * 0x1p24f) * 0x1p12f : mufu(op, x);
	case FLOAT_LG2:
		return small ? mufu(op, x * 0x1p24f) - 24 : mufu(op, x);
	case FLOAT_EX2:
		if (x >= -126)
			return mufu(op, x);
		x = mufu(op, x * 0.5f);
		return x * x;
	default:
		return mufu(op, x);
	}
}

static void approx_f32(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask)
{
	const uint32_t modifiers = (uint32_t)step->imm;
	uint64_t *d = ptx_row(regs, step->dst);
	const uint64_t *a = ptx_row(regs, step->src[0]);
	const uint64_t *b = ptx_row(regs, step->src[1]);

	for (; mask; mask &= mask - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(mask);
		uint32_t x = (uint32_t)a[i];
		uint32_t y = (uint32_t)b[i];
		float result;

		if (modifiers & MOD_FTZ) {
			x = f32_flush(x);
			y = f32_flush(y);
		}
		if (step->flags == FLOAT_DIV)
			result = divide(f32_value(x), f32_value(y), step->imm);
		else if (modifiers & MOD_FTZ)
			result = mufu(step->flags, f32_value(x));
		else
			result = scaled(step->flags, f32_value(x));
		d[i] = ptx_f32_result(f32_bits(result), modifiers);
	}
}

/* One step from the reciprocal square root of the upper half, with the arithmetic of .f64. */
static uint64_t rsqrt_f64_value(uint64_t bits)
{
	const bool small = !(bits & F64_INF) && bits << 1;
	double x = f64_value(bits) * (small ? 0x1p54 : 1);
	double y, error;

	if (f64_is_nan(bits))
		return bits | F64_QUIET;
	if (bits > F64_SIGN)
		return F64_NAN;
	y = f64_value(ptx_mufu_64h(FLOAT_RSQRT, f64_bits(x)));
	if (!(bits << 1) || bits == F64_INF)
		return f64_bits(y);
	error = __builtin_fma(x, -(y * y), 1);
	y = __builtin_fma(__builtin_fma(error, 0.375, 0.5), y * error, y);
	return f64_bits(y * (small ? 0x1p27 : 1));
}

static void rsqrt_f64(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask)
{
	uint64_t *d = ptx_row(regs, step->dst);
	const uint64_t *a = ptx_row(regs, step->src[0]);

	FOR_FLOAT_LANES(mask, d, i, rsqrt_f64_value(a[i]));
}

/* rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 work on the upper 32 bits only. */
static void upper_f64(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask)
{
	uint64_t *d = ptx_row(regs, step->dst);
	const uint64_t *a = ptx_row(regs, step->src[0]);

	FOR_FLOAT_LANES(mask, d, i, ptx_mufu_64h(step->flags, a[i]));
}

ptx_alu_fn *ptx_approx_alu(enum ptx_float_op op, uint64_t imm, enum ptx_type type)
{
	if (type == TYPE_F32)
		return approx_f32;
	return imm & MOD_FTZ ? upper_f64 : op == FLOAT_RSQRT ? rsqrt_f64 : NULL;
}
