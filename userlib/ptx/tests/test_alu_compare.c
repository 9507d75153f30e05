// SPDX-License-Identifier: MIT
/* Comparison: setp, set and testp with all operators, types and modifiers. */
#include <math.h>
#include <stdio.h>

#include "testing.h"
#include "alu_build.h"
#include "reference_float.h"

static const enum ptx_type types[] = {
	TYPE_B16, TYPE_B32, TYPE_B64, TYPE_U16, TYPE_U32, TYPE_U64, TYPE_S16, TYPE_S32, TYPE_S64,
	TYPE_F16, TYPE_F16X2, TYPE_BF16, TYPE_BF16X2, TYPE_F32, TYPE_F64,
};

static const char *const operators[] = {
	"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu",
	"gtu", "geu", "num", "nan",
};

static const char *const bools[] = { "", ".and", ".or", ".xor" };

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

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
	case TYPE_F64:
		return &ref_f64;
	default:
		return NULL;
	}
}

static bool is_x2(enum ptx_type type)
{
	return type == TYPE_F16X2 || type == TYPE_BF16X2;
}

static bool is_bits(enum ptx_type type)
{
	return type == TYPE_B16 || type == TYPE_B32 || type == TYPE_B64;
}

static bool has_ftz(enum ptx_type type)
{
	return type == TYPE_F32 || type == TYPE_F16 || type == TYPE_F16X2;
}

/* Does the type have the operator? */
static bool is_legal(enum ptx_type type, const char *operator)
{
	bool is_float = format_of(type);

	if (!strcmp(operator, "eq") || !strcmp(operator, "ne"))
		return true;
	if (is_bits(type))
		return false;
	if (strstr("lt le gt ge", operator))
		return true;
	if (strstr("lo ls hi hs", operator))
		return !is_float && !ptx_type_is_signed(type);
	return is_float;
}

static int bits_of(enum ptx_type type)
{
	return is_x2(type) ? 16 : 8 * (int)ptx_type_size(type);
}

/* A value as an integer with the same order; both zeros are 0. */
static __int128_t order_of(enum ptx_type type, uint64_t bits)
{
	const struct ref_format *f = format_of(type);
	__int128_t value = bits;

	if (f) {
		value = bits & ~ref_sign_bit(f);
		return bits & ref_sign_bit(f) ? -value : value;
	}
	if (ptx_type_is_signed(type) && bits >> (bits_of(type) - 1) & 1)
		value -= (__int128_t)1 << bits_of(type);
	return value;
}

static bool compare(enum ptx_type type, const char *op, bool ftz, uint64_t a, uint64_t b)
{
	const struct ref_format *f = format_of(type);
	bool nan = f && (ref_is_nan(f, a) || ref_is_nan(f, b));
	__int128_t x = order_of(type, f && ftz ? ref_flush(f, a) : a);
	__int128_t y = order_of(type, f && ftz ? ref_flush(f, b) : b);

	if (!strcmp(op, "num"))
		return !nan;
	if (!strcmp(op, "nan"))
		return nan;
	if (nan)
		return strlen(op) == 3;
	switch (op[0]) {
	case 'e':
		return x == y;
	case 'n':
		return x != y;
	case 'l':
		return op[1] == 't' || op[1] == 'o' ? x < y : x <= y;
	case 'h':
		return op[1] == 'i' ? x > y : x >= y;
	default:
		return op[1] == 't' ? x > y : x >= y;
	}
}

static bool combine(unsigned int how, bool t, bool c)
{
	return how == 0 ? t : how == 1 ? t && c : how == 2 ? t || c : t != c;
}

static uint64_t random_source(enum ptx_type type, uint64_t other)
{
	uint64_t bits = ref_random();

	if (is_x2(type))
		return ref_operand(format_of(type), other & 0xffff) |
		       ref_operand(format_of(type), other >> 16) << 16;
	if (format_of(type))
		return ref_operand(format_of(type), other);
	bits = bits % 4 ? other + bits % 3 - 1 : bits;
	return bits_of(type) == 64 ? bits : bits & (((uint64_t)1 << bits_of(type)) - 1);
}

