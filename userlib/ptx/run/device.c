// SPDX-License-Identifier: MIT
/*
 * Executes instructions of the device: hands those of all lanes to the device in one call. Lanes
 * that are suspended are armed in the wait set of the worker.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "code/decoder.h"
#include "code/loop.h"
#include "run/address.h"
#include "run/device.h"
#include "run/group.h"
#include "run/history.h"
#include "run/memory.h"
#include "run/queue.h"
#include "vsm_ops.h"
#include "vsm_syntax.h"

/* --- clocks --------------------------------------------------------------- */

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

void ptx_clock_read(struct ptx_warp *warp, struct ptx_regs *regs, const struct ptx_step *step,
		    uint32_t mask)
{
	unsigned int left;

	for (left = step->flags; left; left &= left - 1) {
		enum ptx_special special = SPECIAL_CLOCK + __builtin_ctz(left);
		uint64_t *row = warp->rows + (size_t)ptx_special_row(special, 0) * PTX_LANES;
		uint64_t value = clock_value(warp, special);

		PTX_FOR_LANES(lane, mask)
			row[lane] = value;
	}
	step->alu(step, regs, mask);
}

/* --- operands ------------------------------------------------------------- */

/* Does the instruction begin an asynchronous operation? */
static bool ptx_device_is_async(const struct drm_vsm_insn *insn)
{
	return ptx_op_traits(insn->op) & VSM_OP_ASYNC;
}

static void set_field(struct drm_vsm_insn *insn, const struct ptx_binding *binding,
		      uint64_t value)
{
	memcpy((char *)insn + binding->field, &value, binding->size);
}

static uint64_t address_of(const struct ptx_group *group, const struct ptx_binding *binding,
			   uint32_t lane)
{
	uint64_t base = 0, offset = binding->offset;

	if (binding->row != PTX_NO_ROW)
		base = ptx_row(&group->frame->regs, binding->row)[lane];
	if (binding->framed)
		offset += group->frame->local_base;
	return ptx_add_offset(binding->space, base, offset);
}

/* The device gets a cluster shared address, and says itself if it is outside the window. */
static bool set_shared(struct ptx_warp *warp, const struct ptx_group *group,
		       const struct ptx_binding *binding, uint32_t lane,
		       struct drm_vsm_insn *insn)
{
	uint64_t generic = ptx_generic(warp, binding->space, address_of(group, binding, lane));

	if (ptx_space_of(generic) != SPACE_SHARED) {
		ptx_fail(warp, group, lane, "0x%llx is no address in shared memory",
			 (unsigned long long)generic);
		return false;
	}
	set_field(insn, binding, generic - PTX_SHARED_BASE);
	return ptx_window_lives(warp, group, lane, ptx_rank_of(generic - PTX_SHARED_BASE));
}

/* The bytes of global memory that a copy accesses. */
static uint64_t global_bytes(const struct drm_vsm_insn *insn)
{
	return insn->mods & DRM_VSM_MOD_SRC_SIZE ? insn->u.copy.src_size : insn->u.copy.size;
}

/* All other operands have been set. */
static bool set_global(struct ptx_warp *warp, const struct ptx_group *group,
		       const struct ptx_binding *binding, uint32_t lane,
		       struct drm_vsm_insn *insn)
{
	bool write = ptx_op_traits(insn->op) & VSM_OP_TO_BUFFER;
	uint64_t bytes = global_bytes(insn), address = address_of(group, binding, lane);
	const struct ptx_memory *memory = ptx_launch_of(warp)->memory;
	const struct ptx_allocation *at = warp->last;

	if (!at || address - at->address >= at->size)
		at = ptx_memory_find(memory, address);
	/* A copy that reads nothing may have any address. */
	if (!at && !bytes && memory->count) {
		at = &memory->items[0];
		address = at->address;
	}
	if (!at || (write && at->read_only)) {
		if (ptx_resolve(warp, group, lane, SPACE_GLOBAL, address, bytes, write))
			ptx_fail(warp, group, lane, "0x%llx is no address in global memory",
				 (unsigned long long)address);
		return false;
	}
	warp->last = at;
	/* The device checks the size, and names the fault of a copy that is too long. */
	insn->u.copy.buffer = at->handle;
	set_field(insn, binding, address - at->address);
	return true;
}

/* The device reads @map when the instruction is issued. */
static bool set_map(struct ptx_warp *warp, const struct ptx_group *group,
		    const struct ptx_binding *binding, uint32_t lane, struct drm_vsm_insn *insn,
		    struct drm_vsm_tensor_map *map)
{
	set_field(insn, binding, (uintptr_t)map);
	return ptx_map_read(warp, group, lane, address_of(group, binding, lane),
			    ptx_op_traits(insn->op) & VSM_OP_TO_BUFFER, map);
}

