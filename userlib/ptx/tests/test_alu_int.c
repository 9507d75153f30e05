// SPDX-License-Identifier: MIT
/* Every form of the integer ALU executes random operands as the reference does. */
#include <stdio.h>

#include "testing.h"
#include "alu_build.h"
#include "reference_int.h"

/* Random warps for each form: about 20 lanes each. */
#define WARPS	1000

/* Instead of a type: the number that is part of lop3. */
#define IMM	TYPES

/**
 * struct form - A form of an instruction
 * @opcode: The opcode
 * @reference: What it computes
 * @param: &reference.imm or &reference.pack
 * @dst: Type of the destination
 * @src: Types of the sources
 */
struct form {
	const char *opcode;
	reference_fn *reference;
	int param;
	enum ptx_type dst;
	enum ptx_type src[6];
};

#define U16	TYPE_U16
#define U32	TYPE_U32
#define U64	TYPE_U64
#define S16	TYPE_S16
#define S32	TYPE_S32
#define S64	TYPE_S64
#define B16	TYPE_B16
#define B32	TYPE_B32
#define B64	TYPE_B64
#define F32	TYPE_F32
#define F64	TYPE_F64
#define PRED	TYPE_PRED

#define T1(name, fn, p, t)	{ name, fn, p, t, { t } }
#define T2(name, fn, p, t)	{ name, fn, p, t, { t, t } }
#define T3(name, fn, p, t)	{ name, fn, p, t, { t, t, t } }

#define FORMS_INTEGERS(form, name, fn) \
	form(name ".u16", fn, 0, U16), form(name ".u32", fn, 0, U32), \
	form(name ".u64", fn, 0, U64), form(name ".s16", fn, 0, S16), \
	form(name ".s32", fn, 0, S32), form(name ".s64", fn, 0, S64)
#define FORMS_SIGNED(form, name, fn) \
	form(name ".s16", fn, 0, S16), form(name ".s32", fn, 0, S32), form(name ".s64", fn, 0, S64)
#define FORMS_BITS(form, name, fn) \
	form(name ".b16", fn, 0, B16), form(name ".b32", fn, 0, B32), form(name ".b64", fn, 0, B64)
#define FORMS_CARRY(form, name, fn, p) \
	form(name ".u32", fn, p, U32), form(name ".s32", fn, p, S32), \
	form(name ".u64", fn, p, U64), form(name ".s64", fn, p, S64)
#define FORMS_DOT(name, fn, p) \
	{ name ".u32.u32", fn, p, U32, { B32, B32, U32 } }, \
	{ name ".s32.u32", fn, (p) | 1, S32, { B32, B32, S32 } }, \
	{ name ".u32.s32", fn, (p) | 2, S32, { B32, B32, S32 } }, \
	{ name ".s32.s32", fn, (p) | 3, S32, { B32, B32, S32 } }
#define ONE(name, fn, p, t)	{ name, fn, p, U32, { t } }
#define BFE(name, p, t)		{ name, r_bfe, p, t, { t, U32, U32 } }
#define BFI(name, t)		{ name, r_bfi, 0, t, { t, t, U32, U32 } }
#define SHIFT(name, fn, p, t)	{ name, fn, p, t, { t, U32 } }
#define FUNNEL(name, fn, p)	{ name, fn, p, B32, { B32, B32, U32 } }
#define FORMS_SELECT(name, after, fn, p, by) \
	{ name ".b16" after, fn, p, B16, { B16, B16, by } }, \
	{ name ".b32" after, fn, p, B32, { B32, B32, by } }, \
	{ name ".b64" after, fn, p, B64, { B64, B64, by } }, \
	{ name ".u16" after, fn, p, U16, { U16, U16, by } }, \
	{ name ".u32" after, fn, p, U32, { U32, U32, by } }, \
	{ name ".u64" after, fn, p, U64, { U64, U64, by } }, \
	{ name ".s16" after, fn, p, S16, { S16, S16, by } }, \
	{ name ".s32" after, fn, p, S32, { S32, S32, by } }, \
	{ name ".s64" after, fn, p, S64, { S64, S64, by } }, \
	{ name ".f32" after, fn, p, F32, { F32, F32, by } }, \
	{ name ".f64" after, fn, p, F64, { F64, F64, by } }
