// SPDX-License-Identifier: MIT
/*
 * Finds the cause of a hang.
 *
 * For each stop whose threads wait, the threads that are missing are known, or some of them. They
 * are at other stops, which explain the wait. A stop that nothing explains is the cause. If all are
 * explained, they wait for each other in a circle, and the stop that is the least usual in a
 * correct program is reported as the cause.
 */
#include <stdlib.h>
#include <string.h>

#include "run/hang.h"

/* --- stops ---------------------------------------------------------------- */

/* Largest number of stops of a cluster that are looked at. */
#define PTX_STOPS 1024

uint32_t ptx_warp_all_lanes(const struct vsm_ptx_launch *launch, uint32_t warp)
{
	uint32_t threads = ptx_block_threads(launch) - warp * PTX_LANES;

	return threads < PTX_LANES ? (1u << threads) - 1 : ~0u;
}

const struct ptx_shared *ptx_shared_at(const struct ptx_program *program, uint32_t offset)
{
	const struct ptx_shared *shared, *best = NULL;
	uint32_t i;

	for (i = 0; i < program->shared_count; i++) {
		shared = &program->shared[i];
		if (offset < shared->offset ||
		    (shared->var->size && offset - shared->offset >= shared->var->size))
			continue;
		if (!best || shared->var->size)
			best = shared;
	}
	return best;
}

/* --- stops -------------------------------------------------------------------------- */

/* What threads wait for that are suspended in an instruction. */
static enum ptx_wait_kind kind_of_op(unsigned int op)
{
	switch (op) {
	case DRM_VSM_OP_MBARRIER_TRY_WAIT:
	case DRM_VSM_OP_MBARRIER_TEST_WAIT:
		return WAIT_PHASE;
	case DRM_VSM_OP_BARRIER_SYNC:
	case DRM_VSM_OP_BARRIER_RED:
		return WAIT_BARRIER;
	case DRM_VSM_OP_BARRIER_CLUSTER_WAIT:
		return WAIT_CLUSTER;
	case DRM_VSM_OP_CP_ASYNC_WAIT_GROUP:
	case DRM_VSM_OP_CP_ASYNC_WAIT_ALL:
	case DRM_VSM_OP_CP_ASYNC_BULK_WAIT_GROUP:
		return WAIT_GROUPS;
	default:
		return WAIT_WARP;
	}
}

static enum ptx_wait_kind kind_of(const struct ptx_group *group)
{
	return group->state == GROUP_WAITS ? kind_of_op(group->insn.op) : WAIT_NOTHING;
}

const struct drm_vsm_insn *ptx_step_insn(const struct vsm_ptx_launch *launch, int64_t step)
{
	const struct ptx_step *s = &launch->program->steps[step];

	return s->kind == STEP_DEVICE ? &((const struct ptx_device_op *)s->extra)->insn : NULL;
}

uint32_t ptx_step_next_stop(const struct vsm_ptx_launch *launch, uint32_t step)
{
	while (++step < launch->program->step_count) {
		const struct drm_vsm_insn *insn = ptx_step_insn(launch, step);

		if (insn ? kind_of_op(insn->op) != WAIT_WARP
			 : launch->program->steps[step].kind == STEP_EXIT ||
			   launch->program->steps[step].kind == STEP_RET ||
			   launch->program->steps[step].kind == STEP_SETMAXNREG)
			break;
	}
	return step;
}

/* Parity of the phase for which an instruction waits. */
static uint32_t ptx_stop_parity(const struct drm_vsm_insn *insn)
{
	if (insn->mods & DRM_VSM_MOD_PARITY)
		return insn->u.mbarrier.parity & 1;
	return vsm_mbarrier_phase(insn->u.mbarrier.state);
}

/* The lanes that take part in an operation for which lanes of a warp wait. */
static uint32_t ptx_stop_members(const struct drm_vsm_insn *insn)
{
	return insn->op >= DRM_VSM_OP_MATCH_SYNC && insn->op <= DRM_VSM_OP_REDUX_SYNC
		       ? insn->u.warp.membermask : ~0u;
}

