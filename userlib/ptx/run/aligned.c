// SPDX-License-Identifier: MIT
/*
 * Instructions that all lanes of a warp execute together.
 */
#include "run/aligned.h"
#include "run/device.h"
#include "run/fault.h"
#include "run/operand.h"
#include "run/records.h"
#include "vsm_syntax.h"

/* A group that waits in another instruction with .aligned than @group is at; NULL if none does. */
static const struct ptx_group *divided_from(const struct ptx_warp *warp,
					    const struct ptx_group *group)
{
	const struct ptx_step *steps = ptx_launch_of(warp)->program->steps;
	unsigned int i;

	for (i = 0; i < PTX_LANES; i++) {
		const struct ptx_group *other = &warp->groups[i];

		if (other != group && other->state == GROUP_WAITS && other->pc != group->pc &&
		    ptx_device_op(&steps[other->pc])->aligned)
			return other;
	}
	return NULL;
}

bool ptx_is_guarded_alike(struct ptx_warp *warp, const struct ptx_group *group, uint32_t mask)
{
	char lanes[BITS_SIZE], others[BITS_SIZE];
	struct ptx_group some;

	if (mask == group->lanes)
		return true;
	some = *group;
	some.lanes = mask;
	ptx_fail(warp, &some, __builtin_ctz(mask),
		 "this instruction with .aligned is executed by %s of the warp, and not by %s, whose guard is False",
		 bits_text(lanes, "lane", mask), bits_text(others, "lane", group->lanes & ~mask));
	return false;
}

bool ptx_is_together(struct ptx_warp *warp, struct ptx_group *group, uint32_t mask)
{
	const struct ptx_program *program = ptx_launch_of(warp)->program;
	const struct ptx_group *other;
	char lanes[BITS_SIZE], others[BITS_SIZE];
	const struct ptx_insn *insn;

	if (!ptx_is_guarded_alike(warp, group, mask))
		return false;
	if (mask == warp->lanes || !divided_from(warp, group))
		return true;
	/* The wait may have ended, and only its record has not been read. */
	if (!ptx_worker_look(ptx_worker_of(warp)))
		return false;
	other = divided_from(warp, group);
	if (!other)
		return true;
	insn = program->steps[other->pc].insn;
	ptx_fail(warp, group, __builtin_ctz(mask),
		 "this instruction with .aligned is executed by %s of the warp, and %.*s in PTX line %u by %s",
		 bits_text(lanes, "lane", mask), (int)insn->opcode.length, insn->opcode.text,
		 insn->place.line, bits_text(others, "lane", other->lanes));
	return false;
}

/* --- setmaxnreg --------------------------------------------------------------------- */

/* The four warps of a warpgroup execute setmaxnreg, each with all of its lanes. */
static bool whole_warpgroup(struct ptx_warp *warp, const struct ptx_group *group, uint32_t mask)
{
	uint32_t group_end = (warp->number / 4 + 1) * 4 * PTX_LANES;
	char lanes[BITS_SIZE];

	if (mask != ~0u) {
		ptx_fail(warp, group, __builtin_ctz(mask),
			 "setmaxnreg is executed by %s; all lanes of a warpgroup must execute it",
			 bits_text(lanes, "lane", mask));
		return false;
	}
	if (ptx_block_threads(ptx_launch_of(warp)) >= group_end)
		return true;
	ptx_fail(warp, group, 0,
		 "setmaxnreg in warp %u: the CTA of %u threads has no whole warpgroup there",
		 warp->number, ptx_block_threads(ptx_launch_of(warp)));
	return false;
}

/* Does the warp have another group, or with @runnable another group that can run? */
static bool has_others(const struct ptx_warp *warp, const struct ptx_group *group, bool runnable)
{
	unsigned int i;

	for (i = 0; i < PTX_LANES; i++) {
		const struct ptx_group *other = &warp->groups[i];

		if (other != group && other->state != GROUP_FREE &&
		    (!runnable || other->state == GROUP_RUNNABLE))
			return true;
	}
	return false;
}

/* Is it an operation of the warp that waits for some of these lanes? */
static bool waits_for(const struct drm_vsm_insn *insn, uint32_t lanes)
{
	return insn->op >= DRM_VSM_OP_MATCH_SYNC && insn->op <= DRM_VSM_OP_REDUX_SYNC &&
	       insn->u.warp.membermask & lanes;
}

