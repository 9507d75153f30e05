// SPDX-License-Identifier: MIT
/*
 * Conversions: every pair of types with every modifier, against the reference. Sources of 16 bits
 * are all 65536 values, others are random.
 */
#include <stdio.h>

#include "testing.h"
#include "alu_build.h"
#include "reference_float.h"

static const enum ptx_type ints[] = {
	TYPE_U8, TYPE_S8, TYPE_U16, TYPE_S16, TYPE_U32, TYPE_S32, TYPE_U64, TYPE_S64,
};

static const enum ptx_type floats[] = { TYPE_F16, TYPE_BF16, TYPE_F32, TYPE_F64 };

/**
 * struct a_case - A conversion
 * @to: Type of the result
 * @from: Type of the source
 * @rounding: Modifier of the rounding mode, or ""
 * @mode: What it means
 * @integer: It is an integer rounding
 * @ftz: With .ftz
 * @sat: With .sat
 * @relu: With .relu
 * @satfinite: With .satfinite
 * @opcode: The opcode
 */
struct a_case {
	enum ptx_type to;
	enum ptx_type from;
	const char *rounding;
	enum ref_mode mode;
	bool integer;
	bool ftz, sat, relu, satfinite;
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
	case TYPE_TF32:
		return &ref_tf32;
	case TYPE_F32:
		return &ref_f32;
	case TYPE_F64:
		return &ref_f64;
	default:
		return NULL;
	}
}

static int bits_of(enum ptx_type type)
{
	return 8 * (int)ptx_type_size(type);
}

static uint64_t low(uint64_t value, int bits)
{
	return bits == 64 ? value : value & (((uint64_t)1 << bits) - 1);
}

static __int128_t integer_of(enum ptx_type type, uint64_t bits)
{
	__int128_t value = low(bits, bits_of(type));

	if (ptx_type_is_signed(type) && value >> (bits_of(type) - 1))
		value -= (__int128_t)1 << bits_of(type);
	return value;
}

static uint64_t limited(enum ptx_type type, __int128_t value)
{
	bool is_signed = ptx_type_is_signed(type);
	__int128_t largest = ((__int128_t)1 << (bits_of(type) - is_signed)) - 1;
	__int128_t smallest = is_signed ? -largest - 1 : 0;

	value = value > largest ? largest : value < smallest ? smallest : value;
	return low((uint64_t)value, bits_of(type));
}

static uint64_t expected_integer(const struct a_case *c, struct ref_value v)
{
	const __int128_t huge = (__int128_t)1 << 100;
	__int128_t value;

	if (v.nan)
		return c->from != TYPE_F64 && bits_of(c->to) < 64 ? 0 :
		       (uint64_t)1 << (bits_of(c->to) - 1);
	if (v.inf)
		return limited(c->to, v.sign ? -huge : huge);
	v = ref_to_integer(v, c->mode);
	while (v.e > 0 && v.m < (__uint128_t)huge) {
		v.m <<= 1;
		v.e--;
	}
	value = v.m && v.e > 0 ? huge : (__int128_t)v.m;
	return limited(c->to, v.sign ? -value : value);
}

/* The NaN that the NaN @source becomes on an H100. */
static uint64_t expected_nan(const struct a_case *c, uint64_t source)
{
	const struct ref_format *f = format_of(c->to), *from = format_of(c->from);
	const bool plain = !c->ftz && !c->integer, to_f64 = c->to == TYPE_F64;
	uint64_t fraction = source & (((uint64_t)1 << from->fraction) - 1);
	uint64_t kept = source & ref_sign_bit(from) ? ref_sign_bit(f) : 0;

	kept |= ref_inf(f) | fraction << (63 - from->fraction) >> (63 - f->fraction);
	if (to_f64 && c->ftz)
		return 0x7fffffffe0000000;
	if ((to_f64 || c->to == TYPE_F32) && plain &&
	    (c->from == c->to || (!to_f64 && c->from == TYPE_BF16)))
		return kept;
	if (to_f64 || c->from == TYPE_F64)
		return kept | (uint64_t)1 << (f->fraction - 1);
	if (c->mode == REF_RNA)
		return kept - c->satfinite;
	return f->nan;
}

