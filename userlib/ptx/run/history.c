// SPDX-License-Identifier: MIT
/* What the threads of a cluster have done to its mbarriers and barriers: reports tell it. */
#include <stdlib.h>
#include <string.h>

#include "run/address.h"
#include "run/history.h"
#include "run/limit.h"

/* --- targets -------------------------------------------------------------- */

bool ptx_insn_mbarrier(const struct drm_vsm_insn *insn, uint32_t *address)
{
	switch (insn->op) {
	case DRM_VSM_OP_MBARRIER_INIT:
	case DRM_VSM_OP_MBARRIER_INVAL:
	case DRM_VSM_OP_MBARRIER_ARRIVE:
	case DRM_VSM_OP_MBARRIER_ARRIVE_DROP:
	case DRM_VSM_OP_MBARRIER_EXPECT_TX:
	case DRM_VSM_OP_MBARRIER_COMPLETE_TX:
	case DRM_VSM_OP_MBARRIER_TEST_WAIT:
	case DRM_VSM_OP_MBARRIER_TRY_WAIT:
	case DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE:
		*address = insn->u.mbarrier.addr;
		return true;
	case DRM_VSM_OP_CP_ASYNC_BULK_G2S:
	case DRM_VSM_OP_CP_ASYNC_BULK_S2S:
	case DRM_VSM_OP_CP_REDUCE_ASYNC_BULK_S2S:
		*address = insn->u.copy.mbar;
		return true;
	case DRM_VSM_OP_CP_ASYNC_BULK_TENSOR_G2S:
		*address = insn->u.tensor.mbar;
		return true;
	case DRM_VSM_OP_ST_ASYNC:
	case DRM_VSM_OP_RED_ASYNC:
		*address = insn->u.store.mbar;
		return true;
	default:
		return false;
	}
}

bool ptx_insn_fills(const struct drm_vsm_insn *insn)
{
	uint32_t address;

	if (insn->op == DRM_VSM_OP_MBARRIER_ARRIVE)
		return insn->mods & DRM_VSM_MOD_EXPECT_TX;
	return insn->op == DRM_VSM_OP_MBARRIER_EXPECT_TX ||
	       (insn->op >= DRM_VSM_OP_CP_ASYNC_BULK_G2S && ptx_insn_mbarrier(insn, &address));
}

/* Returns the number of bytes that a copy delivers. */
static uint64_t ptx_insn_bytes(const struct drm_vsm_insn *insn)
{
	switch (insn->op) {
	case DRM_VSM_OP_CP_ASYNC_BULK_TENSOR_G2S:
		return ptx_tensor_bytes((const void *)(uintptr_t)insn->u.tensor.map);
	case DRM_VSM_OP_ST_ASYNC:
	case DRM_VSM_OP_RED_ASYNC:
		return insn->u.store.size;
	default:
		return insn->u.copy.size;
	}
}

/* Returns the cluster shared address that a copy writes to. */
static uint32_t ptx_insn_destination(const struct drm_vsm_insn *insn)
{
	switch (insn->op) {
	case DRM_VSM_OP_CP_ASYNC_BULK_TENSOR_G2S:
		return insn->u.tensor.addr;
	case DRM_VSM_OP_ST_ASYNC:
	case DRM_VSM_OP_RED_ASYNC:
		return insn->u.store.addr;
	default:
		return insn->u.copy.addr;
	}
}

/*
 * A mask of the CTAs whose mbarriers an instruction works on. Usually that is only the CTA of
 * @address, but a copy with .multicast has several.
 */
static uint32_t ptx_insn_ranks(const struct drm_vsm_insn *insn, uint32_t address)
{
	if (!(insn->mods & DRM_VSM_MOD_MULTICAST))
		return 1u << (ptx_rank_of(address) & 31);
	return insn->op == DRM_VSM_OP_CP_ASYNC_BULK_TENSOR_G2S ? insn->u.tensor.mask
							       : insn->u.copy.mask;
}

/* --- mbarriers ------------------------------------------------------------ */

/*
 * The records of mbarriers.
 *
 * The record of an mbarrier follows its word. A phase is known to be complete when the parity in
 * the word has changed, or when an arrive succeeds although all expected arrivals have come.
 */

/* --- the table ---------------------------------------------------------------------- */

static uint32_t slot_of(uint32_t address)
{
	return (address >> 3) * 0x9e3779b1u >> 22;
}