static bool set_operand(struct ptx_warp *warp, const struct ptx_group *group,
			const struct ptx_binding *binding, uint32_t lane,
			struct drm_vsm_insn *insn, struct drm_vsm_tensor_map *map)
{
	const struct ptx_regs *regs = &group->frame->regs;
	uint64_t value;

	switch (binding->kind) {
	case BIND_SHARED:
		return set_shared(warp, group, binding, lane, insn);
	case BIND_GLOBAL:
		return set_global(warp, group, binding, lane, insn);
	case BIND_MAP:
		return set_map(warp, group, binding, lane, insn, map);
	case BIND_PRED:
		set_field(insn, binding, ptx_pred(regs, binding->row) >> lane & 1);
		return true;
	case BIND_IGNORE_SRC:
		value = ptx_pred(regs, binding->row) >> lane & 1;
		set_field(insn, binding, value ? 0 : insn->u.copy.size);
		return true;
	case BIND_BITS:
		value = ptx_row(regs, binding->row)[lane] & ((1ULL << binding->bits) - 1);
		insn->u.tensor.offsets |= value << binding->shift;
		return true;
	default: /* BIND_VALUE */
		set_field(insn, binding, ptx_row(regs, binding->row)[lane]);
		return true;
	}
}

bool ptx_device_encode(struct ptx_warp *warp, const struct ptx_group *group,
		       const struct ptx_device_op *op, uint32_t mask, struct drm_vsm_insn *insns,
		       struct drm_vsm_tensor_map *maps)
{
	/* A GPU looks at bit 0 only. */
	bool by_parity = op->insn.mods & DRM_VSM_MOD_PARITY &&
			 !(ptx_launch_of(warp)->config.enforce & PTX_RULE_PARITY);

	while (mask) {
		uint32_t lane = __builtin_ctz(mask);
		unsigned int i;

		*insns = op->insn;
		for (i = 0; i < op->count; i++)
			if (!set_operand(warp, group, &op->bindings[i], lane, insns, maps))
				return false;
		if (by_parity)
			insns->u.mbarrier.parity &= 1;
		insns++;
		if (maps)
			maps++;
		mask &= mask - 1;
	}
	return true;
}

/* --- sites ---------------------------------------------------------------- */

/* The number that events have for a step. */
static inline uint32_t ptx_site_number(uint32_t step)
{
	return step + 1;
}

bool ptx_site_of(const struct vsm_ptx_launch *launch, uint32_t step, struct vsm_ptx_site *site)
{
	const struct ptx_module *module = launch->module->module;
	const struct ptx_insn *insn = NULL;
	const struct ptx_inlined *outermost;

	memset(site, 0, sizeof(*site));
	if (step < launch->program->step_count)
		insn = launch->program->steps[step].insn;
	if (!insn)
		return false;
	outermost = ptx_outermost(&insn->place);
	site->line = insn->place.line;
	site->source_line = outermost ? outermost->line : insn->place.source_line;
	site->source_file = ptx_module_file(module, outermost ? outermost->file
							      : insn->place.file);
	if (outermost) {
		site->inlined_line = insn->place.source_line;
		site->inlined_file = ptx_module_file(module, insn->place.file);
	}
	site->insn_length = insn->opcode.length;
	site->insn = insn->opcode.text;
	return true;
}

int vsm_ptx_launch_site(const struct vsm_ptx_launch *launch, uint32_t number,
			struct vsm_ptx_site *site)
{
	struct vsm_ptx_site found;

	if (!number || !ptx_site_of(launch, number - 1, &found))
		return -ENOENT;
	*site = found;
	return 0;
}

int vsm_ptx_launch_shared(const struct vsm_ptx_launch *launch, uint32_t index,
			  struct vsm_ptx_shared *shared)
{
	const struct ptx_shared *variable;
	struct span name;

	if (index >= launch->program->shared_count)
		return -ENOENT;
	variable = &launch->program->shared[index];
	name = symbol_name(variable->var->name);
	shared->offset = variable->offset;
	/* Dynamic shared memory is declared without a size. */
	shared->size = variable->var->size ? variable->var->size
					   : launch->window_bytes - variable->offset;
	shared->stride = ptx_is_mbarriers(variable) ? sizeof(uint64_t) : 0;
	shared->name_length = name.length;
	shared->name = name.text;
	return 0;
}

/* --- flight recorders ----------------------------------------------------- */