static bool waits_like(const struct ptx_stop *stop, const struct ptx_group *group)
{
	const struct drm_vsm_insn *x = &stop->insn, *y = &group->insn;

	switch (stop->kind) {
	case WAIT_PHASE:
		return x->u.mbarrier.addr == y->u.mbarrier.addr &&
		       ptx_stop_parity(x) == ptx_stop_parity(y);
	case WAIT_BARRIER:
		return x->u.barrier.barrier == y->u.barrier.barrier &&
		       x->u.barrier.count == y->u.barrier.count;
	case WAIT_WARP:
		return stop->lanes[group->warp->number] &&
		       ptx_stop_members(x) == ptx_stop_members(y);
	default:
		return true;
	}
}

static struct ptx_stop *find_stop(struct ptx_hang *hang, const struct ptx_cta *cta,
				  const struct ptx_group *group, enum ptx_wait_kind kind,
				  uint32_t pc)
{
	struct ptx_stop *stop;
	uint32_t i;

	for (i = 0; i < hang->count; i++) {
		stop = &hang->stops[i];
		if (stop->cta == cta && stop->pc == pc && stop->kind == kind &&
		    waits_like(stop, group))
			return stop;
	}
	if (hang->count == PTX_STOPS) {
		hang->more = true;
		return NULL;
	}
	stop = &hang->stops[hang->count++];
	memset(stop, 0, sizeof(*stop));
	stop->cta = cta;
	stop->pc = pc;
	stop->kind = kind;
	stop->insn = group->insn;
	stop->tests = kind == WAIT_PHASE;
	return stop;
}

static void add_lanes(struct ptx_stop *stop, uint32_t warp, uint32_t lanes)
{
	stop->lanes[warp] |= lanes;
	stop->threads += __builtin_popcount(lanes);
}

/*
 * The lanes of a group that run, but have last tested a phase that is still not complete: they may
 * do nothing else than test it.
 */
static uint32_t lanes_that_test(const struct ptx_cluster *cluster, const struct ptx_group *group)
{
	uint64_t word;

	if (group->state != GROUP_RUNNABLE || group->look.kind != LOOK_TEST ||
	    !ptx_object_word(cluster, group->insn.u.mbarrier.addr, &word) ||
	    vsm_mbarrier_phase(word) != ptx_stop_parity(&group->insn))
		return 0;
	return group->look.lanes & group->lanes;
}

static void collect_group(struct ptx_hang *hang, const struct ptx_cta *cta, uint32_t warp,
			  const struct ptx_group *group)
{
	uint32_t tests = lanes_that_test(hang->cluster, group), others = group->lanes & ~tests;
	const struct ptx_look *look = &group->look;
	struct ptx_stop *stop = NULL;

	if (tests)
		stop = find_stop(hang, cta, group, WAIT_PHASE, look->step);
	if (stop)
		add_lanes(stop, warp, tests);
	if (!others)
		return;
	stop = find_stop(hang, cta, group, kind_of(group), group->pc);
	if (!stop)
		return;
	add_lanes(stop, warp, others);
	stop->tests = false;
	if (stop->kind == WAIT_NOTHING && !stop->look.kind && look->kind == LOOK_READ &&
	    look->lanes & others) {
		stop->look = *look;
		stop->looker = warp;
	}
}

/* Number of the first thread of a stop in its CTA. */
static uint32_t ptx_stop_first(const struct ptx_stop *stop)
{
	uint32_t warp;

	for (warp = 0; warp < PTX_LANES; warp++)
		if (stop->lanes[warp])
			return warp * PTX_LANES + __builtin_ctz(stop->lanes[warp]);
	return ~0u;
}

/* Stops are in the order of CTAs, and of the first thread. */
static int compare_stops(const void *a, const void *b)
{
	const struct ptx_stop *x = a, *y = b;

	if (x->cta->rank != y->cta->rank)
		return x->cta->rank < y->cta->rank ? -1 : 1;
	return ptx_stop_first(x) < ptx_stop_first(y) ? -1 : ptx_stop_first(x) > ptx_stop_first(y);
}

