/* SPDX-License-Identifier: MIT */
/*
 * Events: reads the flight recorders of the clusters, and hands the events to the caller.
 */
#ifndef _PTX_RUN_TRACE_H_
#define _PTX_RUN_TRACE_H_

#include "run/site.h"

/* Events that the device keeps for a cluster. */
#define PTX_TRACE_EVENTS 4096

/* Does the caller want events? */
static inline bool ptx_traces(const struct vsm_ptx_launch *launch)
{
	return launch->config.trace;
}

/* Makes the events of what is executed as this thread name the step. */
static inline void ptx_trace_site(const struct ptx_warp *warp, struct vsm_thread *thread,
				  uint32_t step)
{
	if (ptx_traces(ptx_launch_of(warp)))
		thread->site = ptx_site_number(step);
}

/* Hands all events of a cluster to the caller that he has not got yet. */
void ptx_trace_read(struct ptx_cluster *cluster);
/* Lanes have executed an instruction. From time to time, reads the events. */
void ptx_trace_executed(struct ptx_cluster *cluster, uint32_t lanes);

#endif
