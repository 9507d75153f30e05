// SPDX-License-Identifier: MIT
/*
 * Comparison: setp, set and testp (PTX ISA, 9.3.1, 9.7.3.1, 9.7.6 and 9.7.7).
 *
 * The lanes of a comparison are three masks: less, equal, and unordered (one of the values is a
 * NaN). Each operator is true for some of less, equal, greater and unordered.
 */
#include <stdio.h>

#include "code/alu_decoders.h"
#include "code/alu_forms.h"
#include "code/decoder.h"

#define LESS		1u
#define EQUAL		2u
#define GREATER		4u
#define UNORDERED	8u

#define BITS	(TYPE_BIT(TYPE_B16) | TYPE_BIT(TYPE_B32) | TYPE_BIT(TYPE_B64))
#define UNSIGNED (TYPE_BIT(TYPE_U16) | TYPE_BIT(TYPE_U32) | TYPE_BIT(TYPE_U64))
#define SIGNED	(TYPE_BIT(TYPE_S16) | TYPE_BIT(TYPE_S32) | TYPE_BIT(TYPE_S64))
#define F16	(TYPE_BIT(TYPE_F16) | TYPE_BIT(TYPE_F16X2))
#define BF16	(TYPE_BIT(TYPE_BF16) | TYPE_BIT(TYPE_BF16X2))
#define FLOATS	(TYPE_BIT(TYPE_F32) | TYPE_BIT(TYPE_F64) | F16 | BF16)
#define ALL	(BITS | UNSIGNED | SIGNED | FLOATS)
#define ORDERED	(UNSIGNED | SIGNED | FLOATS)

/** struct operator - An operator: for which relations it is true, and which types have it */
struct operator {
	const char *name;
	uint16_t when;
	uint32_t types;
};

static const struct operator operators[] = {
	{ "eq", EQUAL, ALL },
	{ "ne", LESS | GREATER, ALL },
	{ "lt", LESS, ORDERED },
	{ "le", LESS | EQUAL, ORDERED },
	{ "gt", GREATER, ORDERED },
	{ "ge", GREATER | EQUAL, ORDERED },
	{ "lo", LESS, UNSIGNED },
	{ "ls", LESS | EQUAL, UNSIGNED },
	{ "hi", GREATER, UNSIGNED },
	{ "hs", GREATER | EQUAL, UNSIGNED },
	{ "equ", EQUAL | UNORDERED, FLOATS },
	{ "neu", LESS | GREATER | UNORDERED, FLOATS },
	{ "ltu", LESS | UNORDERED, FLOATS },
	{ "leu", LESS | EQUAL | UNORDERED, FLOATS },
	{ "gtu", GREATER | UNORDERED, FLOATS },
	{ "geu", GREATER | EQUAL | UNORDERED, FLOATS },
	{ "num", LESS | EQUAL | GREATER, FLOATS },
	{ "nan", UNORDERED, FLOATS },
};

/* In &ptx_step.flags, above the relations: how the result is combined with predicate c. */
#define BOOL_SHIFT	4
#define BOOL_AND	0
#define BOOL_OR		1
#define BOOL_XOR	2

/* In &ptx_step.imm: sources are flushed; the type; the value that set writes if true. */
#define IMM_FTZ		(1ull << 63)
#define IMM_TYPE_SHIFT	48
#define IMM_TYPE	0xffull

struct relations {
	uint32_t less;
	uint32_t equal;
	uint32_t unordered;
};

static uint32_t flush16(uint32_t bits)
{
	return bits & 0x7c00 ? bits : bits & 0x8000;
}

/* The values of a lane as numbers of C. */
#define F32_OF(x)	f32_value(ftz ? f32_flush((uint32_t)(x)) : (uint32_t)(x))
#define F16_OF(x)	f32_value(f32_from_f16((uint16_t)(ftz ? flush16((uint16_t)(x)) : (x))))
#define BF16_OF(x)	f32_value(f32_from_bf16((uint16_t)(x)))

#define COMPARE(convert) \
	do { \
		for (unsigned int i = 0; i < PTX_LANES; i++) { \
			result.less |= (uint32_t)(convert(a[i]) < convert(b[i])) << i; \
			result.equal |= (uint32_t)(convert(a[i]) == convert(b[i])) << i; \
		} \
	} while (0)

#define COMPARE_FLOAT(convert, shift) \
	do { \
		for (unsigned int i = 0; i < PTX_LANES; i++) { \
			const double x = convert(a[i] >> (shift)); \
			const double y = convert(b[i] >> (shift)); \
			\
			result.less |= (uint32_t)(x < y) << i; \
			result.equal |= (uint32_t)(x == y) << i; \
			result.unordered |= (uint32_t)(x != x || y != y) << i; \
		} \
	} while (0)