/* Collects the stops of a cluster. @hang has memory for PTX_STOPS of them. */
static void ptx_stop_collect(struct ptx_hang *hang)
{
	const struct vsm_ptx_launch *launch = hang->cluster->launch;
	uint32_t rank, number, i;

	for (rank = 0; rank < launch->cluster_ctas; rank++) {
		const struct ptx_cta *cta = &hang->cluster->ctas[rank];

		for (number = 0; number < ptx_block_warps(launch); number++) {
			const struct ptx_warp *warp = &cta->warps[number];

			for (i = 0; i < PTX_LANES; i++) {
				const struct ptx_group *group = &warp->groups[i];

				if (group->state != GROUP_FREE)
					collect_group(hang, cta, number, group);
			}
		}
	}
	qsort(hang->stops, hang->count, sizeof(*hang->stops), compare_stops);
}

/* --- missing threads ------------------------------------------------------ */

/*
 * Finds the threads for which others wait. For an mbarrier these are the threads that did in the
 * phase before what nobody has done in this one; for a barrier or a warp operation those that have
 * not come.
 */

/* --- missing threads ---------------------------------------------------------------- */

static void add_missing(struct ptx_stop *stop, const struct ptx_missing *missing)
{
	if (missing->stop < 0)
		stop->exited = true;
	if (stop->missing_count == PTX_MISSING)
		stop->missing_more = true;
	else
		stop->missing[stop->missing_count++] = *missing;
}

/* Lanes are missing: finds out where they are. */
static void miss(struct ptx_hang *hang, struct ptx_stop *stop, struct ptx_missing missing)
{
	uint32_t left = missing.lanes, i;

	for (i = 0; i < hang->count && left; i++) {
		const struct ptx_stop *other = &hang->stops[i];

		if (other->cta->rank != missing.rank || !(other->lanes[missing.warp] & left))
			continue;
		missing.lanes = other->lanes[missing.warp] & left;
		missing.stop = i;
		left &= ~missing.lanes;
		add_missing(stop, &missing);
	}
	missing.lanes = left;
	missing.stop = -1;
	if (left)
		add_missing(stop, &missing);
}

static bool is_arrival(const struct ptx_note *note)
{
	return note->kind == NOTE_ARRIVE || note->kind == NOTE_ARRIVE_ASYNC;
}

/* Do two notes tell of the same kind of help: arrivals, or bytes? */
static bool is_alike(const struct ptx_note *x, const struct ptx_note *y)
{
	return is_arrival(x) ? is_arrival(y) : x->kind == y->kind;
}

/* The lanes of a note that have not done the same in @phase. */
static uint32_t absent(const struct ptx_phase *phase, const struct ptx_note *note)
{
	uint32_t lanes = note->lanes, i;

	for (i = 0; i < phase->count; i++)
		if (phase->notes[i].rank == note->rank && phase->notes[i].warp == note->warp &&
		    is_alike(note, &phase->notes[i]))
			lanes &= ~phase->notes[i].lanes;
	return lanes;
}

/* Those who did something in phase @before, and have not done it in phase @now, are missing. */
static void miss_notes(struct ptx_hang *hang, struct ptx_stop *stop,
		       const struct ptx_phase *before, const struct ptx_phase *now,
		       bool arrivals, enum ptx_missing_kind kind)
{
	uint32_t i;

	for (i = 0; i < before->count; i++) {
		const struct ptx_note *note = &before->notes[i];
		struct ptx_missing missing = {
			.kind = kind, .rank = note->rank, .warp = note->warp, .step = note->step,
		};

		if (arrivals ? !is_arrival(note) : note->kind != NOTE_COPY)
			continue;
		missing.lanes = absent(now, note);
		if (missing.lanes)
			miss(hang, stop, missing);
	}
}

/*
 * Nobody has arrived in the phase, and no missing thread is known. Programs use the mbarriers of an
 * array in the same way. Therefore the threads are missing that have arrived at another mbarrier of
 * the array: the first one at which threads have arrived.
 */