/* The slot of an address: that of its mbarrier, or a free one. There is always a free slot. */
static uint32_t find_slot(const struct ptx_objects *objects, uint32_t address)
{
	uint32_t at = slot_of(address) % PTX_OBJECT_SLOTS;

	while (objects->slots[at] && objects->slots[at]->address != address)
		at = (at + 1) % PTX_OBJECT_SLOTS;
	return at;
}

/* The mbarrier at a cluster shared address; NULL if none was ever initialised there. */
static struct ptx_object *ptx_objects_find(const struct ptx_objects *objects, uint32_t address)
{
	return objects->slots[find_slot(objects, address)];
}

/*
 * Returns the record of an mbarrier, which may be new. Its memory is charged to the launch. Returns
 * NULL if there is no memory.
 */
static struct ptx_object *ptx_objects_add(struct ptx_objects *objects,
					  struct vsm_ptx_launch *launch, uint32_t address)
{
	struct ptx_object **slot = &objects->slots[find_slot(objects, address)];

	if (*slot || objects->count == PTX_OBJECTS || !ptx_charge(launch, sizeof(**slot)))
		return *slot;
	*slot = calloc(1, sizeof(**slot));
	if (*slot) {
		(*slot)->address = address;
		objects->count++;
	} else {
		ptx_uncharge(launch, sizeof(**slot));
	}
	return *slot;
}

static void ptx_objects_free(struct ptx_objects *objects, struct vsm_ptx_launch *launch)
{
	uint32_t i;

	ptx_uncharge(launch, objects->count * sizeof(struct ptx_object));
	for (i = 0; i < PTX_OBJECT_SLOTS; i++)
		free(objects->slots[i]);
}

/* --- phases ------------------------------------------------------------------------- */

bool ptx_object_word(const struct ptx_cluster *cluster, uint32_t address, uint64_t *word)
{
	const struct vsm_ptx_launch *launch = cluster->launch;
	uint32_t rank = ptx_rank_of(address), offset = ptx_offset_of(address);

	if (rank >= launch->cluster_ctas || offset % 8 || offset + 8 > launch->window_bytes)
		return false;
	*word = __atomic_load_n((const uint64_t *)(cluster->ctas[rank].window + offset),
				__ATOMIC_RELAXED);
	return true;
}

/* The phase in progress becomes the one before, and a new one begins. */
static void ptx_object_begin_phase(struct ptx_object *object)
{
	uint64_t number = ptx_object_phase(object)->number + 1;
	struct ptx_phase *phase;

	object->current = !object->current;
	phase = ptx_object_phase(object);
	phase->number = number;
	phase->expected = object->expected;
	phase->arrived = 0;
	phase->announced = 0;
	phase->issued = 0;
	phase->observed = false;
	phase->lost = 0;
	phase->count = 0;
}

void ptx_object_sync(const struct ptx_cluster *cluster, struct ptx_object *object)
{
	uint64_t word;

	if (object->live && ptx_object_word(cluster, object->address, &word) &&
	    vsm_mbarrier_phase(word) != (ptx_object_phase(object)->number & 1))
		ptx_object_begin_phase(object);
}

/* A note of what lanes have done once each. */
static struct ptx_note ptx_note_of(const struct ptx_warp *warp, uint32_t step, uint32_t lanes,
				   enum ptx_note_kind kind, uint64_t amount)
{
	return (struct ptx_note){
		.kind = kind, .rank = warp->cta->rank, .warp = warp->number,
		.lanes = lanes, .step = step, .times = __builtin_popcount(lanes),
		.amount = amount,
	};
}

/* Adds a note. It becomes part of one that the same warp has made with the same step. */
static void ptx_phase_add(struct ptx_phase *phase, const struct ptx_note *note)
{
	uint32_t i;

	for (i = phase->count; i--;) {
		struct ptx_note *other = &phase->notes[i];

		if (other->step != note->step || other->warp != note->warp ||
		    other->rank != note->rank || other->kind != note->kind)
			continue;
		other->lanes |= note->lanes;
		other->times += note->times;
		other->amount += note->amount;
		if (note->address < other->address)
			other->address = note->address;
		return;
	}
	if (phase->count == PTX_NOTES)
		phase->lost++;
	else
		phase->notes[phase->count++] = *note;
}

uint32_t ptx_phase_arrived(const struct ptx_phase *phase, uint32_t rank, uint32_t warp)
{
	uint32_t lanes = 0, i;

	for (i = 0; i < phase->count; i++) {
		const struct ptx_note *note = &phase->notes[i];

		if (note->rank == rank && note->warp == warp &&
		    (note->kind == NOTE_ARRIVE || note->kind == NOTE_ARRIVE_ASYNC))
			lanes |= note->lanes;
	}
	return lanes;
}

