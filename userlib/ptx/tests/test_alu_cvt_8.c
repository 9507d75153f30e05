// SPDX-License-Identifier: MIT
/*
 * Conversions between f32 or f16x2 and two values of 8 bits, against a search for the nearest
 * number among all of them.
 */
#include <math.h>
#include <stdio.h>

#include "testing.h"
#include "alu_build.h"
#include "reference_float.h"

static void must_decode(struct build *b, const char *opcode)
{
	if (build_decode(b) != DECODED)
		fail_msg("%s: %s", opcode, b->messages.text ? b->messages.text : "not mine");
}

/* The value of 8 bits; @e4m3: format e4m3, not e5m2. */
static double number_of_8(bool e4m3, unsigned int code)
{
	int bits = e4m3 ? 3 : 2;
	int exponent = (int)(code & 0x7f) >> bits;
	int fraction = (int)code & ((1 << bits) - 1);
	double value;

	if ((code & 0x7f) == 0x7f || (!e4m3 && (code & 0x7f) > 0x7c))
		return NAN;
	if (!e4m3 && (code & 0x7f) == 0x7c)
		value = INFINITY;
	else if (exponent)
		value = ldexp((1 << bits) + fraction, exponent - (e4m3 ? 7 : 15) - bits);
	else
		value = ldexp(fraction, 1 - (e4m3 ? 7 : 15) - bits);
	return code & 0x80 ? -value : value;
}

/* The nearest number of 8 bits, found by trying all of them. */
static unsigned int nearest_8(bool e4m3, bool relu, double value)
{
	unsigned int largest = e4m3 ? 0x7e : 0x7b;
	unsigned int best = largest;

	if (isnan(value))
		return 0x7f;
	for (unsigned int code = 0; code <= largest; code++) {
		double distance = fabs(number_of_8(e4m3, code) - fabs(value));
		double least = fabs(number_of_8(e4m3, best) - fabs(value));

		/* .satfinite */
		if (fabs(value) > number_of_8(e4m3, largest))
			break;
		if (distance < least || (distance == least && !(code & 1)))
			best = code;
	}
	if (signbit(value))
		return relu ? 0 : best | 0x80;
	return best;
}

static double f32_number(uint64_t bits)
{
	uint32_t narrow = (uint32_t)bits;
	float value;

	memcpy(&value, &narrow, sizeof(value));
	return value;
}

static double f16_number(uint64_t bits)
{
	struct ref_value v = ref_decode(&ref_f16, bits & 0xffff);
	double value = v.nan ? NAN : v.inf ? INFINITY : ldexp((double)v.m, v.e);

	return v.sign ? -value : value;
}

static const char *const names_8[] = { "e5m2x2", "e4m3x2" };

static void check_8(const char *opcode, uint64_t result, unsigned int high, unsigned int low)
{
	if (result != (high << 8 | low))
		fail_msg("%s is %x%02x, not %llx", opcode, high, low, (unsigned long long)result);
}

TEST(test_f32_to_8_bits)
{
	struct build *b = *state;

	for (unsigned int n = 0; n < 4 * 200; n++) {
		bool e4m3 = n & 1, relu = n & 2;
		char opcode[64];

		snprintf(opcode, sizeof(opcode), "cvt.rn.satfinite%s.%s.f32", relu ? ".relu" : "",
			 names_8[e4m3]);
		build_opcode(b, opcode);
		build_reg(b, 0, TYPE_B16);
		build_reg(b, 1, TYPE_F32);
		build_reg(b, 2, TYPE_F32);
		must_decode(b, opcode);
		for (unsigned int i = 0; i < 2 * PTX_LANES; i++) {
			uint64_t random = ref_random();
			uint64_t exponent = 127 - 20 + (random >> 32) % 40;
			/* Few bits, or few bits and a little more or less. */
			uint64_t fraction = (random & 0x780000) + (random >> 24) % 3 - 1;

			b->rows[PTX_LANES + i] = n % 8 ?
				(exponent << 23) + (fraction & 0x7fffff) + (random >> 63 << 31) :
				ref_operand(&ref_f32, random & 0xffffffff);
		}
		build_execute(b, ~0u);
		for (unsigned int i = 0; i < PTX_LANES; i++)
			check_8(opcode, b->rows[i],
				nearest_8(e4m3, relu, f32_number(b->rows[PTX_LANES + i])),
				nearest_8(e4m3, relu, f32_number(b->rows[2 * PTX_LANES + i])));
	}
}

TEST(test_f16x2_and_8_bits)
{
	struct build *b = *state;

	for (unsigned int n = 0; n < 4 * 0x10000 / PTX_LANES; n++) {
		bool e4m3 = n & 1, relu = n & 2;
		const char *name = names_8[e4m3];
		char opcode[64];

		snprintf(opcode, sizeof(opcode), "cvt.rn.satfinite%s.%s.f16x2",
			 relu ? ".relu" : "", name);
		build_opcode(b, opcode);
		build_reg(b, 0, TYPE_B16);
		build_reg(b, 1, TYPE_B32);
		must_decode(b, opcode);
		for (unsigned int i = 0; i < PTX_LANES; i++)
			b->rows[PTX_LANES + i] = (n / 4 * PTX_LANES + i) * 0x10001u ^ 0x80000000;
		build_execute(b, ~0u);
		for (unsigned int i = 0; i < PTX_LANES; i++)
			check_8(opcode, b->rows[i],
				nearest_8(e4m3, relu, f16_number(b->rows[PTX_LANES + i] >> 16)),
				nearest_8(e4m3, relu, f16_number(b->rows[PTX_LANES + i])));

		snprintf(opcode, sizeof(opcode), "cvt.rn%s.f16x2.%s", relu ? ".relu" : "", name);
		build_opcode(b, opcode);
		build_reg(b, 0, TYPE_B32);
		build_reg(b, 1, TYPE_B16);
		must_decode(b, opcode);
		for (unsigned int i = 0; i < PTX_LANES; i++)
			b->rows[PTX_LANES + i] = n / 4 * PTX_LANES + i;
		build_execute(b, ~0u);
		for (unsigned int i = 0; i < 2 * PTX_LANES; i++) {
			unsigned int code = b->rows[PTX_LANES + i / 2] >> (i & 1 ? 8 : 0) & 0xff;
			uint64_t result = b->rows[i / 2] >> (i & 1 ? 16 : 0) & 0xffff;
			double want = number_of_8(e4m3, code);

			if (isnan(want))
				assert_int_equal(result, 0x7fff);
			else if (relu && signbit(want))
				assert_int_equal(result, 0);
			else
				assert_true(f16_number(result) == want &&
					    !!signbit(want) == result >> 15);
		}
	}
}

int main(void)
{
	return testing_run(build_setup, build_teardown);
}
