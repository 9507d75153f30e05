// SPDX-License-Identifier: MIT
/*
 * Arithmetic of floats: every operation, type and modifier with random operands, against the
 * reference.
 */
#include <stdio.h>

#include "testing.h"
#include "alu_build.h"
#include "reference_float.h"

#define ROUNDS 150

/**
 * struct a_case - An opcode, and what the reference needs to know of it
 * @op: First part of the opcode
 * @type: Its type
 * @format: Format of the type
 * @sources: Number of sources
 * @mode: Rounding mode
 * @ftz: With .ftz
 * @sat: With .sat
 * @relu: With .relu
 * @nan: With .NaN
 * @xorsign: With .xorsign
 * @abs: With .abs
 * @oob: With .oob
 * @opcode: The opcode
 */
struct a_case {
	const char *op;
	enum ptx_type type;
	const struct ref_format *format;
	unsigned int sources;
	enum ref_mode mode;
	bool ftz, sat, relu, nan, xorsign, abs, oob;
	char opcode[64];
};

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

static bool is_op(const struct a_case *c, const char *op)
{
	return !strcmp(c->op, op);
}

static uint64_t expected_min_max(const struct a_case *c, const uint64_t *x)
{
	const struct ref_format *f = c->format;
	uint64_t sign = c->xorsign ? (x[0] ^ x[1]) & ref_sign_bit(f) : 0;
	uint64_t drop = c->abs ? ref_sign_bit(f) : 0;
	uint64_t result = ref_min_max(f, is_op(c, "max"), c->nan, x[0] & ~drop, x[1] & ~drop);

	return ref_is_nan(f, result) ? f->nan : result | sign;
}

/* The first NaN among the sources b, c and a is the result, made quiet. div takes a before b. */
static uint64_t expected_f64_nan(const struct a_case *c, const uint64_t *x)
{
	const unsigned int first = is_op(c, "div") ? 0 : c->sources > 1;

	for (unsigned int i = first; i < first + c->sources; i++)
		if (ref_is_nan(c->format, x[i % c->sources]))
			return x[i % c->sources] | (uint64_t)1 << 51;
	return c->format->nan;
}

static uint64_t expected(const struct a_case *c, const uint64_t *sources)
{
	const struct ref_format *f = c->format;
	struct ref_value v[3] = { };
	uint64_t x[3] = { };
	struct ref_value result;
	uint64_t bits;

	for (unsigned int i = 0; i < c->sources; i++) {
		x[i] = c->ftz ? ref_flush(f, sources[i]) : sources[i];
		v[i] = ref_decode(f, x[i]);
	}
	if (is_op(c, "copysign"))
		return (x[0] & ref_sign_bit(f)) | (x[1] & ~ref_sign_bit(f));
	if (is_op(c, "neg") || is_op(c, "abs")) {
		bits = is_op(c, "neg") ? x[0] ^ ref_sign_bit(f) : x[0] & ~ref_sign_bit(f);
		if (c->type == TYPE_F64)
			return ref_is_nan(f, bits) ? expected_f64_nan(c, x) : bits;
		return ref_finish(f, bits, c->ftz, false, false);
	}
	if (is_op(c, "min") || is_op(c, "max")) {
		bits = expected_min_max(c, x);
		return c->type == TYPE_F64 && ref_is_nan(f, bits) ? expected_f64_nan(c, x) : bits;
	}
	if (c->oob && (x[0] == 0x7ff7 || x[1] == 0x7ff7))
		return 0;
	if (is_op(c, "sub"))
		v[1].sign = !v[1].sign;
	if (is_op(c, "add") || is_op(c, "sub"))
		result = ref_add(v[0], v[1], c->mode);
	else if (is_op(c, "mul"))
		result = ref_mul(v[0], v[1]);
	else if (is_op(c, "div"))
		result = ref_div(v[0], v[1]);
	else if (is_op(c, "rcp"))
		result = ref_div(ref_decode(f, ref_one(f)), v[0]);
	else if (is_op(c, "sqrt"))
		result = ref_sqrt(v[0]);
	else
		result = ref_add(ref_mul(v[0], v[1]), v[2], c->mode);
	if (result.nan && c->type == TYPE_F64)
		return expected_f64_nan(c, x);
	/* Only divisions round before they flush. */
	if (c->ftz && c->sources > 1 && !is_op(c, "div") && ref_is_tiny(f, result)) {
		result.m = 0;
		result.more = false;
	}
	return ref_finish(f, ref_round(f, c->mode, result), c->ftz, c->sat, c->relu);
}