static uint64_t expected_float(const struct a_case *c, struct ref_value v, uint64_t source)
{
	const struct ref_format *f = format_of(c->to);
	uint64_t bits;

	if (c->integer && !v.nan && !v.inf)
		v = ref_to_integer(v, c->mode);
	bits = ref_round(f, c->mode, v);
	if (c->satfinite && (bits & ~ref_sign_bit(f)) == ref_inf(f))
		bits--;
	if (ref_is_nan(f, bits))
		bits = c->sat ? 0 : expected_nan(c, source);
	else
		bits = ref_finish(f, bits, c->ftz && c->to == TYPE_F32, c->sat, c->relu);
	return c->to == TYPE_TF32 ? bits << 13 : bits;
}

/* The result, in as many bits as its type has. */
static uint64_t expected(const struct a_case *c, uint64_t source)
{
	const struct ref_format *from = format_of(c->from);
	struct ref_value v = { };

	if (from) {
		if (c->ftz && c->from == TYPE_F32 && c->to != TYPE_F16)
			source = ref_flush(from, source);
		v = ref_decode(from, source);
	} else {
		__int128_t value = integer_of(c->from, source);

		if (!format_of(c->to))
			return c->sat ? limited(c->to, value) :
			       low((uint64_t)value, bits_of(c->to));
		v.sign = value < 0;
		v.m = (__uint128_t)(value < 0 ? -value : value);
	}
	return format_of(c->to) ? expected_float(c, v, source) : expected_integer(c, v);
}

static uint64_t random_source(enum ptx_type type)
{
	const struct ref_format *f = format_of(type);
	uint64_t bits = ref_random();
	uint64_t sign = ref_random() & 1;

	/* Half of the floats are near integers and halves; f32 and f64 beyond 2^64, too. */
	if (f && ref_random() & 1) {
		int unit = f->fraction - (int)(ref_random() % 68) - 2;
		uint64_t exponent = ((uint64_t)1 << (f->exponent - 1)) - 1 +
				    (uint64_t)(f->fraction - unit);

		if (unit > 0)
			bits &= ~(uint64_t)0 << (ref_random() & 1 ? unit - 1 : 0);
		bits = (bits & (((uint64_t)1 << f->fraction) - 1)) + (exponent << f->fraction);
		return (bits & (ref_sign_bit(f) - 1)) | (sign ? ref_sign_bit(f) : 0);
	}
	if (f)
		return ref_operand(f, ref_one(f));
	/* Integers of all lengths, at powers of two, and in the middle of two floats. */
	bits = ref_random() % 4 ? bits >> bits % 64 : (uint64_t)1 << bits % 64;
	bits += ref_random() % 3 - 1;
	return low(sign ? -bits : bits, bits_of(type));
}

/* The type of the register of a type. In conversions with bf16, no register is wider. */
static enum ptx_type register_type(enum ptx_type type, enum ptx_type other)
{
	switch (type) {
	case TYPE_F16X2:
	case TYPE_BF16X2:
	case TYPE_TF32:
		return TYPE_B32;
	case TYPE_BF16:
		return TYPE_B16;
	case TYPE_U8:
	case TYPE_S8:
		return other == TYPE_BF16 ? TYPE_B8 : TYPE_B16;
	default:
		return type;
	}
}

static void name_case(struct a_case *c)
{
	snprintf(c->opcode, sizeof(c->opcode), "cvt%s%s%s%s%s.%s.%s", c->rounding,
		 c->ftz ? ".ftz" : "", c->sat ? ".sat" : "", c->relu ? ".relu" : "",
		 c->satfinite ? ".satfinite" : "", ptx_type_name(c->to), ptx_type_name(c->from));
}

