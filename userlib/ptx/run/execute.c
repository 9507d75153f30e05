// SPDX-License-Identifier: MIT
/*
 * Runs the steps of a warp.
 */
#include "run/access.h"
#include "run/aligned.h"
#include "run/clock.h"
#include "run/control.h"
#include "run/device.h"
#include "run/execute.h"
#include "run/group.h"
#include "run/print.h"
#include "run/state.h"
#include "run/tensormap.h"
#include "run/window.h"

bool ptx_warp_is_runnable(const struct ptx_warp *warp)
{
	unsigned int i;

	for (i = 0; i < PTX_LANES; i++)
		if (warp->groups[i].state == GROUP_RUNNABLE)
			return true;
	return false;
}

/* The step of the runnable group that @group would meet first if it only went forward. */
static uint32_t next_meeting(const struct ptx_warp *warp, const struct ptx_group *group)
{
	uint32_t meeting = ~0u;
	unsigned int i;

	for (i = 0; i < PTX_LANES; i++) {
		const struct ptx_group *other = &warp->groups[i];

		if (other != group && other->state == GROUP_RUNNABLE &&
		    other->frame == group->frame && other->pc > group->pc && other->pc < meeting)
			meeting = other->pc;
	}
	return meeting;
}

/** enum after - What a step means for the loop that executes the steps of a group */
enum after {
	NEXT,		/* go on with the next step */
	SAME,		/* go on; the step has set the program counter */
	AGAIN,		/* groups have changed: choose again which one runs */
	STOP,		/* there was a fault, or the warp gives way */
};

static enum after after(bool good, enum after then)
{
	return good ? then : STOP;
}

/* The lanes in @taken go to @target, the others go on. Returns whether all lanes did the same. */
static bool branch(struct ptx_warp *warp, struct ptx_group *group, uint32_t taken,
		   uint32_t target)
{
	struct ptx_group *other;

	if (!taken) {
		group->pc++;
		return true;
	}
	if (taken == group->lanes) {
		group->pc = target;
		return true;
	}
	other = ptx_group_split(warp, group, taken);
	other->pc = target;
	group->pc++;
	return false;
}

static void set_all(struct ptx_regs *regs, uint32_t row, uint32_t mask, uint64_t value)
{
	if (row == PTX_NO_ROW)
		return;
	PTX_FOR_LANES(lane, mask)
		ptx_row(regs, row)[lane] = value;
}

/* Executes a step that is neither arithmetic nor a branch. @mask may be 0. */
static enum after execute(struct ptx_warp *warp, struct ptx_group *group,
			  const struct ptx_step *step, uint32_t mask)
{
	static const enum after after_meeting[] = {
		[MEETING_OVER] = NEXT,
		[MEETING_BEGUN] = AGAIN,
		[MEETING_LATER] = STOP,
	};
	struct ptx_regs *regs = &group->frame->regs;

	if (!mask)
		return NEXT;
	switch (step->kind) {
	case STEP_LOAD:
		return after(ptx_load(warp, group, step, mask), NEXT);
	case STEP_STORE:
		return after(ptx_store(warp, group, step, mask), NEXT);
	case STEP_ATOM:
		return after(ptx_atom(warp, group, step, mask), NEXT);
	case STEP_DEVICE:
		if ((ptx_device_op(step)->aligned && !ptx_is_together(warp, group, mask)) ||
		    !ptx_may_wait(warp, group, step, mask))
			return STOP;
		return after(ptx_device(warp, group, step, mask), AGAIN);
	case STEP_BRX:
		return after(ptx_branch_indexed(warp, group, step, mask), AGAIN);
	case STEP_CALL:
		return after(ptx_call(warp, group, step, mask), AGAIN);
	case STEP_RET:
		ptx_return(warp, group, mask);
		return AGAIN;
	case STEP_EXIT:
		return after(ptx_may_exit(warp) && ptx_exit(warp, group, mask), AGAIN);
	case STEP_END:
		ptx_reach_end(warp, group, mask);
		return STOP;
	case STEP_TRAP:
		ptx_trap(warp, group, mask);
		return STOP;
	case STEP_FENCE:
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		return NEXT;
	case STEP_CLOCK:
		ptx_clock_read(warp, regs, step, mask);
		return NEXT;
	case STEP_ISSPACEP:
		ptx_window_test(warp, regs, step, mask);
		return NEXT;
	case STEP_ACTIVEMASK:
		set_all(regs, step->dst, mask, mask);
		return NEXT;
	case STEP_NANOSLEEP:
		group->pc++;
		return STOP;
	case STEP_TENSORMAP:
		return after(ptx_replace(warp, group, step, mask), NEXT);
	case STEP_CP_FENCEPROXY:
		/* It has .aligned. Lanes do not wait here: equal groups may come one by one. */
		if (!ptx_is_guarded_alike(warp, group, mask))
			return STOP;
		return after(ptx_copy_map(warp, group, step, mask), NEXT);
	case STEP_PRINT:
		return after(ptx_print(warp, group, step, mask), NEXT);
	case STEP_ASSERT:
		return after(ptx_assert(warp, group, step, mask), NEXT);
	case STEP_CVTA:
	case STEP_MAPA:
	case STEP_GETCTARANK:
		return after(ptx_window_convert(warp, group, step, mask), NEXT);
	case STEP_SETMAXNREG:
		return after_meeting[ptx_set_registers(warp, group, step, mask)];
	default: /* STEP_NOP */
		return NEXT;
	}
}