static void miss_sibling(struct ptx_hang *hang, struct ptx_stop *stop)
{
	const struct ptx_program *program = hang->cluster->launch->program;
	const struct ptx_history *history = hang->cluster->history;
	uint32_t offset = ptx_offset_of(stop->object->address), i;
	const struct ptx_shared *shared = ptx_shared_at(program, offset);
	struct ptx_object *best = NULL;

	for (i = 0; shared && i < PTX_OBJECT_SLOTS; i++) {
		struct ptx_object *object = history->objects.slots[i];

		if (!object || object == stop->object || !object->live || !object->arrived ||
		    ptx_rank_of(object->address) != ptx_rank_of(stop->object->address) ||
		    ptx_shared_at(program, ptx_offset_of(object->address)) != shared)
			continue;
		if (!best || object->address < best->address)
			best = object;
	}
	if (!best)
		return;
	if (ptx_object_phase(best)->arrived)
		miss_notes(hang, stop, ptx_object_phase(best), ptx_object_phase(stop->object),
			   true, MISSING_SIBLING);
	else
		miss_notes(hang, stop, ptx_object_before(best), ptx_object_phase(stop->object),
			   true, MISSING_SIBLING);
}

/*
 * Which threads that have not arrived may be the missing ones? Those that are most likely come
 * first. The threads of a CTA or warp count only if some of its threads have arrived.
 */
static const struct rest {
	bool exited;	/* only threads that have exited */
	bool warps;	/* only threads of a warp of which others have arrived */
	bool ctas;	/* only threads of a CTA of which others have arrived */
} rests[] = {
	{ true, true, true }, { true, false, false }, { false, true, true },
	{ false, false, true }, { false, false, false },
};

static bool has_arrived(const struct ptx_hang *hang, const struct ptx_phase *phase, uint32_t rank)
{
	uint32_t lanes = 0, warp;

	for (warp = 0; warp < ptx_block_warps(hang->cluster->launch); warp++)
		lanes |= ptx_phase_arrived(phase, rank, warp);
	return lanes;
}

static uint32_t rest_of_warp(const struct ptx_hang *hang, const struct ptx_phase *phase,
			     const struct rest *rest, const struct ptx_warp *warp)
{
	uint32_t arrived = ptx_phase_arrived(phase, warp->cta->rank, warp->number);
	uint32_t lanes = ptx_warp_all_lanes(hang->cluster->launch, warp->number) & ~arrived;

	if (rest->ctas && !has_arrived(hang, phase, warp->cta->rank))
		return 0;
	if (rest->warps && !arrived)
		return 0;
	return rest->exited ? lanes & ~warp->lanes : lanes;
}

/* Finds the threads of @rest. Returns their number. With @stop, they are missing there. */
static uint32_t find_rest(struct ptx_hang *hang, const struct ptx_phase *phase,
			  const struct rest *rest, struct ptx_stop *stop)
{
	uint32_t warps = ptx_block_warps(hang->cluster->launch), count = 0, i;

	for (i = 0; i < hang->cluster->launch->cluster_ctas * warps; i++) {
		struct ptx_missing missing = {
			.kind = MISSING_REST, .rank = i / warps, .warp = i % warps,
		};

		missing.lanes = rest_of_warp(hang, phase, rest,
					     &hang->cluster->ctas[i / warps].warps[i % warps]);
		count += __builtin_popcount(missing.lanes);
		if (stop && missing.lanes)
			miss(hang, stop, missing);
	}
	return count;
}

/*
 * Some arrivals of the phase have come, and the phase before does not say who is missing. If as
 * many threads have not arrived as arrivals are missing, it is these threads.
 */
static void miss_rest(struct ptx_hang *hang, struct ptx_stop *stop, const struct ptx_phase *now)
{
	size_t i;

	for (i = 0; i < sizeof(rests) / sizeof(*rests); i++) {
		if (find_rest(hang, now, &rests[i], NULL) != stop->fields.pending)
			continue;
		find_rest(hang, now, &rests[i], stop);
		stop->rest = true;
		return;
	}
}