/* Makes the events of what is executed as this thread name the step. */
static inline void ptx_trace_site(const struct ptx_warp *warp, struct vsm_thread *thread,
				  uint32_t step)
{
	if (ptx_traces(ptx_launch_of(warp)))
		thread->site = ptx_site_number(step);
}

/* Most instructions of a lane make fewer events, together with the waits and copies they begin. */
#define EVENTS_PER_LANE 8

/* Events that are read with one call. */
#define BATCH 128

void ptx_trace_read(struct ptx_cluster *cluster)
{
	struct vsm_ptx_launch *launch = cluster->launch;
	struct drm_vsm_trace_event events[BATCH];
	uint64_t lost;
	int count;

	cluster->traced = 0;
	if (!ptx_traces(launch) || !cluster->device)
		return;
	do {
		cluster->worker->calls++;
		count = vsm_trace_read(cluster->device, events, BATCH, &cluster->trace_next, &lost);
		/* A device that is lost has been reported elsewhere. */
		if (count < 0)
			return;
		pthread_mutex_lock(&launch->trace_lock);
		if (count || lost)
			launch->config.trace(launch->config.trace_data, events, count, lost);
		pthread_mutex_unlock(&launch->trace_lock);
	} while (count == BATCH);
}

/* Lanes have executed an instruction. From time to time, reads the events. */
static void ptx_trace_executed(struct ptx_cluster *cluster, uint32_t lanes)
{
	cluster->traced += __builtin_popcount(lanes);
	if (cluster->traced >= PTX_TRACE_EVENTS / EVENTS_PER_LANE)
		ptx_trace_read(cluster);
}

/* --- execution ------------------------------------------------------------ */

/* How long a try_wait without suspendTimeHint waits if the program can do something else. */
#define TRY_WAIT_NS	1000000

static struct vsm_thread thread_of(const struct ptx_warp *warp, const struct ptx_group *group)
{
	struct vsm_thread thread = vsm_thread_at(warp->cta->cluster->device, warp->cta->rank,
						 warp->number * PTX_LANES);

	ptx_trace_site(warp, &thread, group->pc);
	return thread;
}

/* Lanes that execute setmaxnreg meet the other lanes of their warp as in bar.warp.sync. */
static const struct ptx_device_op setmaxnreg = {
	.insn = { .op = DRM_VSM_OP_BAR_WARP_SYNC, .u.warp.membermask = ~0u },
	.aligned = true,
};

const struct ptx_device_op *ptx_device_op(const struct ptx_step *step)
{
	return step->kind == STEP_SETMAXNREG ? &setmaxnreg : step->extra;
}

/* --- results ------------------------------------------------------------------------ */

static void set_result(struct ptx_group *group, const struct ptx_step *step, uint32_t lane,
		       uint64_t result)
{
	const struct ptx_device_op *op = ptx_device_op(step);
	struct ptx_regs *regs = &group->frame->regs;
	uint32_t bit = 1u << lane;

	switch (op->result) {
	case RESULT_PAIR:
		ptx_set_pred(regs, step->dst2, bit, result & DRM_VSM_RESULT_PRED ? bit : 0);
		if (step->dst != PTX_NO_ROW)
			ptx_row(regs, step->dst)[lane] = (uint32_t)result;
		break;
	case RESULT_PRED:
		ptx_set_pred(regs, step->dst, bit, result ? bit : 0);
		break;
	case RESULT_ROW:
		if (step->dst != PTX_NO_ROW)
			ptx_row(regs, step->dst)[lane] = result;
		break;
	}
}

/*
 * Sets the results of the lanes in @mask, except those in @suspended. @insns has one for each of
 * @mask.
 */
static void set_results(struct ptx_group *group, const struct ptx_step *step, uint32_t mask,
			uint32_t suspended, const struct drm_vsm_insn *insns)
{
	for (; mask; mask &= mask - 1, insns++)
		if (!(suspended & mask & -mask))
			set_result(group, step, __builtin_ctz(mask), insns->result);
}

/* The lane of the @n-th bit of the mask. */
static uint32_t lane_at(uint32_t mask, uint32_t n)
{
	while (n--)
		mask &= mask - 1;
	return __builtin_ctz(mask);
}

/* --- waiting ------------------------------------------------------------------------ */

/* Remembers an asynchronous operation, to find its line if it breaks a rule later. */
static void remember(struct ptx_warp *warp, const struct ptx_group *group, uint32_t mask,
		     const struct drm_vsm_insn *insns)
{
	if (!ptx_device_is_async(insns))
		return;
	warp->cta->cluster->issued = true;
	for (; mask; mask &= mask - 1) {
		struct ptx_issue *issue = &warp->issues[warp->issued++ % PTX_ISSUES];

		issue->step = group->pc;
		issue->thread = warp->number * PTX_LANES + __builtin_ctz(mask);
		issue->insn = *insns++;
	}
}