static void must_decode(struct build *b, const char *opcode)
{
	if (build_decode(b) != DECODED)
		fail_msg("%s: %s", opcode, b->messages.text ? b->messages.text : "not mine");
}

/* What @bits of the type are in a register of @width bits. */
static uint64_t extended(enum ptx_type type, uint64_t bits, int width)
{
	return ptx_type_is_signed(type) ? low((uint64_t)integer_of(type, bits), width) : bits;
}

static void check(const struct a_case *c, uint64_t source, uint64_t result, int width)
{
	uint64_t want = extended(c->to, expected(c, source), width);

	if (result != want)
		fail_msg("%s %llx is %llx, not %llx", c->opcode, (unsigned long long)source,
			 (unsigned long long)want, (unsigned long long)result);
}

static void run_case(struct build *b, struct a_case *c)
{
	const unsigned int rounds = bits_of(c->from) == 16 ? 0x10000 / PTX_LANES : 60;
	const int width = bits_of(register_type(c->to, c->from));

	name_case(c);
	build_opcode(b, c->opcode);
	build_reg(b, 0, register_type(c->to, c->from));
	build_reg(b, 1, register_type(c->from, c->to));
	must_decode(b, c->opcode);
	for (unsigned int round = 0; round < rounds; round++) {
		uint32_t mask = round % 4 ? ~0u : (uint32_t)ref_random() | 1;

		for (unsigned int i = 0; i < PTX_LANES; i++) {
			b->rows[i] = 0x5a5a;
			b->rows[PTX_LANES + i] = bits_of(c->from) == 16 ?
				round * PTX_LANES + i : random_source(c->from);
		}
		build_execute(b, mask);
		for (unsigned int i = 0; i < PTX_LANES; i++) {
			if (mask >> i & 1)
				check(c, b->rows[PTX_LANES + i], b->rows[i], width);
			else
				assert_int_equal(b->rows[i], 0x5a5a);
		}
	}
}

static const char *const float_roundings[] = { ".rn", ".rz", ".rm", ".rp" };
static const char *const integer_roundings[] = { ".rni", ".rzi", ".rmi", ".rpi" };

/* Does a type have numbers that the other does not? */
static bool can_saturate(enum ptx_type to, enum ptx_type from)
{
	__int128_t largest = ((__int128_t)1 << (bits_of(from) - ptx_type_is_signed(from))) - 1;
	__int128_t smallest = ptx_type_is_signed(from) ? -largest - 1 : 0;

	return integer_of(to, limited(to, largest)) != largest ||
	       integer_of(to, limited(to, smallest)) != smallest;
}

TEST(test_integers)
{
	for (unsigned int i = 0; i < 2 * 64; i++) {
		struct a_case c = {
			.to = ints[i & 7], .from = ints[i >> 3 & 7], .rounding = "", .sat = i & 64,
		};

		if (!c.sat || can_saturate(c.to, c.from))
			run_case(*state, &c);
	}
}

TEST(test_integer_to_float)
{
	for (unsigned int i = 0; i < 4 * 8 * 4 * 4; i++) {
		struct a_case c = {
			.to = floats[i & 3], .from = ints[i >> 2 & 7],
			.rounding = float_roundings[i >> 5 & 3], .mode = i >> 5 & 3,
			.ftz = i & 128, .sat = i & 256,
		};

		if ((!c.ftz || c.to == TYPE_F32) && (!c.sat || c.to != TYPE_BF16))
			run_case(*state, &c);
	}
}

TEST(test_float_to_integer)
{
	for (unsigned int i = 0; i < 4 * 8 * 4 * 4; i++) {
		struct a_case c = {
			.to = ints[i >> 2 & 7], .from = floats[i & 3],
			.rounding = integer_roundings[i >> 5 & 3], .mode = i >> 5 & 3,
			.integer = true, .ftz = i & 128, .sat = i & 256,
		};

		if ((!c.ftz || c.from == TYPE_F32) && (!c.sat || c.from != TYPE_BF16))
			run_case(*state, &c);
	}
}