/*
 * The threads wait for the first phase of an mbarrier at which no thread has ever arrived. If the
 * next thing that they do is to fill a stage, and none has filled any before, nobody can arrive:
 * the consumers wait for this stage. Returns the step that fills, or -1.
 */
static int64_t find_fill(const struct ptx_hang *hang, const struct ptx_stop *stop)
{
	const struct vsm_ptx_launch *launch = hang->cluster->launch;
	uint32_t end = ptx_step_next_stop(launch, stop->pc), i;

	if (ptx_object_phase(stop->object)->number || stop->object->arrived)
		return -1;
	for (i = stop->pc + 1; i < end; i++) {
		const struct drm_vsm_insn *insn = ptx_step_insn(launch, i);

		if (insn && ptx_insn_fills(insn))
			return ptx_history_executed(hang->cluster, i) ? -1 : (int64_t)i;
	}
	return -1;
}

/* The phase of the mbarrier at the same place in another CTA that has the number of the stop's. */
static const struct ptx_phase *same_phase(const struct ptx_hang *hang, const struct ptx_stop *stop,
					  uint32_t rank)
{
	struct ptx_object *object = ptx_history_object(hang->cluster,
						       vsm_mapa(stop->object->address, rank));
	uint64_t number = ptx_object_phase(stop->object)->number;

	if (object && ptx_object_phase(object)->number == number)
		return ptx_object_phase(object);
	return object && ptx_object_before(object)->number == number ? ptx_object_before(object)
								     : NULL;
}

/* The note of the same step and warp as @note; NULL if the phase has none. */
static const struct ptx_note *find_note(const struct ptx_phase *phase, const struct ptx_note *note)
{
	uint32_t i;

	for (i = 0; phase && i < phase->count; i++)
		if (phase->notes[i].kind == note->kind && phase->notes[i].step == note->step &&
		    phase->notes[i].rank == note->rank && phase->notes[i].warp == note->warp)
			return &phase->notes[i];
	return NULL;
}

static bool is_multicast(const struct ptx_hang *hang, const struct ptx_note *note)
{
	const struct drm_vsm_insn *insn;

	if (note->kind != NOTE_COPY)
		return false;
	insn = ptx_step_insn(hang->cluster->launch, note->step);
	return insn && insn->mods & DRM_VSM_MOD_MULTICAST;
}

/*
 * The phase lacks bytes. Has a copy with .multicast delivered some to the same phase of the
 * mbarrier of another CTA, and none to this one?
 */
static void find_multicast(const struct ptx_hang *hang, struct ptx_stop *stop)
{
	const struct ptx_phase *own = ptx_object_phase(stop->object), *phase;
	uint32_t ctas = hang->cluster->launch->cluster_ctas, rank, i;
	const struct ptx_note *left_out = NULL;

	for (rank = 0; rank < ctas; rank++) {
		phase = same_phase(hang, stop, rank);
		for (i = 0; phase && i < phase->count && !left_out; i++)
			if (is_multicast(hang, &phase->notes[i]) &&
			    !find_note(own, &phase->notes[i]))
				left_out = &phase->notes[i];
	}
	if (!left_out)
		return;
	stop->multicast = left_out->step;
	for (rank = 0; rank < ctas; rank++)
		if (find_note(same_phase(hang, stop, rank), left_out))
			stop->mask |= 1u << rank;
}

