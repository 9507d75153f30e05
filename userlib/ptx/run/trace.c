// SPDX-License-Identifier: MIT
/*
 * Events: reads the flight recorders of the clusters, and hands the events to the caller.
 */
#include "run/trace.h"

/* Most instructions of a lane make fewer events, together with the waits and copies they begin. */
#define EVENTS_PER_LANE 8

/* Events that are read with one call. */
#define BATCH 128

void ptx_trace_read(struct ptx_cluster *cluster)
{
	struct vsm_ptx_launch *launch = cluster->launch;
	struct drm_vsm_trace_event events[BATCH];
	uint64_t lost;
	int count;

	cluster->traced = 0;
	if (!ptx_traces(launch) || !cluster->device)
		return;
	do {
		cluster->worker->calls++;
		count = vsm_trace_read(cluster->device, events, BATCH, &cluster->trace_next, &lost);
		/* A device that is lost has been reported elsewhere. */
		if (count < 0)
			return;
		pthread_mutex_lock(&launch->trace_lock);
		if (count || lost)
			launch->config.trace(launch->config.trace_data, events, count, lost);
		pthread_mutex_unlock(&launch->trace_lock);
	} while (count == BATCH);
}

void ptx_trace_executed(struct ptx_cluster *cluster, uint32_t lanes)
{
	cluster->traced += __builtin_popcount(lanes);
	if (cluster->traced >= PTX_TRACE_EVENTS / EVENTS_PER_LANE)
		ptx_trace_read(cluster);
}
