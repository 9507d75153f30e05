// SPDX-License-Identifier: MIT
/*
 * Integer products: mul, mad, mul24, mad24, dp4a, dp2a.
 *
 * The low half of a product has the same bits for signed and unsigned integers.
 */
#include "code/alu_int.h"

PTX_ALU_2(mul_lo_16, (u16)(x * y))
PTX_ALU_2(mul_lo_32, (u32)(x * y))
PTX_ALU_2(mul_lo_64, x * y)
PTX_ALU_3(mad_lo_16, (u16)(x * y + z))
PTX_ALU_3(mad_lo_32, (u32)(x * y + z))
PTX_ALU_3(mad_lo_64, x * y + z)

/* The high half of a product. */
#define HIGH(type, wide_type, bits, a, b) \
	((u64)((wide_type)(type)(a) * (wide_type)(type)(b) >> (bits)))

PTX_ALU_2(mul_hi_u16, (u16)HIGH(u16, u32, 16, x, y))
PTX_ALU_2(mul_hi_s16, (u16)HIGH(s16, s32, 16, x, y))
PTX_ALU_2(mul_hi_u32, (u32)HIGH(u32, u64, 32, x, y))
PTX_ALU_2(mul_hi_s32, (u32)HIGH(s32, s64, 32, x, y))
PTX_ALU_2(mul_hi_u64, HIGH(u64, __uint128_t, 64, x, y))
PTX_ALU_2(mul_hi_s64, HIGH(s64, __int128_t, 64, x, y))
PTX_ALU_3(mad_hi_u16, (u16)(HIGH(u16, u32, 16, x, y) + z))
PTX_ALU_3(mad_hi_s16, (u16)(HIGH(s16, s32, 16, x, y) + z))
PTX_ALU_3(mad_hi_u32, (u32)(HIGH(u32, u64, 32, x, y) + z))
PTX_ALU_3(mad_hi_s32, (u32)(HIGH(s32, s64, 32, x, y) + z))
PTX_ALU_3(mad_hi_u64, HIGH(u64, __uint128_t, 64, x, y) + z)
PTX_ALU_3(mad_hi_s64, HIGH(s64, __int128_t, 64, x, y) + z)
PTX_ALU_3(mad_hi_sat, ptx_saturate_s32((s64)HIGH(s32, s64, 32, x, y) + (s32)z))

/* A product of twice the size; 32-bit sources have a 64-bit result. */
PTX_ALU_2(mul_wide_u16, (u32)(x * y))
PTX_ALU_2(mul_wide_s16, (u32)((s32)(s16)x * (s32)(s16)y))
PTX_ALU_2(mul_wide_u32, (u64)(u32)x * (u32)y)
PTX_ALU_2(mul_wide_s32, (u64)((s64)(s32)x * (s64)(s32)y))
PTX_ALU_3(mad_wide_u16, (u32)(x * y + z))
PTX_ALU_3(mad_wide_s16, (u32)((u64)((s32)(s16)x * (s32)(s16)y) + z))
PTX_ALU_3(mad_wide_u32, (u64)(u32)x * (u32)y + z)
PTX_ALU_3(mad_wide_s32, (u64)((s64)(s32)x * (s64)(s32)y) + z)

/* Products of the low 24 bits. The higher bits of the sources are not used. */
#define PRODUCT_U24(a, b)	(((a) & 0xffffff) * ((b) & 0xffffff))
#define S24(a)			((s64)((a) << 40) >> 40)
#define PRODUCT_S24(a, b)	((u64)(S24(a) * S24(b)))

PTX_ALU_2(mul24_lo_u32, (u32)PRODUCT_U24(x, y))
PTX_ALU_2(mul24_lo_s32, (u32)PRODUCT_S24(x, y))
PTX_ALU_2(mul24_hi_u32, (u32)(PRODUCT_U24(x, y) >> 16))
PTX_ALU_2(mul24_hi_s32, (u32)(PRODUCT_S24(x, y) >> 16))
PTX_ALU_3(mad24_lo_u32, (u32)(PRODUCT_U24(x, y) + z))
PTX_ALU_3(mad24_lo_s32, (u32)(PRODUCT_S24(x, y) + z))
PTX_ALU_3(mad24_hi_u32, (u32)((PRODUCT_U24(x, y) >> 16) + z))
PTX_ALU_3(mad24_hi_s32, (u32)((PRODUCT_S24(x, y) >> 16) + z))
PTX_ALU_3(mad24_hi_sat, ptx_saturate_s32((s64)(s32)(PRODUCT_S24(x, y) >> 16) + (s32)z))

/* Sums of products of bytes, and of halves of x with two bytes of y, the first at bit @at. */
#define DP4A(type_x, type_y) \
	((u32)z + (u32)((s32)(type_x)x * (s32)(type_y)y) + \
	 (u32)((s32)(type_x)(x >> 8) * (s32)(type_y)(y >> 8)) + \
	 (u32)((s32)(type_x)(x >> 16) * (s32)(type_y)(y >> 16)) + \
	 (u32)((s32)(type_x)(x >> 24) * (s32)(type_y)(y >> 24)))
