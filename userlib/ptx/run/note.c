// SPDX-License-Identifier: MIT
/*
 * Records in the history what the threads of a cluster execute on the device. What they do to
 * mbarriers is in note_mbarrier.c.
 */
#include <string.h>

#include "run/note.h"
#include "run/note_mbarrier.h"
#include "run/target.h"

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

		*note = ptx_note_of(warp, step, 1, NOTE_ARRIVE,
				    counted ? insn->u.barrier.count : 0);
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
