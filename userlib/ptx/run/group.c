// SPDX-License-Identifier: MIT
/*
 * Groups of lanes, and the frames that they are in.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "run/fault.h"
#include "run/group.h"
#include "run/limit.h"

/* --- frames ------------------------------------------------------------------------- */

/* A call costs stack even if the function has no local memory, so that no recursion is endless. */
#define FRAME_BYTES 64

static bool local_grow(struct ptx_warp *warp, uint64_t bytes)
{
	uint64_t grown = warp->local_bytes ? warp->local_bytes : 1024;
	uint8_t *local;
	uint32_t lane;

	if (bytes <= warp->local_bytes)
		return true;
	while (grown < bytes)
		grown *= 2;
	if (!ptx_charge(ptx_launch_of(warp), PTX_LANES * (grown - warp->local_bytes)))
		return false;
	local = calloc(PTX_LANES, grown);
	if (!local) {
		ptx_uncharge(ptx_launch_of(warp), PTX_LANES * (grown - warp->local_bytes));
		return false;
	}
	for (lane = 0; warp->local && lane < PTX_LANES; lane++)
		memcpy(local + lane * grown, warp->local + lane * warp->local_bytes,
		       warp->local_bytes);
	free(warp->local);
	warp->local = local;
	warp->local_bytes = grown;
	return true;
}

static void fill_row(uint64_t *row, uint64_t value)
{
	uint32_t lane;

	for (lane = 0; lane < PTX_LANES; lane++)
		row[lane] = value;
}

/* Where the local memory of a function begins that is called from @parent. */
static uint64_t local_base(const struct ptx_frame *parent, const struct ptx_body *body)
{
	if (!parent)
		return 0;
	return (parent->local_base + parent->body->local_bytes + body->local_align - 1) &
	       ~(body->local_align - 1);
}

/* The stack that is used when a function is called from @parent. */
static uint64_t stack_with(const struct ptx_frame *parent, const struct ptx_body *body)
{
	uint64_t before = parent ? parent->local_base + parent->body->local_bytes : 0;

	return (parent ? parent->stack : 0) + local_base(parent, body) - before +
	       body->local_bytes + FRAME_BYTES;
}

static void frame_free(struct ptx_frame *frame)
{
	ptx_uncharge(frame->launch, frame->bytes);
	free(frame);
}

struct ptx_frame *ptx_frame_create(struct ptx_warp *warp, struct ptx_frame *parent,
				   const struct ptx_body *body)
{
	size_t row_bytes = (size_t)body->rows * PTX_LANES * sizeof(uint64_t);
	size_t bytes = sizeof(struct ptx_frame) + row_bytes + body->preds * sizeof(uint32_t);
	struct ptx_frame *frame;
	uint32_t i;

	bytes = (bytes + 63) & ~(size_t)63;
	if (!ptx_charge(ptx_launch_of(warp), bytes))
		return NULL;
	frame = aligned_alloc(64, bytes);
	if (!frame) {
		ptx_uncharge(ptx_launch_of(warp), bytes);
		return NULL;
	}
	memset(frame, 0, bytes);
	frame->launch = ptx_launch_of(warp);
	frame->bytes = bytes;
	frame->parent = parent;
	frame->body = body;
	frame->local_base = local_base(parent, body);
	frame->stack = stack_with(parent, body);
	if (!local_grow(warp, frame->local_base + body->local_bytes)) {
		frame_free(frame);
		return NULL;
	}
	frame->regs.rows[FILE_FRAME] = frame->rows;
	frame->regs.rows[FILE_CONST] = ptx_launch_of(warp)->program->consts;
	frame->regs.rows[FILE_WARP] = warp->rows;
	frame->regs.preds = (uint32_t *)((char *)frame->rows + row_bytes);
	for (i = 0; i < body->address_count; i++)
		fill_row(ptx_row(&frame->regs, body->addresses[i].row),
			 frame->local_base + body->addresses[i].offset);
	return frame;
}

void ptx_frame_leave(struct ptx_frame *frame, uint32_t lanes)
{
	while (frame) {
		struct ptx_frame *parent = frame->parent;

		frame->lanes &= ~lanes;
		if (!frame->lanes)
			frame_free(frame);
		frame = parent;
	}
}

/* --- groups ------------------------------------------------------------------------- */

