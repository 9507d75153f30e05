// SPDX-License-Identifier: MIT
/*
 * mov: copies of registers, constants, special registers and addresses, and vectors that are packed
 * into a register or unpacked from one.
 */
#include "code/alu_int.h"
#include "code/decoder.h"

PTX_ALU_1(mov_row, x)
PTX_ALU_1(mov_low, (u32)x)
PTX_ALU_1(mov_u16, (u16)x)

static void mov_pred(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask)
{
	ptx_set_pred(regs, step->dst, mask, ptx_pred(regs, step->src[0]));
}

/* A predicate from a special register, which is a row. */
static void mov_row_pred(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask)
{
	const u64 *a = ptx_row(regs, step->src[0]);
	u32 lanes = 0;

	for (u32 i = 0; i < PTX_LANES; i++)
		lanes |= (u32)!!a[i] << i;
	ptx_set_pred(regs, step->dst, mask, lanes);
}

/* @imm is the number of bits of an element. */
static void pack_2(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask)
{
	u64 *d = ptx_row(regs, step->dst);
	const u64 *a = ptx_row(regs, step->src[0]);
	const u64 *b = ptx_row(regs, step->src[1]);
	const unsigned int bits = (unsigned int)step->imm;

	PTX_FOR_LANES(mask, i, d[i] = a[i] | b[i] << bits);
}

static void pack_4(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask)
{
	u64 *d = ptx_row(regs, step->dst);
	const u64 *a = ptx_row(regs, step->src[0]);
	const u64 *b = ptx_row(regs, step->src[1]);
	const u64 *c = ptx_row(regs, step->src[2]);
	const u64 *e = ptx_row(regs, step->src[3]);
	const unsigned int bits = (unsigned int)step->imm;

	PTX_FOR_LANES(mask, i,
		      d[i] = a[i] | b[i] << bits | c[i] << 2 * bits | e[i] << 3 * bits);
}

static void unpack_element(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask,
			   uint32_t dst, unsigned int element)
{
	const unsigned int bits = (unsigned int)step->imm;
	const unsigned int shift = element * bits;
	const u64 low = (1ull << bits) - 1;
	const u64 *a = ptx_row(regs, step->src[0]);
	u64 *d;

	if (dst == PTX_NO_ROW)
		return;
	d = ptx_row(regs, dst);
	PTX_FOR_LANES(mask, i, d[i] = a[i] >> shift & low);
}

/* The source is src[0]; the destinations are dst, dst2, src[1] and src[2]. */
static void unpack(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask)
{
	unpack_element(step, regs, mask, step->dst, 0);
	unpack_element(step, regs, mask, step->dst2, 1);
	unpack_element(step, regs, mask, step->src[1], 2);
	unpack_element(step, regs, mask, step->src[2], 3);
}

/* What mov does with a vector of registers */
struct vector {
	unsigned int count;	/* number of elements */
	u64 mask;		/* the bits of a source that its destination takes */
	uint32_t dst[4];	/* destinations; PTX_NO_ROW if there is none */
	uint32_t src[4];	/* sources */
};

static void mov_vector(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask)
{
	const struct vector *vector = step->extra;

	for (; mask; mask &= mask - 1) {
		unsigned int lane = (unsigned int)__builtin_ctz(mask);
		u64 values[4];

		/* A destination may be the source of another element: read everything first. */
		for (unsigned int i = 0; i < vector->count; i++)
			values[i] = ptx_row(regs, vector->src[i])[lane] & vector->mask;
		for (unsigned int i = 0; i < vector->count; i++)
			if (vector->dst[i] != PTX_NO_ROW)
				ptx_row(regs, vector->dst[i])[lane] = values[i];
	}
}

/* Two or four sources become a register of 128 bits, whose upper half is in the next row. */
static void pack_128(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask)
{
	const struct vector *vector = step->extra;
	u64 *low = ptx_row(regs, step->dst);
	u64 *high = ptx_row(regs, step->dst + 1);

	for (; mask; mask &= mask - 1) {
		unsigned int lane = (unsigned int)__builtin_ctz(mask);
		u64 values[4];

		for (unsigned int i = 0; i < vector->count; i++)
			values[i] = ptx_row(regs, vector->src[i])[lane];
		low[lane] = vector->count == 2 ? values[0] : values[0] | values[1] << 32;
		high[lane] = vector->count == 2 ? values[1] : values[2] | values[3] << 32;
	}
}