/* The time limit of a try_wait in ns, or with a seed in steps. */
static uint64_t limit_of(const struct drm_vsm_insn *insn)
{
	return insn->mods & DRM_VSM_MOD_HINT ? insn->u.mbarrier.hint_ns : TRY_WAIT_NS;
}

/* The lanes have tested a phase that is not complete. */
static void set_test(struct ptx_group *group, uint32_t lanes, const struct drm_vsm_insn *insn)
{
	group->look = (struct ptx_look){ .kind = LOOK_TEST, .lanes = lanes, .step = group->pc };
	group->insn = *insn;
}

/*
 * The lanes of @waiting are suspended in the instruction of the lowest of them. All of them have
 * equal operands, as far as the device cares. They become a group that waits.
 */
static void suspend(struct ptx_warp *warp, struct ptx_group *group, uint32_t waiting,
		    const struct drm_vsm_insn *insn, bool timed)
{
	struct ptx_worker *worker = ptx_worker_of(warp);
	struct ptx_group *waits = group;
	int64_t deadline = VSM_NEVER;
	struct vsm_thread thread = thread_of(warp, group);

	if (waiting != group->lanes)
		waits = ptx_group_split(warp, group, waiting);
	waits->state = GROUP_WAITS;
	waits->insn = *insn;
	waits->timed = timed;
	/* If its time limit passes, the group has tested the phase. */
	if (timed)
		set_test(waits, waiting, insn);
	/* With a seed the time of the host means nothing: ptx_device_expire() ends the wait. */
	waits->due = worker->clock + limit_of(insn);
	if (timed && !worker->launch->config.seed)
		deadline = ptx_now_ns() + limit_of(insn);
	else if (timed && waits->due < worker->due)
		worker->due = waits->due;
	worker->arms[worker->arm_count] =
		vsm_waitset_prep_lanes(&thread, waiting, &waits->insn,
				       timed ? 0 : DRM_VSM_WAIT_NO_LIMIT, deadline,
				       (uintptr_t)waits);
	worker->arm_groups[worker->arm_count++] = waits;
	/* If this fails, the launch has failed, and its workers stop. */
	if (worker->arm_count == PTX_ARMS)
		ptx_device_arm(worker);
}

/* Do two lanes wait for the same, so that one wait is enough for them? */
static bool waits_with(const struct drm_vsm_insn *x, const struct drm_vsm_insn *y)
{
	switch (x->op) {
	case DRM_VSM_OP_MBARRIER_TEST_WAIT:
	case DRM_VSM_OP_MBARRIER_TRY_WAIT:
	case DRM_VSM_OP_CP_ASYNC_WAIT_GROUP:
	case DRM_VSM_OP_CP_ASYNC_WAIT_ALL:
	case DRM_VSM_OP_CP_ASYNC_BULK_WAIT_GROUP:
		return !memcmp(&x->u, &y->u, sizeof(x->u));
	case DRM_VSM_OP_BARRIER_SYNC:
	case DRM_VSM_OP_BARRIER_ARRIVE:
	case DRM_VSM_OP_BARRIER_RED:
		return x->u.barrier.barrier == y->u.barrier.barrier &&
		       x->u.barrier.count == y->u.barrier.count;
	case DRM_VSM_OP_BARRIER_CLUSTER_ARRIVE:
	case DRM_VSM_OP_BARRIER_CLUSTER_WAIT:
		return true;
	default:
		return x->u.warp.membermask == y->u.warp.membermask;
	}
}

/* Suspends lanes: those with equal operands are one group. */
static void suspend_all(struct ptx_warp *warp, struct ptx_group *group, uint32_t mask,
			uint32_t waiting, const struct drm_vsm_insn *insns, bool timed)
{
	const struct drm_vsm_insn *of_lane[PTX_LANES] = { };
	uint32_t left;

	for (left = mask; left; left &= left - 1)
		of_lane[__builtin_ctz(left)] = insns++;
	while (waiting) {
		const struct drm_vsm_insn *first = of_lane[__builtin_ctz(waiting)];
		uint32_t same = 0;

		for (left = waiting; left; left &= left - 1)
			if (waits_with(first, of_lane[__builtin_ctz(left)]))
				same |= left & -left;
		suspend(warp, group, same, first, timed);
		waiting &= ~same;
	}
}

