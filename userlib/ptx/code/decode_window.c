// SPDX-License-Identifier: MIT
/*
 * Decodes instructions that convert addresses: cvta, mapa, getctarank, isspacep (PTX ISA, sections
 * 9.7.9.18 to 9.7.9.24).
 */
#include "code/address.h"
#include "code/decode_operand.h"
#include "code/decoders.h"

static const struct {
	const char *name;
	enum ptx_space space;
	uint64_t base;
} windows[] = {
	{ "global", SPACE_GLOBAL, 0 },
	{ "const", SPACE_CONST, 0 },
	{ "shared", SPACE_SHARED, PTX_SHARED_BASE },
	{ "shared::cta", SPACE_SHARED, PTX_SHARED_BASE },
	{ "shared::cluster", SPACE_SHARED_CLUSTER, PTX_SHARED_BASE },
	{ "local", SPACE_LOCAL, PTX_LOCAL_BASE },
	{ "param", SPACE_PARAM, PTX_PARAM_BASE },
	{ "param::entry", SPACE_PARAM, PTX_PARAM_BASE },
};

static int find_window(const struct ptx_insn *insn, unsigned int part)
{
	unsigned int i;

	for (i = 0; i < sizeof(windows) / sizeof(windows[0]); i++)
		if (ptx_insn_part_is(insn, part, windows[i].name))
			return i;
	return -1;
}

/* Parameters of functions are in local memory. */
static uint64_t window_base(const struct ptx_builder *b, int window)
{
	if (windows[window].space == SPACE_PARAM && !b->d.function->entry)
		return PTX_LOCAL_BASE;
	return windows[window].base;
}

/* The type at the end of the opcode: .u32 or .u64. */
static enum ptx_type address_type(const struct ptx_insn *insn)
{
	return ptx_insn_part_is(insn, insn->part_count - 1, "u32") ? TYPE_U32 : TYPE_U64;
}

/* An address is in a register of @type, or it is that of a variable in @space. */
static bool address_row(struct ptx_builder *b, const struct ptx_insn *insn,
			const struct ptx_operand *operand, enum ptx_space space,
			enum ptx_type type, uint32_t *row)
{
	if (operand->kind == OPERAND_VARIABLE)
		type = TYPE_U64;
	return ptx_check_space(b, insn, operand, space) &&
	       ptx_source_row(&b->d, insn, operand, type, row);
}

static enum ptx_decoded decode_cvta(struct ptx_builder *b, const struct ptx_insn *insn,
				    struct ptx_step *step)
{
	bool to = ptx_insn_part_is(insn, 1, "to");
	int window = find_window(insn, 1 + to);

	step->kind = STEP_CVTA;
	step->imm = to ? -window_base(b, window) : window_base(b, window);
	if (!ptx_target_row(&b->d, insn, &insn->operands[0], TYPE_U64, &step->dst) ||
	    !address_row(b, insn, &insn->operands[1],
			 to ? SPACE_GENERIC : windows[window].space, TYPE_U64, &step->src[0]))
		return REFUSED;
	return DECODED;
}

static enum ptx_decoded decode_mapa(struct ptx_builder *b, const struct ptx_insn *insn,
				    struct ptx_step *step)
{
	bool shared = find_window(insn, 1) >= 0;
	enum ptx_type type = address_type(insn);
	struct ptx_operand *operands = insn->operands;

	step->kind = STEP_MAPA;
	step->imm = shared ? 0 : PTX_SHARED_BASE;
	if (!ptx_target_row(&b->d, insn, &operands[0], type, &step->dst) ||
	    !address_row(b, insn, &operands[1], SPACE_SHARED, type, &step->src[0]) ||
	    !ptx_source_row(&b->d, insn, &operands[2], TYPE_U32, &step->src[1]))
		return REFUSED;
	return DECODED;
}

static enum ptx_decoded decode_getctarank(struct ptx_builder *b, const struct ptx_insn *insn,
					  struct ptx_step *step)
{
	step->kind = STEP_GETCTARANK;
	step->imm = find_window(insn, 1) >= 0 ? 0 : PTX_SHARED_BASE;
	if (!ptx_target_row(&b->d, insn, &insn->operands[0], TYPE_U32, &step->dst) ||
	    !address_row(b, insn, &insn->operands[1], SPACE_SHARED, address_type(insn),
			 &step->src[0]))
		return REFUSED;
	return DECODED;
}

static enum ptx_decoded decode_isspacep(struct ptx_builder *b, const struct ptx_insn *insn,
					struct ptx_step *step)
{
	enum ptx_type type = ptx_operand_type(&b->d, &insn->operands[1]);
	int window = find_window(insn, 1);

	step->kind = STEP_ISSPACEP;
	step->imm = windows[window].space;
	if (!ptx_target_pred(&b->d, insn, &insn->operands[0], &step->dst) ||
	    !address_row(b, insn, &insn->operands[1], SPACE_GENERIC,
			 ptx_type_size(type) == 4 ? TYPE_U32 : TYPE_U64, &step->src[0]))
		return REFUSED;
	return DECODED;
}

static bool is_window_op(const struct ptx_insn *insn)
{
	return ptx_insn_part_is(insn, 0, "cvta") || ptx_insn_part_is(insn, 0, "mapa") ||
	       ptx_insn_part_is(insn, 0, "getctarank") || ptx_insn_part_is(insn, 0, "isspacep");
}

enum ptx_decoded ptx_window_decode(struct ptx_builder *b, const struct ptx_insn *insn,
				   struct ptx_step *step)
{
	if (!is_window_op(insn))
		return NOT_MINE;
	if (insn->operands[0].kind == OPERAND_SINK)
		return ptx_refuse(&b->d, insn, "the destination of %.*s is a register, not _",
				  (int)insn->opcode.length, insn->opcode.text);
	if (ptx_insn_part_is(insn, 0, "cvta"))
		return decode_cvta(b, insn, step);
	if (ptx_insn_part_is(insn, 0, "mapa"))
		return decode_mapa(b, insn, step);
	if (ptx_insn_part_is(insn, 0, "getctarank"))
		return decode_getctarank(b, insn, step);
	return decode_isspacep(b, insn, step);
}