/* A group that waits elsewhere in an operation of the warp for lanes of @group, or NULL. */
static const struct ptx_group *group_that_waits_for(const struct ptx_warp *warp,
						    const struct ptx_group *group)
{
	unsigned int i;

	for (i = 0; i < PTX_LANES; i++) {
		const struct ptx_group *other = &warp->groups[i];

		if (other != group && other->state == GROUP_WAITS && other->pc != group->pc &&
		    waits_for(&other->insn, group->lanes))
			return other;
	}
	return NULL;
}

/* Does no other group wait for these lanes in another instruction than setmaxnreg? */
static bool nobody_waits_for(struct ptx_warp *warp, const struct ptx_group *group)
{
	const struct ptx_group *other;
	char lanes[BITS_SIZE], others[BITS_SIZE];
	const struct ptx_insn *insn;

	if (!group_that_waits_for(warp, group))
		return true;
	/* The wait may have ended, and only its record has not been read. */
	if (!ptx_worker_look(ptx_worker_of(warp)))
		return false;
	other = group_that_waits_for(warp, group);
	if (!other)
		return true;
	insn = ptx_launch_of(warp)->program->steps[other->pc].insn;
	ptx_fail(warp, group, __builtin_ctz(group->lanes),
		 "setmaxnreg is executed by %s of the warp, and %.*s in PTX line %u by %s, which wait for them; all lanes of a warp must execute the same setmaxnreg",
		 bits_text(lanes, "lane", group->lanes), (int)insn->opcode.length,
		 insn->opcode.text, insn->place.line, bits_text(others, "lane", other->lanes));
	return false;
}

enum ptx_meeting ptx_set_registers(struct ptx_warp *warp, struct ptx_group *group,
				   const struct ptx_step *step, uint32_t mask)
{
	if (mask != group->lanes || warp->lanes != ~0u || !has_others(warp, group, false))
		return whole_warpgroup(warp, group, mask) ? MEETING_OVER : MEETING_LATER;
	if (has_others(warp, group, true) || !whole_warpgroup(warp, group, warp->lanes) ||
	    !ptx_is_together(warp, group, mask) || !nobody_waits_for(warp, group) ||
	    !ptx_device(warp, group, step, mask))
		return MEETING_LATER;
	return MEETING_BEGUN;
}

/* A group that waits in setmaxnreg for other lanes of the warp; NULL if none does. */
static const struct ptx_group *group_in_setmaxnreg(const struct ptx_warp *warp)
{
	const struct ptx_step *steps = ptx_launch_of(warp)->program->steps;
	unsigned int i;

	for (i = 0; i < PTX_LANES; i++)
		if (warp->groups[i].state == GROUP_WAITS &&
		    steps[warp->groups[i].pc].kind == STEP_SETMAXNREG)
			return &warp->groups[i];
	return NULL;
}

bool ptx_may_exit(struct ptx_warp *warp)
{
	const struct ptx_group *other;

	if (!group_in_setmaxnreg(warp))
		return true;
	/* The wait may have ended, and only its record has not been read. */
	if (!ptx_worker_look(ptx_worker_of(warp)))
		return false;
	other = group_in_setmaxnreg(warp);
	return !other || whole_warpgroup(warp, other, other->lanes);
}

bool ptx_may_wait(struct ptx_warp *warp, const struct ptx_group *group,
		  const struct ptx_step *step, uint32_t mask)
{
	const struct ptx_device_op *op = ptx_device_op(step);
	struct drm_vsm_insn insns[PTX_LANES];
	const struct ptx_group *other;
	const struct ptx_insn *insn;
	char lanes[BITS_SIZE];
	uint32_t i;

	if (op->insn.op > DRM_VSM_OP_REDUX_SYNC || !group_in_setmaxnreg(warp))
		return true;
	if (!ptx_device_encode(warp, group, op, mask, insns))
		return false;
	/* The wait may have ended, and only its record has not been read. */
	if (!ptx_worker_look(ptx_worker_of(warp)))
		return false;
	other = group_in_setmaxnreg(warp);
	for (i = 0; other && mask; i++, mask &= mask - 1) {
		if (!waits_for(&insns[i], other->lanes))
			continue;
		insn = ptx_launch_of(warp)->program->steps[other->pc].insn;
		ptx_fail(warp, group, __builtin_ctz(mask),
			 "this instruction waits for %s of the warp, which are in %.*s in PTX line %u; all lanes of a warp must execute the same setmaxnreg",
			 bits_text(lanes, "lane", other->lanes), (int)insn->opcode.length,
			 insn->opcode.text, insn->place.line);
		return false;
	}
	return true;
}
