// SPDX-License-Identifier: MIT
/* Floating-point formats as bits. */
#include "code/float_bits.h"

const struct ptx_format ptx_f16 = { 5, 10, 0, false };
const struct ptx_format ptx_bf16 = { 8, 7, 0, false };
const struct ptx_format ptx_tf32 = { 8, 10, 13, false };
const struct ptx_format ptx_f32 = { 8, 23, 0, false };
const struct ptx_format ptx_f64 = { 11, 52, 0, false };
const struct ptx_format ptx_e4m3 = { 4, 3, 0, true };
const struct ptx_format ptx_e5m2 = { 5, 2, 0, false };

static int bias_of(const struct ptx_format *format)
{
	return (1 << (format->exponent - 1)) - 1;
}

struct ptx_number ptx_float_unpack(const struct ptx_format *format, uint64_t bits)
{
	uint64_t hidden = 1ull << format->fraction;
	int largest = (1 << format->exponent) - 1;
	struct ptx_number number = { .kind = NUMBER_FINITE };
	int exponent;

	bits >>= format->shift;
	number.sign = bits >> (format->exponent + format->fraction) & 1;
	number.fraction = bits & (hidden - 1);
	exponent = (int)(bits >> format->fraction) & largest;
	if (exponent == largest && (!format->finite || number.fraction == hidden - 1)) {
		number.kind = number.fraction ? NUMBER_NAN : NUMBER_INF;
		number.fraction <<= 64 - format->fraction;
		return number;
	}
	if (exponent)
		number.fraction |= hidden;
	else
		exponent = 1;
	number.exponent = exponent - bias_of(format) - format->fraction;
	return number;
}

/*
 * @value / 2^@drop, rounded to an integer. @drop is 1 or more. The result fits, because the first
 * bit is lost.
 */
static uint64_t drop_bits(uint64_t value, int drop, bool sign, enum ptx_round mode)
{
	const uint64_t half = 1ull << 63;
	uint64_t kept = drop < 64 ? value >> drop : 0;
	uint64_t rest;	/* what is dropped; half is half of the last bit that is kept */
	bool up = false;

	if (drop < 64)
		rest = value << (64 - drop);
	else if (drop == 64)
		rest = value;
	else
		rest = value != 0;
	switch (mode) {
	case ROUND_NEAREST:
		up = rest > half || (rest == half && (kept & 1));
		break;
	case ROUND_AWAY:
		up = rest >= half;
		break;
	case ROUND_ZERO:
		break;
	case ROUND_DOWN:
		up = sign && rest;
		break;
	case ROUND_UP:
		up = !sign && rest;
		break;
	}
	return kept + up;
}

uint64_t ptx_float_pack(const struct ptx_format *format, enum ptx_round mode,
			const struct ptx_number *number)
{
	const int bias = bias_of(format);
	const uint64_t infinite = ptx_float_inf(format) >> format->shift;
	uint64_t sign = number->sign ? ptx_float_sign(format) : 0;
	uint64_t fraction = number->fraction;
	uint64_t bits;
	int exponent;	/* of the first bit of the fraction */
	int drop;

	if (!fraction)
		return sign;
	drop = __builtin_clzll(fraction);
	fraction <<= drop;
	exponent = number->exponent - drop + 63;
	drop = 63 - format->fraction;
	if (exponent > bias + format->finite) {
		bits = infinite;
	} else {
		/* A carry out of the fraction increments the exponent, as it should. */
		bits = 0;
		if (exponent < 1 - bias)
			drop += 1 - bias - exponent;
		else
			bits = (uint64_t)(exponent + bias - 1) << format->fraction;
		bits += drop_bits(fraction, drop, number->sign, mode);
	}
	if (bits >= infinite) {
		bits = infinite;
		if (mode == ROUND_ZERO || (mode == ROUND_DOWN && !number->sign) ||
		    (mode == ROUND_UP && number->sign))
			bits--;
	}
	return sign | bits << format->shift;
}

void ptx_float_round(struct ptx_number *number, enum ptx_round mode)
{
	if (number->exponent >= 0)
		return;
	number->fraction = drop_bits(number->fraction, -number->exponent, number->sign, mode);
	number->exponent = 0;
}
