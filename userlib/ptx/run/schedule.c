// SPDX-License-Identifier: MIT
/*
 * Workers: threads of the host that run the warps of clusters, and sleep when none can run.
 */
#include "run/clock.h"
#include "run/cluster.h"
#include "run/device.h"
#include "run/event.h"
#include "run/execute.h"
#include "run/fault.h"
#include "run/queue.h"
#include "run/records.h"
#include "run/schedule.h"
#include "run/start.h"
#include "run/trace.h"

/* Steps that a warp runs before the next one does. */
#define SLICE	2000
/* Slices between two looks at what has happened meanwhile. */
#define LOOK	16

/* --- clusters ----------------------------------------------------------------------- */

static void end_cluster(struct ptx_worker *worker, struct ptx_cluster *cluster)
{
	struct ptx_cluster **link = &worker->clusters;

	/* What its threads have issued may still break a rule. */
	ptx_cluster_drain(cluster);
	ptx_trace_read(cluster);

	while (*link != cluster)
		link = &(*link)->next;
	*link = cluster->next;
	worker->cluster_count--;
	ptx_event_forget(cluster);
	ptx_cluster_destroy(cluster);
	ptx_launch_cluster_ended(worker->launch);
}

/* --- time ------------------------------------------------------------------------------ */

static bool check_time(struct ptx_worker *worker)
{
	struct ptx_fault fault = { .failure = FAILURE_TIME, .step = -1 };
	struct vsm_ptx_launch *launch = worker->launch;

	if (launch->deadline < 0 || ptx_now_ns() < launch->deadline)
		return true;
	ptx_fail_launch(launch, &fault);
	return false;
}

/* --- orders that a seed chooses ------------------------------------------------------- */

/* The operations of all clusters that are held complete now. Returns whether there were any. */
static bool deliver(struct ptx_worker *worker)
{
	struct ptx_cluster *cluster;
	bool delivered = false;
	int err;

	for (cluster = worker->clusters; cluster; cluster = cluster->next) {
		if (!cluster->issued)
			continue;
		delivered = true;
		ptx_cluster_drain(cluster);
		worker->calls++;
		err = vsm_cluster_hold(cluster->device, true);
		if (err)
			ptx_fail_worker(worker, err);
	}
	return delivered;
}

/* Time passes until the time limit of a wait ends it. Returns false if no wait has one. */
static bool pass_time(struct ptx_worker *worker)
{
	/* The earliest time limit may be that of a wait that has ended. */
	while (worker->due != PTX_NEVER_DUE) {
		if (worker->clock < worker->due)
			worker->clock = worker->due;
		if (ptx_device_expire(worker))
			return true;
	}
	return false;
}

/*
 * With a seed, operations complete at random times between the slices of warps, and the steps of
 * these slices are the time that limits waits. If no warp can run, operations complete at once; if
 * there are none, time passes until the next time limit of a wait. If there is none either, the
 * device finds the deadlock.
 */
static bool look_with_seed(struct ptx_worker *worker)
{
	if (worker->first) {
		if (!ptx_random_below(worker, 8))
			deliver(worker);
		ptx_device_expire(worker);
		return ptx_records_read(worker);
	}
	if (deliver(worker))
		return ptx_records_read(worker);
	if (worker->due == PTX_NEVER_DUE)
		return ptx_records_wait(worker);
	/* Threads whose waits have ended go on before time passes. */
	if (!ptx_records_read(worker))
		return false;
	return worker->first || pass_time(worker) || ptx_records_wait(worker);
}

/* --- the loop ----------------------------------------------------------------------- */

/* Runs a warp. Ends its cluster if all of its threads have exited. */
static void run_warp(struct ptx_worker *worker, struct ptx_warp *warp)
{
	struct ptx_cluster *cluster = warp->cta->cluster;
	uint32_t budget = SLICE;

	/* With a seed some slices are short, so that orders differ more. */
	if (worker->launch->config.seed)
		budget = 1 + ptx_random_below(worker, 1u << ptx_random_below(worker, 10));
	/* A look at the records may resume a group of the warp, and must not queue it meanwhile. */
	warp->queued = true;
	worker->clock += ptx_warp_run(warp, budget);
	warp->queued = false;
	if (ptx_launch_stops(worker->launch))
		return;
	if (!cluster->live)
		end_cluster(worker, cluster);
	else if (ptx_warp_is_runnable(warp))
		ptx_worker_queue(worker, warp);
}

/* Have the clusters of the worker issued operations since they were last drained? */
static bool has_issued(const struct ptx_worker *worker)
{
	const struct ptx_cluster *cluster = worker->clusters;

	while (cluster && !cluster->issued)
		cluster = cluster->next;
	return cluster;
}

static bool look(struct ptx_worker *worker)
{
	if (worker->launch->config.seed)
		return look_with_seed(worker);
	if (!worker->first)
		return ptx_records_wait(worker);
	/* A warp that spins must not keep the worker from the faults of operations. */
	if (has_issued(worker))
		ptx_event_read(worker->launch->module->context);
	return !worker->armed || ptx_records_read(worker);
}

/* Is there anything that the worker may learn from the device? */
static bool has_news(const struct ptx_worker *worker)
{
	/* With a seed, operations complete only in look(), even if nobody waits. */
	return worker->clusters && worker->set &&
	       (worker->armed || worker->launch->config.seed || has_issued(worker));
}

static void run(struct ptx_worker *worker)
{
	struct vsm_ptx_launch *launch = worker->launch;
	unsigned int slices = 0;

	while (!ptx_launch_stops(launch) && ptx_worker_start(worker) && worker->clusters) {
		struct ptx_warp *warp = ptx_worker_dequeue(worker);

		if (warp)
			run_warp(worker, warp);
		if (ptx_launch_stops(launch))
			return;
		/* Waits are armed together, and only looked at from time to time. */
		if (warp && ++slices % LOOK && worker->first)
			continue;
		if (!check_time(worker) || (worker->set && ptx_device_arm(worker)))
			return;
		if (has_news(worker) && !look(worker))
			return;
	}
}

void *ptx_worker_run(void *data)
{
	struct ptx_worker *worker = data;
	struct vsm_ptx_launch *launch = worker->launch;
	struct ptx_cluster *cluster;

	run(worker);
	for (cluster = worker->clusters; cluster; cluster = cluster->next)
		ptx_trace_read(cluster);
	pthread_mutex_lock(&launch->lock);
	if (!--launch->running)
		pthread_cond_broadcast(&launch->ended);
	pthread_mutex_unlock(&launch->lock);
	return NULL;
}