int ptx_device_arm(struct ptx_worker *worker)
{
	struct ptx_group *group;
	uint32_t armed = 0, i;
	int err;

	if (!worker->arm_count)
		return 0;
	worker->calls++;
	err = vsm_waitset_arm(worker->set, worker->arms, worker->arm_count, &armed);
	for (i = 0; i < armed; i++)
		worker->arm_groups[i]->id = worker->arms[i].id;
	worker->armed += armed;
	if (err) {
		group = worker->arm_groups[armed];
		group->insn.fault = worker->arms[armed].fault;
		ptx_fail_device(group->warp, group, __builtin_ctz(group->lanes), err,
				&group->insn);
	}
	worker->arm_count = 0;
	return err;
}

/* The device has refused an instruction, or found no buffer for it. */
static void refuse(struct ptx_warp *warp, const struct ptx_group *group, uint32_t lane, int err,
		   const struct ptx_device_op *op, const struct drm_vsm_insn *insn)
{
	unsigned int i;

	for (i = 0; err == -ENOENT && i < op->count; i++)
		if (op->bindings[i].kind == BIND_MAP &&
		    ptx_fail_map(warp, group, lane, (const void *)(uintptr_t)insn->u.tensor.map))
			return;
	ptx_fail_device(warp, group, lane, err, insn);
}

/* --- batches ------------------------------------------------------------------------ */

/*
 * A call of the device costs much more than what it does for one warp. Barriers of CTAs and of
 * clusters, and exits of whole warps, therefore wait in a batch. It is executed when it is full,
 * when no warp of the worker can run, at the second look of the worker, and before a cluster ends.
 * To other threads, the lanes in it only seem slow. With a seed, nothing is put off, so that the
 * seed chooses the order of all instructions.
 */

static bool is_batched(const struct ptx_worker *worker, const struct drm_vsm_insn *insn)
{
	return !worker->launch->config.seed && insn->op >= DRM_VSM_OP_BARRIER_SYNC &&
	       insn->op <= DRM_VSM_OP_BARRIER_CLUSTER_WAIT;
}

/* Puts instructions of lanes into the batch. They wait if they are a group. */
static bool put_off(struct ptx_warp *warp, struct ptx_group *group, uint32_t pc, uint32_t lanes,
		    const struct drm_vsm_insn *insns, bool fetch)
{
	struct ptx_worker *worker = ptx_worker_of(warp);
	struct ptx_batched *at = &worker->batch[worker->batch_count++];

	at->warp = warp;
	at->group = group;
	at->fetch = fetch;
	at->pc = pc;
	at->lanes = lanes;
	at->thread = thread_of(warp, &(struct ptx_group){ .pc = pc });
	memcpy(at->insns, insns, __builtin_popcount(lanes) * sizeof(*insns));
	if (group) {
		group->state = GROUP_WAITS;
		group->insn = *insns;
		group->timed = false;
	}
	return worker->batch_count < PTX_BATCH || ptx_device_flush(worker);
}

/* The device has refused the instruction of a lane of the batch. */
static void refuse_batched(struct ptx_batched *at, int err)
{
	uint32_t count = __builtin_popcount(at->lanes);
	uint32_t index = at->thread.retired < count ? at->thread.retired : 0;
	const struct ptx_group group = { .warp = at->warp, .pc = at->pc, .lanes = at->lanes };

	if (at->group && !at->fetch)
		ptx_note_after(at->warp, at->pc, ptx_first_lanes(at->lanes, index), at->insns);
	ptx_fail_device(at->warp, &group, lane_at(at->lanes, index), err, &at->insns[index]);
}

/* Leaves only those lanes, and their instructions, that are suspended. */
static void leave_suspended(struct ptx_batched *at, uint32_t suspended)
{
	struct drm_vsm_insn *to = at->insns, *from = at->insns;
	uint32_t left;

	for (left = at->lanes; left; left &= left - 1, from++)
		if (suspended & left & -left)
			*to++ = *from;
	at->lanes = suspended;
}

/*
 * Executes the instructions of the lanes in the batch, and leaves only lanes there that are
 * suspended. @first says whether the lanes arrive, or have arrived. Returns the number of elements
 * without lanes, or a negative errno; then the launch has failed.
 */
