// SPDX-License-Identifier: MIT
/*
 * Decodes instructions that control the warp or the caches: nanosleep, setmaxnreg, prefetch and
 * others. Those that only give hints to hardware have no effect here.
 */
#include "code/decode_operand.h"
#include "code/decoders.h"
#include "code/special.h"

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

/* mov of a special register whose value changes, such as %clock64. */
static enum ptx_decoded decode_clock(struct ptx_builder *b, const struct ptx_insn *insn,
				     struct ptx_step *step)
{
	enum ptx_type type;

	if (insn->operand_count != 2 || insn->operands[1].kind != OPERAND_SPECIAL ||
	    !ptx_special_changes(insn->operands[1].special))
		return NOT_MINE;
	step->kind = STEP_CLOCK;
	step->imm = insn->operands[1].special;
	type = ptx_special_type(insn->operands[1].special);
	if (insn->part_count != 2 ||
	    ptx_type_size(ptx_type_named(insn->parts[1].text, insn->parts[1].length)) !=
		    ptx_type_size(type))
		return ptx_refuse(&b->d, insn, "this register is read with mov.%s",
				  ptx_type_name(type));
	return ptx_target_row(&b->d, insn, &insn->operands[0], type, &step->dst) ? DECODED
										  : REFUSED;
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

/* createpolicy: cache policies have no effect, so that any number will do. */
static enum ptx_decoded decode_createpolicy(struct ptx_builder *b, const struct ptx_insn *insn,
					    struct ptx_step *step)
{
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
		return DECODED;
	}
	if (ptx_insn_part_is(insn, 0, "mov"))
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
