/* SPDX-License-Identifier: MIT */
/*
 * What integer instructions compute, bit by bit or with numbers of 128 bits, after the descriptions
 * of the PTX ISA. Nothing here is shared with the code that is tested.
 */
#ifndef _PTX_TESTS_REFERENCE_INT_H_
#define _PTX_TESTS_REFERENCE_INT_H_

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef __int128 s128;
typedef unsigned __int128 u128;

/**
 * struct reference - An instruction in one lane
 * @v: Sources; signed types are sign-extended, all others are zero-extended
 * @bits: Bits of the first source
 * @imm: A source that is part of the instruction
 * @p: The source that is a predicate
 * @carry: The carry before the instruction, and after it
 * @pred: Second result
 * @pack: Bits of an element of cvt.pack; negative if its elements are signed
 */
struct reference {
	s128 v[4];
	int bits;
	unsigned int imm;
	bool p;
	bool carry;
	bool pred;
	int pack;
};

typedef u128 reference_fn(struct reference *r);

static inline u128 ones_below(int bits)
{
	return ((u128)1 << bits) - 1;
}

/* A source as a number without a sign. */
static inline u128 plain(const struct reference *r, int i)
{
	return (u128)r->v[i] & ones_below(r->bits);
}

static inline bool bit(u128 value, int at)
{
	return value >> at & 1;
}

static inline s128 clamp(s128 value, s128 low, s128 high)
{
	return value < low ? low : value > high ? high : value;
}

static inline s128 half(const struct reference *r, int i, int at, bool is_signed)
{
	uint16_t bits = (uint16_t)((u128)r->v[i] >> at);

	return is_signed && bits >> 15 ? (s128)bits - 65536 : bits;
}

static inline u128 r_add(struct reference *r) { return (u128)(r->v[0] + r->v[1]); }
static inline u128 r_sub(struct reference *r) { return (u128)(r->v[0] - r->v[1]); }
static inline u128 r_neg(struct reference *r) { return (u128)-r->v[0]; }
static inline u128 r_abs(struct reference *r) { return (u128)(r->v[0] < 0 ? -r->v[0] : r->v[0]); }
static inline u128 r_min(struct reference *r) { return (u128)(r->v[r->v[0] > r->v[1]]); }
static inline u128 r_max(struct reference *r) { return (u128)(r->v[r->v[0] < r->v[1]]); }

static inline u128 r_add_sat(struct reference *r)
{
	return (u128)clamp(r->v[0] + r->v[1], INT32_MIN, INT32_MAX);
}

static inline u128 r_sub_sat(struct reference *r)
{
	return (u128)clamp(r->v[0] - r->v[1], INT32_MIN, INT32_MAX);
}

static inline u128 r_min_relu(struct reference *r)
{
	return (u128)clamp((s128)r_min(r), 0, INT32_MAX);
}

static inline u128 r_max_relu(struct reference *r)
{
	return (u128)clamp((s128)r_max(r), 0, INT32_MAX);
}

/* An operation on each half. */
static inline u128 both(struct reference *r, reference_fn *op, bool is_signed)
{
	u128 result = 0;

	for (int at = 0; at < 32; at += 16) {
		struct reference part = {
			.v = { half(r, 0, at, is_signed), half(r, 1, at, is_signed) },
		};

		result |= (op(&part) & 0xffff) << at;
	}
	return result;
}

static inline u128 r_add_x2(struct reference *r) { return both(r, r_add, false); }
static inline u128 r_min_u16x2(struct reference *r) { return both(r, r_min, false); }
static inline u128 r_max_u16x2(struct reference *r) { return both(r, r_max, false); }
static inline u128 r_min_s16x2(struct reference *r) { return both(r, r_min, true); }
static inline u128 r_max_s16x2(struct reference *r) { return both(r, r_max, true); }
static inline u128 r_min_relu_x2(struct reference *r) { return both(r, r_min_relu, true); }
static inline u128 r_max_relu_x2(struct reference *r) { return both(r, r_max_relu, true); }

