// SPDX-License-Identifier: MIT
/*
 * Records what the threads of a cluster do to its mbarriers and barriers.
 *
 * The record of an mbarrier follows its word. A phase is known to be complete when the parity in
 * the word has changed, or when an arrive succeeds although all expected arrivals have come.
 */
#include <stdlib.h>
#include <string.h>

#include "run/history.h"

/* --- objects ------------------------------------------------------------------------ */

static uint32_t slot_of(uint32_t address)
{
	return (address >> 3) * 0x9e3779b1u >> 22;
}

/* The slot of an address: that of its mbarrier, or a free one. There is always a free slot. */
static struct ptx_object **find_slot(struct ptx_history *history, uint32_t address)
{
	uint32_t at = slot_of(address) % PTX_OBJECT_SLOTS;

	while (history->slots[at] && history->slots[at]->address != address)
		at = (at + 1) % PTX_OBJECT_SLOTS;
	return &history->slots[at];
}

struct ptx_object *ptx_history_object(const struct ptx_cluster *cluster, uint32_t address)
{
	return cluster->history ? *find_slot(cluster->history, address) : NULL;
}

/* The mbarrier at an address, or a new one. NULL if there is no memory for it. */
static struct ptx_object *add_object(const struct ptx_cluster *cluster, uint32_t address)
{
	struct ptx_history *history = cluster->history;
	struct ptx_object **slot = find_slot(history, address);

	if (*slot || history->count == PTX_OBJECTS ||
	    !ptx_charge(cluster->launch, sizeof(**slot)))
		return *slot;
	*slot = calloc(1, sizeof(**slot));
	if (*slot) {
		(*slot)->address = address;
		history->count++;
	} else {
		ptx_uncharge(cluster->launch, sizeof(**slot));
	}
	return *slot;
}

bool ptx_history_word(const struct ptx_cluster *cluster, uint32_t address, uint64_t *word)
{
	const struct vsm_ptx_launch *launch = cluster->launch;
	uint32_t rank = address >> PTX_RANK_SHIFT;
	uint32_t offset = address & ((1u << PTX_RANK_SHIFT) - 1);

	if (rank >= launch->cluster_ctas || offset % 8 || offset + 8 > launch->window_bytes)
		return false;
	*word = __atomic_load_n((const uint64_t *)(cluster->ctas[rank].window + offset),
				__ATOMIC_RELAXED);
	return true;
}

/* The phase in progress becomes the one before, and a new one begins. */
static void begin_phase(struct ptx_object *object)
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

void ptx_history_sync(const struct ptx_cluster *cluster, struct ptx_object *object)
{
	uint64_t word;

	if (object->live && ptx_history_word(cluster, object->address, &word) &&
	    vsm_mbarrier_phase(word) != (ptx_object_phase(object)->number & 1))
		begin_phase(object);
}

/* --- notes -------------------------------------------------------------------------- */

static struct ptx_note note_of(const struct ptx_warp *warp, uint32_t step, uint32_t lanes,
			       enum ptx_note_kind kind, uint64_t amount)
{
	return (struct ptx_note){
		.kind = kind, .rank = warp->cta->rank, .warp = warp->number,
		.lanes = lanes, .step = step, .times = __builtin_popcount(lanes),
		.amount = amount,
	};
}

/* Adds a note. It becomes part of one that the same warp has made with the same step. */
static void add_note(struct ptx_phase *phase, const struct ptx_note *note)
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

/* --- instructions ------------------------------------------------------------------- */

bool ptx_history_target(const struct drm_vsm_insn *insn, uint32_t *address)
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

static uint64_t bytes_of(const struct drm_vsm_insn *insn)
{
	switch (insn->op) {
	case DRM_VSM_OP_CP_ASYNC_BULK_TENSOR_G2S:
		return ptx_tensor_bytes(insn->u.tensor.map);
	case DRM_VSM_OP_ST_ASYNC:
	case DRM_VSM_OP_RED_ASYNC:
		return insn->u.store.size;
	default:
		return insn->u.copy.size;
	}
}

static uint32_t destination_of(const struct drm_vsm_insn *insn)
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

