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

/* An instruction in one lane */
struct reference {
	/* Sources; signed types are sign-extended, all others are zero-extended */
	__int128_t v[4];
	int bits;		/* bits of the first source */
	unsigned int imm;	/* a source that is part of the instruction */
	bool p;			/* the source that is a predicate */
	bool carry;		/* the carry before the instruction, and after it */
	bool pred;		/* second result */
	int pack;	/* bits of an element of cvt.pack; negative if its elements are signed */
};

/* Only the low bits of the result count. */
typedef __int128_t reference_fn(struct reference *r);

static inline __uint128_t ones_below(int bits)
{
	return ((__uint128_t)1 << bits) - 1;
}

/* A source as a number without a sign. */
static inline __uint128_t plain(const struct reference *r, int i)
{
	return r->v[i] & ones_below(r->bits);
}

static inline bool bit(__int128_t value, int at)
{
	return value >> at & 1;
}

static inline __int128_t clamp(__int128_t value, __int128_t low, __int128_t high)
{
	return value < low ? low : value > high ? high : value;
}

static inline __int128_t half(const struct reference *r, int i, int at, bool is_signed)
{
	uint16_t bits = (uint16_t)(r->v[i] >> at);

	return is_signed && bits >> 15 ? (__int128_t)bits - 65536 : bits;
}

static inline __int128_t r_add(struct reference *r) { return r->v[0] + r->v[1]; }
static inline __int128_t r_sub(struct reference *r) { return r->v[0] - r->v[1]; }
static inline __int128_t r_neg(struct reference *r) { return -r->v[0]; }
static inline __int128_t r_abs(struct reference *r) { return r->v[0] < 0 ? -r->v[0] : r->v[0]; }
static inline __int128_t r_min(struct reference *r) { return r->v[r->v[0] > r->v[1]]; }
static inline __int128_t r_max(struct reference *r) { return r->v[r->v[0] < r->v[1]]; }

static inline __int128_t r_add_sat(struct reference *r)
{
	return clamp(r->v[0] + r->v[1], INT32_MIN, INT32_MAX);
}

static inline __int128_t r_sub_sat(struct reference *r)
{
	return clamp(r->v[0] - r->v[1], INT32_MIN, INT32_MAX);
}

static inline __int128_t r_min_relu(struct reference *r)
{
	return clamp(r_min(r), 0, INT32_MAX);
}

static inline __int128_t r_max_relu(struct reference *r)
{
	return clamp(r_max(r), 0, INT32_MAX);
}

/* An operation on each half. */
static inline __int128_t both(struct reference *r, reference_fn *op, bool is_signed)
{
	__int128_t result = 0;

	for (int at = 0; at < 32; at += 16) {
		struct reference part = {
			.v = { half(r, 0, at, is_signed), half(r, 1, at, is_signed) },
		};

		result |= (op(&part) & 0xffff) << at;
	}
	return result;
}

static inline __int128_t r_add_x2(struct reference *r) { return both(r, r_add, false); }
static inline __int128_t r_min_u16x2(struct reference *r) { return both(r, r_min, false); }
static inline __int128_t r_max_u16x2(struct reference *r) { return both(r, r_max, false); }
static inline __int128_t r_min_s16x2(struct reference *r) { return both(r, r_min, true); }
static inline __int128_t r_max_s16x2(struct reference *r) { return both(r, r_max, true); }
static inline __int128_t r_min_relu_x2(struct reference *r) { return both(r, r_min_relu, true); }
static inline __int128_t r_max_relu_x2(struct reference *r) { return both(r, r_max_relu, true); }

static inline __int128_t r_div(struct reference *r)
{
	return r->v[1] ? r->v[0] / r->v[1] : -1;
}

static inline __int128_t r_rem(struct reference *r)
{
	return r->v[1] ? r->v[0] % r->v[1] : -1;
}

static inline __int128_t r_sad(struct reference *r)
{
	__int128_t difference = r->v[0] - r->v[1];

	return r->v[2] + (difference < 0 ? -difference : difference);
}

/* Products of two numbers of 64 bits fit in 128 bits, with or without a sign. */
static inline __uint128_t product(struct reference *r)
{
	return (__uint128_t)r->v[0] * (__uint128_t)r->v[1];
}

/* The low half of the product, and the high half, without their signs. */
static inline __uint128_t low_half(struct reference *r)
{
	return product(r) & ones_below(r->bits);
}

static inline __uint128_t high_half(struct reference *r)
{
	return product(r) >> r->bits & ones_below(r->bits);
}

