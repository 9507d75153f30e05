// SPDX-License-Identifier: MIT
/*
 * What is remembered of a cluster from one sample to the next.
 *
 * The device collects the state of a cluster in parts, while its threads go on. One sample in which
 * all threads wait is therefore no proof that they wait at the same time. Two equal ones are, if no
 * phase was completed between them.
 */
#include <stdlib.h>
#include <string.h>

#include "top/past.h"

static int compare(const void *a, const void *b)
{
	const struct past *x = a, *y = b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

const struct past *past_find(const struct past *pasts, size_t count,
			     const struct ps_cluster *cluster)
{
	struct past key = { .device = cluster->device, .number = cluster->state.number };

	return count ? bsearch(&key, pasts, count, sizeof(key), compare) : NULL;
}

static uint64_t add(uint64_t hash, const void *data, size_t size)
{
	const unsigned char *bytes = data;
	size_t i;

	for (i = 0; i < size; i++)
		hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
	return hash;
}

/*
 * What a cluster does, as a number. The time at which a wait began, and its time limit, do not
 * count: a thread that waits in a loop begins again and again.
 */
static uint64_t picture_of(const struct ps_cluster *cluster)
{
	uint64_t hash = UINT64_C(14695981039346656037);
	struct drm_vsm_state_entry entry;
	uint32_t i;

	hash = add(hash, &cluster->state.status, sizeof(cluster->state.status));
	hash = add(hash, &cluster->state.live, sizeof(cluster->state.live));
	for (i = 0; i < cluster->state.count; i++) {
		entry = cluster->entries[i];
		entry.since = 0;
		entry.deadline = 0;
		hash = add(hash, &entry, sizeof(entry));
	}
	return hash;
}

void past_look(struct past *past, const struct ps_cluster *cluster, bool progress,
	       const struct past *old)
{
	bool same;

	*past = (struct past){
		.device = cluster->device,
		.number = cluster->state.number,
		.picture = picture_of(cluster),
		.since = cluster->state.time,
		.quiet = cluster->wait_count && !ps_moves(cluster) &&
			 !(cluster->state.status & DRM_VSM_STATE_MORE),
	};
	same = old && !progress && old->picture == past->picture;
	if (same)
		past->since = old->since;
	past->dead = same && past->quiet && old->quiet;
}

static enum status status_of(const struct past *past, const struct ps_cluster *cluster)
{
	if (cluster->state.status & DRM_VSM_STATE_LOST)
		return STATUS_LOST;
	if (past->dead)
		return STATUS_DEADLOCK;
	if (cluster->wait_count && cluster->state.time - past->since >= PAST_STUCK)
		return STATUS_STUCK;
	return cluster->state.status & DRM_VSM_STATE_CLUSTER_HELD ? STATUS_HELD : STATUS_NONE;
}

static void count_wait(struct cluster_row *row, const struct ps_cluster *cluster,
		       const struct ps_wait *wait)
{
	uint32_t threads = 0, warp;

	for (warp = 0; warp < PS_WARPS; warp++)
		threads += __builtin_popcount(wait->lanes[warp]);
	row->waiting += threads;
	if (wait->entry->flags & DRM_VSM_STATE_ARMED)
		row->armed += wait->count;
	if (wait->entry->kind == DRM_VSM_STATE_RENDEZVOUS)
		row->meeting += threads;
	if (wait->since && cluster->state.time - wait->since > row->oldest)
		row->oldest = cluster->state.time - wait->since;
}

void past_set_row(const struct past *past, const struct ps_cluster *cluster,
		  struct cluster_row *row)
{
	const struct drm_vsm_cluster_state *state = &cluster->state;
	uint32_t i;

	*row = (struct cluster_row){
		.row = {
			.device = cluster->device, .client = state->client, .id = state->number,
			.pid = state->pid,
		},
		.threads = state->ctas * state->threads,
		.exited = state->ctas * state->threads - state->live,
		.oldest = -1,
		.status = status_of(past, cluster),
	};
	memcpy(row->row.comm, state->comm, sizeof(state->comm));
	for (i = 0; i < cluster->wait_count; i++)
		count_wait(row, cluster, &cluster->waits[i]);
}