#define FIELDS_2_4(name, after, fn, p, t) \
	T3(name "2." after, fn, 16 | (p), t), T3(name "4." after, fn, 8 | (p), t)
#define FORMS_VIDEO(name, fn) \
	FIELDS_2_4(name, "u32.u32.u32", fn, 0, U32), \
	FIELDS_2_4(name, "u32.u32.u32.sat", fn, FIELDS_SATURATED, U32), \
	FIELDS_2_4(name, "u32.u32.u32.add", fn, FIELDS_SUM, U32), \
	FIELDS_2_4(name, "s32.s32.s32", fn, FIELDS_SIGNED, S32), \
	FIELDS_2_4(name, "s32.s32.s32.sat", fn, FIELDS_SIGNED | FIELDS_SATURATED, S32), \
	FIELDS_2_4(name, "s32.s32.s32.add", fn, FIELDS_SIGNED | FIELDS_SUM, S32)
#define FORMS_VSET(op, fn) \
	FIELDS_2_4("vset", "u32.u32." op, fn, 0, U32), \
	FIELDS_2_4("vset", "s32.s32." op, fn, FIELDS_SIGNED, S32)
#define PACK(name, p)		{ name, r_cvt_pack, p, B32, { S32, S32, B32 } }

static const struct form forms[] = {
	FORMS_INTEGERS(T2, "add", r_add), T2("add.sat.s32", r_add_sat, 0, S32),
	T2("add.u16x2", r_add_x2, 0, B32), T2("add.s16x2", r_add_x2, 0, B32),
	FORMS_INTEGERS(T2, "sub", r_sub), T2("sub.sat.s32", r_sub_sat, 0, S32),
	FORMS_INTEGERS(T2, "div", r_div), FORMS_INTEGERS(T2, "rem", r_rem),
	FORMS_SIGNED(T1, "neg", r_neg), FORMS_SIGNED(T1, "abs", r_abs),
	FORMS_INTEGERS(T2, "min", r_min), FORMS_INTEGERS(T2, "max", r_max),
	T2("min.relu.s32", r_min_relu, 0, S32), T2("max.relu.s32", r_max_relu, 0, S32),
	T2("min.s32.relu", r_min_relu, 0, S32), T2("max.s32.relu", r_max_relu, 0, S32),
	T2("min.u16x2", r_min_u16x2, 0, B32), T2("max.u16x2", r_max_u16x2, 0, B32),
	T2("min.s16x2", r_min_s16x2, 0, B32), T2("max.s16x2", r_max_s16x2, 0, B32),
	T2("min.relu.s16x2", r_min_relu_x2, 0, B32), T2("max.relu.s16x2", r_max_relu_x2, 0, B32),
	T2("min.s16x2.relu", r_min_relu_x2, 0, B32), T2("max.s16x2.relu", r_max_relu_x2, 0, B32),
	FORMS_INTEGERS(T3, "sad", r_sad),

	FORMS_INTEGERS(T2, "mul.lo", r_mul), FORMS_INTEGERS(T2, "mul.hi", r_mul_hi),
	{ "mul.wide.u16", r_mul, 0, U32, { U16, U16 } },
	{ "mul.wide.s16", r_mul, 0, S32, { S16, S16 } },
	{ "mul.wide.u32", r_mul, 0, U64, { U32, U32 } },
	{ "mul.wide.s32", r_mul, 0, S64, { S32, S32 } },
	FORMS_INTEGERS(T3, "mad.lo", r_mad), FORMS_INTEGERS(T3, "mad.hi", r_mad_hi),
	T3("mad.hi.sat.s32", r_mad_hi_sat, 0, S32),
	{ "mad.wide.u16", r_mad, 0, U32, { U16, U16, U32 } },
	{ "mad.wide.s16", r_mad, 0, S32, { S16, S16, S32 } },
	{ "mad.wide.u32", r_mad, 0, U64, { U32, U32, U64 } },
	{ "mad.wide.s32", r_mad, 0, S64, { S32, S32, S64 } },
	T2("mul24.lo.u32", r_mul24_lo, 0, U32), T2("mul24.lo.s32", r_mul24_lo, 1, S32),
	T2("mul24.hi.u32", r_mul24_hi, 0, U32), T2("mul24.hi.s32", r_mul24_hi, 1, S32),
	T3("mad24.lo.u32", r_mad24_lo, 0, U32), T3("mad24.lo.s32", r_mad24_lo, 1, S32),
	T3("mad24.hi.u32", r_mad24_hi, 0, U32), T3("mad24.hi.s32", r_mad24_hi, 1, S32),
	T3("mad24.hi.sat.s32", r_mad24_hi_sat, 1, S32),
	FORMS_DOT("dp4a", r_dp4a, 0), FORMS_DOT("dp2a.lo", r_dp2a, 0),
	FORMS_DOT("dp2a.hi", r_dp2a, 4),

	FORMS_CARRY(T2, "add.cc", r_add_carry, 2), FORMS_CARRY(T2, "addc", r_add_carry, 1),
	FORMS_CARRY(T2, "addc.cc", r_add_carry, 3),
	FORMS_CARRY(T2, "sub.cc", r_sub_carry, 2), FORMS_CARRY(T2, "subc", r_sub_carry, 1),
	FORMS_CARRY(T2, "subc.cc", r_sub_carry, 3),
	FORMS_CARRY(T3, "mad.lo.cc", r_mad_lo_carry, 2),
	FORMS_CARRY(T3, "mad.hi.cc", r_mad_hi_carry, 2),
	FORMS_CARRY(T3, "madc.lo", r_mad_lo_carry, 1),
	FORMS_CARRY(T3, "madc.lo.cc", r_mad_lo_carry, 3),
	FORMS_CARRY(T3, "madc.hi", r_mad_hi_carry, 1),
	FORMS_CARRY(T3, "madc.hi.cc", r_mad_hi_carry, 3),

	ONE("popc.b32", r_popc, 0, B32), ONE("popc.b64", r_popc, 0, B64),
	ONE("clz.b32", r_clz, 0, B32), ONE("clz.b64", r_clz, 0, B64),
	ONE("bfind.u32", r_bfind, 0, U32), ONE("bfind.u64", r_bfind, 0, U64),
	ONE("bfind.s32", r_bfind, 0, S32), ONE("bfind.s64", r_bfind, 0, S64),
	ONE("bfind.shiftamt.u32", r_bfind, 1, U32), ONE("bfind.shiftamt.u64", r_bfind, 1, U64),
	ONE("bfind.shiftamt.s32", r_bfind, 1, S32), ONE("bfind.shiftamt.s64", r_bfind, 1, S64),
	T1("brev.b32", r_brev, 0, B32), T1("brev.b64", r_brev, 0, B64),
	{ "fns.b32", r_fns, 0, B32, { B32, S32, S32 } },
	BFE("bfe.u32", 0, U32), BFE("bfe.u64", 0, U64),
	BFE("bfe.s32", 1, S32), BFE("bfe.s64", 1, S64),
	BFI("bfi.b32", B32), BFI("bfi.b64", B64),
	{ "bmsk.clamp.b32", r_bmsk, 0, B32, { U32, U32 } },
	{ "bmsk.wrap.b32", r_bmsk, 1, B32, { U32, U32 } },
	SHIFT("szext.clamp.u32", r_szext, 0, U32), SHIFT("szext.wrap.u32", r_szext, 1, U32),
	SHIFT("szext.clamp.s32", r_szext, 2, S32), SHIFT("szext.wrap.s32", r_szext, 3, S32),

	FORMS_VIDEO("vadd", r_vadd), FORMS_VIDEO("vsub", r_vsub), FORMS_VIDEO("vavrg", r_vavrg),
	FORMS_VIDEO("vabsdiff", r_vabsdiff), FORMS_VIDEO("vmin", r_vmin),
	FORMS_VIDEO("vmax", r_vmax), FORMS_VSET("eq", r_veq), FORMS_VSET("ne", r_vne),
	FORMS_VSET("lt", r_vlt), FORMS_VSET("le", r_vle), FORMS_VSET("gt", r_vgt),
	FORMS_VSET("ge", r_vge),

	FORMS_BITS(T2, "and", r_and), FORMS_BITS(T2, "or", r_or), FORMS_BITS(T2, "xor", r_xor),
	FORMS_BITS(T1, "not", r_not), FORMS_BITS(T1, "cnot", r_cnot),
	{ "lop3.b32", r_lop3, 0, B32, { B32, B32, B32, IMM } },
	{ "lop3.or.b32", r_lop3_or, 0, B32, { B32, B32, B32, IMM, PRED } },
	{ "lop3.and.b32", r_lop3_and, 0, B32, { B32, B32, B32, IMM, PRED } },

	FORMS_BITS(SHIFT, "shl", r_shl), FORMS_BITS(SHIFT, "shr", r_shr),
	FORMS_INTEGERS(SHIFT, "shr", r_shr),
	FUNNEL("shf.l.clamp.b32", r_shf, 0), FUNNEL("shf.l.wrap.b32", r_shf, 1),
	FUNNEL("shf.r.clamp.b32", r_shf, 2), FUNNEL("shf.r.wrap.b32", r_shf, 3),
	FUNNEL("prmt.b32", r_prmt, 0), FUNNEL("prmt.b32.f4e", r_prmt, 1),
	FUNNEL("prmt.b32.b4e", r_prmt, 2), FUNNEL("prmt.b32.rc8", r_prmt, 3),
	FUNNEL("prmt.b32.ecl", r_prmt, 4), FUNNEL("prmt.b32.ecr", r_prmt, 5),
	FUNNEL("prmt.b32.rc16", r_prmt, 6),

	FORMS_SELECT("selp", "", r_selp, 0, PRED), FORMS_SELECT("slct", ".s32", r_slct, 0, S32),
	FORMS_SELECT("slct", ".f32", r_slct_f32, 0, F32),
	FORMS_SELECT("slct.ftz", ".f32", r_slct_f32, 1, F32),
	{ "cvt.pack.sat.u16.s32", r_cvt_pack, 16, B32, { S32, S32 } },
	{ "cvt.pack.sat.s16.s32", r_cvt_pack, -16, B32, { S32, S32 } },
	PACK("cvt.pack.sat.u8.s32.b32", 8), PACK("cvt.pack.sat.s8.s32.b32", -8),
	PACK("cvt.pack.sat.u4.s32.b32", 4), PACK("cvt.pack.sat.s4.s32.b32", -4),
	PACK("cvt.pack.sat.u2.s32.b32", 2), PACK("cvt.pack.sat.s2.s32.b32", -2),
	FORMS_BITS(T1, "mov", r_mov), FORMS_INTEGERS(T1, "mov", r_mov),
	T1("mov.f32", r_mov, 0, F32), T1("mov.f64", r_mov, 0, F64),
};