static void unpack_128(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask)
{
	const struct vector *vector = step->extra;
	const u64 *low = ptx_row(regs, step->src[0]);
	const u64 *high = ptx_row(regs, step->src[0] + 1);
	const unsigned int half = vector->count / 2;

	for (; mask; mask &= mask - 1) {
		unsigned int lane = (unsigned int)__builtin_ctz(mask);

		for (unsigned int i = 0; i < vector->count; i++) {
			u64 value = i < half ? low[lane] : high[lane];

			if (vector->dst[i] != PTX_NO_ROW)
				ptx_row(regs, vector->dst[i])[lane] =
					value >> (i % half * 32) & vector->mask;
		}
	}
}

static void mov_128(const struct ptx_step *step, struct ptx_regs *regs, uint32_t mask)
{
	for (unsigned int half = 0; half < 2; half++) {
		u64 *d = ptx_row(regs, step->dst + half);
		const u64 *a = ptx_row(regs, step->src[0] + half);

		PTX_FOR_LANES(mask, i, d[i] = a[i]);
	}
}

static const struct ptx_alu_form mov_forms[] = {
	FORM_1(".pred", mov_pred, TYPE_PRED),
	FORM_1(".b16", mov_row, TYPE_B16),
	FORM_1(".b32", mov_row, TYPE_B32),
	FORM_1(".b64", mov_row, TYPE_B64),
	FORM_1(".u16", mov_row, TYPE_U16),
	FORM_1(".u32", mov_row, TYPE_U32),
	FORM_1(".u64", mov_row, TYPE_U64),
	FORM_1(".s16", mov_row, TYPE_S16),
	FORM_1(".s32", mov_row, TYPE_S32),
	FORM_1(".s64", mov_row, TYPE_S64),
	FORM_1(".f32", mov_row, TYPE_F32),
	FORM_1(".f64", mov_row, TYPE_F64),
	FORM_1(".b128", mov_128, TYPE_B128),
};

static const struct ptx_alu_group groups[] = {
	PTX_GROUP("mov", mov_forms),
};

/* The type of a vector's elements: the same number of bits as @whole in all. */
static enum ptx_type element_type(enum ptx_type whole, unsigned int count)
{
	if (count != 2 && count != 4)
		return TYPE_NONE;
	switch (whole) {
	case TYPE_B16:
		return count == 2 ? TYPE_B8 : TYPE_NONE;
	case TYPE_B32:
		return count == 2 ? TYPE_B16 : TYPE_B8;
	case TYPE_B64:
		return count == 2 ? TYPE_B32 : TYPE_B16;
	case TYPE_B128:
		return count == 2 ? TYPE_B64 : TYPE_B32;
	default:
		return TYPE_NONE;
	}
}

static enum ptx_decoded decode_pack(struct ptx_decoder *d, const struct ptx_insn *insn,
				    struct ptx_step *step, enum ptx_type whole, enum ptx_type part)
{
	const struct ptx_operand *vector = &insn->operands[1];

	if (!ptx_target_row(d, insn, &insn->operands[0], whole, &step->dst))
		return REFUSED;
	for (unsigned int i = 0; i < vector->count; i++) {
		if (!ptx_source_row(d, insn, &vector->elements[i], part, &step->src[i]))
			return REFUSED;
	}
	step->alu = vector->count == 2 ? pack_2 : pack_4;
	return DECODED;
}

static enum ptx_decoded decode_unpack(struct ptx_decoder *d, const struct ptx_insn *insn,
				      struct ptx_step *step, enum ptx_type whole,
				      enum ptx_type part)
{
	const struct ptx_operand *vector = &insn->operands[0];
	uint32_t *rows[4] = { &step->dst, &step->dst2, &step->src[1], &step->src[2] };