/*
 * An access with a memory order counts as so many steps more. A warp that polls memory or wants a
 * lock then soon gives way to others, for which it may wait.
 */
#define STRONG_COST 100

/* Steps that a step costs more than one. A thread that sleeps lets the rest of the slice pass. */
static uint32_t extra_cost(const struct ptx_step *step)
{
	if (step->kind == STEP_NANOSLEEP)
		return UINT32_MAX;
	return (step->kind == STEP_LOAD || step->kind == STEP_ATOM) &&
	       ((const struct ptx_access *)step->extra)->order != ORDER_WEAK ? STRONG_COST : 0;
}

/* Runs a group until groups change, it gives way, or @budget steps are done. */
static enum after run_group(struct ptx_warp *warp, struct ptx_group *group, uint32_t *budget)
{
	const struct ptx_step *steps = ptx_launch_of(warp)->program->steps;
	uint32_t lanes = __builtin_popcount(group->lanes);
	uint32_t meeting = next_meeting(warp, group);
	struct ptx_regs *regs = &group->frame->regs;
	uint32_t left = *budget, more = 0;
	enum after then = SAME;

	while (left && group->pc < meeting) {
		const struct ptx_step *step = &steps[group->pc];
		uint32_t mask = group->lanes;

		if (step->guard >= 0)
			mask &= step->guard_not ? ~regs->preds[step->guard]
						: regs->preds[step->guard];
		left--;
		if (step->kind == STEP_ALU) {
			if (mask)
				step->alu(step, regs, mask);
			group->pc++;
			continue;
		}
		if (step->kind == STEP_BRANCH) {
			if (step->guard >= 0)
				group->branch = group->pc + 1;
			/* A jump back may go below another group, which then is not the next. */
			if (!branch(warp, group, mask, step->imm) || meeting != ~0u) {
				then = AGAIN;
				break;
			}
			continue;
		}
		warp->now = warp->steps + *budget - left - more;
		warp->time = warp->slice_end - left;
		then = execute(warp, group, step, mask);
		if (mask && extra_cost(step)) {
			uint32_t cost = extra_cost(step) < left ? extra_cost(step) : left;

			left -= cost;
			more += cost;
		}
		if (then == NEXT)
			group->pc++;
		else if (then != SAME)
			break;
		then = SAME;
	}
	warp->steps += *budget - left - more;
	warp->lane_steps += (uint64_t)(*budget - left - more) * lanes;
	*budget = left;
	return then == SAME && left ? AGAIN : then;
}

uint32_t ptx_warp_run(struct ptx_warp *warp, uint32_t budget)
{
	/*
	 * Usually the group with the lowest step runs, because the others are likely to wait for it
	 * where control flow meets again. A group that spins there must not stop them for ever: in
	 * every other turn the group runs that has waited longest, until the turn ends.
	 */
	bool turn = warp->slices++ & 1;
	uint32_t left = budget;
	struct ptx_group *group;

	warp->slice_end = ptx_worker_of(warp)->clock + budget;
	while (left && (group = ptx_group_pick(warp, turn)) != NULL)
		if (run_group(warp, group, &left) == STOP)
			break;
	return budget - left;
}
