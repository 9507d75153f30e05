// SPDX-License-Identifier: MIT
/*
 * Runs the steps of a warp.
 */
#include <errno.h>
#include <time.h>

#include "code/function.h"
#include "run/warp.h"
#include "text/bits.h"

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

/* --- control flow ------------------------------------------------------------------- */

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

static bool branch_indexed(struct ptx_warp *warp, struct ptx_group *group,
			   const struct ptx_step *step, uint32_t mask)
{
	const struct ptx_targets *targets = step->extra;
	const uint64_t *index = ptx_row(&group->frame->regs, step->src[0]);
	uint32_t pc = group->pc;

	if (mask != group->lanes)
		ptx_group_split(warp, group, group->lanes & ~mask)->pc = pc + 1;
	while (mask) {
		uint32_t lane = __builtin_ctz(mask), same = 0, left;
		struct ptx_group *other = group;

		if (index[lane] >= targets->count) {
			ptx_fail(warp, group, lane, "brx.idx: index %llu of %u targets",
				 (unsigned long long)index[lane], targets->count);
			return false;
		}
		for (left = mask; left; left &= left - 1)
			if (index[__builtin_ctz(left)] == index[lane])
				same |= left & -left;
		if (same != group->lanes)
			other = ptx_group_split(warp, group, same);
		other->pc = targets->targets[index[lane]];
		mask &= ~same;
	}
	return true;
}

/* Does the function take the parameters that the call passes? The call names no function. */
static bool call_fits(const struct ptx_call *call, const struct ptx_function *function)
{
	uint32_t i;

	if (call->arg_count != function->param_count ||
	    call->transfer_count - call->arg_count != function->return_count)
		return false;
	for (i = 0; i < call->transfer_count; i++) {
		const struct ptx_variable *var = i < call->arg_count
			? &function->params[i] : &function->returns[i - call->arg_count];

		if (var->space != SPACE_PARAM || var->address != call->transfers[i].to ||
		    var->size != call->transfers[i].size)
			return false;
	}
	return true;
}

static const struct ptx_body *called_body(struct ptx_warp *warp, struct ptx_group *group,
					  const struct ptx_call *call, uint32_t lane,
					  uint64_t address)
{
	const struct ptx_program *program = ptx_launch_of(warp)->program;
	const struct ptx_body *body;

	body = ptx_program_function(program, address);
	if (!body || body->function->entry) {
		ptx_fail(warp, group, lane, "call of 0x%llx, which is no function",
			 (unsigned long long)address);
		return NULL;
	}
	if (call_fits(call, body->function))
		return body;
	ptx_fail(warp, group, lane, "call of %s with parameters of another type",
		 body->function->name);
	return NULL;
}

static bool call(struct ptx_warp *warp, struct ptx_group *group, const struct ptx_step *step,
		 uint32_t mask)
{
	const struct ptx_program *program = ptx_launch_of(warp)->program;
	const struct ptx_call *call = step->extra;
	const uint64_t *address;

	if (mask != group->lanes)
		ptx_group_split(warp, group, group->lanes & ~mask)->pc++;
	if (call->body >= 0)
		return ptx_group_call(warp, group, &program->bodies[call->body], call);
	address = ptx_row(&group->frame->regs, step->src[0]);
	while (mask) {
		uint32_t lane = __builtin_ctz(mask), same = 0, left;
		struct ptx_group *other = group;
		const struct ptx_body *body;

		for (left = mask; left; left &= left - 1)
			if (address[__builtin_ctz(left)] == address[lane])
				same |= left & -left;
		body = called_body(warp, group, call, lane, address[lane]);
		if (!body)
			return false;
		mask &= ~same;
		if (same != group->lanes)
			other = ptx_group_split(warp, group, same);
		if (!ptx_group_call(warp, other, body, call))
			return false;
	}
	return true;
}

/* Lanes return from a function; those whose guard is false go on. */
static void leave(struct ptx_warp *warp, struct ptx_group *group, uint32_t mask)
{
	if (mask != group->lanes)
		ptx_group_split(warp, group, group->lanes & ~mask)->pc++;
	ptx_group_return(warp, group);
}

/* --- single steps ------------------------------------------------------------------- */

