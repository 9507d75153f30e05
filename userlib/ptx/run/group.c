// SPDX-License-Identifier: MIT
/*
 * Groups of lanes, the frames that they are in, and the steps that change the flow of control.
 * The first fault of a launch stops it.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "code/decoder.h"
#include "run/group.h"
#include "run/limit.h"

/* --- faults --------------------------------------------------------------- */

void ptx_launch_stop(struct vsm_ptx_launch *launch)
{
	uint64_t one = 1;

	__atomic_store_n(&launch->stop, 1, __ATOMIC_RELAXED);
	/* A worker that waits for memory must not wait for ever. */
	pthread_mutex_lock(&launch->lock);
	pthread_cond_broadcast(&launch->room);
	pthread_mutex_unlock(&launch->lock);
	/* It stays readable for ever, so that every worker that sleeps or will sleep wakes up. */
	if (write(launch->wake, &one, sizeof(one)) < 0)
		return;	/* the counter is at its limit: it is readable */
}

void ptx_fail_launch(struct vsm_ptx_launch *launch, const struct ptx_fault *fault)
{
	pthread_mutex_lock(&launch->lock);
	if (!launch->fault.failure && !launch->cancelled)
		launch->fault = *fault;
	pthread_mutex_unlock(&launch->lock);
	ptx_launch_stop(launch);
}

static void fault_at(struct ptx_fault *fault, const struct ptx_warp *warp,
		     const struct ptx_group *group, uint32_t lane)
{
	const struct ptx_cta *cta = warp->cta;

	fault->step = group ? (int64_t)group->pc : -1;
	memcpy(fault->ctaid, cta->ctaid, sizeof(fault->ctaid));
	fault->rank = cta->rank;
	fault->warp = warp->number;
	fault->lane = lane;
	fault->lanes = group ? group->lanes : 1u << lane;
}

void ptx_fail(struct ptx_warp *warp, const struct ptx_group *group, uint32_t lane,
	      const char *format, ...)
{
	struct ptx_fault fault = { .failure = FAILURE_PROGRAM };
	va_list args;

	fault_at(&fault, warp, group, lane);
	va_start(args, format);
	vsnprintf(fault.text, sizeof(fault.text), format, args);
	va_end(args);
	ptx_fail_launch(ptx_launch_of(warp), &fault);
}

void ptx_fail_gone(struct ptx_warp *warp, const struct ptx_group *group, uint32_t lane,
		   uint32_t rank)
{
	struct ptx_fault fault = { .failure = FAILURE_PROGRAM, .gone = rank + 1 };

	fault_at(&fault, warp, group, lane);
	snprintf(fault.text, sizeof(fault.text),
		 "access to shared memory of CTA %u of the cluster, whose threads have exited; let all CTAs wait for each other at a cluster barrier before they exit",
		 rank);
	ptx_fail_launch(ptx_launch_of(warp), &fault);
}

void ptx_fail_device(struct ptx_warp *warp, const struct ptx_group *group, uint32_t lane,
		     int error, const struct drm_vsm_insn *insn)
{
	struct ptx_fault fault = {
		.failure = insn && insn->fault ? FAILURE_DEVICE : FAILURE_ERROR,
		.error = error,
	};

	/* The cluster is lost. If an operation has trapped, its event came first, and says why. */
	if (error == -EIO)
		ptx_event_read(ptx_launch_of(warp)->module->context);
	fault_at(&fault, warp, group, lane);
	if (insn)
		fault.insn = *insn;
	ptx_fail_launch(ptx_launch_of(warp), &fault);
}

void ptx_fail_deadlock(struct ptx_warp *warp, const struct ptx_group *group)
{
	struct ptx_fault fault = {
		.failure = FAILURE_DEADLOCK,
		.error = -EDEADLK,
		.insn.fault = DRM_VSM_FAULT_DEADLOCK,
	};

	fault_at(&fault, warp, group, __builtin_ctz(group->lanes));
	ptx_fail_launch(ptx_launch_of(warp), &fault);
}

void ptx_fail_worker(struct ptx_worker *worker, int error)
{
	struct ptx_fault fault = { .failure = FAILURE_ERROR, .error = error, .step = -1 };

	ptx_fail_launch(worker->launch, &fault);
}

