// SPDX-License-Identifier: MIT
/*
 * Bits and bit fields: popc, clz, bfind, fns, brev, bfe, bfi, bmsk, szext.
 */
#include "code/alu_int.h"

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

/* @bits is the size of the type. Only eight bits of the position and the length are used. */
static inline u64 extract_unsigned(u64 a, u64 position, u64 length)
{
	position &= 255;
	length &= 255;
	return position > 63 ? 0 : a >> position & low_bits(length);
}

static inline u64 extract_signed(s64 a, u64 position, u64 length)
{
	position &= 255;
	length &= 255;
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

	position &= 255;
	length &= 255;
	if (position > 63)
		return b;
	field = low_bits(length) << position;
	return (b & ~field) | (a << position & field);
}

PTX_ALU_3(bfe_u, extract_unsigned(x, y, z))
PTX_ALU_3(bfe_s32, (u32)extract_signed((s32)x, y, z))
PTX_ALU_3(bfe_s64, extract_signed((s64)x, y, z))
PTX_ALU_4(bfi_32, (u32)insert(x, y, z, w))
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
	FORM_BFE(".u32", bfe_u, TYPE_U32),
	FORM_BFE(".u64", bfe_u, TYPE_U64),
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

static const struct ptx_alu_group groups[] = {
	PTX_GROUP("popc", popc_forms),
	PTX_GROUP("clz", clz_forms),
	PTX_GROUP("bfind", bfind_forms),
	PTX_GROUP("brev", brev_forms),
	PTX_GROUP("fns", fns_forms),
	PTX_GROUP("bfe", bfe_forms),
	PTX_GROUP("bfi", bfi_forms),
	PTX_GROUP("bmsk", bmsk_forms),
	PTX_GROUP("szext", szext_forms),
};

enum ptx_decoded ptx_bits_decode(struct ptx_decoder *d, const struct ptx_insn *insn,
				 struct ptx_step *step)
{
	return ptx_alu_decode_forms(groups, ARRAY_SIZE(groups), d, insn, step);
}
