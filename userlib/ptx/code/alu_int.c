// SPDX-License-Identifier: MIT
/* Integers: arithmetic, logic, shifts, bit fields, selection. */
#include "code/alu_int.h"

/* --- add, sub, div, rem, abs, neg, min, max, sad ------------------------------ */

/*
 * Sums, differences and negative numbers have the same bits for signed and unsigned integers, so
 * there is one function for each size.
 */

/* Two halves of 16 bits, each computed on its own. */
#define HALVES(low, high)	((u64)(u16)(low) | (u64)(u16)(high) << 16)

PTX_ALU_2(add_16, (u16)(x + y))
PTX_ALU_2(add_32, (u32)(x + y))
PTX_ALU_2(add_64, x + y)
PTX_ALU_2(add_16x2, HALVES(x + y, (x >> 16) + (y >> 16)))
PTX_ALU_2(add_sat, ptx_saturate_s32((s64)(s32)x + (s32)y))

PTX_ALU_2(sub_16, (u16)(x - y))
PTX_ALU_2(sub_32, (u32)(x - y))
PTX_ALU_2(sub_64, x - y)
PTX_ALU_2(sub_sat, ptx_saturate_s32((s64)(s32)x - (s32)y))

PTX_ALU_1(neg_16, (u16)-x)
PTX_ALU_1(neg_32, (u32)-x)
PTX_ALU_1(neg_64, -x)

/* The absolute value of the lowest number is the number itself. */
PTX_ALU_1(abs_16, (u16)((s16)x < 0 ? -x : x))
PTX_ALU_1(abs_32, (u32)((s32)x < 0 ? -x : x))
PTX_ALU_1(abs_64, (s64)x < 0 ? -x : x)

