// SPDX-License-Identifier: MIT
/*
 * Collects the stops of a cluster: threads of a CTA that are at one step and wait for the same.
 */
#include <stdlib.h>
#include <string.h>

#include "run/stop.h"

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

static enum ptx_wait_kind kind_of(const struct ptx_group *group)
{
	if (group->state != GROUP_WAITS)
		return WAIT_NOTHING;
	switch (group->insn.op) {
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

uint32_t ptx_stop_parity(const struct drm_vsm_insn *insn)
{
	if (insn->mods & DRM_VSM_MOD_PARITY)
		return insn->u.mbarrier.parity & 1;
	return vsm_mbarrier_phase(insn->u.mbarrier.state);
}

uint32_t ptx_stop_members(const struct drm_vsm_insn *insn)
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

uint32_t ptx_stop_first(const struct ptx_stop *stop)
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

void ptx_stop_collect(struct ptx_hang *hang)
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