/* The CTAs whose mbarriers a copy completes bytes on; 0 if it is only that of its address. */
static uint32_t multicast_of(const struct drm_vsm_insn *insn)
{
	if (!(insn->mods & DRM_VSM_MOD_MULTICAST))
		return 0;
	return insn->op == DRM_VSM_OP_CP_ASYNC_BULK_TENSOR_G2S ? insn->u.tensor.mask
							       : insn->u.copy.mask;
}

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
		add_note(phase, &expect);
	}
	if (insn->op == DRM_VSM_OP_MBARRIER_ARRIVE_DROP)
		object->expected -= note.amount < object->expected ? note.amount : 0;
	phase->arrived += note.amount;
	object->arrived += note.amount;
	add_note(phase, &note);
}

static void note_arrive(struct ptx_object *object, const struct drm_vsm_insn *insn,
			struct ptx_note note)
{
	uint64_t count = insn->mods & DRM_VSM_MOD_COUNT ? insn->u.mbarrier.count : 1;
	uint32_t lanes = note.lanes;

	while (lanes) {
		uint64_t room;

		if (ptx_object_phase(object)->arrived >= ptx_object_phase(object)->expected)
			begin_phase(object);
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
		begin_phase(object);
		phase = ptx_object_phase(object);
	}
	note.kind = NOTE_ARRIVE_ASYNC;
	note.amount = note.times;
	phase->arrived += counts * note.times;
	object->arrived += counts * note.times;
	add_note(phase, &note);
}

static void note_bytes(struct ptx_object *object, struct ptx_note note)
{
	struct ptx_phase *phase = ptx_object_phase(object);

	if (note.kind == NOTE_EXPECT)
		phase->announced += note.amount;
	else
		phase->issued += note.amount;
	add_note(phase, &note);
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
	add_note(before, &note);
}

static void note_copy(const struct ptx_cluster *cluster, const struct drm_vsm_insn *insn,
		      uint32_t address, struct ptx_note note)
{
	uint32_t ranks = multicast_of(insn);
	struct ptx_object *object;

	note.kind = NOTE_COPY;
	note.amount = bytes_of(insn) * note.times;
	note.address = destination_of(insn);
	if (!ranks)
		ranks = 1u << (address >> PTX_RANK_SHIFT & 31);
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
	struct ptx_object *object = add_object(cluster, address);

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
	begin_phase(object);
}

/* Lanes have executed an instruction with the same operands. */
static void note_mbarrier(const struct ptx_warp *warp, uint32_t step, uint32_t lanes,
			  const struct drm_vsm_insn *insn, uint32_t address)
{
	struct ptx_cluster *cluster = warp->cta->cluster;
	struct ptx_note note = note_of(warp, step, lanes, NOTE_ARRIVE, 1);
	struct ptx_object *object = ptx_history_object(cluster, address);

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
		ptx_history_sync(cluster, object);
		note_wait(object, insn, note);
		break;
	default:
		note_copy(cluster, insn, address, note);
		break;
	}
}

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

/* The lanes of a warp arrive together: each arrival of the warp counts as 32 threads. */
static void note_barrier(const struct ptx_warp *warp, uint32_t step, uint32_t mask,
			 const struct drm_vsm_insn *insn)
{
	const struct ptx_cta *cta = warp->cta;
	struct ptx_history *history = cta->cluster->history;
	bool counted = insn->mods & DRM_VSM_MOD_COUNT;
	struct ptx_barrier *barrier;
	struct ptx_note *note;

	if (insn->u.barrier.barrier >= PTX_NAMED_BARRIERS)
		return;
	barrier = &history->barriers[cta->rank * PTX_NAMED_BARRIERS + insn->u.barrier.barrier];
	if (!barrier->count)
		barrier->count = counted ? insn->u.barrier.count
					 : ptx_block_warps(ptx_launch_of(warp)) * PTX_LANES;
	note = barrier_note(barrier, warp, step);
	if (note) {
		uint32_t lanes = note->lanes | mask, times = note->times;

		*note = note_of(warp, step, 1, NOTE_ARRIVE, counted ? insn->u.barrier.count : 0);
		note->lanes = lanes;
		note->times = times;
		if (lanes != warp->lanes)
			return;
		note->times++;
		note->lanes = 0;
	}
	barrier->arrived += PTX_LANES;
	if (barrier->arrived >= barrier->count)
		*barrier = (struct ptx_barrier){ };
}

static uint32_t index_of(const struct ptx_cluster *cluster, uint32_t rank, uint32_t warp)
{
	return rank * ptx_block_warps(cluster->launch) + warp;
}

