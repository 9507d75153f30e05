// SPDX-License-Identifier: MIT
/*
 * Starts clusters, as memory allows.
 *
 * The memory of the device, or that of the launch, may not suffice for a cluster while other
 * clusters run. A worker that runs some itself then tries again later. A worker that runs none
 * waits until one of the launch has ended. It is an error only if none of the launch runs.
 */
#include <errno.h>

#include "run/cluster.h"
#include "run/event.h"
#include "run/fault.h"
#include "run/queue.h"
#include "run/start.h"

/* --- room ------------------------------------------------------------------------------ */

/*
 * May the worker start one more cluster? If they need much memory, fewer run at the same time than
 * the configuration allows. The other half of the memory is for stacks that grow.
 */
static bool has_room(const struct ptx_worker *worker)
{
	struct vsm_ptx_launch *launch = worker->launch;

	if (!worker->cluster_count)
		return true;
	/* There was no memory for its next cluster, and nothing has changed. */
	if (worker->postponed &&
	    worker->ended == __atomic_load_n(&launch->ended_clusters, __ATOMIC_RELAXED))
		return false;
	return worker->cluster_count < worker->limit && !ptx_launch_stops(launch) &&
	       __atomic_load_n(&launch->memory_used, __ATOMIC_RELAXED) < launch->memory_limit / 2;
}

static bool is_shortage(int error)
{
	return error == -ENOMEM || error == -ENOSPC;
}

/* Waits until a cluster ends, or until no other worker has or starts one. The lock is held. */
static void wait_for_room(struct ptx_worker *worker)
{
	struct vsm_ptx_launch *launch = worker->launch;

	while (!ptx_launch_stops(launch) && worker->ended == launch->ended_clusters &&
	       (launch->live_clusters || launch->starting))
		pthread_cond_wait(&launch->room, &launch->lock);
}

/*
 * Creates a cluster. Returns NULL on an error, and with the error 0 if the worker has others to run
 * first, or if the launch stops.
 */
static struct ptx_cluster *create_cluster(struct ptx_worker *worker, uint64_t index, int *error)
{
	struct vsm_ptx_launch *launch = worker->launch;
	struct ptx_cluster *cluster;
	bool alone = false;

	pthread_mutex_lock(&launch->lock);
	for (;;) {
		worker->ended = launch->ended_clusters;
		launch->starting++;
		/* The last attempt is made while no other worker can begin one. */
		if (!alone)
			pthread_mutex_unlock(&launch->lock);
		cluster = ptx_cluster_create(worker, index, error);
		if (!alone)
			pthread_mutex_lock(&launch->lock);
		launch->starting--;
		launch->live_clusters += cluster ? 1 : 0;
		pthread_cond_broadcast(&launch->room);
		if (cluster || !is_shortage(*error) || alone)
			break;
		if (!worker->cluster_count)
			wait_for_room(worker);
		if (worker->cluster_count || ptx_launch_stops(launch)) {
			*error = 0;
			break;
		}
		alone = !launch->live_clusters && !launch->starting;
	}
	pthread_mutex_unlock(&launch->lock);
	return cluster;
}

void ptx_launch_cluster_ended(struct vsm_ptx_launch *launch)
{
	pthread_mutex_lock(&launch->lock);
	launch->live_clusters--;
	__atomic_store_n(&launch->ended_clusters, launch->ended_clusters + 1, __ATOMIC_RELAXED);
	pthread_cond_broadcast(&launch->room);
	pthread_mutex_unlock(&launch->lock);
}

/* --- clusters -------------------------------------------------------------------------- */

/* Takes the number of the next cluster. Returns false if there is none. */
static bool take_index(struct ptx_worker *worker, uint64_t *index)
{
	struct vsm_ptx_launch *launch = worker->launch;

	if (worker->postponed) {
		*index = worker->index;
		return true;
	}
	*index = __atomic_fetch_add(&launch->next_cluster, 1, __ATOMIC_RELAXED);
	if (*index < launch->cluster_count)
		return true;
	/* The counter must not wrap, however often workers look. */
	__atomic_store_n(&launch->next_cluster, launch->cluster_count, __ATOMIC_RELAXED);
	return false;
}

/* Makes a cluster that was created one of the worker. */
static int add_cluster(struct ptx_worker *worker, struct ptx_cluster *cluster)
{
	struct vsm_ptx_launch *launch = worker->launch;
	uint32_t i, j;
	int err = 0;

	if (launch->config.seed && cluster->device) {
		/* Operations complete when the worker says so. */
		worker->calls++;
		err = vsm_cluster_hold(cluster->device, true);
	}
	cluster->next = worker->clusters;
	worker->clusters = cluster;
	worker->cluster_count++;
	ptx_event_remember(cluster);
	for (i = 0; i < launch->cluster_ctas; i++)
		for (j = 0; j < ptx_block_warps(launch); j++)
			ptx_worker_queue(worker, &cluster->ctas[i].warps[j]);
	return err;
}

bool ptx_worker_start(struct ptx_worker *worker)
{
	while (has_room(worker)) {
		struct ptx_cluster *cluster;
		int error = 0;

		if (!take_index(worker, &worker->index))
			return true;
		cluster = create_cluster(worker, worker->index, &error);
		worker->postponed = !cluster;
		if (cluster)
			error = add_cluster(worker, cluster);
		if (error) {
			ptx_fail_worker(worker, error);
			return false;
		}
		if (!cluster)
			return true;
	}
	return true;
}