#define FOR_LANES(lane, mask) \
	for (uint32_t lane##_left = (mask), lane; \
	     lane##_left && (lane = __builtin_ctz(lane##_left), true); \
	     lane##_left &= lane##_left - 1)

static uint64_t clock_value(const struct ptx_warp *warp, enum ptx_special special)
{
	/* With a seed nothing may depend on time: all clocks are the one that limits waits. */
	bool seeded = ptx_launch_of(warp)->config.seed;
	uint64_t cycles = seeded ? warp->time : warp->now, ns = warp->time;
	struct timespec now;

	switch (special) {
	case SPECIAL_CLOCK:
		return (uint32_t)cycles;
	case SPECIAL_CLOCK_HI:
		return cycles >> 32;
	case SPECIAL_CLOCK64:
		return cycles;
	default:
		break;
	}
	if (!seeded) {
		clock_gettime(CLOCK_REALTIME, &now);
		ns = now.tv_sec * 1000000000ULL + now.tv_nsec;
	}
	if (special == SPECIAL_GLOBALTIMER_LO)
		return (uint32_t)ns;
	return special == SPECIAL_GLOBALTIMER_HI ? ns >> 32 : ns;
}

static void read_clock(struct ptx_warp *warp, struct ptx_regs *regs, const struct ptx_step *step,
		       uint32_t mask)
{
	uint64_t value = clock_value(warp, step->imm);

	if (step->dst == PTX_NO_ROW)
		return;
	FOR_LANES(lane, mask)
		ptx_row(regs, step->dst)[lane] = value;
}

static void convert_address(struct ptx_regs *regs, const struct ptx_step *step, uint32_t mask)
{
	const uint64_t *a = ptx_row(regs, step->src[0]);
	uint64_t *d;

	if (step->dst == PTX_NO_ROW)
		return;
	d = ptx_row(regs, step->dst);
	switch (step->kind) {
	case STEP_CVTA:
		FOR_LANES(lane, mask)
			d[lane] = a[lane] + step->imm;
		break;
	case STEP_MAPA: {
		const uint64_t *rank = ptx_row(regs, step->src[1]);

		FOR_LANES(lane, mask)
			d[lane] = step->imm + ((uint32_t)rank[lane] << PTX_RANK_SHIFT |
					       (a[lane] & ((1u << PTX_RANK_SHIFT) - 1)));
		break;
	}
	default: /* STEP_GETCTARANK */
		FOR_LANES(lane, mask)
			d[lane] = (uint32_t)(a[lane] - step->imm) >> PTX_RANK_SHIFT;
		break;
	}
}

static void is_space(struct ptx_warp *warp, struct ptx_regs *regs, const struct ptx_step *step,
		     uint32_t mask)
{
	const uint64_t *a = ptx_row(regs, step->src[0]);
	uint32_t lanes = 0;

	FOR_LANES(lane, mask) {
		enum ptx_space space = ptx_space_of(a[lane]);
		bool own = (uint32_t)(a[lane] - PTX_SHARED_BASE) >> PTX_RANK_SHIFT ==
			   warp->cta->rank;
		bool is;

		if (step->imm == SPACE_SHARED_CLUSTER)
			is = space == SPACE_SHARED;
		else if (step->imm == SPACE_SHARED)
			is = space == SPACE_SHARED && own;
		else
			is = space == (enum ptx_space)step->imm;
		lanes |= (uint32_t)is << lane;
	}
	ptx_set_pred(regs, step->dst, mask, lanes);
}

static void set_all(struct ptx_regs *regs, uint32_t row, uint32_t mask, uint64_t value)
{
	if (row == PTX_NO_ROW)
		return;
	FOR_LANES(lane, mask)
		ptx_row(regs, row)[lane] = value;
}

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

/* All lanes of a warp execute an instruction with .aligned together, and so have equal guards. */
static bool is_guarded_alike(struct ptx_warp *warp, const struct ptx_group *group, uint32_t mask)
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

/* If another group waits in such an instruction at another place, the warp is divided as well. */
static bool is_together(struct ptx_warp *warp, struct ptx_group *group, uint32_t mask)
{
	const struct ptx_program *program = ptx_launch_of(warp)->program;
	const struct ptx_group *other;
	char lanes[BITS_SIZE], others[BITS_SIZE];
	const struct ptx_insn *insn;

	if (!is_guarded_alike(warp, group, mask))
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

static bool trap(struct ptx_warp *warp, struct ptx_group *group, uint32_t mask)
{
	const struct ptx_insn *insn =
		ptx_launch_of(warp)->program->steps[group->pc].insn;

	ptx_fail(warp, group, __builtin_ctz(mask), "%.*s", (int)insn->opcode.length,
		 insn->opcode.text);
	return false;
}

/* The threads have reached the closing brace of a function. */
static bool reach_end(struct ptx_warp *warp, struct ptx_group *group, uint32_t mask)
{
	const struct ptx_function *function = group->frame->body->function;

	ptx_fail(warp, group, __builtin_ctz(mask),
		 "the thread has reached the end of the %s %s: a %s is missing",
		 function->entry ? "kernel" : "function", function->name,
		 function->entry ? "ret or exit" : "ret");
	return false;
}

/* The four warps of a warpgroup execute setmaxnreg, each with all of its lanes. */
static bool set_registers(struct ptx_warp *warp, const struct ptx_group *group, uint32_t mask)
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

/*
 * All lanes of a warp execute setmaxnreg together. Lanes that are there first give way while others
 * can run. If all others wait, these lanes wait for them on the device, which then finds a deadlock
 * if the others wait for these lanes.
 */
static enum after meet(struct ptx_warp *warp, struct ptx_group *group,
		       const struct ptx_step *step, uint32_t mask)
{
	if (mask != group->lanes || warp->lanes != ~0u || !has_others(warp, group, false))
		return after(set_registers(warp, group, mask), NEXT);
	if (has_others(warp, group, true) || !set_registers(warp, group, warp->lanes) ||
	    !is_together(warp, group, mask))
		return STOP;
	return after(ptx_device(warp, group, step, mask), AGAIN);
}

/* A group that waits in setmaxnreg for other lanes of the warp; NULL if none does. */
static const struct ptx_group *group_in_meet(const struct ptx_warp *warp)
{
	const struct ptx_step *steps = ptx_launch_of(warp)->program->steps;
	unsigned int i;

	for (i = 0; i < PTX_LANES; i++)
		if (warp->groups[i].state == GROUP_WAITS &&
		    steps[warp->groups[i].pc].kind == STEP_SETMAXNREG)
			return &warp->groups[i];
	return NULL;
}

/* Lanes must not exit while others wait for them in setmaxnreg. Records a fault if they do. */
static bool may_exit(struct ptx_warp *warp)
{
	const struct ptx_group *other;

	if (!group_in_meet(warp))
		return true;
	/* The wait may have ended, and only its record has not been read. */
	if (!ptx_worker_look(ptx_worker_of(warp)))
		return false;
	other = group_in_meet(warp);
	return !other || set_registers(warp, other, other->lanes);
}

/* --- the loop ----------------------------------------------------------------------- */

/* Executes a step that is neither arithmetic nor a branch. @mask may be 0. */
static enum after execute(struct ptx_warp *warp, struct ptx_group *group,
			  const struct ptx_step *step, uint32_t mask)
{
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
		if (ptx_device_op(step)->aligned && !is_together(warp, group, mask))
			return STOP;
		return after(ptx_device(warp, group, step, mask), AGAIN);
	case STEP_BRX:
		return after(branch_indexed(warp, group, step, mask), AGAIN);
	case STEP_CALL:
		return after(call(warp, group, step, mask), AGAIN);
	case STEP_RET:
		leave(warp, group, mask);
		return AGAIN;
	case STEP_EXIT:
		return after(may_exit(warp) && ptx_exit(warp, group, mask), AGAIN);
	case STEP_END:
		return after(reach_end(warp, group, mask), STOP);
	case STEP_TRAP:
		return after(trap(warp, group, mask), STOP);
	case STEP_FENCE:
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		return NEXT;
	case STEP_CLOCK:
		read_clock(warp, regs, step, mask);
		return NEXT;
	case STEP_ISSPACEP:
		is_space(warp, regs, step, mask);
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
		if (!is_guarded_alike(warp, group, mask))
			return STOP;
		return after(ptx_copy_map(warp, group, step, mask), NEXT);
	case STEP_PRINT:
		return after(ptx_print(warp, group, step, mask), NEXT);
	case STEP_ASSERT:
		return after(ptx_assert(warp, group, step, mask), NEXT);
	case STEP_CVTA:
	case STEP_MAPA:
	case STEP_GETCTARANK:
		convert_address(regs, step, mask);
		return NEXT;
	case STEP_SETMAXNREG:
		return meet(warp, group, step, mask);
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
