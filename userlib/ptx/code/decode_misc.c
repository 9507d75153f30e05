// SPDX-License-Identifier: MIT
/*
 * Decodes instructions that control the warp or the caches, or read clocks: nanosleep, setmaxnreg,
 * prefetch, mov of %clock and others. Those that only give hints to hardware have no effect here.
 */
#include <string.h>

#include "code/address.h"
#include "code/alu.h"
#include "code/decode_operand.h"
#include "code/decoders.h"
#include "code/special.h"
#include "vsm_syntax.h"

/*
 * Instructions without effect: their opcodes, or the first two parts of them. wgmma.fence and the
 * group instructions of wgmma have nothing to wait for, because wgmma.mma_async is refused.
 */
static const char *const no_effect[][2] = {
	{ "griddepcontrol", NULL }, { "prefetch", NULL }, { "prefetchu", NULL },
	{ "discard", NULL }, { "applypriority", NULL }, { "pmevent", NULL },
	{ "wgmma", "fence" }, { "wgmma", "commit_group" }, { "wgmma", "wait_group" },
};

static bool has_no_effect(const struct ptx_insn *insn)
{
	unsigned int i;

	for (i = 0; i < sizeof(no_effect) / sizeof(no_effect[0]); i++)
		if (ptx_insn_part_is(insn, 0, no_effect[i][0]) &&
		    (!no_effect[i][1] || ptx_insn_part_is(insn, 1, no_effect[i][1])))
			return true;
	return false;
}

/* The clocks among operands, as bits of &ptx_step.flags. */
static uint16_t find_clocks(const struct ptx_operand *operands, unsigned int count)
{
	uint16_t clocks = 0;
	unsigned int i;

	/* The parser limits how deep operands are nested. */
	for (i = 0; i < count; i++) {
		if (operands[i].kind == OPERAND_SPECIAL && ptx_special_changes(operands[i].special))
			clocks |= 1u << (operands[i].special - SPECIAL_CLOCK);
		clocks |= find_clocks(operands[i].elements, operands[i].count);
	}
	return clocks;
}

/* mov or cvt of special registers whose values change, such as %clock64. */
static enum ptx_decoded decode_clock(struct ptx_builder *b, const struct ptx_insn *insn,
				     struct ptx_step *step)
{
	uint16_t clocks = find_clocks(insn->operands, insn->operand_count);
	enum ptx_decoded decoded;

	if (!clocks)
		return NOT_MINE;
	decoded = ptx_alu_decode(&b->d, insn, step);
	step->kind = STEP_CLOCK;
	step->flags = clocks;
	return decoded;
}

/*
 * Checks the operand of an instruction without effect: the number of pmevent, or an address. A
 * variable must be in the state space that the opcode names. (Other parts of opcodes than those in
 * the table name no space of a variable.)
 */
static bool check_hint(struct ptx_builder *b, const struct ptx_insn *insn)
{
	static const struct {
		const char *name;
		enum ptx_space space;
	} spaces[] = {
		{ "global", SPACE_GLOBAL }, { "local", SPACE_LOCAL }, { "const", SPACE_CONST },
		{ "param", SPACE_PARAM },
	};
	const struct ptx_operand *operand = insn->operands;
	unsigned int i;

	if (ptx_insn_part_is(insn, 0, "pmevent") && !ptx_insn_part_is(insn, 1, "mask"))
		return operand->number <= 15 ||
		       (ptx_refuse(&b->d, insn, "pmevent takes a number from 0 to 15"), false);
	if (ptx_insn_part_is(insn, 0, "pmevent"))
		return operand->number <= 0xffff ||
		       (ptx_refuse(&b->d, insn, "pmevent.mask takes a mask of 16 bits"), false);
	if (!insn->operand_count || operand->kind != OPERAND_ADDRESS)
		return true;
	if (ptx_insn_part_is(insn, 0, "prefetchu"))
		return ptx_check_space(b, insn, operand, SPACE_GENERIC);
	for (i = 0; i < ARRAY_SIZE(spaces); i++)
		if (ptx_insn_part_is(insn, 1, spaces[i].name))
			return ptx_check_exact_space(b, insn, operand, spaces[i].space);
	return true;
}

static enum ptx_decoded decode_nanosleep(struct ptx_builder *b, const struct ptx_insn *insn,
					 struct ptx_step *step)
{
	step->kind = STEP_NANOSLEEP;
	return ptx_source_row(&b->d, insn, &insn->operands[0], TYPE_U32, &step->src[0]) ? DECODED
											 : REFUSED;
}

