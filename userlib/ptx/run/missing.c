// SPDX-License-Identifier: MIT
/*
 * Finds the threads for which others wait. For an mbarrier these are the threads that did in the
 * phase before what nobody has done in this one; for a barrier or a warp operation those that have
 * not come.
 */
#include <stdlib.h>

#include "run/missing.h"

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

static void look_at_phase(struct ptx_hang *hang, struct ptx_stop *stop)
{
	const struct vsm_ptx_launch *launch = hang->cluster->launch;
	enum vsm_layout layout = launch->module->module->target >= 90 ? VSM_LAYOUT_SM_90
								      : VSM_LAYOUT_SM_80;
	const struct ptx_phase *now, *before;

	stop->parity = ptx_stop_parity(&stop->insn);
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
	if (stop->fields.pending && now->number)
		miss_notes(hang, stop, before, now, true, MISSING_ARRIVAL);
	if (stop->fields.tx > 0 && now->number)
		miss_notes(hang, stop, before, now, false, MISSING_COPY);
	if (stop->fields.pending && !now->arrived && !stop->missing_count)
		miss_sibling(hang, stop);
	if (stop->exited)
		stop->likelihood = LIKELY_EXITED;
	else if (stop->skips)
		stop->likelihood = LIKELY_SKIPS;
	else if (stop->partial)
		stop->likelihood = LIKELY_PARTIAL;
	else if (!stop->object->arrived)
		stop->likelihood = LIKELY_NEVER;
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

void ptx_missing_find(struct ptx_hang *hang, struct ptx_stop *stop)
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
