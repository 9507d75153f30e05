// SPDX-License-Identifier: MIT
/*
 * Arithmetic of .f32 that is rounded correctly, and min, max, neg, abs and copysign.
 *
 * The machine's own arithmetic does it, with subnormal numbers and in its rounding modes. Only
 * NaNs differ: PTX leaves them open, and all of them become the canonical one, as on GPUs.
 */
#include <fenv.h>
#include <float.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif
#include <math.h>

#include "code/alu_float_ops.h"

void ptx_alu_rounded(ptx_alu_fn *alu, const struct ptx_step *step, struct ptx_regs *regs,
		     uint32_t mask)
{
	static const int modes[] = {
		[ROUND_NEAREST] = FE_TONEAREST,
		[ROUND_ZERO] = FE_TOWARDZERO,
		[ROUND_DOWN] = FE_DOWNWARD,
		[ROUND_UP] = FE_UPWARD,
	};
	int before = fegetround();

	fesetround(modes[ptx_form_round((uint32_t)step->imm)]);
	alu(step, regs, mask);
	fesetround(before);
}

static inline PTX_ALWAYS uint32_t f32_source(uint64_t source, uint64_t imm)
{
	return imm & MOD_FTZ ? f32_flush((uint32_t)source) : (uint32_t)source;
}

/* The operation itself. @op is a constant. */
static inline PTX_ALWAYS float f32_operation(enum ptx_float_op op, float a, float b, float c)
{
	switch (op) {
	case FLOAT_ADD:
		return a + b;
	case FLOAT_SUB:
		return a - b;
	case FLOAT_MUL:
		return a * b;
	case FLOAT_FMA:
		return __builtin_fmaf(a, b, c);
	case FLOAT_DIV:
		return a / b;
	case FLOAT_RCP:
		return 1 / a;
	case FLOAT_SQRT:
		return sqrtf(a);
	default:
		return 0;
	}
}

/*
 * With -frounding-math, compilers make no vectors of calls of fmaf(). FLOAT_AVX stands for a fma in
 * vectors. It is an argument of f32_lanes() only, and not in &ptx_step.imm.
 */
#define FLOAT_AVX	(1ull << 63)
#ifdef __x86_64__
#define PTX_AVX		__attribute__((target("avx2,fma")))

PTX_AVX static void fma_avx(float *a, const float *b, const float *c)
{
	for (unsigned int i = 0; i < PTX_LANES; i += 8)
		_mm256_storeu_ps(a + i, _mm256_fmadd_ps(_mm256_loadu_ps(a + i),
							_mm256_loadu_ps(b + i),
							_mm256_loadu_ps(c + i)));
}
#else
static void fma_avx(float *a, const float *b, const float *c)
{
	for (unsigned int i = 0; i < PTX_LANES; i++)
		a[i] = __builtin_fmaf(a[i], b[i], c[i]);
}
#endif

/*
 * .ftz decides before rounding: a result that was rounded to the smallest normal number becomes a
 * zero if it was smaller. @a * @b is exact in double precision. The difference is exact, too: a
 * large @c does not cancel a product so far that FLT_MIN remains.
 */
static void flush_rounded(float *result, float a, float b, float c)
{
	double sign = copysign(1, *result);

	if (sign * a * b < FLT_MIN - sign * c)
		*result = copysignf(0, *result);
}

/*
 * Arithmetic of lanes. @op and @imm are constants. A whole warp takes three loops: compilers make
 * vectors of loops whose elements all have one size.
 */
static inline PTX_ALWAYS void f32_lanes(const struct ptx_step *step, struct ptx_regs *regs,
					uint32_t mask, enum ptx_float_op op, uint64_t imm)
{
	/* Tiny sums and differences are exact. The divisions of an H100 flush after rounding. */
	const bool early = imm & MOD_FTZ && (op == FLOAT_MUL || op == FLOAT_FMA);
	uint64_t *d = ptx_row(regs, step->dst);
	const uint64_t *a = ptx_row(regs, step->src[0]);
	const uint64_t *b = ptx_row(regs, step->src[1]);
	const uint64_t *c = ptx_row(regs, step->src[2]);
	float x[PTX_LANES], y[PTX_LANES], z[PTX_LANES];
	unsigned int smallest = 0, i;

	for (; mask != ~0u && mask; mask &= mask - 1) {
		i = (unsigned int)__builtin_ctz(mask);
		x[0] = f32_value(f32_source(a[i], imm));
		y[0] = f32_value(f32_source(b[i], imm));
		z[0] = f32_value(f32_source(c[i], imm));
		x[1] = x[0];
		x[0] = f32_operation(op, x[0], y[0], z[0]);
		if (early && fabsf(x[0]) == FLT_MIN)
			flush_rounded(&x[0], x[1], y[0], op == FLOAT_FMA ? z[0] : 0);
		d[i] = ptx_f32_result(f32_bits(x[0]), (uint32_t)imm);
	}
	if (!mask)
		return;
	for (i = 0; i < PTX_LANES; i++) {
		x[i] = f32_value(f32_source(a[i], imm));
		y[i] = f32_value(f32_source(b[i], imm));
		z[i] = f32_value(f32_source(c[i], imm));
	}
	if (imm & FLOAT_AVX)
		fma_avx(x, y, z);
	else
		for (i = 0; i < PTX_LANES; i++)
			x[i] = f32_operation(op, x[i], y[i], z[i]);
	for (i = 0; early && i < PTX_LANES; i++)
		smallest |= fabsf(x[i]) == FLT_MIN;
	for (i = 0; smallest && i < PTX_LANES; i++)
		if (fabsf(x[i]) == FLT_MIN)
			flush_rounded(&x[i], f32_value(f32_source(a[i], imm)), y[i],
				      op == FLOAT_FMA ? z[i] : 0);
	for (i = 0; i < PTX_LANES; i++)
		d[i] = ptx_f32_result(f32_bits(x[i]), (uint32_t)imm);
}