/* Fills registers 2 and 3 with sources of the type. */
static void fill(struct build *b, enum ptx_type type)
{
	for (unsigned int i = 0; i < PTX_LANES; i++) {
		b->rows[2 * PTX_LANES + i] = random_source(type, ref_random());
		b->rows[3 * PTX_LANES + i] = random_source(type, b->rows[2 * PTX_LANES + i]);
	}
}

static struct ptx_operand pair_of(struct build *b, struct ptx_operand first,
				  struct ptx_operand second)
{
	b->elements[0] = first;
	b->elements[1] = second;
	return (struct ptx_operand){
		.kind = OPERAND_PAIR, .elements = b->elements, .count = 2,
	};
}

/* a, b and, if @how is not 0, c or !c. */
static void build_sources(struct build *b, enum ptx_type type, unsigned int how, bool not)
{
	struct ptx_operand c = operand_reg(4);

	build_reg(b, 2, type);
	build_reg(b, 3, type);
	b->regs[4].type = TYPE_PRED;
	c.inverted = not;
	if (how)
		build_operand(b, c);
}

static void must_decode(struct build *b, const char *opcode)
{
	if (build_decode(b) != DECODED)
		fail_msg("%s: %s", opcode, b->messages.text ? b->messages.text : "not mine");
}

static void fail_lane(const struct build *b, const char *opcode, unsigned int lane)
{
	fail_msg("%s of %llx and %llx is wrong", opcode,
		 (unsigned long long)b->rows[2 * PTX_LANES + lane],
		 (unsigned long long)b->rows[3 * PTX_LANES + lane]);
}

/**
 * struct a_case - A comparison
 * @type: Type of the sources
 * @op: Operator
 * @how: Index in bools
 * @ftz: With .ftz
 * @not: c is inverted
 * @p: There is a first destination, not a sink
 * @q: There is a second destination
 */
struct a_case {
	enum ptx_type type;
	const char *op;
	unsigned int how;
	bool ftz, not, p, q;
};

static void run_setp(struct build *b, const struct a_case *c)
{
	const struct ptx_operand sink = { .kind = OPERAND_SINK };
	uint32_t mask = ref_random() & 1 ? ~0u : (uint32_t)ref_random() | 1;
	uint32_t was[2] = { (uint32_t)ref_random(), (uint32_t)ref_random() };
	char opcode[64];

	snprintf(opcode, sizeof(opcode), "setp.%s%s%s.%s", c->op, bools[c->how],
		 c->ftz ? ".ftz" : "", ptx_type_name(c->type));
	build_opcode(b, opcode);
	b->regs[0].type = TYPE_PRED;
	b->regs[1].type = TYPE_PRED;
	if (c->q || !c->p || is_x2(c->type))
		build_operand(b, pair_of(b, c->p ? operand_reg(0) : sink,
					 c->q ? operand_reg(1) : sink));
	else
		build_operand(b, operand_reg(0));
	build_sources(b, c->type, c->how, c->not);
	must_decode(b, opcode);
	fill(b, c->type);
	b->preds[0] = was[0];
	b->preds[1] = was[1];
	b->preds[4] = (uint32_t)ref_random();
	build_execute(b, mask);
	for (unsigned int i = 0; i < PTX_LANES; i++) {
		uint64_t x = b->rows[2 * PTX_LANES + i], y = b->rows[3 * PTX_LANES + i];
		bool pred = (b->preds[4] >> i & 1) != c->not;
		bool t, u;

		if (is_x2(c->type)) {
			t = compare(c->type, c->op, c->ftz, x & 0xffff, y & 0xffff);
			u = compare(c->type, c->op, c->ftz, x >> 16, y >> 16);
		} else {
			t = compare(c->type, c->op, c->ftz, x, y);
			u = !t;
		}
		t = c->p && mask >> i & 1 ? combine(c->how, t, pred) : was[0] >> i & 1;
		u = c->q && mask >> i & 1 ? combine(c->how, u, pred) : was[1] >> i & 1;
		if ((b->preds[0] >> i & 1) != t || (b->preds[1] >> i & 1) != u)
			fail_lane(b, opcode, i);
	}
}

