// SPDX-License-Identifier: MIT
/*
 * Workers: threads of the host that run the warps of clusters, and sleep when none can run.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "run/clock.h"
#include "run/event.h"
#include "run/warp.h"

/* Steps that a warp runs before the next one does. */
#define SLICE	2000
/* Slices between two looks at what has happened meanwhile. */
#define LOOK	16

/* A generator of random numbers (xorshift64*), for the order that a seed chooses. */
static uint32_t random_below(struct ptx_worker *worker, uint32_t limit)
{
	worker->random ^= worker->random >> 12;
	worker->random ^= worker->random << 25;
	worker->random ^= worker->random >> 27;
	return (uint32_t)((worker->random * 0x2545f4914f6cdd1dULL) >> 32) % limit;
}

/* --- the queue ---------------------------------------------------------------------- */

void ptx_worker_queue(struct ptx_worker *worker, struct ptx_warp *warp)
{
	if (warp->queued)
		return;
	warp->queued = true;
	warp->next = NULL;
	if (worker->last)
		worker->last->next = warp;
	else
		worker->first = warp;
	worker->last = warp;
	worker->runnable++;
}

/* Takes the first warp from the queue, or with a seed any warp. */
static struct ptx_warp *dequeue(struct ptx_worker *worker)
{
	struct ptx_warp **link = &worker->first, *before = NULL, *warp;
	uint32_t skip = 0;

	if (!worker->first)
		return NULL;
	if (worker->launch->config.seed)
		skip = random_below(worker, worker->runnable);
	while (skip--) {
		before = *link;
		link = &before->next;
	}
	warp = *link;
	*link = warp->next;
	if (worker->last == warp)
		worker->last = before;
	warp->queued = false;
	worker->runnable--;
	return warp;
}

static void fail_worker(struct ptx_worker *worker, int error)
{
	struct ptx_fault fault = { .failure = FAILURE_ERROR, .error = error, .step = -1 };

	ptx_fail_launch(worker->launch, &fault);
}

/*
 * May the worker start one more cluster? If they need much memory, fewer run at the same time than
 * the configuration allows. The other half of the memory is for stacks that grow.
 */
static bool has_room(const struct ptx_worker *worker)
{
	struct vsm_ptx_launch *launch = worker->launch;

	if (!worker->cluster_count)
		return true;
	return worker->cluster_count < worker->limit && !ptx_launch_stops(launch) &&
	       __atomic_load_n(&launch->memory_used, __ATOMIC_RELAXED) < launch->memory_limit / 2;
}

/* --- clusters ----------------------------------------------------------------------- */

/*
 * Waits until the asynchronous operations of a cluster have ended, and reads what the device reports
 * about them.
 */
static void drain(struct ptx_worker *worker, struct ptx_cluster *cluster)
{
	int err;

	if (!cluster->issued)
		return;
	cluster->issued = false;
	worker->calls++;
	err = vsm_cluster_drain(cluster->device);
	if (err)
		fail_worker(worker, err);
	ptx_event_read(worker->launch->module->context);
}

static void end_cluster(struct ptx_worker *worker, struct ptx_cluster *cluster)
{
	struct ptx_cluster **link = &worker->clusters;

	/* What its threads have issued may still break a rule. */
	drain(worker, cluster);

	while (*link != cluster)
		link = &(*link)->next;
	*link = cluster->next;
	worker->cluster_count--;
	ptx_event_forget(cluster);
	ptx_cluster_destroy(cluster);
}

/* Starts clusters until the worker has as many as it may have. Returns false on an error. */
static bool start_clusters(struct ptx_worker *worker)
{
	struct vsm_ptx_launch *launch = worker->launch;
	uint32_t i, j;

	while (has_room(worker)) {
		uint64_t index = __atomic_fetch_add(&launch->next_cluster, 1, __ATOMIC_RELAXED);
		struct ptx_cluster *cluster;
		int error = 0;

		if (index >= launch->cluster_count) {
			/* The counter must not wrap, however often workers look. */
			__atomic_store_n(&launch->next_cluster, launch->cluster_count,
					 __ATOMIC_RELAXED);
			return true;
		}
		cluster = ptx_cluster_create(worker, index, &error);
		if (!cluster) {
			fail_worker(worker, error);
			return false;
		}
		if (launch->config.seed && cluster->device) {
			/* Operations complete when deliver() says so. */
			worker->calls++;
			error = vsm_cluster_hold(cluster->device, true);
		}
		cluster->next = worker->clusters;
		worker->clusters = cluster;
		worker->cluster_count++;
		ptx_event_remember(cluster);
		for (i = 0; i < launch->cluster_ctas; i++)
			for (j = 0; j < ptx_block_warps(launch); j++)
				ptx_worker_queue(worker, &cluster->ctas[i].warps[j]);
		if (error) {
			fail_worker(worker, error);
			return false;
		}
	}
	return true;
}