static inline u128 r_div(struct reference *r)
{
	return r->v[1] ? (u128)(r->v[0] / r->v[1]) : ~(u128)0;
}

static inline u128 r_rem(struct reference *r)
{
	return (u128)(r->v[1] ? r->v[0] % r->v[1] : r->v[0]);
}

static inline u128 r_sad(struct reference *r)
{
	s128 difference = r->v[0] - r->v[1];

	return (u128)(r->v[2] + (difference < 0 ? -difference : difference));
}

/* Products of two numbers of 64 bits fit in 128 bits, with or without a sign. */
static inline u128 r_mul(struct reference *r) { return (u128)r->v[0] * (u128)r->v[1]; }
static inline u128 r_mul_hi(struct reference *r) { return r_mul(r) >> r->bits; }
static inline u128 r_mad(struct reference *r) { return r_mul(r) + (u128)r->v[2]; }
static inline u128 r_mad_hi(struct reference *r) { return r_mul_hi(r) + (u128)r->v[2]; }

static inline u128 r_mad_hi_sat(struct reference *r)
{
	return (u128)clamp(((s128)r_mul(r) >> 32) + r->v[2], INT32_MIN, INT32_MAX);
}

static inline s128 product24(struct reference *r)
{
	s128 v[2];

	for (int i = 0; i < 2; i++) {
		bool is_signed = r->imm;

		v[i] = (s128)((u128)r->v[i] & 0xffffff);
		if (is_signed && bit((u128)v[i], 23))
			v[i] -= 1 << 24;
	}
	return v[0] * v[1];
}

/* For mul24 and mad24, @imm is 1 if the type is signed. */
static inline u128 r_mul24_lo(struct reference *r) { return (u128)product24(r); }
static inline u128 r_mul24_hi(struct reference *r) { return (u128)(product24(r) >> 16); }
static inline u128 r_mad24_lo(struct reference *r) { return r_mul24_lo(r) + (u128)r->v[2]; }
static inline u128 r_mad24_hi(struct reference *r) { return r_mul24_hi(r) + (u128)r->v[2]; }

static inline u128 r_mad24_hi_sat(struct reference *r)
{
	return (u128)clamp((int32_t)r_mul24_hi(r) + r->v[2], INT32_MIN, INT32_MAX);
}

/* Signs of the two sources are the bits 0 and 1 of @imm; bit 2 is .hi of dp2a. */
static inline s128 field(const struct reference *r, int i, int at, int bits)
{
	s128 value = (s128)((u128)r->v[i] >> at & ones_below(bits));

	return r->imm >> i & 1 && bit((u128)value, bits - 1) ? value - ((s128)1 << bits) : value;
}

static inline u128 r_dp4a(struct reference *r)
{
	s128 sum = r->v[2];

	for (int at = 0; at < 32; at += 8)
		sum += field(r, 0, at, 8) * field(r, 1, at, 8);
	return (u128)sum;
}

static inline u128 r_dp2a(struct reference *r)
{
	s128 sum = r->v[2];

	for (int i = 0; i < 2; i++)
		sum += field(r, 0, 16 * i, 16) * field(r, 1, 8 * i + (r->imm & 4 ? 16 : 0), 8);
	return (u128)sum;
}

/* The bit 0 of @imm: the carry is added. The bit 1: it is written. */
static inline u128 sum_carry(struct reference *r, u128 sum)
{
	sum += r->imm & 1 ? r->carry : 0;
	if (r->imm & 2)
		r->carry = sum >> r->bits;
	return sum;
}

static inline u128 r_add_carry(struct reference *r)
{
	return sum_carry(r, plain(r, 0) + plain(r, 1));
}

static inline u128 r_sub_carry(struct reference *r)
{
	s128 difference = (s128)plain(r, 0) - (s128)plain(r, 1) - (r->imm & 1 ? r->carry : 0);

	if (r->imm & 2)
		r->carry = difference < 0;
	return (u128)difference;
}