TEST(test_setp)
{
	for (unsigned int n = 0; n < COUNT(types) * COUNT(operators) * 128; n++) {
		struct a_case c = {
			.type = types[n / 128 / COUNT(operators)],
			.op = operators[n / 128 % COUNT(operators)],
			.how = n & 3, .ftz = n & 4, .not = n & 8 && n & 3, .p = n & 16, .q = n & 32,
		};

		/* These have one predicate. */
		if ((c.type == TYPE_F16 || c.type == TYPE_BF16) && (c.q || !c.p))
			continue;
		if (is_legal(c.type, c.op) && (!c.ftz || has_ftz(c.type)))
			run_setp(*state, &c);
	}
}

/* What set writes if the comparison is true. 0 if there is no such instruction. */
static uint64_t true_of(enum ptx_type to, enum ptx_type from)
{
	bool from_half = from == TYPE_F16 || from == TYPE_BF16;

	switch (to) {
	case TYPE_U32:
	case TYPE_S32:
		return is_x2(from) ? 0xffff : 0xffffffff;
	case TYPE_F32:
		return from_half || is_x2(from) ? 0 : 0x3f800000;
	case TYPE_U16:
	case TYPE_S16:
		return from_half ? 0xffff : 0;
	case TYPE_F16:
		return is_x2(from) || from == TYPE_BF16 ? 0 : 0x3c00;
	case TYPE_BF16:
		return is_x2(from) ? 0 : 0x3f80;
	case TYPE_F16X2:
		return from == TYPE_F16X2 ? 0x3c00 : 0;
	case TYPE_BF16X2:
		return from == TYPE_BF16X2 ? 0x3f80 : 0;
	default:
		return 0;
	}
}

static void run_set(struct build *b, const struct a_case *c, enum ptx_type to)
{
	uint32_t mask = ref_random() & 1 ? ~0u : (uint32_t)ref_random() | 1;
	uint64_t value = true_of(to, c->type);
	char opcode[64];

	snprintf(opcode, sizeof(opcode), "set.%s%s%s.%s.%s", c->op, bools[c->how],
		 c->ftz ? ".ftz" : "", ptx_type_name(to), ptx_type_name(c->type));
	build_opcode(b, opcode);
	build_reg(b, 0, to);
	build_sources(b, c->type, c->how, c->not);
	if (!value) {
		assert_int_equal(build_decode(b), REFUSED);
		assert_non_null(strstr(b->messages.text, "set does not take these two types"));
		build_forget(b);
		return;
	}
	must_decode(b, opcode);
	fill(b, c->type);
	b->preds[4] = (uint32_t)ref_random();
	memset(b->rows, 0x5a, PTX_LANES * sizeof(*b->rows));
	build_execute(b, mask);
	for (unsigned int i = 0; i < PTX_LANES; i++) {
		uint64_t x = b->rows[2 * PTX_LANES + i], y = b->rows[3 * PTX_LANES + i];
		bool pred = (b->preds[4] >> i & 1) != c->not;
		uint64_t want = 0;

		for (unsigned int shift = 0; shift < (is_x2(c->type) ? 32 : 16); shift += 16) {
			uint64_t from = is_x2(c->type) ? x >> shift & 0xffff : x;
			uint64_t with = is_x2(c->type) ? y >> shift & 0xffff : y;

			if (combine(c->how, compare(c->type, c->op, c->ftz, from, with), pred))
				want |= value << shift;
		}
		if (!(mask >> i & 1))
			want = 0x5a5a5a5a5a5a5a5a;
		if (b->rows[i] != want)
			fail_lane(b, opcode, i);
	}
}