	if (!ptx_source_row(d, insn, &insn->operands[1], whole, &step->src[0]))
		return REFUSED;
	for (unsigned int i = 0; i < vector->count; i++) {
		if (!ptx_target_row(d, insn, &vector->elements[i], part, rows[i]))
			return REFUSED;
	}
	step->alu = unpack;
	return DECODED;
}

/* mov.b128 with a vector, which has more operands than a step has room for. */
static enum ptx_decoded decode_128(struct ptx_decoder *d, const struct ptx_insn *insn,
				   struct ptx_step *step, bool packs, enum ptx_type part)
{
	const struct ptx_operand *list = &insn->operands[packs];
	struct vector *vector = ptx_extra_alloc(to_builder(d), sizeof(*vector));

	if (!vector)
		return REFUSED;
	vector->count = list->count;
	vector->mask = part == TYPE_B64 ? ~0ull : UINT32_MAX;
	if (packs ? !ptx_target_row(d, insn, &insn->operands[0], TYPE_B128, &step->dst) :
		    !ptx_source_row(d, insn, &insn->operands[1], TYPE_B128, &step->src[0]))
		return REFUSED;
	for (unsigned int i = 0; i < list->count; i++)
		if (packs ? !ptx_source_row(d, insn, &list->elements[i], part, &vector->src[i]) :
			    !ptx_target_row(d, insn, &list->elements[i], part, &vector->dst[i]))
			return REFUSED;
	step->extra = vector;
	step->alu = packs ? pack_128 : unpack_128;
	return DECODED;
}

static enum ptx_decoded decode_vector(struct ptx_decoder *d, const struct ptx_insn *insn,
				      struct ptx_step *step, enum ptx_type whole)
{
	bool packs = insn->operands[1].kind == OPERAND_VECTOR;
	enum ptx_type part;

	if (packs && insn->operands[0].kind == OPERAND_VECTOR)
		return ptx_refuse(d, insn, "mov has one vector, not two");
	part = element_type(whole, insn->operands[packs].count);
	if (part == TYPE_NONE)
		return ptx_refuse(d, insn,
				  "%.*s has a vector of %u; mov has 2 for .b16, 2 or 4 for others",
				  (int)insn->opcode.length, insn->opcode.text,
				  insn->operands[packs].count);
	if (whole == TYPE_B128)
		return decode_128(d, insn, step, packs, part);
	step->imm = 8 * ptx_type_size(part);
	return packs ? decode_pack(d, insn, step, whole, part) :
		       decode_unpack(d, insn, step, whole, part);
}

/*
 * Sources that PTX allows to have 64 bits in a mov of 32 bits: %gridid, and the addresses of
 * variables in state spaces that are smaller than 4 GiB.
 */
static bool is_truncated(const struct ptx_operand *operand)
{
	if (operand->kind == OPERAND_SPECIAL)
		return operand->special == SPECIAL_GRIDID;
	return operand->kind == OPERAND_VARIABLE && operand->var->space != SPACE_GLOBAL;
}

/* Special registers that had 16 bits once, and of which mov still takes the lower 16 bits. */
static bool had_16_bits(const struct ptx_operand *operand)
{
	enum ptx_special special = operand->special;

	return operand->kind == OPERAND_SPECIAL &&
	       (special == SPECIAL_TID || special == SPECIAL_NTID || special == SPECIAL_CTAID ||
		special == SPECIAL_NCTAID || special == SPECIAL_GRIDID);
}

/* Is there a mov of this type, other than .pred? */
static bool takes_type(enum ptx_type type)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(mov_forms); i++)
		if (mov_forms[i].dst == type)
			return type != TYPE_PRED && type != TYPE_B128;
	return false;
}

/* mov.v2 and mov.v4: a vector of registers, from a vector or a special register such as %tid. */
static enum ptx_decoded decode_whole_vector(struct ptx_decoder *d, const struct ptx_insn *insn,
					    struct ptx_step *step)
{
	enum ptx_type type = ptx_type_named(insn->parts[2].text, insn->parts[2].length);
	unsigned int count = ptx_insn_part_is(insn, 1, "v2") ? 2 : 4;
	const struct ptx_operand *to = &insn->operands[0];
	const struct ptx_operand *from = &insn->operands[1];
	struct vector *vector;

