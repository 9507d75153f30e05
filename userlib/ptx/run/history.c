// SPDX-License-Identifier: MIT
/*
 * What the threads of a cluster have done to its mbarriers and barriers.
 */
#include <stdlib.h>
#include <string.h>

#include "run/history.h"

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
	uint64_t warp = sizeof(uint32_t) + sizeof(uint32_t) + sizeof(struct ptx_exit);
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
	history->exits = malloc(warps * sizeof(*history->exits));
	history->executed = calloc(1, launch->program->step_count / 8 + 1);
	if (!history->barriers || !history->arrived || !history->arrive_steps ||
	    !history->exits || !history->executed) {
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
	free(history->exits);
	free(history->executed);
	free(history);
}