/* --- history -------------------------------------------------------------- */

/* Number of a warp in the arrays that have an element for each warp of each CTA. */
static inline uint32_t ptx_history_warp(const struct ptx_cluster *cluster, uint32_t rank,
					uint32_t warp)
{
	return rank * ptx_block_warps(cluster->launch) + warp;
}

struct ptx_object *ptx_history_object(const struct ptx_cluster *cluster, uint32_t address)
{
	return cluster->history ? ptx_objects_find(&cluster->history->objects, address) : NULL;
}

struct ptx_exit ptx_history_exit(const struct ptx_cluster *cluster, uint32_t rank, uint32_t warp)
{
	const struct ptx_history *history = cluster->history;

	return history ? history->exits[ptx_history_warp(cluster, rank, warp)]
		       : (struct ptx_exit){ -1, -1 };
}

bool ptx_history_executed(const struct ptx_cluster *cluster, uint32_t step)
{
	return cluster->history && cluster->history->executed[step / 8] >> step % 8 & 1;
}

uint64_t ptx_history_bytes(const struct vsm_ptx_launch *launch)
{
	uint64_t warp = 3 * sizeof(uint32_t) + sizeof(struct ptx_exit);
	uint64_t cta = PTX_NAMED_BARRIERS * sizeof(struct ptx_barrier) +
		       ptx_block_warps(launch) * warp;

	return sizeof(struct ptx_history) + launch->cluster_ctas * cta +
	       launch->program->step_count / 8 + 1;
}

struct ptx_history *ptx_history_create(struct vsm_ptx_launch *launch)
{
	struct ptx_history *history = calloc(1, sizeof(*history));
	size_t warps = (size_t)launch->cluster_ctas * ptx_block_warps(launch);

	if (!history)
		return NULL;
	history->barriers = calloc(launch->cluster_ctas * PTX_NAMED_BARRIERS,
				   sizeof(*history->barriers));
	history->arrived = calloc(warps, sizeof(*history->arrived));
	history->arrive_steps = calloc(warps, sizeof(*history->arrive_steps));
	history->rounds = calloc(warps, sizeof(*history->rounds));
	history->exits = malloc(warps * sizeof(*history->exits));
	history->executed = calloc(1, launch->program->step_count / 8 + 1);
	if (!history->barriers || !history->arrived || !history->arrive_steps ||
	    !history->rounds || !history->exits || !history->executed) {
		ptx_history_destroy(launch, history);
		return NULL;
	}
	memset(history->exits, 0xff, warps * sizeof(*history->exits));
	return history;
}

void ptx_history_destroy(struct vsm_ptx_launch *launch, struct ptx_history *history)
{
	if (!history)
		return;
	ptx_objects_free(&history->objects, launch);
	free(history->barriers);
	free(history->arrived);
	free(history->arrive_steps);
	free(history->rounds);
	free(history->exits);
	free(history->executed);
	free(history);
}

/* --- notes of mbarriers --------------------------------------------------- */

/* Lanes arrive that complete no phase, unless the last of them does. */
static void note_arrive_now(struct ptx_object *object, const struct drm_vsm_insn *insn,
			    struct ptx_note note, uint64_t count)
{
	struct ptx_phase *phase = ptx_object_phase(object);

	note.times = __builtin_popcount(note.lanes);
	note.amount = count * note.times;
	if (insn->mods & DRM_VSM_MOD_EXPECT_TX) {
		struct ptx_note expect = note;

		expect.kind = NOTE_EXPECT;
		expect.amount = (uint64_t)insn->u.mbarrier.tx_count * note.times;
		phase->announced += expect.amount;
		ptx_phase_add(phase, &expect);
	}
	if (insn->op == DRM_VSM_OP_MBARRIER_ARRIVE_DROP)
		object->expected -= note.amount < object->expected ? note.amount : 0;
	phase->arrived += note.amount;
	object->arrived += note.amount;
	ptx_phase_add(phase, &note);
}

static void note_arrive(struct ptx_object *object, const struct drm_vsm_insn *insn,
			struct ptx_note note)
{
	uint64_t count = insn->mods & DRM_VSM_MOD_COUNT ? insn->u.mbarrier.count : 1;
	uint32_t lanes = note.lanes;

