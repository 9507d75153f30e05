// SPDX-License-Identifier: MIT
/*
 * Approximations of floats: .approx and .full, and sin, cos, lg2, ex2 and tanh, against the errors
 * that the PTX ISA allows.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "testing.h"
#include "alu_build.h"
#include "reference_float.h"

#define ROUNDS 150

/* 2^-n */
#define UNIT(n)	(1.0 / (1ull << (n)))

static const struct ref_format *format_of(enum ptx_type type)
{
	switch (type) {
	case TYPE_F16:
	case TYPE_F16X2:
		return &ref_f16;
	case TYPE_BF16:
	case TYPE_BF16X2:
		return &ref_bf16;
	case TYPE_F32:
		return &ref_f32;
	default:
		return &ref_f64;
	}
}

static bool is_x2(enum ptx_type type)
{
	return type == TYPE_F16X2 || type == TYPE_BF16X2;
}

static const enum ptx_type halves[] = { TYPE_F16, TYPE_F16X2, TYPE_BF16, TYPE_BF16X2 };

/* Executes @opcode for all lanes; the sources are rows 1 and 2. */
static void approximate(struct build *b, const char *opcode, enum ptx_type type,
			unsigned int sources)
{
	build_opcode(b, opcode);
	for (unsigned int i = 0; i <= sources; i++)
		build_reg(b, (int)i, type);
	if (build_decode(b) != DECODED)
		fail_msg("%s: %s", opcode, b->messages.text ? b->messages.text : "not mine");
	build_execute(b, ~0u);
}

static double f32_number(uint64_t bits)
{
	uint32_t low = (uint32_t)bits;
	float value;

	memcpy(&value, &low, sizeof(value));
	return value;
}