struct ptx_group *ptx_group_split(struct ptx_warp *warp, struct ptx_group *group, uint32_t lanes)
{
	struct ptx_group *other = warp->groups;

	while (other->state != GROUP_FREE)
		other++;
	other->state = GROUP_RUNNABLE;
	other->lanes = lanes;
	other->pc = group->pc;
	other->branch = group->branch;
	other->frame = group->frame;
	other->turn = group->turn;
	other->look = group->look;
	if (other->look.kind == LOOK_TEST)
		other->insn = group->insn;
	group->lanes &= ~lanes;
	return other;
}

/* Have the lanes of both groups tested the same phase? */
static bool tests_alike(const struct ptx_group *x, const struct ptx_group *y)
{
	return x->look.kind == LOOK_TEST && y->look.kind == LOOK_TEST &&
	       x->look.step == y->look.step &&
	       !memcmp(&x->insn.u.mbarrier, &y->insn.u.mbarrier, sizeof(x->insn.u.mbarrier));
}

/* Merges all runnable groups that are where @group is into it. */
static void merge(struct ptx_warp *warp, struct ptx_group *group)
{
	struct ptx_group *other;

	for (other = warp->groups; other < warp->groups + PTX_LANES; other++) {
		if (other == group || other->state != GROUP_RUNNABLE || other->pc != group->pc ||
		    other->frame != group->frame)
			continue;
		group->look.lanes &= group->lanes;
		if (tests_alike(group, other))
			group->look.lanes |= other->look.lanes & other->lanes;
		if (other->branch != group->branch)
			group->branch = 0;
		group->lanes |= other->lanes;
		other->state = GROUP_FREE;
	}
}

struct ptx_group *ptx_group_pick(struct ptx_warp *warp, bool longest)
{
	struct ptx_group *group, *best = NULL;

	for (group = warp->groups; group < warp->groups + PTX_LANES; group++) {
		if (group->state != GROUP_RUNNABLE)
			continue;
		if (!best || (longest ? group->turn < best->turn : group->pc < best->pc))
			best = group;
	}
	if (best) {
		merge(warp, best);
		best->turn = ++warp->turns;
	}
	return best;
}

/* --- calls -------------------------------------------------------------------------- */

static void transfer(const struct ptx_warp *warp, uint64_t from, uint64_t to, uint32_t size,
		     uint32_t lanes)
{
	while (lanes) {
		uint32_t lane = __builtin_ctz(lanes);
		uint8_t *local = warp->local + lane * warp->local_bytes;

		memcpy(local + to, local + from, size);
		lanes &= lanes - 1;
	}
}

bool ptx_group_call(struct ptx_warp *warp, struct ptx_group *group, const struct ptx_body *body,
		    const struct ptx_call *call)
{
	struct ptx_frame *parent = group->frame, *frame;
	uint32_t i;

	if (stack_with(parent, body) > ptx_launch_of(warp)->config.stack_bytes) {
		ptx_fail(warp, group, __builtin_ctz(group->lanes),
			 "stack overflow: %s is called with %llu of %llu bytes in use",
			 body->function->name, (unsigned long long)parent->stack,
			 (unsigned long long)ptx_launch_of(warp)->config.stack_bytes);
		return false;
	}
	frame = ptx_frame_create(warp, parent, body);
	if (!frame) {
		ptx_fail_device(warp, group, __builtin_ctz(group->lanes), -ENOMEM, NULL);
		return false;
	}
	frame->lanes = group->lanes;
	frame->call = call;
	frame->return_to = group->pc + 1;
	for (i = 0; i < call->arg_count; i++)
		transfer(warp, parent->local_base + call->transfers[i].from,
			 frame->local_base + call->transfers[i].to, call->transfers[i].size,
			 group->lanes);
	group->frame = frame;
	group->pc = body->first;
	return true;
}

void ptx_group_return(struct ptx_warp *warp, struct ptx_group *group)
{
	struct ptx_frame *frame = group->frame, *parent = frame->parent;
	const struct ptx_call *call = frame->call;
	uint32_t i;

	for (i = call->arg_count; i < call->transfer_count; i++)
		transfer(warp, frame->local_base + call->transfers[i].to,
			 parent->local_base + call->transfers[i].from, call->transfers[i].size,
			 group->lanes);
	group->pc = frame->return_to;
	group->frame = parent;
	frame->lanes &= ~group->lanes;
	if (!frame->lanes)
		frame_free(frame);
}