static void note_cluster_barrier(const struct ptx_warp *warp, uint32_t step, uint32_t mask,
				 bool arrive)
{
	struct ptx_history *history = warp->cta->cluster->history;
	uint32_t at = index_of(warp->cta->cluster, warp->cta->rank, warp->number);

	if (!arrive) {
		history->arrived[at] &= ~mask;
		return;
	}
	history->arrived[at] |= mask;
	history->arrive_steps[at] = step;
}

/* --- the interface ------------------------------------------------------------------ */

void ptx_history_before(const struct ptx_warp *warp, uint32_t mask,
			const struct drm_vsm_insn *insns)
{
	const struct ptx_cluster *cluster = warp->cta->cluster;
	uint32_t address, last = ~0u, ranks;
	struct ptx_object *object;

	if (!cluster->history || !ptx_history_target(insns, &address))
		return;
	for (; mask; mask &= mask - 1, insns++) {
		if (!ptx_history_target(insns, &address) || address == last)
			continue;
		last = address;
		ranks = multicast_of(insns);
		if (!ranks)
			ranks = 1u << (address >> PTX_RANK_SHIFT & 31);
		for (; ranks; ranks &= ranks - 1) {
			object = ptx_history_object(cluster,
						    vsm_mapa(address, __builtin_ctz(ranks)));
			if (object)
				ptx_history_sync(cluster, object);
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

void ptx_history_after(const struct ptx_warp *warp, uint32_t step, uint32_t mask,
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
	if (!ptx_history_target(insns, &address))
		return;
	while (mask) {
		uint32_t lanes = alike(mask, insns);

		if (ptx_history_target(insns, &address))
			note_mbarrier(warp, step, lanes, insns, address);
		insns += __builtin_popcount(lanes);
		mask &= ~lanes;
	}
}

void ptx_history_waited(const struct ptx_warp *warp, uint32_t step, uint32_t mask,
			const struct drm_vsm_insn *insn)
{
	struct ptx_cluster *cluster = warp->cta->cluster;
	struct ptx_object *object;
	struct ptx_note note;
	uint32_t address;

	if (insn->op != DRM_VSM_OP_MBARRIER_TRY_WAIT || !ptx_history_target(insn, &address))
		return;
	object = ptx_history_object(cluster, address);
	if (!object || !object->live)
		return;
	ptx_history_sync(cluster, object);
	note = note_of(warp, step, mask, NOTE_WAIT, 1);
	note_wait(object, insn, note);
}

void ptx_history_exit(const struct ptx_warp *warp, uint32_t step)
{
	const struct ptx_cluster *cluster = warp->cta->cluster;

	if (cluster->history)
		cluster->history->exit_steps[index_of(cluster, warp->cta->rank, warp->number)] =
			step;
}

int64_t ptx_history_exit_step(const struct ptx_cluster *cluster, uint32_t rank, uint32_t warp)
{
	return cluster->history ? cluster->history->exit_steps[index_of(cluster, rank, warp)] : -1;
}

bool ptx_history_executed(const struct ptx_cluster *cluster, uint32_t step)
{
	return cluster->history && cluster->history->executed[step / 8] >> step % 8 & 1;
}

uint64_t ptx_history_bytes(const struct vsm_ptx_launch *launch)
{
	uint64_t warp = sizeof(uint32_t) + sizeof(uint32_t) + sizeof(int64_t);
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
	history->exit_steps = malloc(warps * sizeof(*history->exit_steps));
	history->executed = calloc(1, launch->program->step_count / 8 + 1);
	if (!history->barriers || !history->arrived || !history->arrive_steps ||
	    !history->exit_steps || !history->executed) {
		ptx_history_destroy(launch, history);
		return NULL;
	}
	memset(history->exit_steps, 0xff, warps * sizeof(*history->exit_steps));
	return history;
}

void ptx_history_destroy(struct vsm_ptx_launch *launch, struct ptx_history *history)
{
	uint32_t i;

	if (!history)
		return;
	ptx_uncharge(launch, history->count * sizeof(struct ptx_object));
	for (i = 0; i < PTX_OBJECT_SLOTS; i++)
		free(history->slots[i]);
	free(history->barriers);
	free(history->arrived);
	free(history->arrive_steps);
	free(history->exit_steps);
	free(history->executed);
	free(history);
}