static bool is_x2(enum ptx_type type)
{
	return type == TYPE_F16X2 || type == TYPE_BF16X2;
}

static void check_lane(const struct a_case *c, const uint64_t *x, uint64_t result)
{
	uint64_t want;

	if (is_x2(c->type)) {
		uint64_t low[3], high[3];

		for (unsigned int i = 0; i < 3; i++) {
			low[i] = x[i] & 0xffff;
			high[i] = x[i] >> 16;
		}
		want = expected(c, low) | expected(c, high) << 16;
	} else {
		want = expected(c, x);
	}
	if (result != want)
		fail_msg("%s %llx %llx %llx is %llx, not %llx", c->opcode,
			 (unsigned long long)x[0], (unsigned long long)x[1],
			 (unsigned long long)x[2], (unsigned long long)want,
			 (unsigned long long)result);
}

static uint64_t random_operand(const struct a_case *c, uint64_t other)
{
	if (c->oob && ref_random() % 8 == 0)
		return 0x7ff7;
	return ref_operand(c->format, other);
}

static void fill_sources(const struct a_case *c, struct build *b)
{
	for (unsigned int lane = 0; lane < PTX_LANES; lane++) {
		uint64_t low = 0, high = 0;

		for (unsigned int i = 0; i < c->sources; i++) {
			low = random_operand(c, low);
			high = random_operand(c, high);
			b->rows[(1 + i) * PTX_LANES + lane] =
				is_x2(c->type) ? low | high << 16 : low;
		}
		b->rows[lane] = 0x5a5a5a5a5a5a5a5a;
	}
}

static uint32_t random_mask(void)
{
	uint64_t random = ref_random();
	uint32_t mask = (uint32_t)(random >> 32);

	return random & 1 || !mask ? ~0u : mask;
}

/* Executes the case with random operands. */
static void run_case(struct build *b, const struct a_case *c, unsigned int rounds)
{
	build_opcode(b, c->opcode);
	for (unsigned int i = 0; i <= c->sources; i++)
		build_reg(b, (int)i, c->type);
	if (build_decode(b) != DECODED)
		fail_msg("%s: %s", c->opcode, b->messages.text ? b->messages.text : "not mine");
	while (rounds--) {
		uint64_t before[3 * PTX_LANES];
		uint32_t mask = random_mask();

		fill_sources(c, b);
		/* The destination may be one of the sources. */
		b->step.dst = rounds % 4 == 0 ? 1 + rounds / 4 % c->sources : 0;
		memcpy(before, b->rows + PTX_LANES, sizeof(before));
		build_execute(b, mask);
		for (unsigned int lane = 0; lane < PTX_LANES; lane++) {
			uint64_t x[3] = { before[lane], before[PTX_LANES + lane],
					  before[2 * PTX_LANES + lane] };
			uint64_t result = b->rows[b->step.dst * PTX_LANES + lane];

			if (mask >> lane & 1)
				check_lane(c, x, result);
			else
				assert_int_equal(result, b->step.dst ? x[b->step.dst - 1] :
						 0x5a5a5a5a5a5a5a5a);
		}
	}
}

static void name_case(struct a_case *c, const char *rounding)
{
	snprintf(c->opcode, sizeof(c->opcode), "%s%s%s%s%s%s%s%s%s.%s", c->op, rounding,
		 c->ftz ? ".ftz" : "", c->oob ? ".oob" : "", c->nan ? ".NaN" : "",
		 c->xorsign ? ".xorsign" : "", c->abs ? ".abs" : "", c->sat ? ".sat" : "",
		 c->relu ? ".relu" : "", ptx_type_name(c->type));
}

