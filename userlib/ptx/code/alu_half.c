// SPDX-License-Identifier: MIT
/*
 * Arithmetic of .f16, .f16x2, .bf16 and .bf16x2.
 *
 * Values are computed in double precision, which has more than twice as many bits, and rounded to
 * 16 bits once. A product is exact in double precision. A sum may not be, and would then be rounded
 * twice: it is rounded to odd first (the last bit says that something was lost), which does not
 * change the second rounding.
 */
#include <math.h>

#include "code/mufu.h"

#define SIGN 0x8000u

/* x + y, rounded to odd. The machine rounds to nearest. */
static inline PTX_ALWAYS double add_to_odd(double x, double y)
{
	double sum = x + y;
	double back = sum - x;
	double error = (x - (sum - back)) + (y - back);
	uint64_t bits = f64_bits(sum);

	/* The error of a sum that is infinite or a NaN is a NaN. */
	if (!(error > 0 || error < 0) || (bits & 1))
		return sum;
	return f64_value((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

static inline PTX_ALWAYS uint32_t infinity_of(uint64_t imm)
{
	return imm & FLOAT_BF16 ? 0x7f80 : 0x7c00;
}

static inline PTX_ALWAYS double value_of(uint64_t imm, uint32_t bits)
{
	return f32_value(imm & FLOAT_BF16 ? f32_from_bf16((uint16_t)bits) :
			 f32_from_f16((uint16_t)bits));
}

static inline PTX_ALWAYS bool is_nan(uint64_t imm, uint32_t bits)
{
	return (bits & ~SIGN) > infinity_of(imm);
}

static inline PTX_ALWAYS uint32_t flush(uint64_t imm, uint32_t bits)
{
	return imm & MOD_FTZ && !(bits & infinity_of(imm)) ? bits & SIGN : bits;
}

/* The end of each operation: canonical NaN, .ftz, .sat and .relu. */
static inline PTX_ALWAYS uint32_t finish(uint64_t imm, uint32_t bits)
{
	const uint32_t one = imm & FLOAT_BF16 ? 0x3f80 : 0x3c00;
	bool nan = is_nan(imm, bits);

	if (nan)
		bits = F16_NAN;
	bits = flush(imm, bits);
	if ((imm & (MOD_SAT | MOD_RELU)) && bits & SIGN)
		return 0;
	if (imm & MOD_SAT)
		return nan ? 0 : bits > one ? one : bits;
	return bits;
}

/* .ftz decides before rounding: a value below the smallest normal one becomes a zero. */
static inline PTX_ALWAYS uint32_t round_to(uint64_t imm, double value)
{
	if (imm & MOD_FTZ && fabs(value) < f64_value(F64_POWER(imm & FLOAT_BF16 ? -126 : -14)))
		return signbit(value) ? SIGN : 0;
	return imm & FLOAT_BF16 ? bf16_from_f64(value) : f16_from_f64(value);
}

static inline PTX_ALWAYS int32_t order_of(uint32_t bits)
{
	return bits & SIGN ? (int32_t)~(bits & ~SIGN) : (int32_t)bits;
}

static inline PTX_ALWAYS uint32_t min_max(bool max, uint64_t imm, uint32_t a, uint32_t b)
{
	uint32_t sign = imm & MOD_XORSIGN ? (a ^ b) & SIGN : 0;
	uint32_t result;

	if (imm & MOD_ABS) {
		a &= ~SIGN;
		b &= ~SIGN;
	}
	if (is_nan(imm, a) || is_nan(imm, b)) {
		if (imm & MOD_NAN || (is_nan(imm, a) && is_nan(imm, b)))
			return F16_NAN;
		result = is_nan(imm, a) ? b : a;
	} else {
		result = (order_of(a) < order_of(b)) != max ? a : b;
	}
	return result | sign;
}

/* The function of f32, rounded towards zero. Only f16 can overflow. */
static uint32_t approximate(enum ptx_float_op op, uint64_t imm, uint32_t a)
{
	uint32_t result = ptx_mufu(op, f32_bits((float)value_of(imm, a)));
	struct ptx_number number = ptx_float_unpack(&ptx_f32, result);

	if (f32_is_nan(result))
		return F16_NAN;
	if (imm & FLOAT_BF16)
		return result >> 16;
	if (result < F32_SIGN && result >= f32_bits(0x1p16f))
		return 0x7c00;
	return (uint32_t)ptx_float_pack(&ptx_f16, ROUND_ZERO, &number);
}

/* Filled in by the driver for elements outside of a tensor; see driver/core/vsm_tensor.c. */
#define OOB_NAN 0x7ff7

/* One value. @op is a constant; the upper halves of the sources are ignored. */
static inline PTX_ALWAYS uint32_t half_value(enum ptx_float_op op, uint64_t imm, uint32_t a,
					     uint32_t b, uint32_t c)
{
	uint32_t result;

	a = flush(imm, a & 0xffff);
	b = flush(imm, b & 0xffff);
	c = flush(imm, c & 0xffff);
	switch (op) {
	case FLOAT_ADD:
		result = round_to(imm, add_to_odd(value_of(imm, a), value_of(imm, b)));
		break;
	case FLOAT_SUB:
		result = round_to(imm, add_to_odd(value_of(imm, a), -value_of(imm, b)));
		break;
	case FLOAT_MUL:
		result = round_to(imm, value_of(imm, a) * value_of(imm, b));
		break;
	case FLOAT_FMA:
		if (imm & MOD_OOB && (a == OOB_NAN || b == OOB_NAN))
			return 0;
		result = round_to(imm, add_to_odd(value_of(imm, a) * value_of(imm, b),
						  value_of(imm, c)));
		break;
	case FLOAT_NEG:
		result = a ^ SIGN;
		break;
	case FLOAT_ABS:
		result = a & ~SIGN;
		break;
	case FLOAT_MIN:
		result = min_max(false, imm, a, b);
		break;
	case FLOAT_MAX:
		result = min_max(true, imm, a, b);
		break;
	case FLOAT_EX2:
	case FLOAT_TANH:
		result = approximate(op, imm, a);
		break;
	default:
		result = 0;
		break;
	}
	return finish(imm, result);
}

static inline PTX_ALWAYS void half_lanes(const struct ptx_step *step, struct ptx_regs *regs,
					 uint32_t mask, enum ptx_float_op op, uint64_t imm)
{
	uint64_t *d = ptx_row(regs, step->dst);
	const uint64_t *a = ptx_row(regs, step->src[0]);
	const uint64_t *b = ptx_row(regs, step->src[1]);
	const uint64_t *c = ptx_row(regs, step->src[2]);

	for (; mask; mask &= mask - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(mask);
		uint32_t x = (uint32_t)a[i];
		uint32_t y = (uint32_t)b[i];
		uint32_t z = (uint32_t)c[i];
		uint32_t result = half_value(op, imm, x, y, z);

		if (imm & FLOAT_X2)
			result |= half_value(op, imm, x >> 16, y >> 16, z >> 16) << 16;
		d[i] = result;
	}
}

#define HALF_ALU(name, op) \
	static void name(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask) \
	{ \
		if (step->imm & FLOAT_BF16) \
			half_lanes(step, regs, mask, op, step->imm | FLOAT_BF16); \
		else \
			half_lanes(step, regs, mask, op, step->imm & ~FLOAT_BF16); \
	}

HALF_ALU(add, FLOAT_ADD)
HALF_ALU(sub, FLOAT_SUB)
HALF_ALU(mul, FLOAT_MUL)
HALF_ALU(fma_, FLOAT_FMA)
HALF_ALU(neg, FLOAT_NEG)
HALF_ALU(abs_, FLOAT_ABS)
HALF_ALU(min_, FLOAT_MIN)
HALF_ALU(max_, FLOAT_MAX)
HALF_ALU(ex2, FLOAT_EX2)
HALF_ALU(tanh_, FLOAT_TANH)

ptx_alu_fn *ptx_half_alu(enum ptx_float_op op)
{
	static ptx_alu_fn *const functions[] = {
		[FLOAT_ADD] = add,
		[FLOAT_SUB] = sub,
		[FLOAT_MUL] = mul,
		[FLOAT_FMA] = fma_,
		[FLOAT_NEG] = neg,
		[FLOAT_ABS] = abs_,
		[FLOAT_MIN] = min_,
		[FLOAT_MAX] = max_,
		[FLOAT_EX2] = ex2,
		[FLOAT_TANH] = tanh_,
	};

	return functions[op];
}