/* All lanes; @shift is 16 for the upper values of packed types. */
PTX_CLONES static struct relations compare(const struct ptx_step *step,
					   const struct ptx_regs *regs, unsigned int shift)
{
	const uint64_t *a = ptx_row(regs, step->src[0]);
	const uint64_t *b = ptx_row(regs, step->src[1]);
	const bool ftz = step->imm & IMM_FTZ;
	struct relations result = { 0, 0, 0 };

	switch ((enum ptx_type)(step->imm >> IMM_TYPE_SHIFT & IMM_TYPE)) {
	case TYPE_S16:
		COMPARE((int16_t));
		break;
	case TYPE_S32:
		COMPARE((int32_t));
		break;
	case TYPE_S64:
		COMPARE((int64_t));
		break;
	case TYPE_F16:
	case TYPE_F16X2:
		COMPARE_FLOAT(F16_OF, shift);
		break;
	case TYPE_BF16:
	case TYPE_BF16X2:
		COMPARE_FLOAT(BF16_OF, shift);
		break;
	case TYPE_F32:
		COMPARE_FLOAT(F32_OF, 0);
		break;
	case TYPE_F64:
		COMPARE_FLOAT(f64_value, 0);
		break;
	default:
		/* Unsigned values are zero-extended in their rows. */
		COMPARE((uint64_t));
		break;
	}
	return result;
}

/* The lanes for which the operator is true. */
static uint32_t apply(const struct ptx_step *step, const struct ptx_regs *regs, unsigned int shift)
{
	struct relations is = compare(step, regs, shift);
	uint32_t lanes = 0;

	if (step->flags & LESS)
		lanes |= is.less;
	if (step->flags & EQUAL)
		lanes |= is.equal;
	if (step->flags & GREATER)
		lanes |= ~(is.less | is.equal | is.unordered);
	if (step->flags & UNORDERED)
		lanes |= is.unordered;
	return lanes;
}

static uint32_t combine(const struct ptx_step *step, uint32_t lanes, uint32_t c)
{
	switch (step->flags >> BOOL_SHIFT) {
	case BOOL_OR:
		return lanes | c;
	case BOOL_XOR:
		return lanes ^ c;
	default:
		return lanes & c;
	}
}

static void setp(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask)
{
	uint32_t lanes = apply(step, regs, 0);
	uint32_t c = ptx_pred(regs, step->src[2]);

	ptx_set_pred(regs, step->dst, mask, combine(step, lanes, c));
	ptx_set_pred(regs, step->dst2, mask, combine(step, ~lanes, c));
}

/* p and q are the results of the lower and upper values. */
static void setp_x2(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask)
{
	uint32_t low = apply(step, regs, 0);
	uint32_t high = apply(step, regs, 16);
	uint32_t c = ptx_pred(regs, step->src[2]);

	ptx_set_pred(regs, step->dst, mask, combine(step, low, c));
	ptx_set_pred(regs, step->dst2, mask, combine(step, high, c));
}

static void set(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask)
{
	uint32_t lanes = combine(step, apply(step, regs, 0), ptx_pred(regs, step->src[2]));
	uint64_t *d = ptx_row(regs, step->dst);
	uint64_t value = (uint32_t)step->imm;

	for (; mask; mask &= mask - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(mask);

		d[i] = lanes >> i & 1 ? value : 0;
	}
}

static void set_x2(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask)
{
	uint32_t c = ptx_pred(regs, step->src[2]);
	uint32_t low = combine(step, apply(step, regs, 0), c);
	uint32_t high = combine(step, apply(step, regs, 16), c);
	uint64_t *d = ptx_row(regs, step->dst);
	uint64_t value = (uint32_t)step->imm;

	for (; mask; mask &= mask - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(mask);

		d[i] = (low >> i & 1 ? value : 0) | (high >> i & 1 ? value << 16 : 0);
	}
}

static const struct operator *find_operator(struct ptx_decoder *d, const struct ptx_insn *insn,
					    enum ptx_type type)
{
	char names[128] = "";
	size_t used = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(operators); i++) {
		if (!(operators[i].types & TYPE_BIT(type)))
			continue;
		if (ptx_insn_part_is(insn, 1, operators[i].name))
			return &operators[i];
		used += (size_t)snprintf(names + used, sizeof(names) - used, " .%s",
					 operators[i].name);
	}
	ptx_refuse(d, insn, "%.*s: a comparison of .%s is one of%s", (int)insn->opcode.length,
		   insn->opcode.text, ptx_type_name(type), names);
	return NULL;
}