/* --- waits -------------------------------------------------------------------------- */

#define RECORDS 64

/* Resumes the groups whose waits have ended. Returns false on an error. */
static bool read_records(struct ptx_worker *worker)
{
	struct drm_vsm_wait_record records[RECORDS];
	int count, i;

	do {
		worker->calls++;
		count = vsm_waitset_read(worker->set, records, RECORDS, 0);
		if (count < 0) {
			fail_worker(worker, count);
			return false;
		}
		worker->armed -= count;
		for (i = 0; i < count; i++)
			ptx_device_resume(worker, (struct ptx_group *)(uintptr_t)records[i].user_data,
					  &records[i]);
	} while (count == RECORDS);
	return true;
}

bool ptx_worker_look(struct ptx_worker *worker)
{
	return !ptx_device_arm(worker) && read_records(worker);
}

/* Sleeps until a wait ends, something is reported, or the launch shall stop. */
static bool sleep_until_event(struct ptx_worker *worker)
{
	struct vsm_ptx_launch *launch = worker->launch;
	struct pollfd fds[] = {
		{ .fd = launch->wake, .events = POLLIN },
		{ .fd = vsm_waitset_fd(worker->set), .events = POLLIN },
		{ .fd = vsm_device_fd(launch->module->context->device), .events = POLLIN },
	};
	struct timespec left, *limit = NULL;

	if (launch->deadline >= 0) {
		int64_t ns = launch->deadline - ptx_now_ns();

		if (ns < 0)
			ns = 0;
		left = (struct timespec){ .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };
		limit = &left;
	}
	worker->calls++;
	if (ppoll(fds, 3, limit, NULL) < 0 && errno != EINTR) {
		fail_worker(worker, -errno);
		return false;
	}
	if (fds[2].revents)
		ptx_event_read(launch->module->context);
	return read_records(worker);
}

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
		drain(worker, cluster);
		worker->calls++;
		err = vsm_cluster_hold(cluster->device, true);
		if (err)
			fail_worker(worker, err);
	}
	return delivered;
}

/* Ends all waits that have a time limit. Returns whether there were any. */
static bool expire(struct ptx_worker *worker)
{
	struct ptx_cluster *cluster;
	bool expired = false;

	for (cluster = worker->clusters; cluster; cluster = cluster->next)
		expired |= ptx_device_expire(worker, cluster);
	return expired;
}

/*
 * With a seed, operations complete at random times between the slices of warps. If no warp can run,
 * they complete at once; if there are none, time passes until the next time limit of a wait. If
 * there is none either, the device finds the deadlock.
 */
static bool look_with_seed(struct ptx_worker *worker)
{
	if (worker->first) {
		if (!random_below(worker, 8))
			deliver(worker);
		return read_records(worker);
	}
	if (deliver(worker) || expire(worker))
		return read_records(worker);
	return sleep_until_event(worker);
}

/* --- the loop ----------------------------------------------------------------------- */

/* Runs a warp. Ends its cluster if all of its threads have exited. */
static void run_warp(struct ptx_worker *worker, struct ptx_warp *warp)
{
	struct ptx_cluster *cluster = warp->cta->cluster;
	uint32_t budget = SLICE;

	/* With a seed some slices are short, so that orders differ more. */
	if (worker->launch->config.seed)
		budget = 1 + random_below(worker, 1u << random_below(worker, 10));
	ptx_warp_run(warp, budget);
	if (ptx_launch_stops(worker->launch))
		return;
	if (!cluster->live)
		end_cluster(worker, cluster);
	else if (ptx_warp_is_runnable(warp))
		ptx_worker_queue(worker, warp);
}

static bool look(struct ptx_worker *worker)
{
	if (worker->launch->config.seed)
		return look_with_seed(worker);
	return worker->first ? read_records(worker) : sleep_until_event(worker);
}

static void run(struct ptx_worker *worker)
{
	struct vsm_ptx_launch *launch = worker->launch;
	unsigned int slices = 0;

	while (!ptx_launch_stops(launch) && start_clusters(worker) && worker->clusters) {
		struct ptx_warp *warp = dequeue(worker);

		if (warp)
			run_warp(worker, warp);
		if (ptx_launch_stops(launch))
			return;
		/* Waits are armed together, and only looked at from time to time. */
		if (warp && ++slices % LOOK && worker->first)
			continue;
		if (!check_time(worker) || (worker->set && ptx_device_arm(worker)))
			return;
		if (!worker->armed)
			continue;
		if (!look(worker))
			return;
	}
}

void *ptx_worker_run(void *data)
{
	struct ptx_worker *worker = data;
	struct vsm_ptx_launch *launch = worker->launch;

	run(worker);
	pthread_mutex_lock(&launch->lock);
	if (!--launch->running)
		pthread_cond_broadcast(&launch->ended);
	pthread_mutex_unlock(&launch->lock);
	return NULL;
}