static void look_at_phase(struct ptx_hang *hang, struct ptx_stop *stop)
{
	const struct vsm_ptx_launch *launch = hang->cluster->launch;
	enum vsm_layout layout = launch->module->module->target >= 90 ? VSM_LAYOUT_SM_90
								      : VSM_LAYOUT_SM_80;
	const struct ptx_phase *now, *before;

	stop->parity = ptx_stop_parity(&stop->insn);
	stop->fill = -1;
	stop->multicast = -1;
	stop->likelihood = LIKELY_PHASE;
	if (!ptx_object_word(hang->cluster, stop->insn.u.mbarrier.addr, &stop->word))
		return;
	stop->fields = vsm_mbarrier_decode(layout, stop->word);
	stop->complete = stop->fields.phase != stop->parity;
	stop->object = ptx_history_object(hang->cluster, stop->insn.u.mbarrier.addr);
	if (stop->complete)
		stop->likelihood = LIKELY_COMPLETE;
	if (stop->complete || !stop->object)
		return;
	ptx_object_sync(hang->cluster, stop->object);
	now = ptx_object_phase(stop->object);
	before = ptx_object_before(stop->object);
	stop->partial = now->arrived || now->announced || now->issued || stop->fields.tx;
	stop->skips = now->number && !before->observed;
	stop->fill = find_fill(hang, stop);
	if (stop->fields.pending && now->number)
		miss_notes(hang, stop, before, now, true, MISSING_ARRIVAL);
	if (stop->fields.tx > 0 && now->number)
		miss_notes(hang, stop, before, now, false, MISSING_COPY);
	if (stop->fields.pending && !now->arrived && !stop->missing_count)
		miss_sibling(hang, stop);
	if (stop->fields.pending && now->arrived && !stop->missing_count && !now->lost)
		miss_rest(hang, stop, now);
	if (stop->fields.tx > 0 && now->issued < now->announced)
		find_multicast(hang, stop);
	if (stop->exited)
		stop->likelihood = LIKELY_EXITED;
	else if (stop->skips)
		stop->likelihood = LIKELY_SKIPS;
	else if (stop->partial)
		stop->likelihood = stop->multicast >= 0 ? LIKELY_MASK : LIKELY_PARTIAL;
	else if (!stop->object->arrived)
		stop->likelihood = stop->fill >= 0 ? LIKELY_FILLS : LIKELY_NEVER;
}

/* --- missing threads of barriers ---------------------------------------------------- */

/* The lanes of a warp that wait as the threads of @stop do, at this or another step. */
static uint32_t lanes_there(const struct ptx_hang *hang, const struct ptx_stop *stop,
			    const struct ptx_warp *warp)
{
	uint32_t lanes = 0, i;

	for (i = 0; i < hang->count; i++) {
		const struct ptx_stop *other = &hang->stops[i];

		if (other->cta != warp->cta || other->kind != stop->kind)
			continue;
		if (stop->kind == WAIT_CLUSTER ||
		    (stop->kind == WAIT_BARRIER &&
		     other->insn.u.barrier.barrier == stop->insn.u.barrier.barrier) ||
		    (stop->kind == WAIT_WARP && other->insn.op == stop->insn.op &&
		     ptx_stop_members(&other->insn) == ptx_stop_members(&stop->insn)))
			lanes |= other->lanes[warp->number];
	}
	return lanes;
}

/* The lanes of a warp that have arrived without waiting. */
static uint32_t lanes_arrived(const struct ptx_hang *hang, const struct ptx_stop *stop,
			      const struct ptx_warp *warp)
{
	const struct vsm_ptx_launch *launch = hang->cluster->launch;
	const struct ptx_history *history = hang->cluster->history;
	const struct ptx_barrier *barrier;
	uint32_t i;

	if (!history || stop->kind == WAIT_WARP)
		return 0;
	if (stop->kind == WAIT_CLUSTER)
		return history->arrived[warp->cta->rank * ptx_block_warps(launch) + warp->number];
	if (stop->insn.u.barrier.barrier >= PTX_NAMED_BARRIERS)
		return 0;
	barrier = &history->barriers[warp->cta->rank * PTX_NAMED_BARRIERS +
				     stop->insn.u.barrier.barrier];
	for (i = 0; i < barrier->note_count; i++)
		if (barrier->notes[i].warp == warp->number && barrier->notes[i].times)
			return ~0u;
	return 0;
}

static void miss_lanes(struct ptx_hang *hang, struct ptx_stop *stop, const struct ptx_warp *warp)
{
	struct ptx_missing missing = {
		.kind = MISSING_LANES, .rank = warp->cta->rank, .warp = warp->number,
		.lanes = warp->lanes & ~lanes_there(hang, stop, warp),
	};

	/* A warp has arrived only when all of its lanes have. */
	if (missing.lanes == warp->lanes)
		missing.lanes &= ~lanes_arrived(hang, stop, warp);
	if (stop->kind == WAIT_WARP)
		missing.lanes &= ptx_stop_members(&stop->insn);
	if (missing.lanes)
		miss(hang, stop, missing);
}