#define FORMS	(sizeof(forms) / sizeof(forms[0]))

static uint64_t seed;

static uint64_t draw(void)
{
	/* splitmix64 */
	uint64_t z = seed += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* A number of some bits: often one at which functions change what they do. */
static uint64_t draw_value(int bits)
{
	uint64_t r = draw();
	uint64_t power = 1ull << (r >> 8) % (unsigned int)bits;
	uint64_t value;

	switch (r & 7) {
	case 0:
		value = (r >> 8) % 4 == 0 ? 0 : (r >> 8) % 4 == 1 ? ~0ull : (r >> 8) % 4 == 2 ?
			1ull << (bits - 1) : (1ull << (bits - 1)) - 1;
		break;
	case 1:
		value = power;
		break;
	case 2:
		value = power - 1;
		break;
	case 3:
		value = r & 8 ? power + 1 : ~power;
		break;
	case 4:
		value = (r >> 8) % 70;
		break;
	case 5:
		value = -((r >> 8) % 70);
		break;
	case 6:		/* exponents of floats that are not numbers, infinite, or subnormal */
		value = draw() & 0x807fffff;
		value |= r & 8 ? 0x7f800000 : 0;
		value &= r & 16 ? 0xff800000 : ~0ull;
		break;
	default:
		value = draw();
	}
	return bits == 64 ? value : value & ((1ull << bits) - 1);
}

static uint32_t draw_mask(void)
{
	uint32_t mask;

	switch (draw() % 4) {
	case 0:
		return ~0u;
	case 1:
		return 1u << draw() % 32;
	default:
		mask = (uint32_t)draw();
		return mask ? mask : 1;
	}
}

static int type_bits(enum ptx_type type)
{
	return 8 * (int)ptx_type_size(type);
}

static __int128_t widen(uint64_t value, enum ptx_type type)
{
	int bits = type_bits(type);
	bool negative = type != PRED && ptx_type_is_signed(type) && value >> (bits - 1) & 1;

	return negative ? (__int128_t)value - ((__int128_t)1 << bits) : (__int128_t)value;
}

/**
 * struct operands - The operands that were drawn for a form
 * @count: Number of sources
 * @row: For each source its register, or -1 for a constant
 * @number: The constant
 * @imm: The number that is part of lop3
 */
struct operands {
	unsigned int count;
	int row[6];
	uint64_t number[6];
	unsigned int imm;
};

/* Is the source the position or the length of a bit field? */
static bool is_field(const char *opcode, int source)
{
	return source >= (strncmp(opcode, "bfe.", 4) ? strncmp(opcode, "bfi.", 4) ? 9 : 2 : 1);
}

/*
 * Registers of a test: 0 is the destination, 1 to 4 are sources; the predicate 8 is a second
 * destination and the predicate 9 a source.
 */
static void draw_operands(struct build *b, const struct form *form, struct operands *o)
{
	struct ptx_operand pair = { .kind = OPERAND_PAIR, .count = 2 };

	memset(o, 0, sizeof(*o));
	build_opcode(b, form->opcode);
	if (strstr(form->opcode, "lop3.or") || strstr(form->opcode, "lop3.and")) {
		b->elements[0] = operand_reg(0);
		b->elements[1] = operand_reg(8);
		b->regs[0].type = form->dst;
		b->regs[8].type = TYPE_PRED;
		b->slots[0] = PTX_ROW(FILE_FRAME, 0);
		pair.elements = b->elements;
		build_operand(b, pair);
		if (draw() % 8 == 0)
			b->elements[0].kind = OPERAND_SINK;
		if (draw() % 8 == 0)
			b->elements[1].kind = OPERAND_SINK;
	} else {
		build_reg(b, 0, form->dst);
	}
	for (int i = 0; form->src[i] != TYPE_NONE; i++, o->count++) {
		enum ptx_type type = form->src[i];
		bool is_float = type == F32 || type == F64;

		o->row[i] = i + 1;
		if (type == IMM) {
			o->imm = (unsigned int)(draw() & 255);
			build_operand(b, operand_int(o->imm));
		} else if (type == PRED) {
			build_reg(b, 9, PRED);
			b->slots[9] = 9;
			b->operands[b->insn.operand_count - 1].inverted = draw() & 1;
		} else if (draw() % 4 == 0 && !strstr(form->opcode, "16x2")) {
			o->row[i] = -1;
			o->number[i] = draw_value(type_bits(type));
			/* The position and the length of a bit field, if they are numbers. */
			if (is_field(form->opcode, i))
				o->number[i] &= 255;
			build_operand(b, operand_int((int64_t)widen(o->number[i], type)));
			if (is_float)
				b->operands[i + 1].kind = type == F32 ? OPERAND_F32 : OPERAND_F64;
		} else {
			build_reg(b, i + 1, type);
			/* The destination may be the register of a source. */
			if (type == form->dst && draw() % 4 == 0) {
				o->row[i] = 0;
				b->operands[i + 1].reg = 0;
			}
		}
	}
}

static void check_warp(struct build *b, const struct form *form, const struct operands *o)
{
	static struct build before;
	uint32_t mask = draw_mask();
	bool inverted = b->operands[b->insn.operand_count - 1].inverted;
	bool row_sink = b->operands[0].kind == OPERAND_PAIR &&
			b->elements[0].kind == OPERAND_SINK;
	bool pred_sink = b->operands[0].kind != OPERAND_PAIR ||
			 b->elements[1].kind == OPERAND_SINK;

	for (int reg = 0; reg < 6; reg++) {
		for (int lane = 0; lane < PTX_LANES; lane++) {
			enum ptx_type type = reg ? form->src[reg - 1] : form->dst;
			bool is_row = type != TYPE_NONE && type != IMM && type != PRED;

			b->rows[reg * PTX_LANES + lane] = draw_value(is_row ? type_bits(type) : 64);
		}
	}
	b->preds[8] = (uint32_t)draw();
	b->preds[9] = (uint32_t)draw();
	b->carry = (uint32_t)draw();
	before = *b;
	build_execute(b, mask);
	for (int lane = 0; lane < PTX_LANES; lane++) {
		struct reference r = { .bits = type_bits(form->src[0]) };
		uint64_t want;

		if (!(mask >> lane & 1))
			continue;
		r.imm = o->imm ? o->imm : (unsigned int)form->param;
		r.pack = form->param;
		r.p = (before.preds[9] >> lane & 1) != inverted;
		r.carry = before.carry >> lane & 1;
		r.pred = before.preds[8] >> lane & 1;
		for (unsigned int i = 0, v = 0; i < o->count; i++) {
			uint64_t value = o->number[i];

			if (form->src[i] == IMM || form->src[i] == PRED)
				continue;
			if (o->row[i] >= 0)
				value = before.rows[o->row[i] * PTX_LANES + lane];
			r.v[v++] = widen(value, form->src[i]);
		}
		want = (uint64_t)((__uint128_t)form->reference(&r) &
				  ones_below(type_bits(form->dst)));
		if (!row_sink && b->rows[lane] != want) {
			fail_msg("%s, lane %d: %#llx, %#llx, %#llx, %#llx: %#llx instead of %#llx",
				 form->opcode, lane, (long long)r.v[0], (long long)r.v[1],
				 (long long)r.v[2], (long long)r.v[3],
				 (long long)b->rows[lane], (long long)want);
		}
		if (!row_sink)
			before.rows[lane] = want;
		if (!pred_sink)
			before.preds[8] = (before.preds[8] & ~(1u << lane)) |
					  (uint32_t)r.pred << lane;
		before.carry = (before.carry & ~(1u << lane)) | (uint32_t)r.carry << lane;
	}
	/* Nothing else has changed, and no other lane. */
	if (memcmp(b->rows, before.rows, sizeof(b->rows)))
		fail_msg("%s with the mask %#x changed another lane or row", form->opcode, mask);
	assert_memory_equal(b->preds, before.preds, sizeof(b->preds));
	assert_int_equal(b->carry, before.carry);
}

TEST(forms_compute_what_the_reference_does)
{
	static struct build b;

	for (unsigned int i = 0; i < FORMS; i++) {
		struct operands o;

		seed = i;
		build_init(&b);
		for (int warp = 0; warp < WARPS; warp++) {
			draw_operands(&b, &forms[i], &o);
			if (build_decode(&b) != DECODED)
				fail_msg("%s: %s", forms[i].opcode,
					 b.messages.text ? b.messages.text : "not known");
			check_warp(&b, &forms[i], &o);
		}
		build_free(&b);
	}
}

static bool has_form(const char *opcode)
{
	for (unsigned int i = 0; i < FORMS; i++) {
		if (!strcmp(forms[i].opcode, opcode))
			return true;
	}
	/* Predicates are tested with the decoding of operands, 128 bits in test_wide.c. */
	return strstr(opcode, ".pred") || strstr(opcode, ".b128");
}

/* The message about an unknown form lists the known ones. */
TEST(every_form_that_is_decoded_is_tested)
{
	static const char *const names[] = {
		"add", "sub", "div", "rem", "neg", "abs", "min", "max", "sad", "mul", "mad",
		"mul24", "mad24", "dp4a", "dp2a", "add.cc", "sub.cc", "mad.lo.cc", "mad.hi.cc",
		"addc", "subc", "madc", "popc", "clz", "bfind", "brev", "fns", "bfe", "bfi",
		"bmsk", "szext", "and", "or", "xor", "not", "cnot", "lop3", "shl", "shr", "shf",
		"prmt", "vadd2", "vadd4", "vsub2", "vsub4", "vavrg2", "vavrg4", "vabsdiff2",
		"vabsdiff4", "vmin2", "vmin4", "vmax2", "vmax4", "vset2", "vset4", "selp", "slct",
		"cvt.pack", "mov",
	};
	static const char separators[] = { ' ', '\n', 0 };
	static struct build b;
	unsigned int count = 0;

	build_init(&b);
	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char opcode[64];
		char *list;

		snprintf(opcode, sizeof(opcode), "%s.unknown", names[i]);
		build_opcode(&b, opcode);
		assert_int_equal(build_decode(&b), REFUSED);
		assert_int_equal(b.messages.count, 1);
		list = strstr(b.messages.text, " takes ");
		assert_non_null(list);
		for (char *form = strtok(list + 7, separators); form && *form == '.';
		     form = strtok(NULL, separators)) {
			snprintf(opcode, sizeof(opcode), "%s%s", names[i], form);
			if (!has_form(opcode))
				fail_msg("%s is not tested", opcode);
			count++;
		}
		build_forget(&b);
	}
	/* The five forms with predicates and mov.b128 have tests of their own. */
	assert_int_equal(count, FORMS + 6);
	build_free(&b);
}

