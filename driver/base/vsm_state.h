/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The list that CLUSTER_STATE makes of what waits, runs and is in flight in a cluster.
 */
#ifndef _VSM_STATE_H_
#define _VSM_STATE_H_

#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/string.h>

#include <drm/vsm_drm.h>

#include "base/vsm_trace.h"

/* At most this many entries are added from one list while its lock is held. */
#define VSM_STATE_BATCH	1024

/**
 * struct vsm_state - A list of what is in a cluster
 * @viewer: Who reads the list
 * @entries: The list
 * @size: Length of @entries
 * @total: Number of entries that there are; those from @size on are only counted
 * @more: A lock would have been held for too long, so that entries are neither listed nor counted
 * @spare: Gets the entries that are only counted
 */
struct vsm_state {
	struct vsm_viewer viewer;
	struct drm_vsm_state_entry *entries;
	u32 size;
	u32 total;
	bool more;
	struct drm_vsm_state_entry spare;
};

/* Add an entry. Its other fields are 0, and it has no deadline. */
static inline struct drm_vsm_state_entry *vsm_state_add(struct vsm_state *state,
							enum drm_vsm_state kind)
{
	struct drm_vsm_state_entry *entry = &state->spare;

	if (state->total < state->size)
		entry = &state->entries[state->total];
	state->total++;
	memset(entry, 0, sizeof(*entry));
	entry->kind = kind;
	entry->deadline = -1;
	return entry;
}

/* May the reader see what belongs to a client? */
static inline bool vsm_state_shows(const struct vsm_state *state, const struct vsm_client *client)
{
	return vsm_viewer_sees(&state->viewer, client);
}

/* Say whose entry this is, if the reader may know it. */
static inline void vsm_state_set_client(const struct vsm_state *state,
					struct drm_vsm_state_entry *entry,
					const struct vsm_client *client)
{
	if (!vsm_state_shows(state, client))
		return;
	entry->client = client->number;
	entry->pid = vsm_client_pid(client);
}

/*
 * Say which task waits on behalf of a client, if the reader may know it. The caller holds a
 * spinlock that the task needs to leave its wait: it cannot go away.
 */
static inline void vsm_state_set_task(const struct vsm_state *state,
				      struct drm_vsm_state_entry *entry,
				      const struct vsm_client *client, struct task_struct *task)
{
	if (!vsm_state_shows(state, client))
		return;
	entry->client = client->number;
	entry->pid = task_tgid_vnr(task);
	entry->tid = task_pid_vnr(task);
}

/* The time of a value of jiffies, which is not in the future (CLOCK_MONOTONIC, ns). */
static inline s64 vsm_state_since(unsigned long since)
{
	return ktime_get_ns() - jiffies_to_nsecs(jiffies - since);
}

#endif