TEST(test_float_to_integral_float)
{
	for (unsigned int i = 0; i < 4 * 5 * 4; i++) {
		unsigned int mode = i >> 2 & 3;
		struct a_case c = {
			.to = floats[i & 3], .from = floats[i & 3],
			.rounding = integer_roundings[mode], .mode = mode, .integer = true,
			.ftz = i & 16, .sat = i & 32,
		};

		/* Without rounding: only .ftz and .sat. */
		if (i >= 64) {
			c.integer = false;
			c.rounding = "";
			c.ftz = i & 4;
			c.sat = i & 8;
		}
		if ((!c.ftz || c.to == TYPE_F32) && (!c.sat || c.to != TYPE_BF16))
			run_case(*state, &c);
	}
}

static bool is_wider(enum ptx_type to, enum ptx_type from)
{
	return format_of(to)->exponent >= format_of(from)->exponent &&
	       format_of(to)->fraction >= format_of(from)->fraction;
}

TEST(test_float_to_float)
{
	for (unsigned int i = 0; i < 16 * 4 * 16; i++) {
		unsigned int mode = i >> 4 & 3;
		struct a_case c = {
			.to = floats[i & 3], .from = floats[i >> 2 & 3],
			.rounding = float_roundings[mode], .mode = mode,
			.ftz = i & 64, .sat = i & 128, .relu = i & 256, .satfinite = i & 512,
		};

		if (c.to == c.from || (c.ftz && c.to != TYPE_F32 && c.from != TYPE_F32) ||
		    (c.sat && (c.to == TYPE_BF16 || c.from == TYPE_BF16)))
			continue;
		/* Conversions between the types of 16 bits need no rounding. */
		if (bits_of(c.to) == bits_of(c.from) && !mode && c.relu)
			c.rounding = "", c.relu = false;
		if (is_wider(c.to, c.from) && c.from != TYPE_BF16)
			c.rounding = "";
		if ((c.relu || c.satfinite) &&
		    (c.from != TYPE_F32 || is_wider(c.to, c.from) || mode > 1 || c.ftz || c.sat))
			continue;
		run_case(*state, &c);
	}
}

TEST(test_f32_to_tf32)
{
	static const char *const roundings[] = { ".rn", ".rz", ".rna" };
	static const enum ref_mode modes[] = { REF_RN, REF_RZ, REF_RNA };

	for (unsigned int i = 0; i < 3 * 4; i++) {
		struct a_case c = {
			.to = TYPE_TF32, .from = TYPE_F32, .rounding = roundings[i % 3],
			.mode = modes[i % 3], .relu = i / 3 & 1, .satfinite = i / 3 & 2,
		};

		if (c.mode == REF_RNA ? !c.relu : !c.satfinite)
			run_case(*state, &c);
	}
}

TEST(test_f32_to_packed)
{
	static const enum ptx_type types[] = { TYPE_F16X2, TYPE_BF16X2 };
	struct build *b = *state;

	for (unsigned int n = 0; n < 2 * 2 * 4 * 40; n++) {
		struct a_case c = {
			.to = types[n & 1], .from = TYPE_F32,
			.rounding = float_roundings[n >> 1 & 1], .mode = n >> 1 & 1,
			.relu = n & 4, .satfinite = n & 8,
		};

		name_case(&c);
		build_opcode(b, c.opcode);
		build_reg(b, 0, TYPE_B32);
		build_reg(b, 1, TYPE_F32);
		build_reg(b, 2, TYPE_F32);
		must_decode(b, c.opcode);
		for (unsigned int i = 0; i < 2 * PTX_LANES; i++)
			b->rows[PTX_LANES + i] = random_source(TYPE_F32);
		build_execute(b, ~0u);
		for (unsigned int i = 0; i < PTX_LANES; i++) {
			check(&c, b->rows[PTX_LANES + i], b->rows[i] >> 16, 32);
			check(&c, b->rows[2 * PTX_LANES + i], b->rows[i] & 0xffff, 32);
		}
	}
}