static enum ptx_decoded decode_activemask(struct ptx_builder *b, const struct ptx_insn *insn,
					  struct ptx_step *step)
{
	step->kind = STEP_ACTIVEMASK;
	if (insn->operands[0].kind == OPERAND_SINK)
		return ptx_refuse(&b->d, insn, "the destination of activemask is a register");
	return ptx_target_row(&b->d, insn, &insn->operands[0], TYPE_B32, &step->dst) ? DECODED
										      : REFUSED;
}

static enum ptx_decoded decode_setmaxnreg(struct ptx_builder *b, const struct ptx_insn *insn,
					  struct ptx_step *step)
{
	int64_t count = insn->operands[0].number;

	if (count < 24 || count > 256 || count % 8)
		return ptx_refuse(&b->d, insn, "setmaxnreg takes 24 to 256, a multiple of 8");
	step->kind = STEP_SETMAXNREG;
	step->imm = count;
	return DECODED;
}

/* Numbers that are operands are fractions in (0, 1]; registers may have any value. */
static bool is_fraction(const struct ptx_operand *operand)
{
	uint32_t bits = (uint32_t)operand->number;
	double wide;
	float narrow;

	if (operand->kind == OPERAND_F64) {
		memcpy(&wide, &operand->number, sizeof(wide));
	} else if (operand->kind == OPERAND_F32) {
		memcpy(&narrow, &bits, sizeof(narrow));
		wide = narrow;
	} else {
		return true;
	}
	return wide > 0 && wide <= 1;
}

/* createpolicy: cache policies have no effect, and therefore all of them are the number 0. */
static enum ptx_decoded decode_createpolicy(struct ptx_builder *b, const struct ptx_insn *insn,
					    struct ptx_step *step)
{
	const struct ptx_operand *from = &insn->operands[2], *to = &insn->operands[3];

	if (ptx_insn_part_is(insn, 1, "fractional") && insn->operand_count == 2 &&
	    !is_fraction(&insn->operands[1]))
		return ptx_refuse(&b->d, insn, "a fraction is more than 0, and at most 1");
	if (ptx_insn_part_is(insn, 1, "range") && from->kind == OPERAND_INT &&
	    to->kind == OPERAND_INT && from->number > to->number)
		return ptx_refuse(&b->d, insn, "the primary size is not more than the total size");
	step->kind = STEP_CVTA;
	step->src[0] = ptx_const_row(&b->d, 0);
	return ptx_target_row(&b->d, insn, &insn->operands[0], TYPE_U64, &step->dst) ? DECODED
										      : REFUSED;
}

/* membar is an old spelling of fence.sc. */
static enum ptx_decoded decode_membar(struct ptx_builder *b, const struct ptx_insn *insn,
				      struct ptx_step *step)
{
	if (ptx_insn_part_is(insn, 1, "proxy") || ptx_insn_part_is(insn, 1, "cta")) {
		step->kind = STEP_FENCE;
		return DECODED;
	}
	return ptx_device_decode_as(b, insn, ptx_insn_part_is(insn, 1, "sys") ? "fence.sc.sys"
									       : "fence.sc.gpu",
				    step);
}

enum ptx_decoded ptx_misc_decode(struct ptx_builder *b, const struct ptx_insn *insn,
				 struct ptx_step *step)
{
	if (has_no_effect(insn)) {
		step->kind = STEP_NOP;
		return check_hint(b, insn) ? DECODED : REFUSED;
	}
	if (ptx_insn_part_is(insn, 0, "mov") || ptx_insn_part_is(insn, 0, "cvt"))
		return decode_clock(b, insn, step);
	if (ptx_insn_part_is(insn, 0, "nanosleep"))
		return decode_nanosleep(b, insn, step);
	if (ptx_insn_part_is(insn, 0, "activemask"))
		return decode_activemask(b, insn, step);
	if (ptx_insn_part_is(insn, 0, "setmaxnreg"))
		return decode_setmaxnreg(b, insn, step);
	if (ptx_insn_part_is(insn, 0, "createpolicy"))
		return decode_createpolicy(b, insn, step);
	if (ptx_insn_part_is(insn, 0, "membar"))
		return decode_membar(b, insn, step);
	return NOT_MINE;
}
