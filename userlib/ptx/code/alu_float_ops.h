/* SPDX-License-Identifier: MIT */
/*
 * Operations on floats, between the table that decodes them and the functions that execute them.
 *
 * A step of these has the &enum ptx_float_op in &ptx_step.flags and the modifiers (MOD_...) in
 * &ptx_step.imm. Sources that the operation does not have are the same row as the first source.
 */
#ifndef _PTX_CODE_ALU_FLOAT_OPS_H_
#define _PTX_CODE_ALU_FLOAT_OPS_H_

#include "code/alu_forms.h"

/* For functions that must become part of a loop, in which some of their arguments are constants. */
#define PTX_ALWAYS __attribute__((always_inline))

/* The same code for every processor. */
#define PTX_ANY_CPU __attribute__((unused))

enum ptx_float_op {
	FLOAT_ADD,
	FLOAT_SUB,
	FLOAT_MUL,
	FLOAT_FMA,
	FLOAT_DIV,
	FLOAT_RCP,
	FLOAT_SQRT,
	FLOAT_NEG,
	FLOAT_ABS,
	FLOAT_COPYSIGN,
	FLOAT_MIN,
	FLOAT_MAX,
	/* Of approximations only: */
	FLOAT_RSQRT,
	FLOAT_SIN,
	FLOAT_COS,
	FLOAT_LG2,
	FLOAT_EX2,
	FLOAT_TANH,
};

/* In &ptx_step.imm, above the modifiers: */
#define FLOAT_BF16	(1ull << 35)	/* alu_half: bf16, not f16 */
#define FLOAT_X2	(1ull << 36)	/* alu_half: two values in each register */

/* The function that executes the operation; NULL if the file has none. */
ptx_alu_fn *ptx_f32_alu(enum ptx_float_op op, uint64_t imm);
ptx_alu_fn *ptx_f64_alu(enum ptx_float_op op, uint64_t imm);
ptx_alu_fn *ptx_approx_alu(enum ptx_float_op op, uint64_t imm, enum ptx_type type);
ptx_alu_fn *ptx_half_alu(enum ptx_float_op op);

/*
 * A function for a conversion that is frequent, between registers of the size of the types; NULL if
 * there is none.
 */
ptx_alu_fn *ptx_cvt_fast(enum ptx_type to, enum ptx_type from, uint32_t modifiers);

/* Execute the step with a function, in the rounding mode that the step has. */
void ptx_alu_rounded(ptx_alu_fn *alu, const struct ptx_step *step, struct ptx_regs *regs,
		     uint32_t mask);

/*
 * Sets row @d to the expression for each lane @i in the mask. A whole warp is a loop that compilers
 * can make vectors of, although @d may be one of the sources. (PTX_FOR_LANES is not for floats:
 * clang warns of loops that it leaves as they are, as it does with floats and -frounding-math.)
 */
#define FOR_FLOAT_LANES(mask, d, i, expression) \
	do { \
		if ((mask) == ~0u) { \
			uint64_t values_[PTX_LANES]; \
			\
			for (unsigned int i = 0; i < PTX_LANES; i++) \
				values_[i] = (expression); \
			memcpy(d, values_, sizeof(values_)); \
		} else { \
			for (uint32_t left_ = (mask); left_; left_ &= left_ - 1) { \
				unsigned int i = (unsigned int)__builtin_ctz(left_); \
				\
				(d)[i] = (expression); \
			} \
		} \
	} while (0)

/*
 * The end of each f32 operation: a NaN is the canonical one, MOD_FTZ flushes subnormal results,
 * and MOD_SAT limits the result to 0 to 1 (a NaN and -0 become +0).
 */
static inline uint32_t ptx_f32_result(uint32_t bits, uint32_t modifiers)
{
	bits = f32_is_nan(bits) ? F32_NAN : bits;
	if (modifiers & MOD_FTZ)
		bits = f32_flush(bits);
	if (modifiers & MOD_SAT) {
		bits = bits == F32_NAN || bits & F32_SIGN ? 0 : bits;
		bits = bits > F32_ONE ? F32_ONE : bits;
	}
	return bits;
}

#endif