/* Registers may be wider than the types: sources are cut, results are extended. */
TEST(test_wide_registers)
{
	static const enum ptx_type wide[] = { TYPE_B16, TYPE_U32, TYPE_B64, TYPE_S64 };
	struct build *b = *state;

	for (unsigned int n = 0; n < 8 * 12 * 16; n++) {
		enum ptx_type dst = wide[n & 3];
		enum ptx_type src = wide[n >> 2 & 3];
		struct a_case c = { .to = ints[n >> 4 & 7], .rounding = "" };
		bool is_float = n >> 7 >= 8;

		c.from = is_float ? floats[n >> 7 & 3] : ints[n >> 7];
		c.integer = is_float;
		if (is_float)
			c.rounding = ".rni";
		if (bits_of(dst) < bits_of(c.to) || bits_of(src) < bits_of(c.from))
			continue;
		/* No integer register has a float, and none is wider in conversions of bf16. */
		if (is_float && ((src != TYPE_B16 && src != TYPE_B64) || c.from == TYPE_BF16))
			continue;
		name_case(&c);
		build_opcode(b, c.opcode);
		build_reg(b, 0, dst);
		build_reg(b, 1, src);
		must_decode(b, c.opcode);
		for (unsigned int i = 0; i < PTX_LANES; i++) {
			uint64_t junk = low(ref_random(), bits_of(src));

			b->rows[PTX_LANES + i] = random_source(c.from) |
				(junk & ~low(~(uint64_t)0, bits_of(c.from)));
		}
		build_execute(b, ~0u);
		for (unsigned int i = 0; i < PTX_LANES; i++)
			check(&c, low(b->rows[PTX_LANES + i], bits_of(c.from)), b->rows[i],
			      bits_of(dst));
	}
}

TEST(test_examples)
{
	static const struct {
		const char *opcode;
		enum ptx_type to, from;
		uint64_t source, result;
	} examples[] = {
		{ "cvt.rni.s32.f32", TYPE_S32, TYPE_F32, 0x40200000, 2 },
		{ "cvt.rzi.s32.f32", TYPE_S32, TYPE_F32, 0xc0200000, 0xfffffffe },
		{ "cvt.rzi.u32.f32", TYPE_U32, TYPE_F32, 0xc0200000, 0 },
		{ "cvt.rzi.s32.f32", TYPE_S32, TYPE_F32, 0x7fc00000, 0 },
		{ "cvt.rzi.s64.f32", TYPE_S64, TYPE_F32, 0x7fc00000, 0x8000000000000000 },
		{ "cvt.rzi.u32.f64", TYPE_U32, TYPE_F64, 0x7ff8000000000000, 0x80000000 },
		{ "cvt.rpi.ftz.s32.f32", TYPE_S32, TYPE_F32, 1, 0 },
		{ "cvt.rpi.s32.f32", TYPE_S32, TYPE_F32, 1, 1 },
		{ "cvt.rni.f32.f32", TYPE_F32, TYPE_F32, 0xbe800000, 0x80000000 },
		{ "cvt.rn.f32.s32", TYPE_F32, TYPE_S32, 0x1000001, 0x4b800000 },
		{ "cvt.rp.f32.s32", TYPE_F32, TYPE_S32, 0x1000001, 0x4b800001 },
		{ "cvt.rn.f16.f32", TYPE_F16, TYPE_F32, 0x477ff000, 0x7c00 },
		{ "cvt.rz.f16.f32", TYPE_F16, TYPE_F32, 0x477ff000, 0x7bff },
		{ "cvt.rn.bf16.f32", TYPE_BF16, TYPE_F32, 0x3f808000, 0x3f80 },
		{ "cvt.rn.f32.f64", TYPE_F32, TYPE_F64, 0xfff0000000000001, 0xffc00000 },
		{ "cvt.f64.f32", TYPE_F64, TYPE_F32, 0xff800001, 0xfff8000020000000 },
		{ "cvt.sat.f32.f32", TYPE_F32, TYPE_F32, 0x7fc00000, 0 },
		{ "cvt.rna.tf32.f32", TYPE_TF32, TYPE_F32, 0x3f801000, 0x3f802000 },
		{ "cvt.rn.tf32.f32", TYPE_TF32, TYPE_F32, 0x3f801000, 0x3f800000 },
		{ "cvt.sat.s8.s32", TYPE_S8, TYPE_S32, 1000, 127 },
		{ "cvt.sat.u8.s32", TYPE_U8, TYPE_S32, 0xffffffff, 0 },
		{ "cvt.s32.s8", TYPE_S32, TYPE_S8, 0x80, 0xffffff80 },
	};
	struct build *b = *state;

	for (unsigned int i = 0; i < sizeof(examples) / sizeof(*examples); i++) {
		build_opcode(b, examples[i].opcode);
		build_reg(b, 0, register_type(examples[i].to, TYPE_NONE));
		build_reg(b, 1, register_type(examples[i].from, TYPE_NONE));
		must_decode(b, examples[i].opcode);
		b->rows[PTX_LANES] = examples[i].source;
		build_execute(b, 1);
		if (b->rows[0] != examples[i].result)
			fail_msg("%s is %llx", examples[i].opcode, (unsigned long long)b->rows[0]);
	}
}

