// SPDX-License-Identifier: MIT
/*
 * Decodes instructions that change tensor maps: tensormap.replace and tensormap.cp_fenceproxy (PTX
 * ISA, sections 9.7.9.28 and 9.7.13.13).
 */
#include "code/address.h"
#include "code/decode_operand.h"
#include "code/decoders.h"

/* The fields, in the order of enum ptx_replace_field; @ord: there is one for each dimension. */
static const struct {
	const char *name;
	bool ord;
	enum ptx_type type;
} fields[] = {
	[REPLACE_ADDRESS] = { "global_address", false, TYPE_B64 },
	[REPLACE_RANK] = { "rank", false, TYPE_B32 },
	[REPLACE_BOX] = { "box_dim", true, TYPE_B32 },
	[REPLACE_SIZE] = { "global_dim", true, TYPE_B32 },
	[REPLACE_STRIDE] = { "global_stride", true, TYPE_B64 },
	[REPLACE_ELEMENT_STRIDE] = { "element_stride", true, TYPE_B32 },
	[REPLACE_TYPE] = { "elemtype", false, TYPE_B32 },
	[REPLACE_INTERLEAVE] = { "interleave_layout", false, TYPE_B32 },
	[REPLACE_SWIZZLE] = { "swizzle_mode", false, TYPE_B32 },
	[REPLACE_FILL] = { "fill_mode", false, TYPE_B32 },
};

/* Is a number that is an operand in the range of the field? @value: it is not the dimension. */
static bool in_range(const struct ptx_operand *operand, unsigned int field, bool value)
{
	/* The ranges of values; other fields take any number. */
	static const uint8_t last[] = {
		[REPLACE_TYPE] = 12, [REPLACE_INTERLEAVE] = 2, [REPLACE_SWIZZLE] = 3,
		[REPLACE_FILL] = 1,
	};

	if (operand->kind != OPERAND_INT)
		return true;
	if (!value)
		return operand->number >= 0 && operand->number <= 4;
	return field < REPLACE_TYPE || (operand->number >= 0 && operand->number <= last[field]);
}

static enum ptx_space space_of(const struct ptx_insn *insn, unsigned int part)
{
	if (ptx_insn_part_is(insn, part, "global"))
		return SPACE_GLOBAL;
	if (ptx_insn_part_is(insn, part, "shared") || ptx_insn_part_is(insn, part, "shared::cta"))
		return SPACE_SHARED;
	return SPACE_GENERIC;
}

static bool map_address(struct ptx_builder *b, const struct ptx_insn *insn, unsigned int operand,
			enum ptx_space space, struct ptx_access *access)
{
	access->space = space;
	access->size = 128;
	access->count = 1;
	return ptx_check_space(b, insn, &insn->operands[operand], space) &&
	       ptx_address_operand(b, insn, &insn->operands[operand], space, &access->address,
				   &access->offset, &access->framed);
}

static enum ptx_decoded decode_replace(struct ptx_builder *b, const struct ptx_insn *insn,
				       struct ptx_step *step)
{
	struct ptx_access *access = ptx_extra_alloc(b, sizeof(*access));
	unsigned int field, value;

	if (!access)
		return REFUSED;
	for (field = 0; field < sizeof(fields) / sizeof(fields[0]); field++)
		if (ptx_insn_part_is(insn, 3, fields[field].name))
			break;
	if (!ptx_insn_part_is(insn, 2, "tile") || field == sizeof(fields) / sizeof(fields[0]))
		return ptx_refuse(&b->d, insn, "vsm has no %.*s", (int)insn->opcode.length,
				  insn->opcode.text);
	value = fields[field].ord ? 2 : 1;
	if (insn->operand_count != value + 1)
		return ptx_refuse(&b->d, insn, "tensormap.replace of %s has %u operands",
				  fields[field].name, value + 1);
	if (!in_range(&insn->operands[value], field, true) ||
	    (fields[field].ord && !in_range(&insn->operands[1], field, false)))
		return ptx_refuse(&b->d, insn, "tensormap.replace: %s has no such %s",
				  fields[field].name, fields[field].ord ? "dimension" : "value");
	step->kind = STEP_TENSORMAP;
	step->extra = access;
	step->imm = field;
	if (!map_address(b, insn, 0, space_of(insn, 4), access) ||
	    !ptx_source_row(&b->d, insn, &insn->operands[value], fields[field].type,
			    &step->src[0]))
		return REFUSED;
	if (fields[field].ord &&
	    !ptx_source_row(&b->d, insn, &insn->operands[1], TYPE_B32, &step->src[1]))
		return REFUSED;
	return DECODED;
}

static enum ptx_decoded decode_copy(struct ptx_builder *b, const struct ptx_insn *insn,
				    struct ptx_step *step)
{
	struct ptx_access *access = ptx_extra_alloc(b, 2 * sizeof(*access));

	if (!access)
		return REFUSED;
	if (insn->operand_count != 3 || insn->operands[2].kind != OPERAND_INT ||
	    insn->operands[2].number != 128)
		return ptx_refuse(&b->d, insn, "tensormap.cp_fenceproxy copies 128 bytes");
	step->kind = STEP_CP_FENCEPROXY;
	step->extra = access;
	return map_address(b, insn, 0, SPACE_GLOBAL, &access[0]) &&
	       map_address(b, insn, 1, SPACE_SHARED, &access[1]) ? DECODED : REFUSED;
}

enum ptx_decoded ptx_tensormap_decode(struct ptx_builder *b, const struct ptx_insn *insn,
				      struct ptx_step *step)
{
	if (!ptx_insn_part_is(insn, 0, "tensormap"))
		return NOT_MINE;
	if (ptx_insn_part_is(insn, 1, "replace"))
		return decode_replace(b, insn, step);
	if (ptx_insn_part_is(insn, 1, "cp_fenceproxy"))
		return decode_copy(b, insn, step);
	return NOT_MINE;
}
