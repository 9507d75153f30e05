// SPDX-License-Identifier: MIT
/*
 * Approximations: the forms with .approx and .full, and sin, cos, lg2, ex2 and tanh.
 *
 * PTX says how large the error of each may be. All of them are computed in double precision with
 * the C library and rounded to the type of the result once, which is more accurate than required;
 * a GPU may give other last bits.
 */
#include <math.h>

#include "code/alu_float_ops.h"

/* Beyond 2^126, 1/b is subnormal, and the product a * (1/b) that PTX describes is lost. */
static double divide(float a, float b)
{
	if (fabsf(b) > 0x1p126f && isfinite(b)) {
		if (isinf(a))
			return NAN;
		return isnan(a) ? NAN : copysign(0, signbit(a) != signbit(b) ? -1.0 : 1.0);
	}
	return (double)a / (double)b;
}

static double compute(enum ptx_float_op op, uint64_t imm, float a, float b)
{
	switch (op) {
	case FLOAT_DIV:
		return imm & MOD_FULL ? (double)a / (double)b : divide(a, b);
	case FLOAT_RCP:
		return 1 / (double)a;
	case FLOAT_SQRT:
		return sqrt(a);
	case FLOAT_RSQRT:
		return 1 / sqrt(a);
	case FLOAT_SIN:
		return sin(a);
	case FLOAT_COS:
		return cos(a);
	case FLOAT_LG2:
		return log2(a);
	case FLOAT_EX2:
		return exp2(a);
	case FLOAT_TANH:
		return tanh(a);
	default:
		return 0;
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

		if (modifiers & MOD_FTZ) {
			x = f32_flush(x);
			y = f32_flush(y);
		}
		d[i] = ptx_f32_result(f32_bits((float)compute(step->flags, step->imm, f32_value(x),
							      f32_value(y))), modifiers);
	}
}

static void rsqrt_f64(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask)
{
	uint64_t *d = ptx_row(regs, step->dst);
	const uint64_t *a = ptx_row(regs, step->src[0]);

	for (; mask; mask &= mask - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(mask);

		if (f64_is_nan(a[i]))
			d[i] = a[i] | F64_QUIET;
		else if (a[i] > F64_SIGN)
			d[i] = F64_NAN;
		else
			d[i] = f64_bits(1 / sqrt(f64_value(a[i])));
	}
}

/* rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 work on the upper 32 bits only. */
static void upper_f64(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask)
{
	const uint64_t upper = 0xffffffff00000000ull;
	uint64_t *d = ptx_row(regs, step->dst);
	const uint64_t *a = ptx_row(regs, step->src[0]);

	for (; mask; mask &= mask - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(mask);
		uint64_t source = a[i] & upper;
		uint64_t bits;

		/* The payload of a NaN may be in the lower half only. */
		if (f64_is_nan(a[i])) {
			d[i] = (uint64_t)F32_NAN << 32;
			continue;
		}
		if (!(source & F64_INF))
			source &= F64_SIGN;
		bits = f64_bits(1 / (step->flags == FLOAT_RCP ? f64_value(source) :
				     sqrt(f64_value(source))));
		if (f64_is_nan(bits))
			bits = (uint64_t)F32_NAN << 32;
		else if (!(bits & F64_INF))
			bits &= F64_SIGN;
		d[i] = bits & upper;
	}
}

ptx_alu_fn *ptx_approx_alu(enum ptx_float_op op, uint64_t imm, enum ptx_type type)
{
	if (type == TYPE_F32)
		return approx_f32;
	return imm & MOD_FTZ ? upper_f64 : op == FLOAT_RSQRT ? rsqrt_f64 : NULL;
}