static const char *const roundings[] = { ".rn", ".rz", ".rm", ".rp", "" };

static struct a_case form_of(const char *op, enum ptx_type type, unsigned int sources)
{
	return (struct a_case){
		.op = op, .type = type, .format = format_of(type), .sources = sources,
	};
}

/* All roundings with all of .ftz and .sat, if @ftz_sat. */
static void run_roundings(struct build *b, struct a_case c, bool none, bool ftz, bool sat)
{
	for (unsigned int r = 0; r < (none ? 5 : 4); r++) {
		for (unsigned int i = 0; i < 4; i++) {
			c.mode = r == 4 ? REF_RN : (enum ref_mode)r;
			c.ftz = i & 1;
			c.sat = i & 2;
			if ((c.ftz && !ftz) || (c.sat && !sat))
				continue;
			name_case(&c, roundings[r]);
			run_case(b, &c, ROUNDS);
		}
	}
}

TEST(test_f32)
{
	run_roundings(*state, form_of("add", TYPE_F32, 2), true, true, true);
	run_roundings(*state, form_of("sub", TYPE_F32, 2), true, true, true);
	run_roundings(*state, form_of("mul", TYPE_F32, 2), true, true, true);
	run_roundings(*state, form_of("fma", TYPE_F32, 3), false, true, true);
	run_roundings(*state, form_of("mad", TYPE_F32, 3), false, true, true);
	run_roundings(*state, form_of("div", TYPE_F32, 2), false, true, false);
	run_roundings(*state, form_of("rcp", TYPE_F32, 1), false, true, false);
	run_roundings(*state, form_of("sqrt", TYPE_F32, 1), false, true, false);
}

TEST(test_f64)
{
	run_roundings(*state, form_of("add", TYPE_F64, 2), true, false, false);
	run_roundings(*state, form_of("sub", TYPE_F64, 2), true, false, false);
	run_roundings(*state, form_of("mul", TYPE_F64, 2), true, false, false);
	run_roundings(*state, form_of("fma", TYPE_F64, 3), false, false, false);
	run_roundings(*state, form_of("mad", TYPE_F64, 3), false, false, false);
	run_roundings(*state, form_of("div", TYPE_F64, 2), false, false, false);
	run_roundings(*state, form_of("rcp", TYPE_F64, 1), false, false, false);
	run_roundings(*state, form_of("sqrt", TYPE_F64, 1), false, false, false);
}

static const enum ptx_type halves[] = { TYPE_F16, TYPE_F16X2, TYPE_BF16, TYPE_BF16X2 };

TEST(test_half)
{
	static const char *const ops[] = { "add", "sub", "mul", "fma" };

	for (unsigned int i = 0; i < 4 * 4 * 2 * 16; i++) {
		enum ptx_type type = halves[i & 3];
		struct a_case c = form_of(ops[i >> 2 & 3], type, (i >> 2 & 3) == 3 ? 3 : 2);
		bool bf16 = type == TYPE_BF16 || type == TYPE_BF16X2;

		c.ftz = i & 32;
		c.sat = i & 64;
		c.relu = i & 128;
		c.oob = i & 256;
		if ((bf16 && (c.ftz || c.sat)) || (c.sat && c.relu) ||
		    (c.sources == 2 && (c.relu || c.oob)) || (c.oob && c.ftz) ||
		    (c.sources == 3 && i & 16))
			continue;
		name_case(&c, i & 16 ? "" : ".rn");
		run_case(*state, &c, 4 * ROUNDS);
	}
}

