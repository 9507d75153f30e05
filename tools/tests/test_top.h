/* SPDX-License-Identifier: MIT */
/*
 * Samples for the tests of vsm top.
 */
#ifndef _TEST_TOP_H_
#define _TEST_TOP_H_

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "top/model.h"
#include "top/table.h"

#define SECOND 1000000000LL

/* Adds a client of device 0 that was read at @time, with one channel. */
static inline struct client *add_client(struct sample *sample, uint32_t number, int64_t time)
{
	struct client *client;

	sample->clients = realloc(sample->clients,
				  (sample->client_count + 1) * sizeof(*sample->clients));
	assert_non_null(sample->clients);
	client = &sample->clients[sample->client_count++];
	*client = (struct client){
		.time = time,
		.pid = 100 + number,
		.comm = "test",
		.info = { .client = number, .capacity = 1, .channels = 1 },
	};
	return client;
}

/*
 * Adds a cluster of client 1 with one CTA of @threads threads, whose state was read at @time, and
 * which has @count entries, all 0.
 */
static inline struct ps_cluster *add_cluster(struct sample *sample, uint32_t number, int64_t time,
					     uint32_t threads, uint32_t count)
{
	struct ps_cluster *cluster;

	sample->clusters = realloc(sample->clusters,
				   (sample->cluster_count + 1) * sizeof(*sample->clusters));
	assert_non_null(sample->clusters);
	cluster = &sample->clusters[sample->cluster_count++];
	*cluster = (struct ps_cluster){
		.state = {
			.number = number, .client = 1, .pid = 101, .ctas = 1, .threads = threads,
			.live = threads, .count = count, .total = count, .time = time,
			.comm = "test",
		},
	};
	cluster->entries = calloc(count + 1, sizeof(*cluster->entries));
	assert_non_null(cluster->entries);
	return cluster;
}

/* Sets an entry: threads of warp 0 that wait for a phase of the mbarrier at @addr. */
static inline void set_wait(struct drm_vsm_state_entry *entry, uint32_t lanes, uint32_t addr,
			    int64_t since)
{
	*entry = (struct drm_vsm_state_entry){
		.kind = DRM_VSM_STATE_PHASE,
		.flags = DRM_VSM_STATE_SUSPENDED,
		.client = 1,
		.pid = 101,
		.lanes = lanes,
		.thread = __builtin_ctz(lanes),
		.since = since,
		.deadline = -1,
	};
	entry->insn.op = DRM_VSM_OP_MBARRIER_TRY_WAIT;
	entry->insn.mods = DRM_VSM_MOD_PARITY;
	entry->insn.u.mbarrier.addr = addr;
}

/* Sorts the waits of all clusters, updates the model, and frees the sample. */
static inline void update(struct model *model, struct sample *sample)
{
	size_t i;

	for (i = 0; i < sample->cluster_count; i++)
		ps_sort(&sample->clusters[i]);
	model_update(model, sample);
	sample_free(sample);
}

#endif