	while (lanes) {
		uint64_t room;

		if (ptx_object_phase(object)->arrived >= ptx_object_phase(object)->expected)
			ptx_object_begin_phase(object);
		room = ptx_object_phase(object)->expected - ptx_object_phase(object)->arrived;
		note.lanes = lanes;
		if (room < count * __builtin_popcount(lanes))
			note.lanes = ptx_first_lanes(lanes, room / count ? room / count : 1);
		note_arrive_now(object, insn, note, count);
		lanes &= ~note.lanes;
	}
}

/*
 * An arrive that follows copies of cp.async happens later. Without .noinc it first raises the
 * number of expected arrivals by one, so that it does not count.
 */
static void note_arrive_async(struct ptx_object *object, const struct drm_vsm_insn *insn,
			      struct ptx_note note)
{
	struct ptx_phase *phase = ptx_object_phase(object);
	bool counts = insn->mods & DRM_VSM_MOD_NOINC;

	if (counts && phase->arrived >= phase->expected) {
		ptx_object_begin_phase(object);
		phase = ptx_object_phase(object);
	}
	note.kind = NOTE_ARRIVE_ASYNC;
	note.amount = note.times;
	phase->arrived += counts * note.times;
	object->arrived += counts * note.times;
	ptx_phase_add(phase, &note);
}

static void note_bytes(struct ptx_object *object, struct ptx_note note)
{
	struct ptx_phase *phase = ptx_object_phase(object);

	if (note.kind == NOTE_EXPECT)
		phase->announced += note.amount;
	else
		phase->issued += note.amount;
	ptx_phase_add(phase, &note);
}

static void note_wait(struct ptx_object *object, const struct drm_vsm_insn *insn,
		      struct ptx_note note)
{
	struct ptx_phase *before = ptx_object_before(object);
	uint64_t parity = insn->mods & DRM_VSM_MOD_PARITY ? insn->u.mbarrier.parity & 1
						: vsm_mbarrier_phase(insn->u.mbarrier.state);

	if (!ptx_object_phase(object)->number || (before->number & 1) != parity)
		return;
	before->observed = true;
	note.kind = NOTE_WAIT;
	ptx_phase_add(before, &note);
}

static void note_copy(const struct ptx_cluster *cluster, const struct drm_vsm_insn *insn,
		      uint32_t address, struct ptx_note note)
{
	uint32_t ranks = ptx_insn_ranks(insn, address);
	struct ptx_object *object;

	note.kind = NOTE_COPY;
	note.amount = ptx_insn_bytes(insn) * note.times;
	note.address = ptx_insn_destination(insn);
	for (; ranks; ranks &= ranks - 1) {
		uint32_t rank = __builtin_ctz(ranks);

		object = ptx_history_object(cluster, vsm_mapa(address, rank));
		if (!object || !object->live)
			continue;
		note.address = vsm_mapa(note.address, rank);
		note_bytes(object, note);
	}
}

static void note_init(const struct ptx_cluster *cluster, const struct drm_vsm_insn *insn,
		      uint32_t address, struct ptx_note note)
{
	struct ptx_object *object = ptx_objects_add(&cluster->history->objects,
						    cluster->launch, address);

	if (!object)
		return;
	note.amount = insn->u.mbarrier.count;
	object->init = note;
	object->live = true;
	object->arrived = 0;
	object->expected = note.amount;
	object->phases[0].number = 0;
	object->phases[1].number = ~0ULL;
	object->current = 1;
	ptx_object_begin_phase(object);
}

