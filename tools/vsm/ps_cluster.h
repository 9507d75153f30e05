/* SPDX-License-Identifier: MIT */
/* What vsm ps knows about a cluster, and how it says it. */
#ifndef _PS_CLUSTER_H_
#define _PS_CLUSTER_H_

#include <stdbool.h>
#include <stdio.h>
#include <vsm.h>

#include "json.h"

#define PS_WARPS 32

/* Who is in no wait. */
#define PS_RUNS (-1)
#define PS_EXITED (-2)

/* Waits of one process for the same thing, in one CTA */
struct ps_wait {
	const struct drm_vsm_state_entry *entry;	/* the first of them */
	uint32_t count;					/* number of entries */
	/* When the first of them began (CLOCK_MONOTONIC, ns), 0 if it is not known */
	int64_t since;
	uint32_t lanes[PS_WARPS];			/* lanes of each warp that wait */
};

/* A cluster */
struct ps_cluster {
	uint32_t device;			/* index of its device */
	struct drm_vsm_cluster_state state;	/* the cluster as a whole */
	struct drm_vsm_state_entry *entries;
	struct ps_wait *waits;			/* its waits, the oldest first */
	uint32_t wait_count;			/* number of waits */
	int *threads;	/* for each thread the number of its wait, PS_RUNS or PS_EXITED */
};

/*
 * Reads the next cluster from @number on, or that cluster only, as @flag of &enum
 * drm_vsm_state_flags says. Sorts its waits. Returns 0 or a negative errno. ps_free() frees the
 * arrays of @cluster.
 */
int ps_read(struct vsm_device *device, uint32_t number, uint32_t flag, struct ps_cluster *cluster);
/* Fills the waits and threads of a cluster, which has its state and its entries. */
void ps_sort(struct ps_cluster *cluster);
void ps_free(struct ps_cluster *cluster);
/* Does a thread run, or is anything in flight? */
bool ps_moves(const struct ps_cluster *cluster);

void ps_write_text(FILE *out, const struct ps_cluster *cluster, bool why);
/* Adds the cluster to a list. */
void ps_add_json(struct json_object *list, const struct ps_cluster *cluster);

#endif