static int execute_batch(struct ptx_worker *worker, bool first)
{
	const struct ptx_step *steps = worker->launch->program->steps;
	struct vsm_lanes_call calls[PTX_BATCH];
	struct ptx_batched *of_call[PTX_BATCH], *at;
	uint32_t count = 0, executed, i;
	int err, done = 0;

	for (i = 0; i < worker->batch_count; i++) {
		at = &worker->batch[i];
		if (!at->lanes)
			continue;
		of_call[count] = at;
		calls[count++] = (struct vsm_lanes_call){
			.thread = &at->thread, .lanes = at->lanes, .insns = at->insns,
		};
	}
	worker->calls++;
	err = vsm_exec_batch(calls, count, &executed);
	for (i = 0; i < executed; i++) {
		at = of_call[i];
		done += !calls[i].suspended;
		if (at->group)
			set_results(at->group, &steps[at->pc], at->lanes, calls[i].suspended,
				    at->insns);
		if (at->group && !at->fetch) {
			if (first)
				ptx_note_after(at->warp, at->pc, at->lanes, at->insns);
			if (!calls[i].suspended)
				ptx_note_passed(at->warp, at->insns);
		}
		leave_suspended(at, calls[i].suspended);
	}
	if (err)
		refuse_batched(of_call[executed], err);
	return err ? err : done;
}

/* The lanes of a group of the batch go on, except those that are suspended. */
static void resume_batched(struct ptx_batched *at)
{
	struct ptx_group *group = at->group;

	if (!group)
		return;
	if (at->fetch && at->lanes) {
		refuse_batched(at, -EPROTO);
		return;
	}
	group->state = GROUP_RUNNABLE;
	group->look.kind = LOOK_NONE;
	if (at->lanes)
		suspend_all(at->warp, group, at->lanes, at->lanes, at->insns, false);
	if (group->state != GROUP_RUNNABLE)
		return;
	group->pc++;
	ptx_worker_queue(ptx_worker_of(at->warp), at->warp);
}

bool ptx_device_flush(struct ptx_worker *worker)
{
	int count = worker->batch_count, done, i;

	if (!count)
		return true;
	done = execute_batch(worker, true);
	/* Late lanes may have completed what early lanes wait for. */
	if (done > 0 && done < count)
		done = execute_batch(worker, false);
	worker->batch_count = 0;
	for (i = 0; i < count && done >= 0; i++)
		resume_batched(&worker->batch[i]);
	return !ptx_launch_stops(worker->launch);
}

/* --- execution ---------------------------------------------------------------------- */

static bool is_wait(const struct drm_vsm_insn *insn)
{
	return insn->op == DRM_VSM_OP_MBARRIER_TRY_WAIT ||
	       insn->op == DRM_VSM_OP_MBARRIER_TEST_WAIT;
}

/* The lanes whose wait has found its phase not complete. */
static uint32_t lanes_that_wait(uint32_t mask, const struct drm_vsm_insn *insns)
{
	uint32_t waiting = 0;

	for (; mask; mask &= mask - 1)
		if (!insns++->result)
			waiting |= mask & -mask;
	return waiting;
}

/* The lanes of a test_wait go on, and those whose phase is not complete may test it again. */
static void look_at_phase(struct ptx_group *group, uint32_t mask, const struct drm_vsm_insn *insns)
{
	uint32_t lanes = lanes_that_wait(mask, insns);

	while (lanes && insns->result)
		insns++;
	if (lanes)
		set_test(group, lanes, insns);
}

/* Moves the lanes on that have executed the step, together with those whose guard was false. */
static void advance(struct ptx_group *group)
{
	if (group->state == GROUP_RUNNABLE)
		group->pc++;
}

/*
 * Is it a wait that the program only repeats, with the operands that it has now? When such a wait
 * has returned False, the lane executes no other instruction with an effect than such waits, until
 * one of them returns True.
 */
static bool is_repeated(struct ptx_warp *warp, const struct ptx_step *step, uint32_t mask,
			const struct drm_vsm_insn *insns)
{
	bool later = step->flags & PTX_STEP_REPEATS_LATER;
	uint32_t waiting, again;

	if (!is_wait(insns))
		return false;
	waiting = lanes_that_wait(mask, insns);
	again = warp->repeating & waiting;
	warp->repeating &= ~mask;
	if (later)
		warp->repeating |= waiting;
	return step->flags & PTX_STEP_REPEATS || (later && again == waiting);
}