/* Lanes of a warp have executed an instruction with the same operands, which works on @address. */
static void ptx_note_mbarrier(const struct ptx_warp *warp, uint32_t step, uint32_t lanes,
			      const struct drm_vsm_insn *insn, uint32_t address)
{
	struct ptx_cluster *cluster = warp->cta->cluster;
	struct ptx_note note = ptx_note_of(warp, step, lanes, NOTE_ARRIVE, 1);
	struct ptx_object *object = ptx_history_object(cluster, address);

	if (insn->op == DRM_VSM_OP_MBARRIER_INIT || insn->op == DRM_VSM_OP_MBARRIER_INVAL)
		ptx_valid_set(cluster, address, insn->op == DRM_VSM_OP_MBARRIER_INIT);
	if (insn->op == DRM_VSM_OP_MBARRIER_INIT) {
		note_init(cluster, insn, address, note);
		return;
	}
	if (!object || !object->live)
		return;
	switch (insn->op) {
	case DRM_VSM_OP_MBARRIER_INVAL:
		object->live = false;
		object->inval = note;
		break;
	case DRM_VSM_OP_MBARRIER_ARRIVE:
	case DRM_VSM_OP_MBARRIER_ARRIVE_DROP:
		note_arrive(object, insn, note);
		break;
	case DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE:
		note_arrive_async(object, insn, note);
		break;
	case DRM_VSM_OP_MBARRIER_EXPECT_TX:
	case DRM_VSM_OP_MBARRIER_COMPLETE_TX:
		note.kind = insn->op == DRM_VSM_OP_MBARRIER_EXPECT_TX ? NOTE_EXPECT
								      : NOTE_COMPLETE;
		note.amount = (uint64_t)insn->u.mbarrier.tx_count * note.times;
		note_bytes(object, note);
		break;
	case DRM_VSM_OP_MBARRIER_TEST_WAIT:
	case DRM_VSM_OP_MBARRIER_TRY_WAIT:
		if (!insn->result)
			break;
		ptx_object_sync(cluster, object);
		note_wait(object, insn, note);
		break;
	default:
		note_copy(cluster, insn, address, note);
		break;
	}
}

void ptx_note_waited(const struct ptx_warp *warp, uint32_t step, uint32_t mask,
		     const struct drm_vsm_insn *insn)
{
	struct ptx_cluster *cluster = warp->cta->cluster;
	struct ptx_object *object;
	struct ptx_note note;
	uint32_t address;

	if (insn->op != DRM_VSM_OP_MBARRIER_TRY_WAIT || !ptx_insn_mbarrier(insn, &address))
		return;
	object = ptx_history_object(cluster, address);
	if (!object || !object->live)
		return;
	ptx_object_sync(cluster, object);
	note = ptx_note_of(warp, step, mask, NOTE_WAIT, 1);
	note_wait(object, insn, note);
}

/* --- notes ---------------------------------------------------------------- */

/* --- barriers ----------------------------------------------------------------------- */

static struct ptx_note *barrier_note(struct ptx_barrier *barrier, const struct ptx_warp *warp,
				     uint32_t step)
{
	uint32_t i;

	for (i = 0; i < barrier->note_count; i++)
		if (barrier->notes[i].warp == warp->number && barrier->notes[i].step == step)
			return &barrier->notes[i];
	if (barrier->note_count == PTX_LANES)
		return NULL;
	return &barrier->notes[barrier->note_count++];
}

static struct ptx_barrier *barrier_of(const struct ptx_cta *cta, const struct drm_vsm_insn *insn)
{
	uint32_t number = insn->u.barrier.barrier;

	if (number >= PTX_NAMED_BARRIERS)
		return NULL;
	return &cta->cluster->history->barriers[cta->rank * PTX_NAMED_BARRIERS + number];
}

static void complete_barrier(struct ptx_barrier *barrier)
{
	*barrier = (struct ptx_barrier){ .round = barrier->round + 1 };
}

/* The lanes of a warp arrive together: each arrival of the warp counts as 32 threads. */
static void note_barrier(const struct ptx_warp *warp, uint32_t step, uint32_t mask,
			 const struct drm_vsm_insn *insn)
{
	const struct ptx_cta *cta = warp->cta;
	uint32_t at = ptx_history_warp(cta->cluster, cta->rank, warp->number);
	struct ptx_barrier *barrier = barrier_of(cta, insn);
	bool counted = insn->mods & DRM_VSM_MOD_COUNT;
	struct ptx_note *note;

	if (!barrier)
		return;
	if (!barrier->count)
		barrier->count = counted ? insn->u.barrier.count
					 : ptx_block_warps(ptx_launch_of(warp)) * PTX_LANES;
	note = barrier_note(barrier, warp, step);
	if (note) {
		uint32_t lanes = note->lanes | mask, times = note->times;

		*note = ptx_note_of(warp, step, 1, NOTE_ARRIVE,
				    counted ? insn->u.barrier.count : 0);
		note->lanes = lanes;
		note->times = times;
		if (lanes != warp->lanes)
			return;
		note->times++;
		note->lanes = 0;
	}
	if (insn->op != DRM_VSM_OP_BARRIER_ARRIVE)
		cta->cluster->history->rounds[at] = barrier->round;
	barrier->arrived += PTX_LANES;
	if (barrier->arrived >= barrier->count)
		complete_barrier(barrier);
}