TEST(test_min_max)
{
	static const enum ptx_type types[] = {
		TYPE_F32, TYPE_F64, TYPE_F16, TYPE_F16X2, TYPE_BF16, TYPE_BF16X2,
	};

	for (unsigned int i = 0; i < 6 * 16; i++) {
		struct a_case c = form_of(i & 1 ? "max" : "min", types[i >> 4], 2);

		c.ftz = i & 2;
		c.nan = i & 4;
		c.xorsign = i & 8;
		c.abs = c.xorsign;
		if ((c.type == TYPE_F64 && i & 14) ||
		    (c.ftz && c.type != TYPE_F32 && c.format != &ref_f16))
			continue;
		name_case(&c, "");
		run_case(*state, &c, ROUNDS);
	}
}

TEST(test_signs)
{
	static const enum ptx_type types[] = {
		TYPE_F32, TYPE_F64, TYPE_F16, TYPE_F16X2, TYPE_BF16, TYPE_BF16X2,
	};

	for (unsigned int i = 0; i < 24; i++) {
		struct a_case c = form_of(i & 1 ? "neg" : "abs", types[i >> 2], 1);

		c.ftz = i & 2;
		if (c.ftz && c.type != TYPE_F32 && c.format != &ref_f16)
			continue;
		name_case(&c, "");
		run_case(*state, &c, ROUNDS);
	}
	for (unsigned int i = 0; i < 2; i++) {
		struct a_case c = form_of("copysign", types[i], 2);

		name_case(&c, "");
		run_case(*state, &c, ROUNDS);
	}
}

/* Every value of 16 bits. */
TEST(test_half_signs)
{
	struct build *b = *state;

	for (unsigned int t = 0; t < 4; t++) {
		for (unsigned int round = 0; round < 2 * 0x10000 / PTX_LANES; round++) {
			struct a_case c = form_of(round & 1 ? "neg" : "abs", halves[t], 1);

			name_case(&c, "");
			for (unsigned int i = 0; i < PTX_LANES; i++) {
				uint64_t source = round / 2 * PTX_LANES + i;

				b->rows[PTX_LANES + i] =
					source | (is_x2(c.type) ? source << 16 : 0);
			}
			build_opcode(b, c.opcode);
			build_reg(b, 0, c.type);
			build_reg(b, 1, c.type);
			assert_int_equal(build_decode(b), DECODED);
			build_execute(b, ~0u);
			for (unsigned int i = 0; i < PTX_LANES; i++) {
				const uint64_t x[3] = { b->rows[PTX_LANES + i] };

				check_lane(&c, x, b->rows[i]);
			}
		}
	}
}

