// SPDX-License-Identifier: MIT
/*
 * Waits for a launch, and says how it has ended.
 */
#include <errno.h>

#include "run/hang.h"
#include "run/site.h"
#include "run/sized.h"

static enum vsm_ptx_outcome outcome(const struct vsm_ptx_launch *launch)
{
	if (launch->running)
		return VSM_PTX_RUNNING;
	switch (launch->fault.failure) {
	case FAILURE_NONE:
		return launch->cancelled ? VSM_PTX_CANCELLED : VSM_PTX_DONE;
	case FAILURE_DEADLOCK:
	case FAILURE_TIME:
		return VSM_PTX_HANG;
	case FAILURE_ERROR:
		return VSM_PTX_ERROR;
	default:
		return VSM_PTX_FAULT;
	}
}

static void set_place(const struct vsm_ptx_launch *launch, struct vsm_ptx_result *result)
{
	struct vsm_ptx_site site;

	if (launch->fault.step < 0 || !launch->fault.failure ||
	    !ptx_site_of(launch, launch->fault.step, &site))
		return;
	result->line = site.line;
	result->source_line = site.source_line;
	result->source_file = site.source_file;
	result->inlined_line = site.inlined_line;
	result->inlined_file = site.inlined_file;
}

static void set_result(struct vsm_ptx_launch *launch, struct vsm_ptx_result *result)
{
	const struct ptx_cluster *cluster;
	uint32_t i, j, k;

	result->outcome = outcome(launch);
	result->fault = launch->fault.insn.fault;
	if (result->outcome == VSM_PTX_ERROR)
		result->error = launch->fault.error;
	/* While workers run, their counts change, and clusters may end: leave them out. */
	if (launch->running)
		return;
	if (result->outcome == VSM_PTX_HANG)
		ptx_hang_find(launch);
	set_place(launch, result);
	for (i = 0; i < launch->worker_count; i++) {
		const struct ptx_worker *worker = &launch->workers[i];

		result->warp_insns += worker->steps;
		result->thread_insns += worker->lane_steps;
		result->device_calls += worker->calls;
		for (cluster = worker->clusters; cluster; cluster = cluster->next) {
			for (j = 0; j < launch->cluster_ctas; j++) {
				for (k = 0; k < ptx_block_warps(launch); k++) {
					result->warp_insns += cluster->ctas[j].warps[k].steps;
					result->thread_insns +=
						cluster->ctas[j].warps[k].lane_steps;
				}
			}
		}
	}
}

/* Waits until no worker runs. Returns 0 or ETIMEDOUT. */
static int wait_until(struct vsm_ptx_launch *launch, int64_t deadline)
{
	struct timespec until = {
		.tv_sec = deadline / 1000000000,
		.tv_nsec = deadline % 1000000000,
	};
	int err = 0;

	while (launch->running && !err)
		err = deadline < 0 ? pthread_cond_wait(&launch->ended, &launch->lock)
				   : pthread_cond_timedwait(&launch->ended, &launch->lock, &until);
	return launch->running ? err : 0;
}

int vsm_ptx_launch_wait_sized(struct vsm_ptx_launch *launch, int64_t deadline,
			      struct vsm_ptx_result *result, size_t size)
{
	struct vsm_ptx_result full = { };
	int err;

	pthread_mutex_lock(&launch->lock);
	err = wait_until(launch, deadline);
	set_result(launch, &full);
	pthread_mutex_unlock(&launch->lock);
	ptx_struct_copy(result, size, &full, sizeof(full));
	return err ? -ETIME : 0;
}
