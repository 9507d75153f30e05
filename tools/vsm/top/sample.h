/* SPDX-License-Identifier: MIT */
/*
 * What all devices show at one time.
 */
#ifndef _TOP_SAMPLE_H_
#define _TOP_SAMPLE_H_

#include <stddef.h>
#include <stdint.h>

#include "ps_cluster.h"
#include "top/processes.h"

/**
 * struct sample - What all devices show at one time
 * @time: When the sample was taken (CLOCK_MONOTONIC, ns)
 * @devices: Number of devices
 * @clients: Clients, in the order of devices and numbers
 * @client_count: Number of @clients
 * @clusters: Clusters, in the order of devices and numbers
 * @cluster_count: Number of @clusters
 * @problem: What could not be read, as one line; else empty
 */
struct sample {
	int64_t time;
	uint32_t devices;
	struct client *clients;
	size_t client_count;
	struct ps_cluster *clusters;
	size_t cluster_count;
	char problem[160];
};

/*
 * Reads all devices. Returns the number of devices, or a negative errno if they cannot be listed.
 * sample_free() frees what is in @sample in both cases.
 */
int sample_read(struct sample *sample);
void sample_free(struct sample *sample);

#endif
