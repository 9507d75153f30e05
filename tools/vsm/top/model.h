/* SPDX-License-Identifier: MIT */
/*
 * What vsm top shows: rows of clients, clusters and channels, computed from a sample and from those
 * before it. Nothing here reads a device or a terminal.
 */
#ifndef _TOP_MODEL_H_
#define _TOP_MODEL_H_

#include <stdint.h>

#include "top/row.h"
#include "top/sample.h"

/**
 * struct model - What is shown, and what is remembered of the samples before
 * @time: Time of the last sample (CLOCK_MONOTONIC, ns)
 * @devices: Number of devices
 * @clients: Clients
 * @client_count: Number of @clients
 * @clusters: Clusters
 * @cluster_count: Number of @clusters
 * @channels: Channels
 * @channel_count: Number of @channels
 * @problem: What could not be read; else empty
 * @old_clients: Clients of the sample, for the rates of the next one
 * @old_client_count: Number of @old_clients
 * @pasts: What is remembered of each cluster, in the order of devices and numbers
 * @past_count: Number of @pasts
 */
struct model {
	int64_t time;
	uint32_t devices;
	struct client_row *clients;
	size_t client_count;
	struct cluster_row *clusters;
	size_t cluster_count;
	struct channel_row *channels;
	size_t channel_count;
	char problem[160];
	struct client *old_clients;
	size_t old_client_count;
	struct past *pasts;
	size_t past_count;
};

/*
 * Computes what is shown from a sample. A model that is all 0 has no samples before. @sample stays
 * as it is.
 */
void model_update(struct model *model, const struct sample *sample);
void model_free(struct model *model);

#endif
