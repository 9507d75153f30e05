// SPDX-License-Identifier: MIT
/*
 * Records what the threads of a cluster do to its mbarriers.
 */
#include "run/history.h"
#include "run/note_mbarrier.h"
#include "run/target.h"

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

void ptx_note_mbarrier(const struct ptx_warp *warp, uint32_t step, uint32_t lanes,
		       const struct drm_vsm_insn *insn, uint32_t address)
{
	struct ptx_cluster *cluster = warp->cta->cluster;
	struct ptx_note note = ptx_note_of(warp, step, lanes, NOTE_ARRIVE, 1);
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