static inline u128 r_mad_lo_carry(struct reference *r)
{
	return sum_carry(r, (r_mul(r) & ones_below(r->bits)) + plain(r, 2));
}

static inline u128 r_mad_hi_carry(struct reference *r)
{
	return sum_carry(r, (r_mul_hi(r) & ones_below(r->bits)) + plain(r, 2));
}

static inline u128 r_popc(struct reference *r)
{
	u128 count = 0;

	for (int i = 0; i < r->bits; i++)
		count += bit((u128)r->v[0], i);
	return count;
}

static inline u128 r_clz(struct reference *r)
{
	int i = r->bits;

	while (i && !bit((u128)r->v[0], i - 1))
		i--;
	return (u128)(r->bits - i);
}

/* The bit 0 of @imm is .shiftamt. The bits of a negative number that are not its sign are 0. */
static inline u128 r_bfind(struct reference *r)
{
	for (int i = r->bits - 1; i >= 0; i--) {
		if (bit((u128)r->v[0], i) != (r->v[0] < 0))
			return (u128)(r->imm & 1 ? r->bits - 1 - i : i);
	}
	return ~(u128)0;
}

static inline u128 r_brev(struct reference *r)
{
	u128 result = 0;

	for (int i = 0; i < r->bits; i++)
		result |= (u128)bit((u128)r->v[0], i) << (r->bits - 1 - i);
	return result;
}

static inline u128 r_fns(struct reference *r)
{
	s128 position = (uint32_t)r->v[1];
	s128 left = r->v[2] < 0 ? -r->v[2] : r->v[2];

	if (position > 31)
		return ~(u128)0;
	if (!left)
		return bit((u128)r->v[0], (int)position) ? (u128)position : ~(u128)0;
	for (; position >= 0 && position < 32; position += r->v[2] > 0 ? 1 : -1) {
		if (bit((u128)r->v[0], (int)position) && !--left)
			return (u128)position;
	}
	return ~(u128)0;
}

static inline u128 r_bfe(struct reference *r)
{
	int position = (int)(r->v[1] & 255);
	int length = (int)(r->v[2] & 255);
	int last = position + length - 1;
	bool sign = false;
	u128 result = 0;

	if (length && r->imm)
		sign = bit((u128)r->v[0], last < r->bits ? last : r->bits - 1);
	for (int i = 0; i < r->bits; i++) {
		bool b = i < length && position + i < r->bits ?
			 bit((u128)r->v[0], position + i) : sign;

		result |= (u128)b << i;
	}
	return result;
}

static inline u128 r_bfi(struct reference *r)
{
	int position = (int)(r->v[2] & 255);
	int length = (int)(r->v[3] & 255);
	u128 result = 0;

	for (int i = 0; i < r->bits; i++) {
		bool inside = i >= position && i < position + length;

		result |= (u128)bit((u128)r->v[!inside], inside ? i - position : i) << i;
	}
	return result;
}

/* The bit 0 of @imm is .wrap, the bit 1 is a signed type. */
static inline u128 r_bmsk(struct reference *r)
{
	s128 first = r->imm & 1 ? r->v[0] & 31 : r->v[0];
	s128 length = r->imm & 1 ? r->v[1] & 31 : r->v[1];
	u128 result = 0;

	for (int i = 0; i < 32; i++)
		result |= (u128)(i >= first && i < first + length) << i;
	return result;
}

static inline u128 r_szext(struct reference *r)
{
	s128 length = r->imm & 1 ? r->v[1] & 31 : r->v[1];
	u128 value;

	if (length >= 32)
		return (u128)r->v[0];
	value = (u128)r->v[0] & ones_below((int)length);
	if (length && r->imm & 2 && bit(value, (int)length - 1))
		value -= (u128)1 << length;
	return value;
}

static inline u128 r_and(struct reference *r) { return (u128)(r->v[0] & r->v[1]); }
static inline u128 r_or(struct reference *r) { return (u128)(r->v[0] | r->v[1]); }
static inline u128 r_xor(struct reference *r) { return (u128)(r->v[0] ^ r->v[1]); }
static inline u128 r_not(struct reference *r) { return (u128)~r->v[0]; }
static inline u128 r_cnot(struct reference *r) { return r->v[0] == 0; }

