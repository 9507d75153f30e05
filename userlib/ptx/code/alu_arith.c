// SPDX-License-Identifier: MIT
/*
 * Integer arithmetic without products: add, sub, div, rem, abs, neg, min, max, sad.
 *
 * Sums, differences and negative numbers have the same bits for signed and unsigned integers, so
 * there is one function for each size.
 */
#include "code/alu_int.h"

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
 * PTX leaves the result of a division by zero to the machine. On NVIDIA's machines the quotient has
 * all bits set, and the remainder is the dividend. The lowest number divided by -1 is itself.
 */
#define FUNCTIONS_DIVIDE(type) \
	PTX_ALU_2(div_##type, (type)y ? (type)x / (type)y : (type)~0ull) \
	PTX_ALU_2(rem_##type, (type)y ? (type)x % (type)y : (type)x)

#define FUNCTIONS_DIVIDE_SIGNED(type, unsigned_type) \
	PTX_ALU_2(div_##type, !(type)y ? (unsigned_type)~0ull : \
			      (type)y == -1 ? (unsigned_type)(0 - x) : \
			      (unsigned_type)((type)x / (type)y)) \
	PTX_ALU_2(rem_##type, !(type)y ? x : \
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

static const struct ptx_alu_group groups[] = {
	PTX_GROUP("add", add_forms, .floats = true, .carry = true),
	PTX_GROUP("sub", sub_forms, .floats = true, .carry = true),
	PTX_GROUP("div", div_forms, .floats = true),
	PTX_GROUP("rem", rem_forms),
	PTX_GROUP("neg", neg_forms, .floats = true),
	PTX_GROUP("abs", abs_forms, .floats = true),
	PTX_GROUP("min", min_forms, .floats = true),
	PTX_GROUP("max", max_forms, .floats = true),
	PTX_GROUP("sad", sad_forms),
};

enum ptx_decoded ptx_arith_decode(struct ptx_decoder *d, const struct ptx_insn *insn,
				  struct ptx_step *step)
{
	return ptx_alu_decode_forms(groups, ARRAY_SIZE(groups), d, insn, step);
}