static inline __int128_t r_mul(struct reference *r) { return (__int128_t)product(r); }
static inline __int128_t r_mul_hi(struct reference *r) { return (__int128_t)high_half(r); }

static inline __int128_t r_mad(struct reference *r)
{
	return (__int128_t)(product(r) + (__uint128_t)r->v[2]);
}

static inline __int128_t r_mad_hi(struct reference *r)
{
	return (__int128_t)high_half(r) + r->v[2];
}

static inline __int128_t r_mad_hi_sat(struct reference *r)
{
	return clamp((r_mul(r) >> 32) + r->v[2], INT32_MIN, INT32_MAX);
}

static inline __int128_t product24(struct reference *r)
{
	__int128_t v[2];

	for (int i = 0; i < 2; i++) {
		bool is_signed = r->imm;

		v[i] = r->v[i] & 0xffffff;
		if (is_signed && bit(v[i], 23))
			v[i] -= 1 << 24;
	}
	return v[0] * v[1];
}

/* For mul24 and mad24, @imm is 1 if the type is signed. */
static inline __int128_t r_mul24_lo(struct reference *r) { return product24(r); }
static inline __int128_t r_mul24_hi(struct reference *r) { return product24(r) >> 16; }
static inline __int128_t r_mad24_lo(struct reference *r) { return r_mul24_lo(r) + r->v[2]; }
static inline __int128_t r_mad24_hi(struct reference *r) { return r_mul24_hi(r) + r->v[2]; }

static inline __int128_t r_mad24_hi_sat(struct reference *r)
{
	return clamp((int32_t)r_mul24_hi(r) + r->v[2], INT32_MIN, INT32_MAX);
}

/* Signs of the two sources are the bits 0 and 1 of @imm; bit 2 is .hi of dp2a. */
static inline __int128_t field(const struct reference *r, int i, int at, int bits)
{
	__int128_t value = r->v[i] >> at & (__int128_t)ones_below(bits);

	return r->imm >> i & 1 && bit(value, bits - 1) ? value - ((__int128_t)1 << bits) : value;
}

static inline __int128_t r_dp4a(struct reference *r)
{
	__int128_t sum = r->v[2];

	for (int at = 0; at < 32; at += 8)
		sum += field(r, 0, at, 8) * field(r, 1, at, 8);
	return sum;
}

static inline __int128_t r_dp2a(struct reference *r)
{
	__int128_t sum = r->v[2];

	for (int i = 0; i < 2; i++)
		sum += field(r, 0, 16 * i, 16) * field(r, 1, 8 * i + (r->imm & 4 ? 16 : 0), 8);
	return sum;
}

/*
 * An instruction of fields of @imm % 256 bits: FIELDS_SIGNED, FIELDS_SATURATED, or with FIELDS_SUM
 * the sum of them and of the third source.
 */
#define FIELDS_SIGNED		256
#define FIELDS_SATURATED	512
#define FIELDS_SUM		1024
#define FIELDS(name, expression) \
static inline __int128_t r_##name(struct reference *r) \
{ \
	__int128_t all = 0, sum = r->v[2], sign = r->imm & FIELDS_SIGNED; \
	const unsigned int bits = r->imm % 256; \
	\
	for (unsigned int at = 0; at < 32; at += bits) { \
		__int128_t a = r->v[0] >> at & ones_below((int)bits), t; \
		__int128_t b = r->v[1] >> at & ones_below((int)bits); \
		\
		a -= sign && bit(a, (int)bits - 1) ? (__int128_t)1 << bits : 0; \
		b -= sign && bit(b, (int)bits - 1) ? (__int128_t)1 << bits : 0; \
		t = (expression); \
		if (r->imm & FIELDS_SATURATED && sign) \
			t = bits == 8 ? clamp(t, -128, 127) : clamp(t, -32768, 32767); \
		else if (r->imm & FIELDS_SATURATED) \
			t = bits == 8 ? clamp(t, 0, 255) : clamp(t, 0, 65535); \
		sum += t; \
		all |= (t & ones_below((int)bits)) << at; \
	} \
	return r->imm & FIELDS_SUM ? sum : all; \
}

FIELDS(vadd, a + b)
FIELDS(vsub, a - b)
FIELDS(vavrg, a + b >= 0 ? (a + b + 1) / 2 : -((1 - a - b) / 2))
FIELDS(vabsdiff, a > b ? a - b : b - a)
FIELDS(vmin, a > b ? b : a)
FIELDS(vmax, a > b ? a : b)
FIELDS(veq, !(a - b))
FIELDS(vne, !!(a - b))
FIELDS(vlt, a - b < 0)
FIELDS(vle, a - b <= 0)
FIELDS(vgt, a - b > 0)
FIELDS(vge, a - b >= 0)