static inline u128 r_lop3(struct reference *r)
{
	u128 result = 0;

	for (int i = 0; i < 32; i++) {
		int index = bit((u128)r->v[0], i) << 2 | bit((u128)r->v[1], i) << 1 |
			    bit((u128)r->v[2], i);

		result |= (u128)bit(r->imm, index) << i;
	}
	return result;
}

static inline u128 r_lop3_or(struct reference *r)
{
	u128 result = r_lop3(r);

	r->pred = result || r->p;
	return result;
}

static inline u128 r_lop3_and(struct reference *r)
{
	u128 result = r_lop3(r);

	r->pred = result && r->p;
	return result;
}

static inline u128 r_shl(struct reference *r)
{
	u128 value = (u128)r->v[0];

	for (s128 i = 0; i < r->v[1] && i < r->bits; i++)
		value *= 2;
	return value;
}

static inline u128 r_shr(struct reference *r)
{
	s128 value = r->v[0];

	for (s128 i = 0; i < r->v[1] && i < r->bits; i++)
		value = (value - (value & 1)) / 2;
	return (u128)value;
}

/* The bit 0 of @imm is .wrap, the bit 1 is .r. */
static inline u128 r_shf(struct reference *r)
{
	int n = (int)(r->imm & 1 ? r->v[2] % 32 : r->v[2] > 32 ? 32 : r->v[2]);
	int first = r->imm & 2 ? n : 32 - n;
	u128 result = 0;

	for (int i = 0; i < 32; i++) {
		int at = first + i;

		result |= (u128)(at < 32 ? bit((u128)r->v[0], at) : bit((u128)r->v[1], at - 32))
			  << i;
	}
	return result;
}

/* @imm is the mode, in the order of the manual; 0 is the generic form. */
static inline u128 r_prmt(struct reference *r)
{
	int c = (int)(r->v[2] & 3);
	u128 result = 0;

	for (int i = 0; i < 4; i++) {
		int digit = (int)(r->v[2] >> 4 * i & 15);
		const int selected[] = {
			digit & 7, c + i, (c + 8 - i) % 8, c, i > c ? i : c, i < c ? i : c,
			i % 2 + 2 * (c % 2),
		};
		int at = selected[r->imm];
		uint8_t byte = (uint8_t)((u128)r->v[at / 4] >> 8 * (at % 4));

		if (!r->imm && digit & 8)
			byte = byte < 128 ? 0 : 255;
		result |= (u128)byte << 8 * i;
	}
	return result;
}

static inline u128 r_selp(struct reference *r) { return (u128)r->v[!r->p]; }
static inline u128 r_slct(struct reference *r) { return (u128)r->v[r->v[2] < 0]; }
static inline u128 r_mov(struct reference *r) { return (u128)r->v[0]; }

/* @imm is 1 for .ftz. */
static inline u128 r_slct_f32(struct reference *r)
{
	uint32_t bits = (uint32_t)r->v[2];
	float value;

	memcpy(&value, &bits, sizeof(value));
	if (r->imm && fpclassify(value) == FP_SUBNORMAL)
		value = 0;
	return (u128)r->v[!(value >= 0)];
}

static inline u128 r_cvt_pack(struct reference *r)
{
	int bits = r->pack < 0 ? -r->pack : r->pack;
	s128 low = r->pack < 0 ? -((s128)1 << (bits - 1)) : 0;
	s128 high = ((s128)1 << (r->pack < 0 ? bits - 1 : bits)) - 1;
	u128 result = (u128)clamp(r->v[1], low, high) & ones_below(bits);

	result |= ((u128)clamp(r->v[0], low, high) & ones_below(bits)) << bits;
	return bits == 16 ? result : result | (u128)r->v[2] << 2 * bits;
}

#endif