TEST(test_refused)
{
	static const struct {
		const char *opcode;
		enum ptx_type to, from;
		unsigned int sources;
		const char *message;
	} refused[] = {
		{ "cvt.s32.f32", TYPE_S32, TYPE_F32, 1,
		  "cvt.s32.f32 needs one of .rni .rzi .rmi .rpi" },
		{ "cvt.rn.s32.f32", TYPE_S32, TYPE_F32, 1, "cvt.s32.f32 does not take .rn" },
		{ "cvt.f32.s32", TYPE_F32, TYPE_S32, 1,
		  "cvt.f32.s32 needs one of .rn .rz .rm .rp" },
		{ "cvt.f32.f64", TYPE_F32, TYPE_F64, 1,
		  "cvt.f32.f64 needs one of .rn .rz .rm .rp" },
		{ "cvt.rn.f64.f32", TYPE_F64, TYPE_F32, 1, "cvt.f64.f32 does not take .rn" },
		{ "cvt.rn.f32.f32", TYPE_F32, TYPE_F32, 1, "cvt.f32.f32 does not take .rn" },
		{ "cvt.sat.s32.s16", TYPE_S32, TYPE_S16, 1, "it takes no modifiers" },
		{ "cvt.sat.s32.u16", TYPE_S32, TYPE_U16, 1, "it takes no modifiers" },
		{ "cvt.ftz.f64.f16", TYPE_F64, TYPE_F16, 1, "cvt.f64.f16 does not take .ftz" },
		{ "cvt.rn.sat.bf16.f32", TYPE_B16, TYPE_F32, 1, "cvt.bf16.f32 does not take .sat" },
		{ "cvt.rm.relu.f16.f32", TYPE_F16, TYPE_F32, 1, "need .rn or .rz" },
		{ "cvt.rna.f16.f32", TYPE_F16, TYPE_F32, 1, "does not take .rna" },
		{ "cvt.rn.rz.f16.f32", TYPE_F16, TYPE_F32, 1, ".rz does not go together with .rn" },
		{ "cvt.rna.relu.tf32.f32", TYPE_B32, TYPE_F32, 1,
		  "takes .relu with .rn or .rz only" },
		{ "cvt.rz.satfinite.tf32.f32", TYPE_B32, TYPE_F32, 1,
		  "takes .satfinite with .rna only" },
		{ "cvt.rm.f16x2.f32", TYPE_B32, TYPE_F32, 2, "cvt.f16x2.f32 does not take .rm" },
		{ "cvt.f16x2.f32", TYPE_B32, TYPE_F32, 2, "cvt.f16x2.f32 needs one of .rn .rz" },
		{ "cvt.rn.f16x2.f32", TYPE_B32, TYPE_F32, 1,
		  "cvt.f16x2.f32 has 3 operands, not 2" },
		{ "cvt.rn.f16.f32", TYPE_B16, TYPE_F32, 2, "cvt.f16.f32 has 2 operands, not 3" },
		{ "cvt.rn.satfinite.e2m1x2.f32", TYPE_B16, TYPE_F32, 2,
		  "is not supported; cvt takes" },
		{ "cvt.rn.e4m3x2.f32", TYPE_B16, TYPE_F32, 2, "needs .satfinite" },
		{ "cvt.rz.satfinite.e5m2x2.f32", TYPE_B16, TYPE_F32, 2, "does not take .rz" },
		{ "cvt.satfinite.e5m2x2.f32", TYPE_B16, TYPE_F32, 2, "needs one of .rn" },
		{ "cvt.rn.satfinite.e4m3x2.f32", TYPE_B16, TYPE_F32, 1, "3 operands, not 2" },
		{ "cvt.rn.satfinite.e4m3x2.f32", TYPE_B32, TYPE_F32, 2, "takes .b16 here" },
		{ "cvt.rn.satfinite.f16x2.e4m3x2", TYPE_B32, TYPE_B16, 1, "not take .satfinite" },
		{ "cvt.rn.e4m3x2.e5m2x2", TYPE_B16, TYPE_B16, 1, "types of 8 bits convert" },
		{ "cvt.rn.satfinite.e4m3x2.f64", TYPE_B16, TYPE_F64, 1, "types of 8 bits convert" },
		{ "cvt.rn.f32.e4m3x2", TYPE_F32, TYPE_B16, 1, "types of 8 bits convert" },
		{ "cvt.b32.u32", TYPE_B32, TYPE_U32, 1, "is not supported; cvt takes" },
		{ "cvt.rn.f16x2.f64", TYPE_B32, TYPE_F64, 2, "is not supported; cvt takes" },
		{ "cvt.u32", TYPE_U32, TYPE_U32, 1, "cvt takes two types, .to.from" },
		{ "cvt.u64.u32", TYPE_U32, TYPE_U32, 1, "takes .u64 here" },
		{ "cvt.u32.u64", TYPE_U32, TYPE_U32, 1, "takes .u64 here" },
		{ "cvt.u32.u16", TYPE_U32, TYPE_F32, 1, "takes .u16 here" },
		{ "cvt.f32.f16", TYPE_F32, TYPE_U32, 1, "takes .f16 here" },
		{ "cvt.f32.bf16", TYPE_F32, TYPE_B32, 1, "takes .bf16 here" },
	};
	struct build *b = *state;

	for (unsigned int i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		build_forget(b);
		build_opcode(b, refused[i].opcode);
		build_reg(b, 0, refused[i].to);
		for (unsigned int n = 0; n < refused[i].sources; n++)
			build_reg(b, 1 + (int)n, refused[i].from);
		if (build_decode(b) != REFUSED)
			fail_msg("%s is not refused", refused[i].opcode);
		assert_non_null(b->messages.text);
		assert_int_equal(b->messages.count, 1);
		if (!strstr(b->messages.text, refused[i].message))
			fail_msg("%s: %s", refused[i].opcode, b->messages.text);
	}
	build_forget(b);
	build_opcode(b, "cvt.u32.u16");
	build_operand(b, (struct ptx_operand){ .kind = OPERAND_SINK });
	build_reg(b, 1, TYPE_U16);
	assert_int_equal(build_decode(b), REFUSED);
	build_forget(b);
}

int main(void)
{
	return testing_run(build_setup, build_teardown);
}