/* The bit 0 of @imm: the carry is added. The bit 1: it is written. */
static inline __int128_t sum_carry(struct reference *r, __uint128_t sum)
{
	sum += r->imm & 1 && r->carry;
	if (r->imm & 2)
		r->carry = sum >> r->bits;
	return (__int128_t)sum;
}

static inline __int128_t r_add_carry(struct reference *r)
{
	return sum_carry(r, plain(r, 0) + plain(r, 1));
}

static inline __int128_t r_sub_carry(struct reference *r)
{
	__int128_t difference = (__int128_t)plain(r, 0) - (__int128_t)plain(r, 1);

	/* The carry is 1 if there is no borrow. */
	difference -= r->imm & 1 && !r->carry;
	if (r->imm & 2)
		r->carry = difference >= 0;
	return difference;
}

static inline __int128_t r_mad_lo_carry(struct reference *r)
{
	return sum_carry(r, low_half(r) + plain(r, 2));
}

static inline __int128_t r_mad_hi_carry(struct reference *r)
{
	return sum_carry(r, high_half(r) + plain(r, 2));
}

static inline __int128_t r_popc(struct reference *r)
{
	__int128_t count = 0;

	for (int i = 0; i < r->bits; i++)
		count += bit(r->v[0], i);
	return count;
}

static inline __int128_t r_clz(struct reference *r)
{
	int i = r->bits;

	while (i && !bit(r->v[0], i - 1))
		i--;
	return r->bits - i;
}

/* The bit 0 of @imm is .shiftamt. The bits of a negative number that are not its sign are 0. */
static inline __int128_t r_bfind(struct reference *r)
{
	for (int i = r->bits - 1; i >= 0; i--) {
		if (bit(r->v[0], i) != bit(r->v[0], 127))
			return r->imm & 1 ? r->bits - 1 - i : i;
	}
	return -1;
}

static inline __int128_t r_brev(struct reference *r)
{
	__int128_t result = 0;

	for (int i = 0; i < r->bits; i++)
		result |= (__int128_t)bit(r->v[0], i) << (r->bits - 1 - i);
	return result;
}

static inline __int128_t r_fns(struct reference *r)
{
	__int128_t position = (uint32_t)r->v[1];
	__int128_t left = r->v[2] < 0 ? -r->v[2] : r->v[2];

	if (position > 31)
		return -1;
	if (!left)
		return bit(r->v[0], (int)position) ? position : -1;
	for (; position >= 0 && position < 32; position += r->v[2] > 0 ? 1 : -1) {
		if (bit(r->v[0], (int)position) && !--left)
			return position;
	}
	return -1;
}

/* A position or a length: eight bits of it count, or all for types of 64 bits. */
static inline int64_t field_number(const struct reference *r, int i)
{
	return (int64_t)r->v[i] & (r->bits == 64 ? 0xffffffff : 255);
}

static inline __int128_t r_bfe(struct reference *r)
{
	int64_t position = field_number(r, 1), length = field_number(r, 2);
	int64_t last = position + length - 1;
	bool sign = false;
	__int128_t result = 0;

	if (length && r->imm)
		sign = bit(r->v[0], last < r->bits ? (int)last : r->bits - 1);
	for (int i = 0; i < r->bits; i++) {
		bool b = i < length && position + i < r->bits ?
			 bit(r->v[0], (int)position + i) : sign;

		result |= (__int128_t)b << i;
	}
	return result;
}

static inline __int128_t r_bfi(struct reference *r)
{
	int64_t position = field_number(r, 2), length = field_number(r, 3);
	__int128_t result = 0;

	for (int i = 0; i < r->bits; i++) {
		bool inside = i >= position && i < position + length;

		result |= (__int128_t)bit(r->v[!inside], inside ? i - (int)position : i) << i;
	}
	return result;
}

/* The bit 0 of @imm is .wrap, the bit 1 is a signed type. */
static inline __int128_t r_bmsk(struct reference *r)
{
	__int128_t first = r->imm & 1 ? r->v[0] & 31 : r->v[0];
	__int128_t length = r->imm & 1 ? r->v[1] & 31 : r->v[1];
	__int128_t result = 0;

	for (int i = 0; i < 32; i++)
		result |= (__int128_t)(i >= first && i < first + length) << i;
	return result;
}