	if (!takes_type(type) || count * ptx_type_size(type) > 16)
		return ptx_refuse(d, insn, "%.*s: mov has vectors of up to 16 bytes",
				  (int)insn->opcode.length, insn->opcode.text);
	if (to->kind != OPERAND_VECTOR || to->count != count ||
	    from->kind != OPERAND_VECTOR || from->count != count)
		return ptx_refuse(d, insn, "%.*s takes two vectors of %u registers",
				  (int)insn->opcode.length, insn->opcode.text, count);
	vector = ptx_extra_alloc(to_builder(d), sizeof(*vector));
	if (!vector)
		return REFUSED;
	vector->count = count;
	vector->mask = ~0ull >> (64 - 8 * ptx_type_size(type));
	for (unsigned int i = 0; i < count; i++) {
		const struct ptx_operand *element = &from->elements[i];
		enum ptx_type source = ptx_type_size(type) == 2 && had_16_bits(element) ?
				     ptx_special_type(element->special) : type;

		/*
		 * The parser makes a vector of %tid, whose elements have the column of %tid. Other
		 * elements must not be special registers.
		 */
		if (element->kind == OPERAND_SPECIAL && element->column != from->column)
			return ptx_refuse(d, insn, "%.*s takes whole special registers only",
					  (int)insn->opcode.length, insn->opcode.text);
		if (!ptx_target_row(d, insn, &to->elements[i], type, &vector->dst[i]) ||
		    !ptx_source_row(d, insn, element, source, &vector->src[i]))
			return REFUSED;
	}
	step->extra = vector;
	step->alu = mov_vector;
	return DECODED;
}

enum ptx_decoded ptx_mov_decode(struct ptx_decoder *d, const struct ptx_insn *insn,
				struct ptx_step *step)
{
	const struct ptx_operand *operands = insn->operands;
	enum ptx_type type;

	if (!ptx_insn_part_is(insn, 0, "mov"))
		return NOT_MINE;
	if (insn->part_count == 3 && insn->operand_count == 2 &&
	    (ptx_insn_part_is(insn, 1, "v2") || ptx_insn_part_is(insn, 1, "v4")))
		return decode_whole_vector(d, insn, step);
	if (insn->part_count != 2 || insn->operand_count != 2)
		return ptx_alu_decode_forms(groups, ARRAY_SIZE(groups), d, insn, step);
	if (operands[0].kind == OPERAND_SINK)
		return ptx_refuse(d, insn, "the destination of mov is a register, not _");
	type = ptx_type_named(insn->parts[1].text, insn->parts[1].length);
	if (operands[0].kind == OPERAND_VECTOR || operands[1].kind == OPERAND_VECTOR)
		return decode_vector(d, insn, step, type);
	if (type == TYPE_PRED && operands[1].kind == OPERAND_SPECIAL) {
		if (!ptx_target_pred(d, insn, &operands[0], &step->dst) ||
		    !ptx_source_row(d, insn, &operands[1], type, &step->src[0]))
			return REFUSED;
		step->alu = mov_row_pred;
		return DECODED;
	}
	if (ptx_type_size(type) == 2 && had_16_bits(&operands[1])) {
		if (!ptx_target_row(d, insn, &operands[0], type, &step->dst) ||
		    !ptx_source_row(d, insn, &operands[1], ptx_special_type(operands[1].special),
				    &step->src[0]))
			return REFUSED;
		step->alu = mov_u16;
		return DECODED;
	}
	if ((type == TYPE_B32 || type == TYPE_U32 || type == TYPE_S32) &&
	    is_truncated(&operands[1])) {
		if (!ptx_target_row(d, insn, &operands[0], type, &step->dst) ||
		    !ptx_source_row(d, insn, &operands[1], TYPE_U64, &step->src[0]))
			return REFUSED;
		step->alu = mov_low;
		return DECODED;
	}
	return ptx_alu_decode_forms(groups, ARRAY_SIZE(groups), d, insn, step);
}