TEST(test_set)
{
	static const enum ptx_type results[] = {
		TYPE_U32, TYPE_S32, TYPE_F32, TYPE_U16, TYPE_S16, TYPE_F16, TYPE_BF16, TYPE_F16X2,
		TYPE_BF16X2, TYPE_U64, TYPE_F64, TYPE_B32,
	};

	for (unsigned int n = 0; n < COUNT(types) * COUNT(operators) * 16; n++) {
		struct a_case c = {
			.type = types[n / 16 / COUNT(operators)],
			.op = operators[n / 16 % COUNT(operators)],
			.how = n & 3, .ftz = n & 4, .not = n & 8 && n & 3,
		};

		if (!is_legal(c.type, c.op) || (c.ftz && !has_ftz(c.type)))
			continue;
		for (unsigned int r = 0; r < COUNT(results); r++)
			if (!c.ftz || results[r] != TYPE_BF16)
				run_set(*state, &c, results[r]);
	}
}

TEST(test_testp)
{
	static const char *const names[] = {
		"finite", "infinite", "number", "notanumber", "normal", "subnormal",
	};
	struct build *b = *state;

	for (unsigned int n = 0; n < 12 * 50; n++) {
		enum ptx_type type = n & 1 ? TYPE_F64 : TYPE_F32;
		unsigned int test = n / 2 % 6;
		uint32_t mask = (uint32_t)ref_random() | 1;
		uint32_t was = (uint32_t)ref_random();
		char opcode[64];

		snprintf(opcode, sizeof(opcode), "testp.%s.%s", names[test], ptx_type_name(type));
		build_opcode(b, opcode);
		b->regs[0].type = TYPE_PRED;
		build_operand(b, operand_reg(0));
		build_reg(b, 2, type);
		must_decode(b, opcode);
		fill(b, type);
		b->preds[0] = was;
		build_execute(b, mask);
		for (unsigned int i = 0; i < PTX_LANES; i++) {
			uint64_t bits = b->rows[2 * PTX_LANES + i];
			uint32_t narrow = (uint32_t)bits;
			double wide;
			float single;
			int class;
			bool want;

			memcpy(&wide, &bits, sizeof(wide));
			memcpy(&single, &narrow, sizeof(single));
			class = type == TYPE_F64 ? fpclassify(wide) : fpclassify(single);
			switch (test) {
			case 0:
				want = class != FP_NAN && class != FP_INFINITE;
				break;
			case 1:
				want = class == FP_INFINITE;
				break;
			case 2:
				want = class != FP_NAN;
				break;
			case 3:
				want = class == FP_NAN;
				break;
			case 4:
				want = class == FP_NORMAL || class == FP_ZERO;
				break;
			default:
				want = class == FP_SUBNORMAL;
				break;
			}
			if (!(mask >> i & 1))
				want = was >> i & 1;
			if ((b->preds[0] >> i & 1) != want)
				fail_lane(b, opcode, i);
		}
	}
}

/* An operator that the type does not have is refused, with those that it has. */
TEST(test_operators_refused)
{
	struct build *b = *state;

	for (unsigned int n = 0; n < COUNT(types) * COUNT(operators); n++) {
		enum ptx_type type = types[n / COUNT(operators)];
		const char *op = operators[n % COUNT(operators)];
		char opcode[64];

		if (is_legal(type, op))
			continue;
		snprintf(opcode, sizeof(opcode), "setp.%s.%s", op, ptx_type_name(type));
		build_opcode(b, opcode);
		b->regs[0].type = TYPE_PRED;
		build_operand(b, operand_reg(0));
		build_sources(b, type, 0, false);
		assert_int_equal(build_decode(b), REFUSED);
		assert_int_equal(b->messages.count, 1);
		assert_non_null(strstr(b->messages.text, "is one of .eq .ne"));
		build_forget(b);
	}
}

