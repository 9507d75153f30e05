// SPDX-License-Identifier: MIT
/*
 * Arithmetic of .f64 that is rounded correctly, and min, max, neg, abs and copysign.
 *
 * The result of an operation with NaNs is one of them, made quiet. PTX keeps the payloads of .f64,
 * but does not say whose. On an H100 it is b, or else c, or else a; for div it is a, or else b.
 */
#include <math.h>

#include "code/alu_float_ops.h"

static inline PTX_ALWAYS uint64_t nan_of(enum ptx_float_op op, uint64_t a, uint64_t b, uint64_t c)
{
	if (f64_is_nan(b) && !(op == FLOAT_DIV && f64_is_nan(a)))
		return b | F64_QUIET;
	if (op == FLOAT_FMA && f64_is_nan(c))
		return c | F64_QUIET;
	return f64_is_nan(a) ? a | F64_QUIET : F64_NAN;
}

static inline PTX_ALWAYS void f64_lanes(const struct ptx_step *step, struct ptx_regs *regs,
					uint32_t mask, enum ptx_float_op op)
{
	uint64_t *d = ptx_row(regs, step->dst);
	const uint64_t *a = ptx_row(regs, step->src[0]);
	const uint64_t *b = ptx_row(regs, step->src[1]);
	const uint64_t *c = ptx_row(regs, step->src[2]);

	for (; mask; mask &= mask - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(mask);
		double x = f64_value(a[i]);
		double y = f64_value(b[i]);
		double z = f64_value(c[i]);
		double result = 0;

		switch (op) {
		case FLOAT_ADD:
			result = x + y;
			break;
		case FLOAT_SUB:
			result = x - y;
			break;
		case FLOAT_MUL:
			result = x * y;
			break;
		case FLOAT_FMA:
			result = __builtin_fma(x, y, z);
			break;
		case FLOAT_DIV:
			result = x / y;
			break;
		case FLOAT_RCP:
			result = 1 / x;
			break;
		case FLOAT_SQRT:
			result = sqrt(x);
			break;
		default:
			break;
		}
		d[i] = result == result ? f64_bits(result) : nan_of(op, a[i], b[i], c[i]);
	}
}

#define F64_ALU(name, op, attributes) \
	attributes static void name(const struct ptx_step *step, struct ptx_regs *regs, \
				    uint32_t mask) \
	{ \
		f64_lanes(step, regs, mask, op); \
	}

F64_ALU(add, FLOAT_ADD, PTX_CLONES)
F64_ALU(sub, FLOAT_SUB, PTX_CLONES)
F64_ALU(mul, FLOAT_MUL, PTX_CLONES)
F64_ALU(fma_any, FLOAT_FMA, PTX_ANY_CPU)
F64_ALU(div_, FLOAT_DIV, PTX_CLONES)
F64_ALU(rcp, FLOAT_RCP, PTX_CLONES)
F64_ALU(sqrt_, FLOAT_SQRT, PTX_CLONES)

#ifdef __x86_64__
F64_ALU(fma_fast, FLOAT_FMA, __attribute__((target("avx2,fma"))))

static ptx_alu_fn *choose_fma(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? fma_fast : fma_any;
}
#else
static ptx_alu_fn *choose_fma(void)
{
	return fma_any;
}
#endif

/* Numbers in this order: -infinity ... -0, +0 ... +infinity. */
static inline PTX_ALWAYS int64_t order_of(uint64_t bits)
{
	return bits & F64_SIGN ? (int64_t)(bits ^ ~F64_SIGN) : (int64_t)bits;
}

static inline PTX_ALWAYS uint64_t f64_min_max(bool max, uint64_t a, uint64_t b)
{
	if (f64_is_nan(a))
		return f64_is_nan(b) ? b | F64_QUIET : b;
	if (f64_is_nan(b))
		return a;
	return (order_of(a) < order_of(b)) != max ? a : b;
}

PTX_ALU_2(min_, f64_min_max(false, x, y))
PTX_ALU_2(max_, f64_min_max(true, x, y))
PTX_ALU_1(neg, f64_is_nan(x) ? x | F64_QUIET : x ^ F64_SIGN)
PTX_ALU_1(abs_, f64_is_nan(x) ? x | F64_QUIET : x & ~F64_SIGN)
PTX_ALU_2(copysign_, (x & F64_SIGN) | (y & ~F64_SIGN))

static ptx_alu_fn *const functions[] = {
	[FLOAT_ADD] = add,
	[FLOAT_SUB] = sub,
	[FLOAT_MUL] = mul,
	[FLOAT_FMA] = fma_any,
	[FLOAT_DIV] = div_,
	[FLOAT_RCP] = rcp,
	[FLOAT_SQRT] = sqrt_,
	[FLOAT_NEG] = neg,
	[FLOAT_ABS] = abs_,
	[FLOAT_COPYSIGN] = copysign_,
	[FLOAT_MIN] = min_,
	[FLOAT_MAX] = max_,
};

static ptx_alu_fn *unrounded(enum ptx_float_op op)
{
	return op == FLOAT_FMA ? choose_fma() : functions[op];
}

static void rounded(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask)
{
	ptx_alu_rounded(unrounded(step->flags), step, regs, mask);
}

ptx_alu_fn *ptx_f64_alu(enum ptx_float_op op, uint64_t imm)
{
	return imm & (MOD_RZ | MOD_RM | MOD_RP) ? rounded : unrounded(op);
}
