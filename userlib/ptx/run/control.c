// SPDX-License-Identifier: MIT
/*
 * Executes steps that change the flow of control: brx.idx, call, ret, trap, and the end of a
 * function.
 */
#include "code/function.h"
#include "run/control.h"
#include "run/fault.h"
#include "run/group.h"
#include "run/state.h"

bool ptx_branch_indexed(struct ptx_warp *warp, struct ptx_group *group,
			const struct ptx_step *step, uint32_t mask)
{
	const struct ptx_targets *targets = step->extra;
	const uint64_t *index = ptx_row(&group->frame->regs, step->src[0]);
	uint32_t pc = group->pc;

	group->branch = pc + 1;
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

bool ptx_call(struct ptx_warp *warp, struct ptx_group *group, const struct ptx_step *step,
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

void ptx_return(struct ptx_warp *warp, struct ptx_group *group, uint32_t mask)
{
	if (mask != group->lanes)
		ptx_group_split(warp, group, group->lanes & ~mask)->pc++;
	ptx_group_return(warp, group);
}

void ptx_trap(struct ptx_warp *warp, struct ptx_group *group, uint32_t mask)
{
	const struct ptx_insn *insn =
		ptx_launch_of(warp)->program->steps[group->pc].insn;

	ptx_fail(warp, group, __builtin_ctz(mask), "%.*s", (int)insn->opcode.length,
		 insn->opcode.text);
}

void ptx_reach_end(struct ptx_warp *warp, struct ptx_group *group, uint32_t mask)
{
	const struct ptx_function *function = group->frame->body->function;

	ptx_fail(warp, group, __builtin_ctz(mask),
		 "the thread has reached the end of the %s %s: a %s is missing",
		 function->entry ? "kernel" : "function", function->name,
		 function->entry ? "ret or exit" : "ret");
}