/* An operand of any kind; registers have any type, and may be ones that do not exist. */
static struct ptx_operand draw_operand(struct build *b, struct ptx_operand *elements)
{
	static const struct ptx_variable variables[] = {
		{ .name = "shared", .space = SPACE_SHARED },
		{ .name = "global", .space = SPACE_GLOBAL },
	};
	static const struct ptx_function functions[] = {
		{ .name = "declared" },
		{ .name = "defined", .defined = true },
	};
	struct ptx_operand operand = {
		.kind = draw() % (OPERAND_SINK + 1),
		.inverted = draw() % 8 == 0,
		.dim = (uint8_t)(draw() % 4),
		.component = (int8_t)(draw() % 5) - 1,
		.reg = (int32_t)(draw() % (BUILD_REGS + 2)),
		.special = draw() % (SPECIALS + 1),
		.number = (int64_t)draw_value(64),
		.var = &variables[draw() % 2],
		.function = &functions[draw() % 2],
	};

	if (draw() % 2)
		operand.kind = OPERAND_REG;
	if (elements && operand.kind >= OPERAND_VECTOR && operand.kind <= OPERAND_LIST) {
		operand.elements = elements;
		operand.count = (unsigned int)(draw() % 5);
		for (unsigned int i = 0; i < operand.count; i++)
			elements[i] = draw_operand(b, NULL);
	}
	return operand;
}