/* A loop for each combination of .ftz and .sat, with @attributes. */
#define F32_ALU(name, op, more, attributes) \
	attributes static void name(const struct ptx_step *step, struct ptx_regs *regs, \
				    uint32_t mask) \
	{ \
		switch (step->imm & (MOD_FTZ | MOD_SAT)) { \
		case 0: \
			f32_lanes(step, regs, mask, op, more); \
			break; \
		case MOD_FTZ: \
			f32_lanes(step, regs, mask, op, (more) | MOD_FTZ); \
			break; \
		case MOD_SAT: \
			f32_lanes(step, regs, mask, op, (more) | MOD_SAT); \
			break; \
		default: \
			f32_lanes(step, regs, mask, op, (more) | MOD_FTZ | MOD_SAT); \
			break; \
		} \
	}

F32_ALU(add, FLOAT_ADD, 0, PTX_CLONES)
F32_ALU(sub, FLOAT_SUB, 0, PTX_CLONES)
F32_ALU(mul, FLOAT_MUL, 0, PTX_CLONES)
F32_ALU(fma_any, FLOAT_FMA, 0, PTX_ANY_CPU)
F32_ALU(div_, FLOAT_DIV, 0, PTX_CLONES)
F32_ALU(rcp, FLOAT_RCP, 0, PTX_CLONES)
F32_ALU(sqrt_, FLOAT_SQRT, 0, PTX_CLONES)

/* The C library's fmaf() is a call for each lane, so use the instruction where there is one. */
#ifdef __x86_64__
F32_ALU(fma_fast, FLOAT_FMA, FLOAT_AVX, PTX_AVX)

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
static inline PTX_ALWAYS int32_t order_of(uint32_t bits)
{
	return bits & F32_SIGN ? (int32_t)(bits ^ ~F32_SIGN) : (int32_t)bits;
}

/* The minimum or maximum of two values, which are not flushed any more. */
static inline PTX_ALWAYS uint32_t f32_choose(bool max, bool keep_nan, uint32_t a, uint32_t b)
{
	bool first = (order_of(a) < order_of(b)) != max;
	uint32_t number = first ? a : b;

	number = f32_is_nan(a) ? b : f32_is_nan(b) ? a : number;
	return keep_nan && (f32_is_nan(a) || f32_is_nan(b)) ? F32_NAN : number;
}

static inline PTX_ALWAYS uint64_t f32_min_max(bool max, uint64_t imm, uint64_t x, uint64_t y)
{
	const bool keep_nan = imm & MOD_NAN;
	const uint64_t flush = imm & MOD_FTZ;
	const uint32_t magnitude = imm & MOD_ABS ? ~F32_SIGN : ~0u;
	uint32_t a = f32_source(x, flush);
	uint32_t b = f32_source(y, flush);
	uint32_t sign = imm & MOD_XORSIGN ? (a ^ b) & F32_SIGN : 0;
	uint32_t result = f32_choose(max, keep_nan, a & magnitude, b & magnitude);

	return f32_is_nan(result) ? F32_NAN : result | sign;
}

#define F32_BITS(name, expression) \
	static void name(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask) \
	{ \
		const uint64_t imm = step->imm; \
		uint64_t *d = ptx_row(regs, step->dst); \
		const uint64_t *a = ptx_row(regs, step->src[0]); \
		const uint64_t *b = ptx_row(regs, step->src[1]); \
		\
		(void)imm, (void)b; \
		FOR_FLOAT_LANES(mask, d, i, expression); \
	}

F32_BITS(min_, f32_min_max(false, imm, a[i], b[i]))
F32_BITS(max_, f32_min_max(true, imm, a[i], b[i]))
F32_BITS(neg, ptx_f32_result((uint32_t)a[i] ^ F32_SIGN, (uint32_t)imm))
F32_BITS(abs_, ptx_f32_result((uint32_t)a[i] & ~F32_SIGN, (uint32_t)imm))
F32_BITS(copysign_, ((uint32_t)a[i] & F32_SIGN) | ((uint32_t)b[i] & ~F32_SIGN))

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

ptx_alu_fn *ptx_f32_alu(enum ptx_float_op op, uint64_t imm)
{
	if (imm & (MOD_RZ | MOD_RM | MOD_RP))
		return rounded;
	return unrounded(op);
}