bool ptx_device(struct ptx_warp *warp, struct ptx_group *group, const struct ptx_step *step,
		uint32_t mask)
{
	const struct ptx_device_op *op = ptx_device_op(step);
	struct ptx_worker *worker = ptx_worker_of(warp);
	struct vsm_thread thread = thread_of(warp, group);
	struct drm_vsm_tensor_map maps[PTX_LANES] __attribute__((aligned(64)));
	struct drm_vsm_insn insns[PTX_LANES];
	uint32_t suspended = 0;
	bool repeats;
	int err;

	if (!ptx_device_encode(warp, group, op, mask, insns, maps))
		return false;
	ptx_trace_executed(warp->cta->cluster, mask);
	if (is_batched(worker, insns))
		return put_off(warp, group, group->pc, mask, insns, false);
	worker->calls++;
	ptx_note_before(warp, mask, insns);
	/* Another worker may read an event about the operation before the call returns. */
	remember(warp, group, mask, insns);
	err = vsm_exec_lanes(&thread, mask, insns, &suspended);
	if (err) {
		uint32_t count = __builtin_popcount(mask);
		uint32_t at = thread.retired < count ? thread.retired : 0;

		ptx_note_after(warp, group->pc, ptx_first_lanes(mask, at), insns);
		refuse(warp, group, lane_at(mask, at), err, op, &insns[at]);
		return false;
	}
	if (insns->op == DRM_VSM_OP_MBARRIER_INIT)
		warp->cta->unpublished = true;
	ptx_note_after(warp, group->pc, mask, insns);
	set_results(group, step, mask, suspended, insns);
	if (!suspended)
		ptx_note_passed(warp, insns);
	group->look.kind = LOOK_NONE;
	repeats = is_repeated(warp, step, mask, insns);
	/*
	 * A wait that the program only repeats suspends until the phase completes. Any other
	 * try_wait suspends for a limited time, and any other test_wait does not suspend.
	 */
	if (is_wait(insns) && (repeats || insns->op == DRM_VSM_OP_MBARRIER_TRY_WAIT)) {
		suspended = lanes_that_wait(mask, insns);
		/* The device arms a try_wait. The wait of a test_wait is the same. */
		if (insns->op == DRM_VSM_OP_MBARRIER_TEST_WAIT) {
			uint32_t i, count = __builtin_popcount(mask);

			for (i = 0; i < count; i++)
				insns[i].op = DRM_VSM_OP_MBARRIER_TRY_WAIT;
		}
	}
	if (!suspended && is_wait(insns))
		look_at_phase(group, mask, insns);
	if (suspended)
		suspend_all(warp, group, mask, suspended, insns, is_wait(insns) && !repeats);
	advance(group);
	return true;
}

/*
 * A rendezvous has ended: the lanes other than the lowest get their results from the device.
 * Returns false after a fault, or if they get them with the batch.
 */
static bool fetch(struct ptx_warp *warp, struct ptx_group *group, const struct ptx_step *step,
		  uint32_t mask)
{
	struct vsm_thread thread = thread_of(warp, group);
	struct drm_vsm_insn insns[PTX_LANES];
	uint32_t suspended = 0;
	int err;

	if (!mask)
		return true;
	if (!ptx_device_encode(warp, group, ptx_device_op(step), mask, insns, NULL))
		return false;
	if (is_batched(ptx_worker_of(warp), insns)) {
		put_off(warp, group, group->pc, mask, insns, true);
		return false;
	}
	ptx_worker_of(warp)->calls++;
	err = vsm_exec_lanes(&thread, mask, insns, &suspended);
	if (err || suspended) {
		uint32_t at = err && thread.retired < (uint32_t)__builtin_popcount(mask)
				      ? thread.retired : 0;

		ptx_fail_device(warp, group, lane_at(mask, at), err ? err : -EPROTO, &insns[at]);
		return false;
	}
	set_results(group, step, mask, 0, insns);
	return true;
}

static bool is_rendezvous(const struct drm_vsm_insn *insn)
{
	return insn->op >= DRM_VSM_OP_MATCH_SYNC && insn->op <= DRM_VSM_OP_BARRIER_CLUSTER_WAIT;
}

void ptx_device_resume(struct ptx_worker *worker, struct ptx_group *group,
		       const struct drm_vsm_wait_record *record)
{
	struct ptx_warp *warp = group->warp;
	const struct ptx_step *step = &worker->launch->program->steps[group->pc];
	uint32_t lowest = group->lanes & -group->lanes;

	switch (record->status) {
	case DRM_VSM_WAIT_COMPLETE:
		if (is_rendezvous(&group->insn)) {
			ptx_note_passed(warp, &group->insn);
			set_result(group, step, __builtin_ctz(lowest), record->result);
			if (!fetch(warp, group, step, group->lanes & ~lowest))
				return;
		} else {
			uint32_t lanes;

			for (lanes = group->lanes; lanes; lanes &= lanes - 1)
				set_result(group, step, __builtin_ctz(lanes), record->result);
			group->look.kind = LOOK_NONE;
			warp->repeating &= ~group->lanes;
			ptx_note_waited(warp, group->pc, group->lanes, &group->insn);
		}
		break;
	case DRM_VSM_WAIT_EXPIRED:
		/* Only a try_wait has a time limit. Its result is False already. */
		break;
	case DRM_VSM_WAIT_FAULT:
		if (record->result == DRM_VSM_FAULT_DEADLOCK) {
			ptx_fail_deadlock(warp, group);
			return;
		}
		group->insn.fault = record->result;
		ptx_fail_device(warp, group, __builtin_ctz(lowest), -EPROTO, &group->insn);
		return;
	default:
		ptx_fail_device(warp, group, __builtin_ctz(lowest),
				record->status == DRM_VSM_WAIT_CLUSTER_LOST ? -EIO : -ENODEV, NULL);
		return;
	}
	group->state = GROUP_RUNNABLE;
	group->pc++;
	ptx_worker_queue(worker, warp);
}