/* What is decoded can be executed, and what is refused has one message. */
TEST(any_operands_are_decoded_or_refused)
{
	static struct build b;
	unsigned int count[2] = { };

	for (unsigned int i = 0; i < FORMS * 200; i++) {
		unsigned int operands;

		seed = i;
		build_init(&b);
		build_opcode(&b, forms[i / 200].opcode);
		for (int reg = 0; reg < BUILD_REGS; reg++) {
			b.regs[reg].type = forms[i / 200].dst;
			if (draw() % 2)
				b.regs[reg].type = 1 + draw() % (TYPES - 1);
			b.slots[reg] = (uint32_t)(draw() % BUILD_REGS);
		}
		operands = (unsigned int)(draw() % (BUILD_OPERANDS + 1));
		if (draw() % 2) {
			for (operands = 1; forms[i / 200].src[operands - 1] != TYPE_NONE;)
				operands++;
		}
		for (unsigned int o = 0; o < operands; o++)
			build_operand(&b, draw_operand(&b, b.elements));
		switch (build_decode(&b)) {
		case DECODED:
			assert_int_equal(b.messages.count, 0);
			build_execute(&b, draw_mask());
			break;
		case REFUSED:
			assert_int_equal(b.messages.count, 1);
			break;
		default:
			fail_msg("%s is not known", forms[i / 200].opcode);
		}
		count[b.step.alu ? 0 : 1]++;
		build_free(&b);
	}
	/* The test is worthless if one of the results is rare. */
	assert_true(count[0] > FORMS);
	assert_true(count[1] > FORMS);
}

TEST_MAIN()
