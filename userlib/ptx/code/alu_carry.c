// SPDX-License-Identifier: MIT
/*
 * Arithmetic with the condition code register: add.cc, addc, sub.cc, subc, mad.cc, madc.
 *
 * A result is computed with more bits than the type has. The bit above the highest bit of the type
 * is then the carry of a sum, and also the borrow of a difference.
 */
#include "code/alu_int.h"

/*
 * Defines a function. In the expression, x, y and z are the sources and c is the carry of the lane.
 * @in: 1 if the carry is added, or 0
 * @out: The carry is written
 */
#define CARRY(name, sources, type, wide, bits, in, out, expression) \
	static void name(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask) \
	{ \
		u64 *d_ = ptx_row(regs, step->dst); \
		const u64 *x_ = ptx_row(regs, step->src[0]); \
		const u64 *y_ = ptx_row(regs, step->src[1]); \
		const u64 *z_ = (sources) == 3 ? ptx_row(regs, step->src[2]) : x_; \
		u32 carries = 0; \
		\
		for (u32 left = mask; left; left &= left - 1) { \
			u32 i = (u32)__builtin_ctz(left); \
			const type x = (type)x_[i]; \
			const type y = (type)y_[i]; \
			const type z = (type)z_[i]; \
			const wide c = (in) ? regs->carry >> i & 1 : 0; \
			const wide result = (expression); \
			\
			(void)z; \
			d_[i] = (type)result; \
			carries |= (u32)(result >> (bits) & 1) << i; \
		} \
		if (out) \
			regs->carry = (regs->carry & ~mask) | carries; \
	}

/* The three functions of an operation: it writes the carry, adds it, or does both. */
#define FUNCTIONS_CARRY(op, sources, type, wide, bits, expression) \
	CARRY(op##_out, sources, type, wide, bits, 0, true, expression) \
	CARRY(op##_in, sources, type, wide, bits, 1, false, expression) \
	CARRY(op##_in_out, sources, type, wide, bits, 1, true, expression)

/* The high half of a product, without its sign. */
#define HIGH_U32	((u64)x * y >> 32)
#define HIGH_S32	((u64)(u32)((s64)(s32)x * (s32)y >> 32))
#define HIGH_U64	((__uint128_t)x * y >> 64)
#define HIGH_S64	((__uint128_t)(u64)((__int128_t)(s64)x * (s64)y >> 64))

FUNCTIONS_CARRY(add_32, 2, u32, u64, 32, (u64)x + y + c)
FUNCTIONS_CARRY(add_64, 2, u64, __uint128_t, 64, (__uint128_t)x + y + c)
FUNCTIONS_CARRY(sub_32, 2, u32, u64, 32, (u64)x - y - c)
FUNCTIONS_CARRY(sub_64, 2, u64, __uint128_t, 64, (__uint128_t)x - y - c)
FUNCTIONS_CARRY(mad_lo_32, 3, u32, u64, 32, (u64)(x * y) + z + c)
FUNCTIONS_CARRY(mad_lo_64, 3, u64, __uint128_t, 64, (__uint128_t)(x * y) + z + c)
FUNCTIONS_CARRY(mad_hi_u32, 3, u32, u64, 32, HIGH_U32 + z + c)
FUNCTIONS_CARRY(mad_hi_u64, 3, u64, __uint128_t, 64, HIGH_U64 + z + c)
FUNCTIONS_CARRY(mad_hi_s32, 3, u32, u64, 32, HIGH_S32 + z + c)
FUNCTIONS_CARRY(mad_hi_s64, 3, u64, __uint128_t, 64, HIGH_S64 + z + c)

/* The four types, if 32-bit types have one function and 64-bit types another one. */
#define FORMS(form, mode, op, kind) \
	form(mode ".u32", op##_32##kind, TYPE_U32), \
	form(mode ".s32", op##_32##kind, TYPE_S32), \
	form(mode ".u64", op##_64##kind, TYPE_U64), \
	form(mode ".s64", op##_64##kind, TYPE_S64)

#define FORMS_HIGH(mode, kind) \
	FORM_3(mode ".u32", mad_hi_u32##kind, TYPE_U32), \
	FORM_3(mode ".s32", mad_hi_s32##kind, TYPE_S32), \
	FORM_3(mode ".u64", mad_hi_u64##kind, TYPE_U64), \
	FORM_3(mode ".s64", mad_hi_s64##kind, TYPE_S64)

static const struct ptx_alu_form add_cc_forms[] = { FORMS(FORM_2, "", add, _out) };
static const struct ptx_alu_form sub_cc_forms[] = { FORMS(FORM_2, "", sub, _out) };
static const struct ptx_alu_form mad_lo_cc_forms[] = { FORMS(FORM_3, "", mad_lo, _out) };
static const struct ptx_alu_form mad_hi_cc_forms[] = { FORMS_HIGH("", _out) };

static const struct ptx_alu_form addc_forms[] = {
	FORMS(FORM_2, "", add, _in),
	FORMS(FORM_2, ".cc", add, _in_out),
};

static const struct ptx_alu_form subc_forms[] = {
	FORMS(FORM_2, "", sub, _in),
	FORMS(FORM_2, ".cc", sub, _in_out),
};

static const struct ptx_alu_form madc_forms[] = {
	FORMS(FORM_3, ".lo", mad_lo, _in),
	FORMS(FORM_3, ".lo.cc", mad_lo, _in_out),
	FORMS_HIGH(".hi", _in),
	FORMS_HIGH(".hi.cc", _in_out),
};

static const struct ptx_alu_group groups[] = {
	PTX_GROUP("add.cc", add_cc_forms),
	PTX_GROUP("addc", addc_forms),
	PTX_GROUP("sub.cc", sub_cc_forms),
	PTX_GROUP("subc", subc_forms),
	PTX_GROUP("mad.lo.cc", mad_lo_cc_forms),
	PTX_GROUP("mad.hi.cc", mad_hi_cc_forms),
	PTX_GROUP("madc", madc_forms),
};

enum ptx_decoded ptx_carry_decode(struct ptx_decoder *d, const struct ptx_insn *insn,
				  struct ptx_step *step)
{
	return ptx_alu_decode_forms(groups, ARRAY_SIZE(groups), d, insn, step);
}