/* Ends the wait of a group if its time limit has passed. Returns whether it has ended. */
static bool expire(struct ptx_worker *worker, struct ptx_group *group)
{
	if (group->state != GROUP_WAITS || !group->timed)
		return false;
	if (group->due > worker->clock) {
		if (group->due < worker->due)
			worker->due = group->due;
		return false;
	}
	worker->calls++;
	/* If the wait has ended meanwhile, its record says so. */
	if (vsm_waitset_cancel(worker->set, group->id))
		return false;
	worker->armed--;
	group->state = GROUP_RUNNABLE;
	group->pc++;
	ptx_worker_queue(worker, group->warp);
	return true;
}

bool ptx_device_expire(struct ptx_worker *worker)
{
	const struct vsm_ptx_launch *launch = worker->launch;
	struct ptx_cluster *cluster;
	uint32_t cta, warp, group;
	bool expired = false;

	if (worker->due > worker->clock)
		return false;
	worker->due = PTX_NEVER_DUE;
	for (cluster = worker->clusters; cluster; cluster = cluster->next)
		for (cta = 0; cta < launch->cluster_ctas; cta++)
			for (warp = 0; warp < ptx_block_warps(launch); warp++)
				for (group = 0; group < PTX_LANES; group++)
					expired |= expire(worker, &cluster->ctas[cta].warps[warp]
									   .groups[group]);
	return expired;
}

/* --- exit and fences ---------------------------------------------------------------- */

static bool exec_plain(struct ptx_warp *warp, struct ptx_group *group, uint32_t mask,
		       const struct drm_vsm_insn *insn)
{
	struct vsm_thread thread = thread_of(warp, group);
	struct drm_vsm_insn insns[PTX_LANES];
	uint32_t i, count = __builtin_popcount(mask);
	int err;

	for (i = 0; i < count; i++)
		insns[i] = *insn;
	ptx_worker_of(warp)->calls++;
	err = vsm_exec_lanes(&thread, mask, insns, NULL);
	if (!err)
		return true;
	i = thread.retired < count ? thread.retired : 0;
	ptx_fail_device(warp, group, lane_at(mask, i), err, &insns[i]);
	return false;
}

static bool exec_exit(struct ptx_warp *warp, struct ptx_group *group, uint32_t mask)
{
	const struct drm_vsm_insn exit = vsm_prep_exit();
	uint32_t i, count = __builtin_popcount(mask);
	struct drm_vsm_insn insns[PTX_LANES];

	/* Other lanes of the warp must see that lanes have exited. */
	if (mask != warp->lanes || ptx_launch_of(warp)->config.seed)
		return exec_plain(warp, group, mask, &exit);
	for (i = 0; i < count; i++)
		insns[i] = exit;
	return put_off(warp, NULL, group->pc, mask, insns, false);
}

bool ptx_exit(struct ptx_warp *warp, struct ptx_group *group, uint32_t mask)
{
	if (warp->cta->cluster->device && !exec_exit(warp, group, mask))
		return false;
	ptx_note_exit(warp, group->pc, group->branch);
	warp->lanes &= ~mask;
	warp->cta->live -= __builtin_popcount(mask);
	warp->cta->cluster->live -= __builtin_popcount(mask);
	ptx_frame_leave(group->frame, mask);
	group->lanes &= ~mask;
	if (group->lanes)
		group->pc++;
	else
		group->state = GROUP_FREE;
	return true;
}

bool ptx_publish(struct ptx_warp *warp, struct ptx_group *group, uint32_t mask)
{
	struct drm_vsm_insn fence = vsm_prep_fence(VSM_RELEASE | VSM_CLUSTER);

	if (!warp->cta->unpublished)
		return true;
	warp->cta->unpublished = false;
	return exec_plain(warp, group, mask & -mask, &fence);
}
