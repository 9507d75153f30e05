// SPDX-License-Identifier: MIT
/*
 * Selection between two values, and packing of integers: selp, slct, cvt.pack.
 */
#include "code/alu_int.h"

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

static const struct ptx_alu_group groups[] = {
	PTX_GROUP("selp", selp_forms),
	PTX_GROUP("slct", slct_forms),
	PTX_GROUP("cvt.pack", pack_forms),
};

enum ptx_decoded ptx_select_decode(struct ptx_decoder *d, const struct ptx_insn *insn,
				   struct ptx_step *step)
{
	return ptx_alu_decode_forms(groups, ARRAY_SIZE(groups), d, insn, step);
}