static void look_at_barrier(struct ptx_hang *hang, struct ptx_stop *stop)
{
	const struct vsm_ptx_launch *launch = hang->cluster->launch;
	uint32_t rank, warp;

	for (rank = 0; rank < launch->cluster_ctas; rank++) {
		const struct ptx_cta *cta = &hang->cluster->ctas[rank];

		if (stop->kind != WAIT_CLUSTER && cta != stop->cta)
			continue;
		for (warp = 0; warp < ptx_block_warps(launch); warp++)
			if (stop->kind != WAIT_WARP || stop->lanes[warp])
				miss_lanes(hang, stop, &cta->warps[warp]);
	}
	stop->likelihood = LIKELY_ALL;
	if (stop->kind == WAIT_WARP)
		stop->likelihood = launch->program->steps[stop->pc].kind == STEP_SETMAXNREG ?
			     LIKELY_DIVIDED : LIKELY_WARP;
	else if (stop->kind == WAIT_BARRIER && stop->insn.mods & DRM_VSM_MOD_COUNT)
		stop->likelihood = LIKELY_COUNTED;
}

/* --- the interface ------------------------------------------------------------------ */

static int compare_missing(const void *a, const void *b)
{
	const struct ptx_missing *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->warp != y->warp)
		return x->warp < y->warp ? -1 : 1;
	return x->lanes < y->lanes ? -1 : x->lanes > y->lanes;
}

/* Finds what the threads of a stop wait for, and who is missing. */
static void ptx_missing_find(struct ptx_hang *hang, struct ptx_stop *stop)
{
	switch (stop->kind) {
	case WAIT_NOTHING:
		stop->likelihood = LIKELY_RUNS;
		break;
	case WAIT_PHASE:
		look_at_phase(hang, stop);
		break;
	case WAIT_GROUPS:
		stop->likelihood = LIKELY_GROUPS;
		break;
	default:
		look_at_barrier(hang, stop);
		break;
	}
	qsort(stop->missing, stop->missing_count, sizeof(stop->missing[0]), compare_missing);
}

/* --- causes --------------------------------------------------------------- */

/* --- the cause ---------------------------------------------------------------------- */

/* Do other stops explain why the threads of a stop wait? */
static bool is_explained(const struct ptx_hang *hang, const struct ptx_stop *stop)
{
	uint32_t i;

	if (stop->kind == WAIT_NOTHING || stop->exited)
		return false;
	if (stop->complete)
		return true;
	/* Nobody has ever arrived: anybody else may be the one who is missing. */
	if (!stop->missing_count)
		return hang->count > 1 && (stop->likelihood == LIKELY_NEVER ||
					   stop->likelihood == LIKELY_FILLS);
	for (i = 0; i < stop->missing_count; i++)
		if (&hang->stops[stop->missing[i].stop] == stop)
			return false;
	return true;
}

static uint32_t find_cause(struct ptx_hang *hang)
{
	uint32_t best = 0, i;

	hang->circle = true;
	for (i = 0; i < hang->count; i++)
		hang->circle &= hang->stops[i].explained;
	for (i = 0; i < hang->count; i++) {
		const struct ptx_stop *stop = &hang->stops[i], *other = &hang->stops[best];

		if (stop->explained && !hang->circle)
			continue;
		if ((other->explained && !hang->circle) || stop->likelihood > other->likelihood)
			best = i;
	}
	return best;
}