/* If the arrivals did not complete the barrier in which the warp has waited, exits did. */
void ptx_note_passed(const struct ptx_warp *warp, const struct drm_vsm_insn *insn)
{
	const struct ptx_cta *cta = warp->cta;
	uint32_t at = ptx_history_warp(cta->cluster, cta->rank, warp->number);
	struct ptx_history *history = cta->cluster->history;
	struct ptx_barrier *barrier;

	if (!history || (insn->op != DRM_VSM_OP_BARRIER_SYNC && insn->op != DRM_VSM_OP_BARRIER_RED))
		return;
	barrier = barrier_of(cta, insn);
	if (barrier && barrier->round == history->rounds[at])
		complete_barrier(barrier);
}

static void note_cluster_barrier(const struct ptx_warp *warp, uint32_t step, uint32_t mask,
				 bool arrive)
{
	struct ptx_history *history = warp->cta->cluster->history;
	uint32_t at = ptx_history_warp(warp->cta->cluster, warp->cta->rank, warp->number);

	if (!arrive) {
		history->arrived[at] &= ~mask;
		return;
	}
	history->arrived[at] |= mask;
	history->arrive_steps[at] = step;
}

/* --- before and after --------------------------------------------------------------- */

void ptx_note_before(const struct ptx_warp *warp, uint32_t mask,
		     const struct drm_vsm_insn *insns)
{
	const struct ptx_cluster *cluster = warp->cta->cluster;
	uint32_t address, last = ~0u, ranks;
	struct ptx_object *object;

	if (!cluster->history || !ptx_insn_mbarrier(insns, &address))
		return;
	for (; mask; mask &= mask - 1, insns++) {
		if (!ptx_insn_mbarrier(insns, &address) || address == last)
			continue;
		last = address;
		for (ranks = ptx_insn_ranks(insns, address); ranks; ranks &= ranks - 1) {
			object = ptx_history_object(cluster,
						    vsm_mapa(address, __builtin_ctz(ranks)));
			if (object)
				ptx_object_sync(cluster, object);
		}
	}
}

/* The first lanes, which have the same operands, and in a wait the same result. */
static uint32_t alike(uint32_t mask, const struct drm_vsm_insn *insns)
{
	bool wait = insns->op == DRM_VSM_OP_MBARRIER_TEST_WAIT ||
		    insns->op == DRM_VSM_OP_MBARRIER_TRY_WAIT;
	uint32_t count = __builtin_popcount(mask), n = 1;

	while (n < count && !memcmp(&insns->u, &insns[n].u, sizeof(insns->u)) &&
	       (!wait || insns->result == insns[n].result))
		n++;
	return ptx_first_lanes(mask, n);
}

void ptx_note_after(const struct ptx_warp *warp, uint32_t step, uint32_t mask,
		    const struct drm_vsm_insn *insns)
{
	struct ptx_history *history = warp->cta->cluster->history;
	uint32_t address;

	if (!history || !mask)
		return;
	history->executed[step / 8] |= 1 << step % 8;
	switch (insns->op) {
	case DRM_VSM_OP_BARRIER_SYNC:
	case DRM_VSM_OP_BARRIER_ARRIVE:
	case DRM_VSM_OP_BARRIER_RED:
		note_barrier(warp, step, mask, insns);
		return;
	case DRM_VSM_OP_BARRIER_CLUSTER_ARRIVE:
	case DRM_VSM_OP_BARRIER_CLUSTER_WAIT:
		note_cluster_barrier(warp, step, mask,
				     insns->op == DRM_VSM_OP_BARRIER_CLUSTER_ARRIVE);
		return;
	default:
		break;
	}
	if (!ptx_insn_mbarrier(insns, &address))
		return;
	while (mask) {
		uint32_t lanes = alike(mask, insns);

		if (ptx_insn_mbarrier(insns, &address))
			ptx_note_mbarrier(warp, step, lanes, insns, address);
		insns += __builtin_popcount(lanes);
		mask &= ~lanes;
	}
}

void ptx_note_exit(const struct ptx_warp *warp, uint32_t step, uint32_t branch)
{
	struct ptx_history *history = warp->cta->cluster->history;
	uint32_t at = ptx_history_warp(warp->cta->cluster, warp->cta->rank, warp->number);

	if (!history)
		return;
	/* An exit with a condition has decided itself. */
	if (ptx_launch_of(warp)->program->steps[step].guard >= 0)
		branch = 0;
	history->exits[at] = (struct ptx_exit){ step, (int64_t)branch - 1 };
}