/* The value of set that means true; 0 if there is no set with these types. */
static uint32_t true_value(enum ptx_type dst, enum ptx_type src)
{
	const uint32_t half = TYPE_BIT(TYPE_F16) | TYPE_BIT(TYPE_BF16);
	const uint32_t x2 = TYPE_BIT(TYPE_F16X2) | TYPE_BIT(TYPE_BF16X2);

	switch (dst) {
	case TYPE_U32:
	case TYPE_S32:
		return TYPE_BIT(src) & x2 ? 0xffff : ~0u;
	case TYPE_U16:
	case TYPE_S16:
		return TYPE_BIT(src) & half ? 0xffff : 0;
	case TYPE_F32:
		return TYPE_BIT(src) & (ALL & ~(F16 | BF16)) ? F32_ONE : 0;
	case TYPE_F16:
		return TYPE_BIT(src) & (ALL & ~(BF16 | x2)) ? 0x3c00 : 0;
	case TYPE_BF16:
		return TYPE_BIT(src) & (ALL & ~x2) ? 0x3f80 : 0;
	case TYPE_F16X2:
		return src == TYPE_F16X2 ? 0x3c00 : 0;
	case TYPE_BF16X2:
		return src == TYPE_BF16X2 ? 0x3f80 : 0;
	default:
		return 0;
	}
}

/* Operands a, b and c behind the destination. */
static bool decode_sources(struct ptx_decoder *d, const struct ptx_insn *insn,
			   struct ptx_step *step, enum ptx_type type, bool has_c)
{
	if (!ptx_source_row(d, insn, &insn->operands[1], type, &step->src[0]) ||
	    !ptx_source_row(d, insn, &insn->operands[2], type, &step->src[1]))
		return false;
	step->src[2] = PTX_TRUE;
	return !has_c || ptx_source_pred(d, insn, &insn->operands[3], &step->src[2]);
}

static enum ptx_decoded decode_setp(struct ptx_decoder *d, const struct ptx_insn *insn,
				    struct ptx_step *step, enum ptx_type type)
{
	const struct ptx_operand *dst = &insn->operands[0];
	bool x2 = type == TYPE_F16X2 || type == TYPE_BF16X2;

	if ((type == TYPE_F16 || type == TYPE_BF16) && dst->kind == OPERAND_PAIR)
		return ptx_refuse(d, insn, "setp.%s takes one predicate as its destination",
				  ptx_type_name(type));
	if (dst->kind == OPERAND_PAIR && dst->count == 2) {
		if (!ptx_target_pred(d, insn, &dst->elements[0], &step->dst) ||
		    !ptx_target_pred(d, insn, &dst->elements[1], &step->dst2))
			return REFUSED;
	} else if (x2) {
		return ptx_refuse(d, insn, "setp.%s takes a destination p|q",
				  ptx_type_name(type));
	} else if (!ptx_target_pred(d, insn, dst, &step->dst)) {
		return REFUSED;
	}
	step->alu = x2 ? setp_x2 : setp;
	return DECODED;
}

static enum ptx_decoded decode_set(struct ptx_decoder *d, const struct ptx_insn *insn,
				   struct ptx_step *step, enum ptx_type type)
{
	enum ptx_type to = ptx_form_type(insn, insn->part_count - 2);
	uint32_t value = true_value(to, type);

	if (!value)
		return ptx_refuse(d, insn, "%.*s: set does not take these two types",
				  (int)insn->opcode.length, insn->opcode.text);
	if (!ptx_target_row(d, insn, &insn->operands[0], to, &step->dst))
		return REFUSED;
	if (step->dst == PTX_NO_ROW)
		return ptx_refuse(d, insn, "%.*s takes a register as its destination, not _",
				  (int)insn->opcode.length, insn->opcode.text);
	step->imm |= value;
	step->alu = type == TYPE_F16X2 || type == TYPE_BF16X2 ? set_x2 : set;
	return DECODED;
}

static enum ptx_decoded decode_compare(struct ptx_decoder *d, const struct ptx_insn *insn,
				       struct ptx_step *step)
{
	static const char *const bools[] = { "and", "or", "xor" };
	bool is_set = ptx_insn_part_is(insn, 0, "set");
	enum ptx_type type = ptx_form_type(insn, insn->part_count - 1);
	unsigned int types = is_set ? 2 : 1;
	const struct operator *operator;
	unsigned int next = 2;
	uint32_t takes = TYPE_BIT(type) & (F16 | TYPE_BIT(TYPE_F32)) ? MOD_FTZ : 0, mods;
	bool has_c = false;