/* Puts the cause first, then the stops of the threads that it misses, and so on. */
static bool sort_stops(struct ptx_hang *hang)
{
	uint32_t *order = malloc(2 * hang->count * sizeof(*order)), *at = order + hang->count;
	struct ptx_stop *sorted = calloc(hang->count, sizeof(*sorted));
	uint32_t done = 0, next = 0, i, j;

	if (!order || !sorted) {
		free(order);
		free(sorted);
		return false;
	}
	for (i = 0; i < hang->count; i++)
		at[i] = ~0u;
	i = find_cause(hang);
	do {
		if (at[i] == ~0u) {
			at[i] = done;
			order[done++] = i;
		}
		for (; next < done; next++) {
			const struct ptx_stop *stop = &hang->stops[order[next]];

			for (j = 0; j < stop->missing_count; j++) {
				int32_t to = stop->missing[j].stop;

				if (to >= 0 && at[to] == ~0u) {
					at[to] = done;
					order[done++] = to;
				}
			}
		}
		for (i = 0; i < hang->count && at[i] != ~0u; i++)
			;
	} while (i < hang->count);
	for (i = 0; i < hang->count; i++) {
		sorted[i] = hang->stops[order[i]];
		for (j = 0; j < sorted[i].missing_count; j++)
			if (sorted[i].missing[j].stop >= 0)
				sorted[i].missing[j].stop = at[sorted[i].missing[j].stop];
	}
	free(hang->stops);
	free(order);
	hang->stops = sorted;
	return true;
}

static struct ptx_hang *analyse(const struct ptx_cluster *cluster)
{
	struct ptx_hang *hang = calloc(1, sizeof(*hang));
	uint32_t i;

	if (!hang)
		return NULL;
	hang->cluster = cluster;
	hang->stops = calloc(PTX_STOPS, sizeof(*hang->stops));
	if (!hang->stops)
		goto failed;
	ptx_stop_collect(hang);
	for (i = 0; i < hang->count; i++)
		ptx_missing_find(hang, &hang->stops[i]);
	for (i = 0; i < hang->count; i++)
		hang->stops[i].explained = is_explained(hang, &hang->stops[i]);
	if (!hang->count || sort_stops(hang))
		return hang;
failed:
	ptx_hang_free(hang);
	return NULL;
}

/* Is @x a better explanation than @y? */
static bool is_better(const struct ptx_hang *x, const struct ptx_hang *y)
{
	if (!x->count || !y->count)
		return x->count > y->count;
	if (x->stops[0].likelihood != y->stops[0].likelihood)
		return x->stops[0].likelihood > y->stops[0].likelihood;
	return x->cluster->index < y->cluster->index;
}

/* The device has found a deadlock in one cluster. The others were only stopped. */
static bool is_concerned(const struct vsm_ptx_launch *launch, const struct ptx_cluster *cluster)
{
	return launch->fault.failure != FAILURE_DEADLOCK ||
	       !memcmp(cluster->ctas[launch->fault.rank].ctaid, launch->fault.ctaid,
		       sizeof(launch->fault.ctaid));
}

static void set_fault(struct ptx_fault *fault, const struct ptx_stop *stop)
{
	uint32_t thread = ptx_stop_first(stop);

	fault->step = stop->pc;
	memcpy(fault->ctaid, stop->cta->ctaid, sizeof(fault->ctaid));
	fault->rank = stop->cta->rank;
	fault->warp = thread / PTX_LANES;
	fault->lane = thread % PTX_LANES;
	fault->lanes = stop->lanes[fault->warp];
}

const struct ptx_hang *ptx_hang_find(struct vsm_ptx_launch *launch)
{
	struct ptx_hang *best = NULL, *hang;
	const struct ptx_cluster *cluster;
	uint32_t others = 0, i;

	if (launch->hang)
		return launch->hang;
	for (i = 0; i < launch->worker_count; i++) {
		for (cluster = launch->workers[i].clusters; cluster; cluster = cluster->next) {
			others++;
			hang = is_concerned(launch, cluster) ? analyse(cluster) : NULL;
			if (!hang)
				continue;
			if (best && !is_better(hang, best)) {
				ptx_hang_free(hang);
				continue;
			}
			ptx_hang_free(best);
			best = hang;
		}
	}
	if (!best)
		return NULL;
	best->others = others - 1;
	if (best->count)
		set_fault(&launch->fault, &best->stops[0]);
	launch->hang = best;
	return best;
}

void ptx_hang_free(struct ptx_hang *hang)
{
	if (!hang)
		return;
	free(hang->stops);
	free(hang);
}