/* What is not an instruction is refused with a message that says what is. */
TEST(test_refused)
{
	static const struct {
		const char *opcode;
		enum ptx_type type;
		unsigned int sources;
		const char *message;
	} refused[] = {
		{ "add.rna.f32", TYPE_F32, 2,
		  "add.f32 does not take .rna; it takes .rn .rz .rm .rp .ftz .sat" },
		{ "add.ftz.f64", TYPE_F64, 2,
		  "add.f64 does not take .ftz; it takes .rn .rz .rm .rp" },
		{ "add.rz.f16", TYPE_F16, 2, "add.f16 does not take .rz; it takes .rn .ftz .sat" },
		{ "add.ftz.bf16x2", TYPE_BF16X2, 2, "add.bf16x2 does not take .ftz; it takes .rn" },
		{ "add.rn.rz.f32", TYPE_F32, 2, "add.f32: .rz does not go together with .rn" },
		{ "add.ftz.ftz.f32", TYPE_F32, 2, "add.f32: .ftz does not go together with .ftz" },
		{ "add.f32", TYPE_F32, 3, "add.f32 has 3 operands, not 4" },
		{ "add.f32x2", TYPE_B64, 2, "it takes .f16 .f16x2 .bf16 .bf16x2 .f32 .f64" },
		{ "add.f32.f16", TYPE_F16, 2, "add.f32.f16 does not take .f32" },
		{ "fma.rn.f32.bf16", TYPE_BF16, 3, "fma.f32.bf16 does not take .f32" },
		{ "fma.f32", TYPE_F32, 3, "fma.f32 needs one of .rn .rz .rm .rp" },
		{ "fma.rn.s32", TYPE_S32, 3, "it takes .f16 .f16x2 .bf16 .bf16x2 .f32 .f64" },
		{ "fma", TYPE_F32, 3, "it takes" },
		{ "fma.rn.sat.relu.f16", TYPE_F16, 3, "takes .sat or .relu, not both" },
		{ "fma.rn.ftz.oob.f16", TYPE_F16, 3, "takes .ftz or .oob, not both" },
		{ "div.f32", TYPE_F32, 2, "div.f32 needs one of .rn .rz .rm .rp .approx .full" },
		{ "div.approx.f64", TYPE_F64, 2, "div.f64 does not take .approx" },
		{ "rcp.f32", TYPE_F32, 1, "rcp.f32 needs one of" },
		{ "rcp.approx.f64", TYPE_F64, 1, "takes .approx and .ftz together only" },
		{ "rcp.rn.ftz.f64", TYPE_F64, 1, "takes .approx and .ftz together only" },
		{ "sqrt.approx.f64", TYPE_F64, 1, "does not take .approx" },
		{ "sin.f32", TYPE_F32, 1, "sin.f32 needs one of .approx" },
		{ "sin.approx.f64", TYPE_F64, 1, "it takes .f32" },
		{ "ex2.approx.bf16", TYPE_BF16, 1, "needs .ftz" },
		{ "ex2.approx.ftz.f16", TYPE_F16, 1, "does not take .ftz" },
		{ "tanh.approx.ftz.f32", TYPE_F32, 1, "does not take .ftz" },
		{ "min.xorsign.f32", TYPE_F32, 2, "takes .xorsign and .abs together only" },
		{ "min.abs.f32", TYPE_F32, 2, "takes .xorsign and .abs together only" },
		{ "max.f32", TYPE_F32, 3, "max.f32 has 3 operands, not 4" },
		{ "max.f64", TYPE_F64, 3, "max.f64 has 3 operands, not 4" },
		{ "max.NaN.f64", TYPE_F64, 2, "max.f64 does not take .NaN; it takes no modifiers" },
		{ "copysign.ftz.f32", TYPE_F32, 2, "copysign.f32 does not take .ftz" },
		{ "neg.f32", TYPE_F64, 1, "takes .f32 here" },
		{ "abs.f16", TYPE_F32, 1, "takes .f16 here" },
	};
	struct build *b = *state;

	for (unsigned int i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		build_forget(b);
		build_opcode(b, refused[i].opcode);
		for (unsigned int n = 0; n <= refused[i].sources; n++)
			build_reg(b, (int)n, refused[i].type);
		if (build_decode(b) != REFUSED)
			fail_msg("%s is not refused", refused[i].opcode);
		assert_non_null(b->messages.text);
		assert_int_equal(b->messages.count, 1);
		if (!strstr(b->messages.text, refused[i].message))
			fail_msg("%s: %s", refused[i].opcode, b->messages.text);
	}
	build_forget(b);
	build_opcode(b, "add.f32");
	build_operand(b, (struct ptx_operand){ .kind = OPERAND_SINK });
	build_reg(b, 1, TYPE_F32);
	build_reg(b, 2, TYPE_F32);
	assert_int_equal(build_decode(b), REFUSED);
	assert_non_null(strstr(b->messages.text, "takes a register as its destination, not _"));
	build_forget(b);
}

/* Numbers in the text are sources, too. */
TEST(test_constants)
{
	struct build *b = *state;
	struct ptx_operand half = { .kind = OPERAND_F64, .number = 0x3fe0000000000000 };
	struct ptx_operand one = { .kind = OPERAND_F32, .number = 0x3f800000 };

	build_opcode(b, "add.f32");
	build_reg(b, 0, TYPE_F32);
	build_operand(b, half);
	build_operand(b, one);
	assert_int_equal(build_decode(b), DECODED);
	build_execute(b, 1);
	assert_int_equal(b->rows[0], 0x3fc00000);
}

int main(void)
{
	return testing_run(build_setup, build_teardown);
}