static inline __int128_t r_szext(struct reference *r)
{
	__int128_t length = r->imm & 1 ? r->v[1] & 31 : r->v[1];
	__int128_t value;

	if (length >= 32)
		return r->v[0];
	value = r->v[0] & (__int128_t)ones_below((int)length);
	if (length && r->imm & 2 && bit(value, (int)length - 1))
		value -= (__int128_t)1 << length;
	return value;
}

static inline __int128_t r_and(struct reference *r) { return r->v[0] & r->v[1]; }
static inline __int128_t r_or(struct reference *r) { return r->v[0] | r->v[1]; }
static inline __int128_t r_xor(struct reference *r) { return r->v[0] ^ r->v[1]; }
static inline __int128_t r_not(struct reference *r) { return ~r->v[0]; }
static inline __int128_t r_cnot(struct reference *r) { return !r->v[0]; }

static inline __int128_t r_lop3(struct reference *r)
{
	__int128_t result = 0;

	for (int i = 0; i < 32; i++) {
		int index = bit(r->v[0], i) << 2 | bit(r->v[1], i) << 1 |
			    bit(r->v[2], i);

		result |= (__int128_t)bit(r->imm, index) << i;
	}
	return result;
}

static inline __int128_t r_lop3_or(struct reference *r)
{
	__int128_t result = r_lop3(r);

	r->pred = result || r->p;
	return result;
}

static inline __int128_t r_lop3_and(struct reference *r)
{
	__int128_t result = r_lop3(r);

	r->pred = result && r->p;
	return result;
}

static inline __int128_t r_shl(struct reference *r)
{
	__uint128_t value = plain(r, 0);

	for (__int128_t i = 0; i < r->v[1] && i < r->bits; i++)
		value *= 2;
	return (__int128_t)value;
}

static inline __int128_t r_shr(struct reference *r)
{
	__int128_t value = r->v[0];

	for (__int128_t i = 0; i < r->v[1] && i < r->bits; i++)
		value = (value - (value & 1)) / 2;
	return value;
}

/* The bit 0 of @imm is .wrap, the bit 1 is .r. */
static inline __int128_t r_shf(struct reference *r)
{
	int n = (int)(r->imm & 1 ? r->v[2] % 32 : r->v[2] > 32 ? 32 : r->v[2]);
	int first = r->imm & 2 ? n : 32 - n;
	__int128_t result = 0;

	for (int i = 0; i < 32; i++) {
		int at = first + i;

		result |= (__int128_t)bit(r->v[at / 32 % 2], at % 32) << i;
	}
	return result;
}

/* @imm is the mode, in the order of the manual; 0 is the generic form. */
static inline __int128_t r_prmt(struct reference *r)
{
	int c = (int)(r->v[2] & 3);
	__int128_t result = 0;

	for (int i = 0; i < 4; i++) {
		int digit = (int)(r->v[2] >> 4 * i & 15);
		const int selected[] = {
			digit & 7, c + i, (c + 8 - i) % 8, c, i > c ? i : c, i < c ? i : c,
			i % 2 + 2 * (c % 2),
		};
		int at = selected[r->imm];
		uint8_t byte = (uint8_t)(r->v[at / 4] >> 8 * (at % 4));

		if (!r->imm && digit & 8)
			byte = byte < 128 ? 0 : 255;
		result |= (__int128_t)byte << 8 * i;
	}
	return result;
}

static inline __int128_t r_selp(struct reference *r) { return r->v[!r->p]; }
static inline __int128_t r_slct(struct reference *r) { return r->v[r->v[2] >= 0 ? 0 : 1]; }
static inline __int128_t r_mov(struct reference *r) { return r->v[0]; }

/* @imm is 1 for .ftz. */
static inline __int128_t r_slct_f32(struct reference *r)
{
	uint32_t bits = (uint32_t)r->v[2];
	float value;

	memcpy(&value, &bits, sizeof(value));
	if (r->imm && fpclassify(value) == FP_SUBNORMAL)
		value = 0;
	return r->v[!(value >= 0)];
}

static inline __int128_t r_cvt_pack(struct reference *r)
{
	int bits = r->pack < 0 ? -r->pack : r->pack;
	__int128_t low = r->pack < 0 ? -((__int128_t)1 << (bits - 1)) : 0;
	__int128_t high = ((__int128_t)1 << (r->pack < 0 ? bits - 1 : bits)) - 1;
	__int128_t result = clamp(r->v[1], low, high) & ones_below(bits);

	result |= (clamp(r->v[0], low, high) & ones_below(bits)) << bits;
	return bits == 16 ? result : result | r->v[2] << 2 * bits;
}

#endif
