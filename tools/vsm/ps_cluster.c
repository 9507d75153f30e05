// SPDX-License-Identifier: MIT
/*
 * Reads what a cluster is doing, and sorts its waits.
 */
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "ps_cluster.h"

/* The most entries that a device lists. */
#define MAX_ENTRIES 131072

static bool is_wait(const struct drm_vsm_state_entry *entry)
{
	return entry->kind == DRM_VSM_STATE_PHASE || entry->kind == DRM_VSM_STATE_RENDEZVOUS ||
	       (entry->kind == DRM_VSM_STATE_GROUPS &&
		entry->flags & (DRM_VSM_STATE_SUSPENDED | DRM_VSM_STATE_ARMED));
}

/* Do two entries wait for the same thing? */
static bool is_same(const struct drm_vsm_state_entry *a, const struct drm_vsm_state_entry *b)
{
	if (a->kind != b->kind || a->flags != b->flags || a->cta != b->cta || a->pid != b->pid ||
	    a->client != b->client || !a->lanes != !b->lanes ||
	    memcmp(&a->insn, &b->insn, offsetof(struct drm_vsm_insn, result)))
		return false;
	/* The lanes of a warp operation wait for each other, and not for those of other warps. */
	return a->kind != DRM_VSM_STATE_RENDEZVOUS || a->flags & DRM_VSM_STATE_ACROSS ||
	       a->thread / 32 == b->thread / 32;
}

static int compare_waits(const void *a, const void *b)
{
	const struct ps_wait *x = a, *y = b;

	if (x->since != y->since)
		return x->since < y->since ? -1 : 1;
	return x->entry < y->entry ? -1 : x->entry > y->entry;
}

/* A number that is the same for entries that wait for the same thing. */
static uint32_t hash_of(const struct drm_vsm_state_entry *entry)
{
	const unsigned char *bytes = (const unsigned char *)&entry->insn;
	uint32_t hash = 2166136261u ^ entry->cta;
	size_t i;

	for (i = 0; i < offsetof(struct drm_vsm_insn, result); i++)
		hash = (hash ^ bytes[i]) * 16777619u;
	return hash;
}

/*
 * Finds the wait of an entry in a hash table of numbers of waits, which has @size places, a power
 * of two. Number 0 is an empty place. A device lists so many entries that a search among all waits
 * would take minutes.
 */
static struct ps_wait *find_wait(struct ps_cluster *cluster, uint32_t *table, uint32_t size,
				 const struct drm_vsm_state_entry *entry)
{
	uint32_t at = hash_of(entry) & (size - 1);
	struct ps_wait *wait;

	for (; table[at]; at = (at + 1) & (size - 1)) {
		wait = &cluster->waits[table[at] - 1];
		if (is_same(wait->entry, entry))
			return wait;
	}
	wait = &cluster->waits[cluster->wait_count++];
	*wait = (struct ps_wait){ .entry = entry, .since = entry->since };
	table[at] = cluster->wait_count;
	return wait;
}

static void add_wait(struct ps_wait *wait, const struct drm_vsm_state_entry *entry)
{
	wait->count++;
	if (entry->since < wait->since)
		wait->since = entry->since;
	wait->lanes[entry->thread / 32 % PS_WARPS] |= entry->lanes;
}

/* Marks the threads of a mask as those of a wait, or as exited. */
static void mark(struct ps_cluster *cluster, uint32_t cta, uint32_t warp, uint32_t lanes, int as)
{
	uint32_t lane, thread;

	for (lane = 0; lanes && lane < 32; lane++) {
		thread = warp * 32 + lane;
		if (lanes >> lane & 1 && cta < cluster->state.ctas &&
		    thread < cluster->state.threads)
			cluster->threads[cta * cluster->state.threads + thread] = as;
	}
}

void ps_sort(struct ps_cluster *cluster)
{
	uint32_t threads = cluster->state.ctas * cluster->state.threads, i, warp;
	const struct drm_vsm_state_entry *entry;
	uint32_t size = 1, *table;

	while (size <= 2 * cluster->state.count)
		size *= 2;
	table = must(calloc(size, sizeof(*table)));
	cluster->wait_count = 0;
	cluster->waits = must(calloc(cluster->state.count + 1, sizeof(*cluster->waits)));
	cluster->threads = must(calloc(threads + 1, sizeof(*cluster->threads)));
	for (i = 0; i < threads; i++)
		cluster->threads[i] = PS_RUNS;
	for (i = 0; i < cluster->state.count; i++) {
		entry = &cluster->entries[i];
		if (is_wait(entry))
			add_wait(find_wait(cluster, table, size, entry), entry);
		if (entry->kind == DRM_VSM_STATE_EXITED)
			mark(cluster, entry->cta, entry->thread / 32, entry->lanes, PS_EXITED);
	}
	free(table);
	qsort(cluster->waits, cluster->wait_count, sizeof(*cluster->waits), compare_waits);
	for (i = 0; i < cluster->wait_count; i++)
		for (warp = 0; warp < PS_WARPS; warp++)
			mark(cluster, cluster->waits[i].entry->cta, warp,
			     cluster->waits[i].lanes[warp], i);
}

int ps_read(struct vsm_device *device, uint32_t number, uint32_t flag, struct ps_cluster *cluster)
{
	uint32_t max = 64;
	int err;

	for (;;) {
		cluster->entries = must(calloc(max, sizeof(*cluster->entries)));
		err = vsm_device_state(device, number, flag, &cluster->state, cluster->entries,
				       max);
		if (!err && (cluster->state.total <= max || max == MAX_ENTRIES)) {
			ps_sort(cluster);
			return 0;
		}
		free(cluster->entries);
		if (err)
			return err;
		/* More waits may begin until the next call. */
		max = cluster->state.total + cluster->state.total / 8;
		if (max > MAX_ENTRIES)
			max = MAX_ENTRIES;
	}
}

void ps_free(struct ps_cluster *cluster)
{
	free(cluster->entries);
	free(cluster->waits);
	free(cluster->threads);
}

bool ps_moves(const struct ps_cluster *cluster)
{
	uint32_t i;

	for (i = 0; i < cluster->state.count; i++)
		if (cluster->entries[i].kind == DRM_VSM_STATE_OPERATION ||
		    cluster->entries[i].kind == DRM_VSM_STATE_JOB)
			return true;
	for (i = 0; i < cluster->state.ctas * cluster->state.threads; i++)
		if (cluster->threads[i] == PS_RUNS)
			return true;
	return false;
}