#define FUNCTIONS_MIN_MAX_SAD(type, unsigned_type) \
	PTX_ALU_2(min_##type, (type)x < (type)y ? x : y) \
	PTX_ALU_2(max_##type, (type)x > (type)y ? x : y) \
	PTX_ALU_3(sad_##type, (unsigned_type)(z + ((type)x < (type)y ? y - x : x - y)))

FUNCTIONS_MIN_MAX_SAD(u16, u16)
FUNCTIONS_MIN_MAX_SAD(u32, u32)
FUNCTIONS_MIN_MAX_SAD(u64, u64)
FUNCTIONS_MIN_MAX_SAD(s16, u16)
FUNCTIONS_MIN_MAX_SAD(s32, u32)
FUNCTIONS_MIN_MAX_SAD(s64, u64)

#define LESS(type, a, b)	((type)(a) < (type)(b) ? (type)(a) : (type)(b))
#define MORE(type, a, b)	((type)(a) > (type)(b) ? (type)(a) : (type)(b))
#define RELU(type, a)		((type)(a) < 0 ? 0 : (type)(a))

PTX_ALU_2(min_u16x2, HALVES(LESS(u16, x, y), LESS(u16, x >> 16, y >> 16)))
PTX_ALU_2(max_u16x2, HALVES(MORE(u16, x, y), MORE(u16, x >> 16, y >> 16)))
PTX_ALU_2(min_s16x2, HALVES(LESS(s16, x, y), LESS(s16, x >> 16, y >> 16)))
PTX_ALU_2(max_s16x2, HALVES(MORE(s16, x, y), MORE(s16, x >> 16, y >> 16)))
PTX_ALU_2(min_relu_s16x2, HALVES(RELU(s16, LESS(s16, x, y)),
				 RELU(s16, LESS(s16, x >> 16, y >> 16))))
PTX_ALU_2(max_relu_s16x2, HALVES(RELU(s16, MORE(s16, x, y)),
				 RELU(s16, MORE(s16, x >> 16, y >> 16))))
PTX_ALU_2(min_relu_s32, (u32)RELU(s32, LESS(s32, x, y)))
PTX_ALU_2(max_relu_s32, (u32)RELU(s32, MORE(s32, x, y)))

/*
 * PTX leaves the result of a division by zero to the machine. On an H100 the quotient and the
 * remainder have all bits set. The lowest number divided by -1 is itself.
 */
#define FUNCTIONS_DIVIDE(type) \
	PTX_ALU_2(div_##type, (type)y ? (type)x / (type)y : (type)~0ull) \
	PTX_ALU_2(rem_##type, (type)y ? (type)x % (type)y : (type)~0ull)

#define FUNCTIONS_DIVIDE_SIGNED(type, unsigned_type) \
	PTX_ALU_2(div_##type, !(type)y ? (unsigned_type)~0ull : \
			      (type)y == -1 ? (unsigned_type)(0 - x) : \
			      (unsigned_type)((type)x / (type)y)) \
	PTX_ALU_2(rem_##type, !(type)y ? (unsigned_type)~0ull : \
			      (type)y == -1 ? 0 : (unsigned_type)((type)x % (type)y))

FUNCTIONS_DIVIDE(u16)
FUNCTIONS_DIVIDE(u32)
FUNCTIONS_DIVIDE(u64)
FUNCTIONS_DIVIDE_SIGNED(s16, u16)
FUNCTIONS_DIVIDE_SIGNED(s32, u32)
FUNCTIONS_DIVIDE_SIGNED(s64, u64)

#define FORMS_SIGNED(op) \
	FORM_1(".s16", op##_16, TYPE_S16), \
	FORM_1(".s32", op##_32, TYPE_S32), \
	FORM_1(".s64", op##_64, TYPE_S64)

static const struct ptx_alu_form add_forms[] = {
	FORMS_BY_SIZE(FORM_2, "", add),
	FORM_2(".sat.s32", add_sat, TYPE_S32),
	FORM_2(".u16x2", add_16x2, PTX_FORM_X2),
	FORM_2(".s16x2", add_16x2, PTX_FORM_X2),
};

static const struct ptx_alu_form sub_forms[] = {
	FORMS_BY_SIZE(FORM_2, "", sub),
	FORM_2(".sat.s32", sub_sat, TYPE_S32),
};

static const struct ptx_alu_form div_forms[] = { FORMS_BY_SIGN(FORM_2, "", div) };
static const struct ptx_alu_form rem_forms[] = { FORMS_BY_SIGN(FORM_2, "", rem) };
static const struct ptx_alu_form sad_forms[] = { FORMS_BY_SIGN(FORM_3, "", sad) };
static const struct ptx_alu_form neg_forms[] = { FORMS_SIGNED(neg) };
static const struct ptx_alu_form abs_forms[] = { FORMS_SIGNED(abs) };

static const struct ptx_alu_form min_forms[] = {
	FORMS_BY_SIGN(FORM_2, "", min),
	FORM_2(".relu.s32", min_relu_s32, TYPE_S32),
	FORM_2(".s32.relu", min_relu_s32, TYPE_S32),
	FORM_2(".u16x2", min_u16x2, PTX_FORM_X2),
	FORM_2(".s16x2", min_s16x2, PTX_FORM_X2),
	FORM_2(".relu.s16x2", min_relu_s16x2, PTX_FORM_X2),
	/* The headers of CUDA have this order. */
	FORM_2(".s16x2.relu", min_relu_s16x2, PTX_FORM_X2),
};

static const struct ptx_alu_form max_forms[] = {
	FORMS_BY_SIGN(FORM_2, "", max),
	FORM_2(".relu.s32", max_relu_s32, TYPE_S32),
	FORM_2(".s32.relu", max_relu_s32, TYPE_S32),
	FORM_2(".u16x2", max_u16x2, PTX_FORM_X2),
	FORM_2(".s16x2", max_s16x2, PTX_FORM_X2),
	FORM_2(".relu.s16x2", max_relu_s16x2, PTX_FORM_X2),
	/* The headers of CUDA have this order. */
	FORM_2(".s16x2.relu", max_relu_s16x2, PTX_FORM_X2),
};

/* --- mul, mad, mul24, mad24, dp4a, dp2a --------------------------------------- */

/* The low half of a product has the same bits for signed and unsigned integers. */

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

/* --- add.cc, addc, sub.cc, subc, mad.cc, madc --------------------------------- */

/*
 * A result is computed with more bits than the type has. The bit above the highest bit of the type
 * is then the carry. As on an H100, x - y is the sum x + ~y + 1. The carry of a difference is
 * therefore 1 if there is no borrow. Compilers depend on it: they use addc after sub.cc.
 */

/*
 * Defines a function. In the expression, x, y and z are the sources and c is the carry of the lane.
 * @in: The carry that is added
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
			const wide c = (in); \
			const wide result = (expression); \
			\
			(void)z; \
			d_[i] = (type)result; \
			carries |= (u32)(result >> (bits) & 1) << i; \
		} \
		if (out) \
			regs->carry = (regs->carry & ~mask) | carries; \
	}

#define CARRY_IN	(regs->carry >> i & 1)

/*
 * The three functions of an operation: it writes the carry, adds it, or does both. The first one
 * adds the number @none.
 */
#define FUNCTIONS_CARRY(op, sources, type, wide, bits, none, expression) \
	CARRY(op##_out, sources, type, wide, bits, none, true, expression) \
	CARRY(op##_in, sources, type, wide, bits, CARRY_IN, false, expression) \
	CARRY(op##_in_out, sources, type, wide, bits, CARRY_IN, true, expression)

/* The high half of a product, without its sign. */
#define HIGH_U32	((u64)x * y >> 32)
#define HIGH_S32	((u64)(u32)((s64)(s32)x * (s32)y >> 32))
#define HIGH_U64	((__uint128_t)x * y >> 64)
#define HIGH_S64	((__uint128_t)(u64)((__int128_t)(s64)x * (s64)y >> 64))

FUNCTIONS_CARRY(add_32, 2, u32, u64, 32, 0, (u64)x + y + c)
FUNCTIONS_CARRY(add_64, 2, u64, __uint128_t, 64, 0, (__uint128_t)x + y + c)
FUNCTIONS_CARRY(sub_32, 2, u32, u64, 32, 1, (u64)x + (u32)~y + c)
FUNCTIONS_CARRY(sub_64, 2, u64, __uint128_t, 64, 1, (__uint128_t)x + ~y + c)
FUNCTIONS_CARRY(mad_lo_32, 3, u32, u64, 32, 0, (u64)(x * y) + z + c)
FUNCTIONS_CARRY(mad_lo_64, 3, u64, __uint128_t, 64, 0, (__uint128_t)(x * y) + z + c)
FUNCTIONS_CARRY(mad_hi_u32, 3, u32, u64, 32, 0, HIGH_U32 + z + c)
FUNCTIONS_CARRY(mad_hi_u64, 3, u64, __uint128_t, 64, 0, HIGH_U64 + z + c)
FUNCTIONS_CARRY(mad_hi_s32, 3, u32, u64, 32, 0, HIGH_S32 + z + c)
FUNCTIONS_CARRY(mad_hi_s64, 3, u64, __uint128_t, 64, 0, HIGH_S64 + z + c)

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

/* --- and, or, xor, not, cnot, lop3 -------------------------------------------- */

PTX_ALU_2(and_row, x & y)
PTX_ALU_2(or_row, x | y)
PTX_ALU_2(xor_row, x ^ y)
PTX_ALU_1(not_16, (u16)~x)
PTX_ALU_1(not_32, (u32)~x)
PTX_ALU_1(not_64, ~x)
PTX_ALU_1(cnot_row, !x)

static void and_pred(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask)
{
	ptx_set_pred(regs, step->dst, mask,
		     ptx_pred(regs, step->src[0]) & ptx_pred(regs, step->src[1]));
}

static void or_pred(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask)
{
	ptx_set_pred(regs, step->dst, mask,
		     ptx_pred(regs, step->src[0]) | ptx_pred(regs, step->src[1]));
}

static void xor_pred(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask)
{
	ptx_set_pred(regs, step->dst, mask,
		     ptx_pred(regs, step->src[0]) ^ ptx_pred(regs, step->src[1]));
}

static void not_pred(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask)
{
	ptx_set_pred(regs, step->dst, mask, ~ptx_pred(regs, step->src[0]));
}

/* struct lop3_table - The table of lop3: for each index 4a + 2b + c all bits 0, or all bits 1 */
struct lop3_table {
	u32 bits[8];
};

static struct lop3_table lop3_table(uint64_t imm)
{
	struct lop3_table table;

	for (unsigned int i = 0; i < 8; i++)
		table.bits[i] = imm >> i & 1 ? ~0u : 0;
	return table;
}

/* Each bit of @which selects a bit of @one or of @zero. */
static inline u32 choose(u32 which, u32 one, u32 zero)
{
	return zero ^ (which & (one ^ zero));
}

static inline u32 lop3(const struct lop3_table *table, u64 a, u64 b, u64 c)
{
	const u32 *t = table->bits;
	u32 c0 = choose((u32)c, t[1], t[0]);
	u32 c1 = choose((u32)c, t[3], t[2]);
	u32 c2 = choose((u32)c, t[5], t[4]);
	u32 c3 = choose((u32)c, t[7], t[6]);

	return choose((u32)a, choose((u32)b, c3, c2), choose((u32)b, c1, c0));
}

static void lop3_row(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask)
{
	const struct lop3_table table = lop3_table(step->imm);
	u64 *d = ptx_row(regs, step->dst);
	const u64 *a = ptx_row(regs, step->src[0]);
	const u64 *b = ptx_row(regs, step->src[1]);
	const u64 *c = ptx_row(regs, step->src[2]);

	PTX_FOR_LANES(mask, i, d[i] = lop3(&table, a[i], b[i], c[i]));
}

/* The lanes whose result is not 0. The result is written to the destination, if there is one. */
static u32 lop3_nonzero(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask)
{
	const struct lop3_table table = lop3_table(step->imm);
	u64 *d = step->dst == PTX_NO_ROW ? NULL : ptx_row(regs, step->dst);
	const u64 *a = ptx_row(regs, step->src[0]);
	const u64 *b = ptx_row(regs, step->src[1]);
	const u64 *c = ptx_row(regs, step->src[2]);
	u32 nonzero = 0;

	for (u32 left = mask; left; left &= left - 1) {
		u32 i = (u32)__builtin_ctz(left);
		u32 result = lop3(&table, a[i], b[i], c[i]);

		nonzero |= (u32)!!result << i;
		if (d)
			d[i] = result;
	}
	return nonzero;
}

static void lop3_or(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask)
{
	u32 nonzero = lop3_nonzero(step, regs, mask);

	ptx_set_pred(regs, step->dst2, mask, nonzero | ptx_pred(regs, step->src[3]));
}

static void lop3_and(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask)
{
	u32 nonzero = lop3_nonzero(step, regs, mask);

	ptx_set_pred(regs, step->dst2, mask, nonzero & ptx_pred(regs, step->src[3]));
}

#define FORMS_LOGIC(op) \
	FORM_2(".pred", op##_pred, TYPE_PRED), \
	FORM_2(".b16", op##_row, TYPE_B16), \
	FORM_2(".b32", op##_row, TYPE_B32), \
	FORM_2(".b64", op##_row, TYPE_B64)

#define FORM_LOP3_SOURCES	TYPE_B32, TYPE_B32, TYPE_B32, PTX_FORM_IMM

static const struct ptx_alu_form and_forms[] = { FORMS_LOGIC(and) };
static const struct ptx_alu_form or_forms[] = { FORMS_LOGIC(or) };
static const struct ptx_alu_form xor_forms[] = { FORMS_LOGIC(xor) };

static const struct ptx_alu_form not_forms[] = {
	FORM_1(".pred", not_pred, TYPE_PRED),
	FORM_1(".b16", not_16, TYPE_B16),
	FORM_1(".b32", not_32, TYPE_B32),
	FORM_1(".b64", not_64, TYPE_B64),
};

static const struct ptx_alu_form cnot_forms[] = {
	FORM_1(".b16", cnot_row, TYPE_B16),
	FORM_1(".b32", cnot_row, TYPE_B32),
	FORM_1(".b64", cnot_row, TYPE_B64),
};

static const struct ptx_alu_form lop3_forms[] = {
	{ ".b32", lop3_row, TYPE_B32, { FORM_LOP3_SOURCES }, false },
	{ ".or.b32", lop3_or, TYPE_B32, { FORM_LOP3_SOURCES, TYPE_PRED }, true },
	{ ".and.b32", lop3_and, TYPE_B32, { FORM_LOP3_SOURCES, TYPE_PRED }, true },
};

/* --- shl, shr, shf, prmt ------------------------------------------------------ */

/* An amount above the size of the type shifts by that size. */
#define AMOUNT(y)	((y) > 63 ? 63 : (y))

PTX_ALU_2(shl_16, (u16)(x << AMOUNT(y)))
PTX_ALU_2(shl_32, (u32)(x << AMOUNT(y)))
PTX_ALU_2(shl_64, y > 63 ? 0 : x << y)
PTX_ALU_2(shr_u, y > 63 ? 0 : x >> y)
PTX_ALU_2(shr_s16, (u16)((s64)(s16)x >> AMOUNT(y)))
PTX_ALU_2(shr_s32, (u32)((s64)(s32)x >> AMOUNT(y)))
PTX_ALU_2(shr_s64, (u64)((s64)x >> AMOUNT(y)))

/* A shift of 64 bits, of which y are the high half and x the low half. */
#define FUNNEL(x, y)	((y) << 32 | (x))

PTX_ALU_3(shf_l_clamp, FUNNEL(x, y) << (z > 32 ? 32 : z) >> 32)
PTX_ALU_3(shf_l_wrap, FUNNEL(x, y) << (z & 31) >> 32)
PTX_ALU_3(shf_r_clamp, (u32)(FUNNEL(x, y) >> (z > 32 ? 32 : z)))
PTX_ALU_3(shf_r_wrap, (u32)(FUNNEL(x, y) >> (z & 31)))

/*
 * Each of the four lowest hexadecimal digits of @control selects a byte of the sources, of which x
 * are the bytes 0 to 3. The highest bit of a digit replaces the byte by copies of its sign.
 */
static inline u32 permute(u64 x, u64 y, u32 control)
{
	u64 bytes = FUNNEL(x, y);
	u32 result = 0;

	for (unsigned int i = 0; i < 32; i += 8, control >>= 4) {
		u32 byte = (u8)(bytes >> 8 * (control & 7));

		if (control & 8)
			byte = byte & 0x80 ? 0xff : 0;
		result |= byte << i;
	}
	return result;
}

/* The controls that the two lowest bits of the third source choose in each mode. */
static const u16 f4e[4] = { 0x3210, 0x4321, 0x5432, 0x6543 };
static const u16 b4e[4] = { 0x5670, 0x6701, 0x7012, 0x0123 };
static const u16 rc8[4] = { 0x0000, 0x1111, 0x2222, 0x3333 };
static const u16 ecl[4] = { 0x3210, 0x3211, 0x3222, 0x3333 };
static const u16 ecr[4] = { 0x0000, 0x1110, 0x2210, 0x3210 };
static const u16 rc16[4] = { 0x1010, 0x3232, 0x1010, 0x3232 };

PTX_ALU_3(prmt, permute(x, y, (u32)z))
PTX_ALU_3(prmt_f4e, permute(x, y, f4e[z & 3]))
PTX_ALU_3(prmt_b4e, permute(x, y, b4e[z & 3]))
PTX_ALU_3(prmt_rc8, permute(x, y, rc8[z & 3]))
PTX_ALU_3(prmt_ecl, permute(x, y, ecl[z & 3]))
PTX_ALU_3(prmt_ecr, permute(x, y, ecr[z & 3]))
PTX_ALU_3(prmt_rc16, permute(x, y, rc16[z & 3]))

#define FORM_SHIFT(modifiers, alu, type) \
	{ modifiers, alu, type, { type, TYPE_U32 }, false }
#define FORM_FUNNEL(modifiers, alu) \
	{ modifiers, alu, TYPE_B32, { TYPE_B32, TYPE_B32, TYPE_U32 }, false }

static const struct ptx_alu_form shl_forms[] = {
	FORM_SHIFT(".b16", shl_16, TYPE_B16),
	FORM_SHIFT(".b32", shl_32, TYPE_B32),
	FORM_SHIFT(".b64", shl_64, TYPE_B64),
};

static const struct ptx_alu_form shr_forms[] = {
	FORM_SHIFT(".b16", shr_u, TYPE_B16),
	FORM_SHIFT(".b32", shr_u, TYPE_B32),
	FORM_SHIFT(".b64", shr_u, TYPE_B64),
	FORM_SHIFT(".u16", shr_u, TYPE_U16),
	FORM_SHIFT(".u32", shr_u, TYPE_U32),
	FORM_SHIFT(".u64", shr_u, TYPE_U64),
	FORM_SHIFT(".s16", shr_s16, TYPE_S16),
	FORM_SHIFT(".s32", shr_s32, TYPE_S32),
	FORM_SHIFT(".s64", shr_s64, TYPE_S64),
};

static const struct ptx_alu_form shf_forms[] = {
	FORM_FUNNEL(".l.clamp.b32", shf_l_clamp),
	FORM_FUNNEL(".l.wrap.b32", shf_l_wrap),
	FORM_FUNNEL(".r.clamp.b32", shf_r_clamp),
	FORM_FUNNEL(".r.wrap.b32", shf_r_wrap),
};

static const struct ptx_alu_form prmt_forms[] = {
	FORM_FUNNEL(".b32", prmt),
	FORM_FUNNEL(".b32.f4e", prmt_f4e),
	FORM_FUNNEL(".b32.b4e", prmt_b4e),
	FORM_FUNNEL(".b32.rc8", prmt_rc8),
	FORM_FUNNEL(".b32.ecl", prmt_ecl),
	FORM_FUNNEL(".b32.ecr", prmt_ecr),
	FORM_FUNNEL(".b32.rc16", prmt_rc16),
};

/* --- popc, clz, bfind, fns, brev, bfe, bfi, bmsk, szext ----------------------- */

/*
 * Sums of bits in fields that double in size. Most machines have an instruction for it that a
 * compiler must not use, and a call of a function for each lane is slower.
 */
static inline u64 ones(u64 x)
{
	x -= x >> 1 & 0x5555555555555555;
	x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
	x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f;
	return x * 0x0101010101010101 >> 56;
}

/* The index of the highest bit that is set; all ones if there is none. */
static inline u32 highest(u64 x)
{
	return x ? 63 - (u32)__builtin_clzll(x) : ~0u;
}

/* If a bit was found, the amount by which a shift to the left moves it to the highest bit. */
static inline u32 shift_amount(u32 found, u32 msb)
{
	return found == ~0u ? found : msb - found;
}

#define FLIP_S32(x)	((s32)(x) < 0 ? (u32)~(x) : (x))
#define FLIP_S64(x)	((s64)(x) < 0 ? ~(x) : (x))

PTX_ALU_1(popc, ones(x))
PTX_ALU_1(clz_32, 31 - highest(x))
PTX_ALU_1(clz_64, 63 - highest(x))
PTX_ALU_1(bfind_u, highest(x))
PTX_ALU_1(bfind_s32, highest(FLIP_S32(x)))
PTX_ALU_1(bfind_s64, highest(FLIP_S64(x)))
PTX_ALU_1(bfind_shiftamt_u32, shift_amount(highest(x), 31))
PTX_ALU_1(bfind_shiftamt_u64, shift_amount(highest(x), 63))
PTX_ALU_1(bfind_shiftamt_s32, shift_amount(highest(FLIP_S32(x)), 31))
PTX_ALU_1(bfind_shiftamt_s64, shift_amount(highest(FLIP_S64(x)), 63))

static inline u64 reverse(u64 x)
{
	x = (x >> 1 & 0x5555555555555555) | (x & 0x5555555555555555) << 1;
	x = (x >> 2 & 0x3333333333333333) | (x & 0x3333333333333333) << 2;
	x = (x >> 4 & 0x0f0f0f0f0f0f0f0f) | (x & 0x0f0f0f0f0f0f0f0f) << 4;
	return __builtin_bswap64(x);
}

PTX_ALU_1(brev_32, reverse(x) >> 32)
PTX_ALU_1(brev_64, reverse(x))

/* The @offset-th bit that is set, seen from bit @base upwards or, if negative, downwards. */
static u32 find_nth(u32 mask, u32 base, s32 offset)
{
	u32 count = offset < 0 ? -(u32)offset : (u32)offset;

	/* PTX does not define what a base above 31 does. */
	if (base > 31)
		return ~0u;
	if (!offset)
		return mask >> base & 1 ? base : ~0u;
	mask &= offset > 0 ? ~0u << base : ~0u >> (31 - base);
	for (; mask && count > 1; count--)
		mask &= offset > 0 ? mask - 1 : ~(1u << highest(mask));
	if (!mask)
		return ~0u;
	return offset > 0 ? (u32)__builtin_ctz(mask) : highest(mask);
}

PTX_ALU_3(fns, find_nth((u32)x, (u32)y, (s32)z))

/* The lowest @length bits; all of them if @length is 64 or more. */
static inline u64 low_bits(u64 length)
{
	return length >= 64 ? ~0ull : (1ull << length) - 1;
}

static inline u64 extract_unsigned(u64 a, u64 position, u64 length)
{
	return position > 63 ? 0 : a >> position & low_bits(length);
}

static inline u64 extract_signed(s64 a, u64 position, u64 length)
{
	if (!length)
		return 0;
	/* The highest bit is the sign of all positions above it. */
	if (position > 63)
		position = 63;
	a >>= position;
	if (length > 63)
		return (u64)a;
	return (u64)((s64)((u64)a << (64 - length)) >> (64 - length));
}

static inline u64 insert(u64 a, u64 b, u64 position, u64 length)
{
	u64 field;

	if (position > 63)
		return b;
	field = low_bits(length) << position;
	return (b & ~field) | (a << position & field);
}

/*
 * Types of 32 bits use only eight bits of the position and the length. Types of 64 bits use all of
 * them on an H100.
 */
PTX_ALU_3(bfe_u32, extract_unsigned(x, (u8)y, (u8)z))
PTX_ALU_3(bfe_u64, extract_unsigned(x, y, z))
PTX_ALU_3(bfe_s32, (u32)extract_signed((s32)x, (u8)y, (u8)z))
PTX_ALU_3(bfe_s64, extract_signed((s64)x, y, z))
PTX_ALU_4(bfi_32, (u32)insert(x, y, (u8)z, (u8)w))
PTX_ALU_4(bfi_64, insert(x, y, z, w))

/* Sources are numbers of 32 bits; a field of more than 64 bits is cut like one of 64. */
static inline u32 field_clamped(u64 position, u64 length)
{
	return position > 31 ? 0 : (u32)(low_bits(length) << position);
}

PTX_ALU_2(bmsk_clamp, field_clamped(x, y))
PTX_ALU_2(bmsk_wrap, field_clamped(x & 31, y & 31))

/* The low @length bits of a number; if there are more than 32, the number does not change. */
PTX_ALU_2(szext_clamp_u32, (u32)(x & low_bits(y)))
PTX_ALU_2(szext_wrap_u32, (u32)(x & low_bits(y & 31)))
PTX_ALU_2(szext_clamp_s32, (u32)extract_signed((s32)x, 0, y > 32 ? 32 : y))
PTX_ALU_2(szext_wrap_s32, (u32)extract_signed((s32)x, 0, y & 31))

#define FORM_COUNT(modifiers, alu, type)	{ modifiers, alu, TYPE_U32, { type }, false }
#define FORM_BFE(modifiers, alu, type) \
	{ modifiers, alu, type, { type, PTX_FORM_BYTE, PTX_FORM_BYTE }, false }
#define FORM_BFI(modifiers, alu, type) \
	{ modifiers, alu, type, { type, type, PTX_FORM_BYTE, PTX_FORM_BYTE }, false }

static const struct ptx_alu_form popc_forms[] = {
	FORM_COUNT(".b32", popc, TYPE_B32),
	FORM_COUNT(".b64", popc, TYPE_B64),
};

static const struct ptx_alu_form clz_forms[] = {
	FORM_COUNT(".b32", clz_32, TYPE_B32),
	FORM_COUNT(".b64", clz_64, TYPE_B64),
};

static const struct ptx_alu_form bfind_forms[] = {
	FORM_COUNT(".u32", bfind_u, TYPE_U32),
	FORM_COUNT(".u64", bfind_u, TYPE_U64),
	FORM_COUNT(".s32", bfind_s32, TYPE_S32),
	FORM_COUNT(".s64", bfind_s64, TYPE_S64),
	FORM_COUNT(".shiftamt.u32", bfind_shiftamt_u32, TYPE_U32),
	FORM_COUNT(".shiftamt.u64", bfind_shiftamt_u64, TYPE_U64),
	FORM_COUNT(".shiftamt.s32", bfind_shiftamt_s32, TYPE_S32),
	FORM_COUNT(".shiftamt.s64", bfind_shiftamt_s64, TYPE_S64),
};

static const struct ptx_alu_form brev_forms[] = {
	FORM_1(".b32", brev_32, TYPE_B32),
	FORM_1(".b64", brev_64, TYPE_B64),
};

/* PTX wants .b32, .u32 or .s32 for the base. All are integers of 32 bits. */
static const struct ptx_alu_form fns_forms[] = {
	{ ".b32", fns, TYPE_B32, { TYPE_B32, TYPE_S32, TYPE_S32 }, false },
};

static const struct ptx_alu_form bfe_forms[] = {
	FORM_BFE(".u32", bfe_u32, TYPE_U32),
	FORM_BFE(".u64", bfe_u64, TYPE_U64),
	FORM_BFE(".s32", bfe_s32, TYPE_S32),
	FORM_BFE(".s64", bfe_s64, TYPE_S64),
};

static const struct ptx_alu_form bfi_forms[] = {
	FORM_BFI(".b32", bfi_32, TYPE_B32),
	FORM_BFI(".b64", bfi_64, TYPE_B64),
};

static const struct ptx_alu_form bmsk_forms[] = {
	{ ".clamp.b32", bmsk_clamp, TYPE_U32, { TYPE_U32, TYPE_U32 }, false },
	{ ".wrap.b32", bmsk_wrap, TYPE_U32, { TYPE_U32, TYPE_U32 }, false },
};

static const struct ptx_alu_form szext_forms[] = {
	{ ".clamp.u32", szext_clamp_u32, TYPE_U32, { TYPE_U32, TYPE_U32 }, false },
	{ ".wrap.u32", szext_wrap_u32, TYPE_U32, { TYPE_U32, TYPE_U32 }, false },
	{ ".clamp.s32", szext_clamp_s32, TYPE_S32, { TYPE_S32, TYPE_U32 }, false },
	{ ".wrap.s32", szext_wrap_s32, TYPE_S32, { TYPE_S32, TYPE_U32 }, false },
};

/* --- selp, slct, cvt.pack ----------------------------------------------------- */

static void selp(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask)
{
	u64 *d = ptx_row(regs, step->dst);
	const u64 *a = ptx_row(regs, step->src[0]);
	const u64 *b = ptx_row(regs, step->src[1]);
	const u64 lanes = ptx_pred(regs, step->src[2]);

	/* A mask of all bits selects a, a mask of no bits selects b. */
	PTX_FOR_LANES(mask, i, d[i] = b[i] ^ (-(lanes >> i & 1) & (a[i] ^ b[i])));
}

/* Is a float at least 0? -0 is, NaN is not. */
static inline bool not_negative(u32 bits)
{
	return bits <= 0x7f800000 || bits == 0x80000000;
}

/* The same for a float whose subnormal values are zeros. */
static inline bool not_negative_ftz(u32 bits)
{
	return bits <= 0x7f800000 || (bits & 0xff800000) == 0x80000000;
}

PTX_ALU_3(slct_s32, (s32)z >= 0 ? x : y)
PTX_ALU_3(slct_f32, not_negative((u32)z) ? x : y)
PTX_ALU_3(slct_ftz_f32, not_negative_ftz((u32)z) ? x : y)

/* A signed number as an integer with fewer bits, with saturation. */
static inline u32 saturate(u64 value, s32 low, s32 high)
{
	s32 number = (s32)value;

	return (u32)(number < low ? low : number > high ? high : number);
}

#define PACK_U(value, bits)	saturate(value, 0, (1 << (bits)) - 1)
#define PACK_S(value, bits) \
	(saturate(value, -(1 << ((bits) - 1)), (1 << ((bits) - 1)) - 1) & ((1u << (bits)) - 1))

/* The second source comes lowest, then the first, then the low bits of the third. */
#define PACK(pack, bits) \
	(pack(y, bits) | pack(x, bits) << (bits))
#define PACK_MERGE(pack, bits) \
	((u32)(PACK(pack, bits) | z << 2 * (bits)))

PTX_ALU_2(pack_u16, PACK(PACK_U, 16))
PTX_ALU_2(pack_s16, PACK(PACK_S, 16))
PTX_ALU_3(pack_u8, PACK_MERGE(PACK_U, 8))
PTX_ALU_3(pack_s8, PACK_MERGE(PACK_S, 8))
PTX_ALU_3(pack_u4, PACK_MERGE(PACK_U, 4))
PTX_ALU_3(pack_s4, PACK_MERGE(PACK_S, 4))
PTX_ALU_3(pack_u2, PACK_MERGE(PACK_U, 2))
PTX_ALU_3(pack_s2, PACK_MERGE(PACK_S, 2))

#define FORM_SELECT(modifiers, alu, type, by) \
	{ modifiers, alu, type, { type, type, by }, false }

#define FORMS_SELECT(before, after, alu, by) \
	FORM_SELECT(before ".b16" after, alu, TYPE_B16, by), \
	FORM_SELECT(before ".b32" after, alu, TYPE_B32, by), \
	FORM_SELECT(before ".b64" after, alu, TYPE_B64, by), \
	FORM_SELECT(before ".u16" after, alu, TYPE_U16, by), \
	FORM_SELECT(before ".u32" after, alu, TYPE_U32, by), \
	FORM_SELECT(before ".u64" after, alu, TYPE_U64, by), \
	FORM_SELECT(before ".s16" after, alu, TYPE_S16, by), \
	FORM_SELECT(before ".s32" after, alu, TYPE_S32, by), \
	FORM_SELECT(before ".s64" after, alu, TYPE_S64, by), \
	FORM_SELECT(before ".f32" after, alu, TYPE_F32, by), \
	FORM_SELECT(before ".f64" after, alu, TYPE_F64, by)

#define FORM_PACK(modifiers, alu) \
	{ modifiers, alu, TYPE_U32, { TYPE_S32, TYPE_S32, TYPE_B32 }, false }

static const struct ptx_alu_form selp_forms[] = { FORMS_SELECT("", "", selp, TYPE_PRED) };

static const struct ptx_alu_form slct_forms[] = {
	FORMS_SELECT("", ".s32", slct_s32, TYPE_S32),
	FORMS_SELECT("", ".f32", slct_f32, TYPE_F32),
	FORMS_SELECT(".ftz", ".f32", slct_ftz_f32, TYPE_F32),
};

static const struct ptx_alu_form pack_forms[] = {
	{ ".sat.u16.s32", pack_u16, TYPE_U32, { TYPE_S32, TYPE_S32 }, false },
	{ ".sat.s16.s32", pack_s16, TYPE_U32, { TYPE_S32, TYPE_S32 }, false },
	FORM_PACK(".sat.u8.s32.b32", pack_u8),
	FORM_PACK(".sat.s8.s32.b32", pack_s8),
	FORM_PACK(".sat.u4.s32.b32", pack_u4),
	FORM_PACK(".sat.s4.s32.b32", pack_s4),
	FORM_PACK(".sat.u2.s32.b32", pack_u2),
	FORM_PACK(".sat.s2.s32.b32", pack_s2),
};

/* --- all forms ------------------------------------------------------------------------ */

/* What has a longer name comes first: add.cc before add. */
static const struct ptx_alu_group groups[] = {
	PTX_GROUP("add.cc", add_cc_forms),
	PTX_GROUP("addc", addc_forms),
	PTX_GROUP("sub.cc", sub_cc_forms),
	PTX_GROUP("subc", subc_forms),
	PTX_GROUP("mad.lo.cc", mad_lo_cc_forms),
	PTX_GROUP("mad.hi.cc", mad_hi_cc_forms),
	PTX_GROUP("madc", madc_forms),
	PTX_GROUP("add", add_forms, .floats = true),
	PTX_GROUP("sub", sub_forms, .floats = true),
	PTX_GROUP("div", div_forms, .floats = true),
	PTX_GROUP("rem", rem_forms),
	PTX_GROUP("neg", neg_forms, .floats = true),
	PTX_GROUP("abs", abs_forms, .floats = true),
	PTX_GROUP("min", min_forms, .floats = true),
	PTX_GROUP("max", max_forms, .floats = true),
	PTX_GROUP("sad", sad_forms),
	PTX_GROUP("mul", mul_forms, .floats = true),
	PTX_GROUP("mad", mad_forms, .floats = true),
	PTX_GROUP("mul24", mul24_forms),
	PTX_GROUP("mad24", mad24_forms),
	PTX_GROUP("dp4a", dp4a_forms),
	PTX_GROUP("dp2a", dp2a_forms),
	PTX_GROUP("and", and_forms),
	PTX_GROUP("or", or_forms),
	PTX_GROUP("xor", xor_forms),
	PTX_GROUP("not", not_forms),
	PTX_GROUP("cnot", cnot_forms),
	PTX_GROUP("lop3", lop3_forms),
	PTX_GROUP("shl", shl_forms),
	PTX_GROUP("shr", shr_forms),
	PTX_GROUP("shf", shf_forms),
	PTX_GROUP("prmt", prmt_forms),
	PTX_GROUP("popc", popc_forms),
	PTX_GROUP("clz", clz_forms),
	PTX_GROUP("bfind", bfind_forms),
	PTX_GROUP("brev", brev_forms),
	PTX_GROUP("fns", fns_forms),
	PTX_GROUP("bfe", bfe_forms),
	PTX_GROUP("bfi", bfi_forms),
	PTX_GROUP("bmsk", bmsk_forms),
	PTX_GROUP("szext", szext_forms),
	PTX_GROUP("selp", selp_forms),
	PTX_GROUP("slct", slct_forms),
	PTX_GROUP("cvt.pack", pack_forms),
};

enum ptx_decoded ptx_int_decode(struct ptx_decoder *d, const struct ptx_insn *insn,
				struct ptx_step *step)
{
	return ptx_alu_decode_forms(groups, ARRAY_SIZE(groups), d, insn, step);
}