	if (!(TYPE_BIT(type) & ALL) || insn->part_count < 2 + types)
		return ptx_form_refuse_type(d, insn, ALL);
	operator = find_operator(d, insn, type);
	if (!operator)
		return REFUSED;
	step->flags = operator->when;
	for (unsigned int i = 0; i < ARRAY_SIZE(bools); i++) {
		if (insn->part_count > 2 + types && ptx_insn_part_is(insn, 2, bools[i])) {
			step->flags |= (uint16_t)(i << BOOL_SHIFT);
			has_c = true;
			next = 3;
		}
	}
	if (is_set && ptx_form_type(insn, insn->part_count - 2) == TYPE_BF16)
		takes = 0;
	if (!ptx_form_modifiers(d, insn, next, insn->part_count - types, takes, 0, &mods) ||
	    !ptx_form_operands(d, insn, has_c ? 4 : 3))
		return REFUSED;
	step->imm = (uint64_t)type << IMM_TYPE_SHIFT | (mods & MOD_FTZ ? IMM_FTZ : 0);
	if (!decode_sources(d, insn, step, type, has_c))
		return REFUSED;
	return is_set ? decode_set(d, insn, step, type) : decode_setp(d, insn, step, type);
}

/* Classes of values, for testp. */
#define IS_NORMAL	1u	/* 0 is normal, says PTX */
#define IS_SUBNORMAL	2u
#define IS_INFINITE	4u
#define IS_NAN		8u

static unsigned int class_of(uint64_t magnitude, uint64_t inf, uint64_t smallest)
{
	if (magnitude >= inf)
		return magnitude > inf ? IS_NAN : IS_INFINITE;
	return magnitude && magnitude < smallest ? IS_SUBNORMAL : IS_NORMAL;
}

static void testp(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask)
{
	const uint64_t *a = ptx_row(regs, step->src[0]);
	uint32_t lanes = 0;

	for (unsigned int i = 0; i < PTX_LANES; i++) {
		unsigned int class = step->imm == TYPE_F64 ?
			class_of(a[i] & ~F64_SIGN, F64_INF, 1ull << 52) :
			class_of(a[i] & 0x7fffffff, F32_INF, 1u << 23);

		lanes |= (uint32_t)!!(class & step->flags) << i;
	}
	ptx_set_pred(regs, step->dst, mask, lanes);
}

#define TESTS ".finite .infinite .number .notanumber .normal .subnormal"

static enum ptx_decoded decode_testp(struct ptx_decoder *d, const struct ptx_insn *insn,
				     struct ptx_step *step)
{
	static const struct {
		const char *name;
		uint16_t classes;
	} tests[] = {
		{ "finite", IS_NORMAL | IS_SUBNORMAL },
		{ "infinite", IS_INFINITE },
		{ "number", IS_NORMAL | IS_SUBNORMAL | IS_INFINITE },
		{ "notanumber", IS_NAN },
		{ "normal", IS_NORMAL },
		{ "subnormal", IS_SUBNORMAL },
	};
	enum ptx_type type = ptx_form_type(insn, insn->part_count - 1);

	if (type != TYPE_F32 && type != TYPE_F64)
		return ptx_form_refuse_type(d, insn, TYPE_BIT(TYPE_F32) | TYPE_BIT(TYPE_F64));
	for (unsigned int i = 0; i < ARRAY_SIZE(tests); i++)
		if (insn->part_count == 3 && ptx_insn_part_is(insn, 1, tests[i].name))
			step->flags = tests[i].classes;
	if (!step->flags)
		return ptx_refuse(d, insn, "%.*s: testp takes one of " TESTS " and a type",
				  (int)insn->opcode.length, insn->opcode.text);
	if (!ptx_form_operands(d, insn, 2) ||
	    !ptx_target_pred(d, insn, &insn->operands[0], &step->dst) ||
	    !ptx_source_row(d, insn, &insn->operands[1], type, &step->src[0]))
		return REFUSED;
	step->imm = type;
	step->alu = testp;
	return DECODED;
}

enum ptx_decoded ptx_compare_decode(struct ptx_decoder *d, const struct ptx_insn *insn,
				    struct ptx_step *step)
{
	if (ptx_insn_part_is(insn, 0, "testp"))
		return decode_testp(d, insn, step);
	if (ptx_insn_part_is(insn, 0, "setp") || ptx_insn_part_is(insn, 0, "set"))
		return decode_compare(d, insn, step);
	return NOT_MINE;
}
