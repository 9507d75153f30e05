// SPDX-License-Identifier: MIT
/* Runs the steps of a warp. */
#include <errno.h>
#include <poll.h>

#include "run/access.h"
#include "run/address.h"
#include "run/device.h"
#include "run/execute.h"
#include "run/group.h"
#include "vsm_syntax.h"

/* --- operations in flight ------------------------------------------------- */

void ptx_cluster_drain(struct ptx_cluster *cluster)
{
	int err;

	if (!cluster->issued)
		return;
	cluster->issued = false;
	cluster->worker->calls++;
	err = vsm_cluster_drain(cluster->device);
	if (err)
		ptx_fail_worker(cluster->worker, err);
	ptx_event_read(cluster->launch->module->context);
}

/* --- records of waits ----------------------------------------------------- */

#define RECORDS 64

bool ptx_records_read(struct ptx_worker *worker)
{
	struct drm_vsm_wait_record records[RECORDS];
	int count, i;

	do {
		worker->calls++;
		count = vsm_waitset_read(worker->set, records, RECORDS, 0);
		if (count < 0) {
			ptx_fail_worker(worker, count);
			return false;
		}
		worker->armed -= count;
		for (i = 0; i < count; i++) {
			uintptr_t group = records[i].user_data;

			ptx_device_resume(worker, (struct ptx_group *)group, &records[i]);
		}
	} while (count == RECORDS);
	return true;
}

/*
 * Executes the batch, arms the waits that have been collected, and resumes groups whose waits have
 * ended. Returns false on an error.
 */
static bool ptx_worker_look(struct ptx_worker *worker)
{
	return ptx_device_flush(worker) && !ptx_device_arm(worker) && ptx_records_read(worker) &&
	       ptx_device_flush(worker);
}

bool ptx_records_wait(struct ptx_worker *worker)
{
	struct vsm_ptx_launch *launch = worker->launch;
	struct pollfd fds[] = {
		{ .fd = launch->wake, .events = POLLIN },
		{ .fd = vsm_waitset_fd(worker->set), .events = POLLIN },
		{ .fd = vsm_device_fd(launch->module->context->device), .events = POLLIN },
	};
	struct timespec left, *limit = NULL;

	if (launch->deadline >= 0) {
		int64_t ns = launch->deadline - ptx_now_ns();

		if (ns < 0)
			ns = 0;
		left = (struct timespec){ .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };
		limit = &left;
	}
	worker->calls++;
	if (ppoll(fds, 3, limit, NULL) < 0 && errno != EINTR) {
		ptx_fail_worker(worker, -errno);
		return false;
	}
	if (fds[2].revents)
		ptx_event_read(launch->module->context);
	return ptx_records_read(worker);
}

/* --- lanes together ------------------------------------------------------- */

/** enum ptx_meeting - What has become of lanes that execute setmaxnreg */
enum ptx_meeting {
	MEETING_OVER,		/* all lanes of the warp have executed it */
	MEETING_BEGUN,		/* groups have changed: the lanes wait on the device */
	MEETING_LATER,		/* there was a fault, or the lanes give way to others */
};

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

/*
 * Do all lanes of the group execute this instruction, which has .aligned? @mask has the lanes whose
 * guard is true. Records a fault if it is true for only some of them.
 */
static bool ptx_is_guarded_alike(struct ptx_warp *warp, const struct ptx_group *group,
				 uint32_t mask)
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

/*
 * The same. It is also a fault if another group of the warp waits in a different instruction with
 * .aligned: all lanes of the warp have to execute the same one.
 */
static bool ptx_is_together(struct ptx_warp *warp, struct ptx_group *group, uint32_t mask)
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

/* Returns whether the warp has another group. With @runnable, only groups that can run count. */
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

/*
 * All lanes of a warp execute setmaxnreg together. Lanes that are there first give way while others
 * can run. If all others wait, these lanes wait for them on the device, which then finds a deadlock
 * if the others wait for these lanes.
 */
static enum ptx_meeting ptx_set_registers(struct ptx_warp *warp, struct ptx_group *group,
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

/* Lanes must not exit while others wait for them in setmaxnreg. Records a fault if they do. */
static bool ptx_may_exit(struct ptx_warp *warp)
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

/*
 * Lanes must not wait in an operation of the warp for lanes that are in setmaxnreg. Records a fault
 * if they would.
 */
static bool ptx_may_wait(struct ptx_warp *warp, const struct ptx_group *group,
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
	if (!ptx_device_encode(warp, group, op, mask, insns, NULL))
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

/* --- steps ---------------------------------------------------------------- */

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
	case STEP_MALLOC:
		ptx_malloc(warp, group, step, mask);
		return NEXT;
	case STEP_FREE:
		return after(ptx_free(warp, group, step, mask), NEXT);
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
