// SPDX-License-Identifier: MIT
/*
 * Shifts, and permutations of bytes: shl, shr, shf, prmt.
 */
#include "code/alu_int.h"

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

static const struct ptx_alu_group groups[] = {
	PTX_GROUP("shl", shl_forms),
	PTX_GROUP("shr", shr_forms),
	PTX_GROUP("shf", shf_forms),
	PTX_GROUP("prmt", prmt_forms),
};

enum ptx_decoded ptx_shift_decode(struct ptx_decoder *d, const struct ptx_insn *insn,
				  struct ptx_step *step)
{
	return ptx_alu_decode_forms(groups, ARRAY_SIZE(groups), d, insn, step);
}