#define DP2A(type_x, type_y, at) \
	((u32)z + (u32)((s32)(type_x)x * (s32)(type_y)(y >> (at))) + \
	 (u32)((s32)(type_x)(x >> 16) * (s32)(type_y)(y >> ((at) + 8))))

PTX_ALU_3(dp4a_u32_u32, DP4A(u8, u8))
PTX_ALU_3(dp4a_u32_s32, DP4A(u8, s8))
PTX_ALU_3(dp4a_s32_u32, DP4A(s8, u8))
PTX_ALU_3(dp4a_s32_s32, DP4A(s8, s8))
PTX_ALU_3(dp2a_lo_u32_u32, DP2A(u16, u8, 0))
PTX_ALU_3(dp2a_lo_u32_s32, DP2A(u16, s8, 0))
PTX_ALU_3(dp2a_lo_s32_u32, DP2A(s16, u8, 0))
PTX_ALU_3(dp2a_lo_s32_s32, DP2A(s16, s8, 0))
PTX_ALU_3(dp2a_hi_u32_u32, DP2A(u16, u8, 16))
PTX_ALU_3(dp2a_hi_u32_s32, DP2A(u16, s8, 16))
PTX_ALU_3(dp2a_hi_s32_u32, DP2A(s16, u8, 16))
PTX_ALU_3(dp2a_hi_s32_s32, DP2A(s16, s8, 16))

#define MUL_WIDE(modifiers, alu, type, wide) \
	{ modifiers, alu, wide, { type, type }, false }
#define MAD_WIDE(modifiers, alu, type, wide) \
	{ modifiers, alu, wide, { type, type, wide }, false }

#define FORMS_WIDE(form, op) \
	form(".wide.u16", op##_u16, TYPE_U16, TYPE_U32), \
	form(".wide.u32", op##_u32, TYPE_U32, TYPE_U64), \
	form(".wide.s16", op##_s16, TYPE_S16, TYPE_S32), \
	form(".wide.s32", op##_s32, TYPE_S32, TYPE_S64)

static const struct ptx_alu_form mul_forms[] = {
	FORMS_BY_SIZE(FORM_2, ".lo", mul_lo),
	FORMS_BY_SIGN(FORM_2, ".hi", mul_hi),
	FORMS_WIDE(MUL_WIDE, mul_wide),
};

static const struct ptx_alu_form mad_forms[] = {
	FORMS_BY_SIZE(FORM_3, ".lo", mad_lo),
	FORMS_BY_SIGN(FORM_3, ".hi", mad_hi),
	FORM_3(".hi.sat.s32", mad_hi_sat, TYPE_S32),
	FORMS_WIDE(MAD_WIDE, mad_wide),
};

#define FORMS_24(form, op) \
	form(".lo.u32", op##_lo_u32, TYPE_U32), \
	form(".lo.s32", op##_lo_s32, TYPE_S32), \
	form(".hi.u32", op##_hi_u32, TYPE_U32), \
	form(".hi.s32", op##_hi_s32, TYPE_S32)

static const struct ptx_alu_form mul24_forms[] = { FORMS_24(FORM_2, mul24) };

static const struct ptx_alu_form mad24_forms[] = {
	FORMS_24(FORM_3, mad24),
	FORM_3(".hi.sat.s32", mad24_hi_sat, TYPE_S32),
};

/* The sum is signed if one of the sources is. */
#define FORMS_DOT(mode, op) \
	{ mode ".u32.u32", op##_u32_u32, TYPE_U32, { TYPE_U32, TYPE_U32, TYPE_U32 }, false }, \
	{ mode ".u32.s32", op##_u32_s32, TYPE_S32, { TYPE_U32, TYPE_U32, TYPE_S32 }, false }, \
	{ mode ".s32.u32", op##_s32_u32, TYPE_S32, { TYPE_U32, TYPE_U32, TYPE_S32 }, false }, \
	{ mode ".s32.s32", op##_s32_s32, TYPE_S32, { TYPE_U32, TYPE_U32, TYPE_S32 }, false }

static const struct ptx_alu_form dp4a_forms[] = { FORMS_DOT("", dp4a) };

static const struct ptx_alu_form dp2a_forms[] = {
	FORMS_DOT(".lo", dp2a_lo),
	FORMS_DOT(".hi", dp2a_hi),
};

static const struct ptx_alu_group groups[] = {
	PTX_GROUP("mul", mul_forms, .floats = true),
	PTX_GROUP("mad", mad_forms, .floats = true, .carry = true),
	PTX_GROUP("mul24", mul24_forms),
	PTX_GROUP("mad24", mad24_forms),
	PTX_GROUP("dp4a", dp4a_forms),
	PTX_GROUP("dp2a", dp2a_forms),
};

enum ptx_decoded ptx_mul_decode(struct ptx_decoder *d, const struct ptx_insn *insn,
				struct ptx_step *step)
{
	return ptx_alu_decode_forms(groups, ARRAY_SIZE(groups), d, insn, step);
}