TEST(test_refused)
{
	static const struct {
		const char *opcode;
		enum ptx_type dst, src;
		unsigned int sources;
		const char *message;
	} refused[] = {
		{ "setp.eq.u8", TYPE_PRED, TYPE_U8, 2, "does not take this type; it takes" },
		{ "setp.eq.ftz.f64", TYPE_PRED, TYPE_F64, 2, "setp.f64 does not take .ftz" },
		{ "setp.eq.ftz.bf16", TYPE_PRED, TYPE_BF16, 2, "setp.bf16 does not take .ftz" },
		{ "set.eq.ftz.bf16.f32", TYPE_BF16, TYPE_F32, 2,
		  "set.bf16.f32 does not take .ftz" },
		{ "setp.eq.not.s32", TYPE_PRED, TYPE_S32, 2, "setp.s32 does not take .not" },
		{ "setp.eq.s32", TYPE_PRED, TYPE_S32, 3, "setp.s32 has 3 operands, not 4" },
		{ "setp.eq.and.s32", TYPE_PRED, TYPE_S32, 2, "setp.s32 has 4 operands, not 3" },
		{ "setp.eq.and.s32", TYPE_PRED, TYPE_S32, 3, "takes a predicate here" },
		{ "setp.eq.s32", TYPE_S32, TYPE_S32, 2, "takes a predicate here" },
		{ "setp.eq.s32", TYPE_PRED, TYPE_S64, 2, "takes .s32 here" },
		{ "setp.eq.f16x2", TYPE_PRED, TYPE_F16X2, 2, "takes a destination p|q" },
		{ "setp.eq", TYPE_PRED, TYPE_S32, 2, "does not take this type" },
		{ "setp.s32", TYPE_PRED, TYPE_S32, 2, "does not take this type" },
		{ "set.eq.s32", TYPE_S32, TYPE_S32, 2, "does not take this type" },
		{ "set.eq.s32.s32", TYPE_S64, TYPE_S32, 2, "takes .s32 here" },
		{ "testp.zero.f32", TYPE_PRED, TYPE_F32, 1, "testp takes one of" },
		{ "testp.normal.ftz.f32", TYPE_PRED, TYPE_F32, 1, "testp takes one of" },
		{ "testp.normal.f16", TYPE_PRED, TYPE_F16, 1, "it takes .f32 .f64" },
		{ "testp.normal.f32", TYPE_PRED, TYPE_F32, 2, "has 2 operands, not 3" },
	};
	struct build *b = *state;

	for (unsigned int i = 0; i < COUNT(refused); i++) {
		build_opcode(b, refused[i].opcode);
		build_reg(b, 0, refused[i].dst);
		for (unsigned int n = 0; n < refused[i].sources; n++)
			build_reg(b, 2 + (int)n, refused[i].src);
		if (build_decode(b) != REFUSED)
			fail_msg("%s is not refused", refused[i].opcode);
		assert_non_null(b->messages.text);
		if (!strstr(b->messages.text, refused[i].message))
			fail_msg("%s: %s", refused[i].opcode, b->messages.text);
		build_forget(b);
	}
	build_opcode(b, "setp.eq.f16");
	build_operand(b, pair_of(b, operand_reg(0), operand_reg(1)));
	build_sources(b, TYPE_F16, 0, false);
	assert_refused(b, "setp.f16 takes one predicate as its destination");
	build_opcode(b, "set.eq.s32.s32");
	build_operand(b, (struct ptx_operand){ .kind = OPERAND_SINK });
	build_sources(b, TYPE_S32, 0, false);
	assert_int_equal(build_decode(b), REFUSED);
	assert_non_null(strstr(b->messages.text, "takes a register as its destination, not _"));
	build_forget(b);
}

int main(void)
{
	return testing_run(build_setup, build_teardown);
}