/* --- events of the device ------------------------------------------------- */

#define EVENTS 16

static bool same_operation(const struct drm_vsm_insn *x, const struct drm_vsm_insn *y)
{
	return !memcmp(x, y, offsetof(struct drm_vsm_insn, result));
}

/*
 * The step that issued the operation of an event last; -1 if it is not remembered. The worker of
 * the cluster may write to the list at the same time: a wrong line is then possible, but nothing
 * worse, because the number of the step is checked.
 */
static int64_t find_step(const struct ptx_warp *warp, uint32_t thread,
			 const struct drm_vsm_insn *insn)
{
	unsigned int i;

	for (i = 0; warp->issues && i < PTX_ISSUES; i++) {
		const struct ptx_issue *issue = &warp->issues[(warp->issued - 1 - i) % PTX_ISSUES];

		if (issue->thread == thread && same_operation(&issue->insn, insn) &&
		    issue->step < ptx_launch_of(warp)->program->step_count)
			return issue->step;
	}
	return -1;
}

static void report(struct ptx_cluster *cluster, const struct drm_vsm_event_fault *event)
{
	struct ptx_fault fault = {
		.failure = FAILURE_ASYNC,
		.error = -EPROTO,
		.step = -1,
		.rank = event->cta,
		.warp = event->thread / PTX_LANES,
		.lane = event->thread % PTX_LANES,
		.lanes = 1u << event->thread % PTX_LANES,
		.insn = event->insn,
	};

	if (event->cta >= cluster->launch->cluster_ctas ||
	    fault.warp >= ptx_block_warps(cluster->launch))
		return;
	memcpy(fault.ctaid, cluster->ctas[event->cta].ctaid, sizeof(fault.ctaid));
	fault.step = find_step(&cluster->ctas[event->cta].warps[fault.warp], event->thread,
			       &event->insn);
	ptx_fail_launch(cluster->launch, &fault);
}

static void report_one(struct vsm_ptx_context *context, const struct drm_vsm_event_fault *event)
{
	struct ptx_cluster *cluster;

	/* The call that executed an instruction has reported all other faults. */
	if (event->source != DRM_VSM_SOURCE_ASYNC || event->flags & DRM_VSM_EVENT_REPORTED)
		return;
	for (cluster = context->clusters; cluster; cluster = cluster->remembered)
		if (vsm_cluster_handle(cluster->device) == event->cluster)
			break;
	if (cluster)
		report(cluster, event);
}

void ptx_event_read(struct vsm_ptx_context *context)
{
	struct drm_vsm_event_fault events[EVENTS];
	int count, i;

	pthread_mutex_lock(&context->lock);
	/* A call may return fewer events than there are, even if it has space for them. */
	do {
		count = vsm_event_read(context->device, events, EVENTS, 0);
		for (i = 0; i < count; i++)
			report_one(context, &events[i]);
	} while (count > 0);
	pthread_mutex_unlock(&context->lock);
}

void ptx_event_remember(struct ptx_cluster *cluster)
{
	struct vsm_ptx_context *context = cluster->launch->module->context;

	if (!cluster->device)
		return;
	pthread_mutex_lock(&context->lock);
	cluster->remembered = context->clusters;
	context->clusters = cluster;
	pthread_mutex_unlock(&context->lock);
}

void ptx_event_forget(struct ptx_cluster *cluster)
{
	struct vsm_ptx_context *context = cluster->launch->module->context;
	struct ptx_cluster **link = &context->clusters;

	if (!cluster->device)
		return;
	pthread_mutex_lock(&context->lock);
	while (*link != cluster)
		link = &(*link)->remembered;
	*link = cluster->remembered;
	pthread_mutex_unlock(&context->lock);
}

/* --- groups and frames ---------------------------------------------------- */

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

/* The lanes of a group call a function. Returns false after a fault. */
static bool ptx_group_call(struct ptx_warp *warp, struct ptx_group *group,
			   const struct ptx_body *body, const struct ptx_call *call)
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

/* The lanes of a group return to their caller. */
static void ptx_group_return(struct ptx_warp *warp, struct ptx_group *group)
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

/* --- control flow --------------------------------------------------------- */

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