static double f64_number(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/**
 * struct function - An approximation of f32
 * @name: First two parts of the opcode
 * @relative: Largest relative error
 * @absolute: Largest absolute error
 * @ftz: It has .ftz
 * @turns: It is a sine or cosine
 */
struct function {
	const char *name;
	double relative;
	double absolute;
	bool ftz;
	bool turns;
};

/* The function in extended precision, which the tested code does not use. */
static double exact(const struct function *function, double x)
{
	switch (function->name[0]) {
	case 'c':
		return (double)cosl(x);
	case 'e':
		return (double)exp2l(x);
	case 'l':
		return (double)log2l(x);
	case 't':
		return (double)tanhl(x);
	case 'r':
		return (double)(1 / (function->name[1] == 's' ? sqrtl(x) : x));
	default:
		return (double)(function->name[1] == 'i' ? sinl(x) : sqrtl(x));
	}
}

static void check_function(struct build *b, const struct function *function, bool ftz)
{
	char opcode[64];

	snprintf(opcode, sizeof(opcode), "%s%s.f32", function->name, ftz ? ".ftz" : "");
	for (unsigned int i = 0; i < PTX_LANES; i++)
		b->rows[PTX_LANES + i] = ref_operand(&ref_f32, ref_one(&ref_f32));
	approximate(b, opcode, TYPE_F32, 1);
	for (unsigned int i = 0; i < PTX_LANES; i++) {
		uint64_t source = b->rows[PTX_LANES + i];
		uint64_t result = b->rows[i];
		uint64_t nearest, flushed = ftz ? ref_flush(&ref_f32, source) : source;
		float rounded;
		uint32_t bits;
		double want, bound;

		want = exact(function, f32_number(flushed));
		bound = fabs(want) * function->relative + function->absolute;
		/* PTX has a larger bound for the sine of larger numbers, and none beyond. */
		if (function->turns && fabs(f32_number(flushed)) > M_PI)
			bound = fabs(f32_number(flushed)) <= 100 * M_PI ? exp2(-14.7) : 2;
		rounded = (float)want;
		memcpy(&bits, &rounded, sizeof(bits));
		nearest = ftz ? ref_flush(&ref_f32, bits) : bits;
		if (isnan(want))
			nearest = 0x7fffffff;
		/* Infinities, NaNs and zeros are exact, with their signs. */
		if (result == nearest)
			continue;
		if (!(nearest & 0x7fffffff) || (nearest & 0x7f800000) == 0x7f800000 ||
		    !(fabs(f32_number(result) - want) <= bound + FLT_TRUE_MIN))
			fail_msg("%s %llx is %llx, not %llx", opcode, (unsigned long long)source,
				 (unsigned long long)nearest, (unsigned long long)result);
	}
}

TEST(test_f32_approximations)
{
	const struct function functions[] = {
		{ "rcp.approx", UNIT(23), 0, true, false },
		{ "sqrt.approx", UNIT(23), 0, true, false },
		{ "rsqrt.approx", exp2(-22.9), 0, true, false },
		{ "sin.approx", 0, exp2(-20.5), true, true },
		{ "cos.approx", 0, exp2(-20.5), true, true },
		{ "lg2.approx", UNIT(22), UNIT(22), true, false },
		{ "ex2.approx", UNIT(22), 0, true, false },
		{ "tanh.approx", UNIT(11), 0, false, false },
	};

	for (unsigned int i = 0; i < 8; i++)
		for (unsigned int round = 0; round < ROUNDS; round++)
			check_function(*state, &functions[i], functions[i].ftz && round & 1);
}

TEST(test_f32_divisions)
{
	static const char *const opcodes[] = {
		"div.approx.f32", "div.approx.ftz.f32", "div.full.f32", "div.full.ftz.f32",
	};
	struct build *b = *state;

	for (unsigned int round = 0; round < 4 * ROUNDS; round++) {
		bool ftz = round & 1, full = round & 2;

		for (unsigned int i = 0; i < PTX_LANES; i++) {
			b->rows[PTX_LANES + i] = ref_operand(&ref_f32, 0);
			b->rows[2 * PTX_LANES + i] =
				ref_operand(&ref_f32, b->rows[PTX_LANES + i]);
		}
		approximate(b, opcodes[round & 3], TYPE_F32, 2);
		for (unsigned int i = 0; i < PTX_LANES; i++) {
			uint64_t x = b->rows[PTX_LANES + i];
			uint64_t y = b->rows[2 * PTX_LANES + i];
			uint64_t huge = y & 0x7fffffff;
			struct ref_value v;
			uint64_t want;

			x = ftz ? ref_flush(&ref_f32, x) : x;
			y = ftz ? ref_flush(&ref_f32, y) : y;
			v = ref_div(ref_decode(&ref_f32, x), ref_decode(&ref_f32, y));
			want = ref_finish(&ref_f32, ref_round(&ref_f32, REF_RN, v), ftz, false,
					  false);
			/* 2^126 < |y| < 2^128 */
			if (!full && huge > 0x7e800000 && huge < 0x7f800000 && want != 0x7fffffff)
				want = (x & 0x7fffffff) == 0x7f800000 ? 0x7fffffff :
				       (x ^ y) & 0x80000000;
			/* PTX allows two units in the last place. */
			if (b->rows[i] - want + 2 > 4)
				fail_msg("%s %llx %llx is %llx, not %llx", opcodes[round & 3],
					 (unsigned long long)x, (unsigned long long)y,
					 (unsigned long long)want, (unsigned long long)b->rows[i]);
		}
	}
}

TEST(test_f64_approximations)
{
	static const char *const opcodes[] = {
		"rcp.approx.ftz.f64", "rsqrt.approx.ftz.f64", "rsqrt.approx.f64",
	};
	struct build *b = *state;

	for (unsigned int round = 0; round < 3 * ROUNDS; round++) {
		unsigned int op = round % 3;

		for (unsigned int i = 0; i < PTX_LANES; i++)
			b->rows[PTX_LANES + i] = ref_operand(&ref_f64, ref_one(&ref_f64));
		approximate(b, opcodes[op], TYPE_F64, 1);
		for (unsigned int i = 0; i < PTX_LANES; i++) {
			uint64_t source = b->rows[PTX_LANES + i];
			uint64_t result = b->rows[i];
			double x, want;

			if (op < 2) {
				assert_int_equal(result & 0xffffffff, 0);
				source &= 0xffffffff00000000;
				if (ref_is_nan(&ref_f64, source)) {
					assert_int_equal(result, 0x7fffffff00000000);
					continue;
				}
				source = ref_flush(&ref_f64, source);
			}
			x = f64_number(source);
			want = op == 0 ? 1 / x : 1 / sqrt(x);
			if (isnan(want)) {
				assert_true(ref_is_nan(&ref_f64, result));
				continue;
			}
			if (op < 2 && fabs(want) < DBL_MIN)
				want = copysign(0, want);
			if (isinf(want) || want == 0)
				assert_true(f64_number(result) == want &&
					    signbit(f64_number(result)) == signbit(want));
			else
				assert_true(fabs(f64_number(result) / want - 1) <= UNIT(20));
		}
	}
}

/* The value of 16 bits, and the distance to the next value. */
static double half_number(const struct ref_format *f, uint64_t bits)
{
	struct ref_value v = ref_decode(f, bits);
	double value = ldexp((double)(uint64_t)v.m, v.e);

	if (v.nan)
		return NAN;
	if (v.inf)
		value = INFINITY;
	return v.sign ? -value : value;
}

/* ex2 and tanh of all 65536 values, in both halves of packed types. */
static void check_half_function(struct build *b, bool tanh_not_ex2, enum ptx_type type)
{
	const struct ref_format *f = format_of(type);
	const bool ftz = !tanh_not_ex2 && f == &ref_bf16;
	char opcode[64];

	snprintf(opcode, sizeof(opcode), "%s%s.%s", tanh_not_ex2 ? "tanh.approx" : "ex2.approx",
		 ftz ? ".ftz" : "", ptx_type_name(type));
	for (unsigned int first = 0; first < 0x10000; first += PTX_LANES) {
		for (unsigned int i = 0; i < PTX_LANES; i++)
			b->rows[PTX_LANES + i] = (first + i) |
				(is_x2(type) ? (uint64_t)(0xffff - first - i) << 16 : 0);
		approximate(b, opcode, type, 1);
		for (unsigned int i = 0; i < 2 * PTX_LANES; i++) {
			unsigned int shift = i & 1 ? 16 : 0;
			uint64_t source = b->rows[PTX_LANES + i / 2] >> shift & 0xffff;
			uint64_t result = b->rows[i / 2] >> shift & 0xffff;
			double x = half_number(f, ftz ? ref_flush(f, source) : source);
			double want = tanh_not_ex2 ? tanh(x) : exp2(x);
			double got = half_number(f, result);
			double bound = fabs(want) * (f == &ref_f16 ? exp2(-9.9) : UNIT(7));

			if (i & 1 && !is_x2(type)) {
				assert_int_equal(result, 0);
				continue;
			}
			if (isnan(want)) {
				assert_int_equal(result, 0x7fff);
				continue;
			}
			/* The largest value and a half unit is the limit to infinity. */
			if (isinf(got))
				assert_true(want >= half_number(f, ref_inf(f) - 1));
			else if (ftz && !(result & 0x7f80))
				assert_true(fabs(want) <= FLT_MIN);
			else
				assert_true(fabs(got - want) <= bound + UNIT(24));
			assert_int_equal(signbit(got), signbit(want));
		}
	}
}

TEST(test_half_functions)
{
	for (unsigned int i = 0; i < 4; i++) {
		check_half_function(*state, false, halves[i]);
		check_half_function(*state, true, halves[i]);
	}
}

int main(void)
{
	return testing_run(build_setup, build_teardown);
}
