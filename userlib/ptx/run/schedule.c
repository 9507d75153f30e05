// SPDX-License-Identifier: MIT
/* Workers: threads of the host that run the warps of clusters, and sleep when none can run. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "code/decoder.h"
#include "run/address.h"
#include "run/device.h"
#include "run/execute.h"
#include "run/group.h"
#include "run/history.h"
#include "run/limit.h"
#include "run/memory.h"
#include "run/queue.h"
#include "run/schedule.h"

/* --- clusters ------------------------------------------------------------- */

/* --- special registers -------------------------------------------------------------- */

static void set_row(struct ptx_warp *warp, enum ptx_special special, unsigned int dim,
		    uint64_t value)
{
	uint64_t *row = warp->rows + (size_t)ptx_special_row(special, dim) * PTX_LANES;
	uint32_t lane;

	for (lane = 0; lane < PTX_LANES; lane++)
		row[lane] = value;
}

static void set_vector(struct ptx_warp *warp, enum ptx_special special, const uint32_t value[3])
{
	unsigned int dim;

	for (dim = 0; dim < 3; dim++)
		set_row(warp, special, dim, value[dim]);
}

static void set_lane_rows(struct ptx_warp *warp)
{
	const uint32_t *block = ptx_launch_of(warp)->config.block;
	uint32_t lane;

	for (lane = 0; lane < PTX_LANES; lane++) {
		uint32_t thread = warp->number * PTX_LANES + lane, bit = 1u << lane;
		const uint64_t values[][2] = {
			{ ptx_special_row(SPECIAL_TID, 0), thread % block[0] },
			{ ptx_special_row(SPECIAL_TID, 1), thread / block[0] % block[1] },
			{ ptx_special_row(SPECIAL_TID, 2), thread / block[0] / block[1] },
			{ ptx_special_row(SPECIAL_LANEID, 0), lane },
			{ ptx_special_row(SPECIAL_LANEMASK_EQ, 0), bit },
			{ ptx_special_row(SPECIAL_LANEMASK_LE, 0), bit | (bit - 1) },
			{ ptx_special_row(SPECIAL_LANEMASK_LT, 0), bit - 1 },
			{ ptx_special_row(SPECIAL_LANEMASK_GE, 0), (uint32_t)~(bit - 1) },
			{ ptx_special_row(SPECIAL_LANEMASK_GT, 0), (uint32_t)~(bit | (bit - 1)) },
		};
		unsigned int i;

		for (i = 0; i < sizeof(values) / sizeof(values[0]); i++)
			warp->rows[values[i][0] * PTX_LANES + lane] = values[i][1];
	}
}

/* @at is the cluster in the grid of clusters, @in the CTA in the cluster. */
static void set_rows(struct ptx_warp *warp, const uint32_t at[3], const uint32_t in[3])
{
	const struct vsm_ptx_launch *launch = ptx_launch_of(warp);
	const struct ptx_program *program = launch->program;
	const struct vsm_ptx_config *config = &launch->config;
	const struct ptx_cta *cta = warp->cta;
	uint32_t clusters[3], i;

	for (i = 0; i < 3; i++)
		clusters[i] = config->grid[i] / config->cluster[i];
	set_vector(warp, SPECIAL_NTID, config->block);
	set_vector(warp, SPECIAL_CTAID, cta->ctaid);
	set_vector(warp, SPECIAL_NCTAID, config->grid);
	set_vector(warp, SPECIAL_CLUSTERID, at);
	set_vector(warp, SPECIAL_NCLUSTERID, clusters);
	set_vector(warp, SPECIAL_CLUSTER_CTAID, in);
	set_vector(warp, SPECIAL_CLUSTER_NCTAID, config->cluster);
	set_row(warp, SPECIAL_CLUSTER_CTARANK, 0, cta->rank);
	set_row(warp, SPECIAL_CLUSTER_NCTARANK, 0, launch->cluster_ctas);
	set_row(warp, SPECIAL_IS_EXPLICIT_CLUSTER, 0, launch->explicit_cluster);
	set_row(warp, SPECIAL_WARPID, 0, warp->number);
	set_row(warp, SPECIAL_NWARPID, 0, ptx_block_warps(launch));
	/* The multiprocessor of a CTA: as many as CTAs run at the same time. */
	set_row(warp, SPECIAL_NSMID, 0, config->resident);
	set_row(warp, SPECIAL_SMID, 0,
		(cta->cluster->index * launch->cluster_ctas + cta->rank) % config->resident);
	set_row(warp, SPECIAL_TOTAL_SMEM_SIZE, 0, launch->window_bytes - program->reserved_bytes);
	set_row(warp, SPECIAL_AGGR_SMEM_SIZE, 0, launch->window_bytes);
	set_row(warp, SPECIAL_DYNAMIC_SMEM_SIZE, 0, config->smem_bytes);
	set_row(warp, SPECIAL_RESERVED_BEGIN, 0, 0);
	set_row(warp, SPECIAL_RESERVED_END, 0, program->reserved_bytes);
	set_row(warp, SPECIAL_RESERVED_CAP, 0, program->reserved_bytes);
	set_row(warp, SPECIAL_RESERVED_0, 0, 0);
	/* Cooperative groups use 288 bytes from here on: any offset up to 736 does. */
	set_row(warp, SPECIAL_RESERVED_1, 0, program->reserved_bytes / 2);
	set_row(warp, SPECIAL_ENVREG1, 0, launch->workspace >> 32);
	set_row(warp, SPECIAL_ENVREG2, 0, (uint32_t)launch->workspace);
	set_row(warp, SPECIAL_ENVREG, 0, 0);
	set_lane_rows(warp);
	for (i = 0; i < program->shared_row_count; i++) {
		uint64_t *row = warp->rows + (size_t)(PTX_SPECIAL_ROWS + i) * PTX_LANES;
		uint32_t lane;

		for (lane = 0; lane < PTX_LANES; lane++)
			row[lane] = ((uint64_t)cta->rank << PTX_RANK_SHIFT) +
				    program->shared_rows[i];
	}
}

/* --- warps and CTAs ----------------------------------------------------------------- */

static int warp_init(struct ptx_warp *warp, struct ptx_cta *cta, uint32_t number)
{
	const struct vsm_ptx_launch *launch = cta->cluster->launch;
	uint32_t threads = ptx_block_threads(launch) - number * PTX_LANES;
	size_t rows = PTX_SPECIAL_ROWS + launch->program->shared_row_count;
	struct ptx_frame *frame;
	unsigned int i;

	warp->cta = cta;
	warp->number = number;
	warp->lanes = threads < PTX_LANES ? (1u << threads) - 1 : ~0u;
	for (i = 0; i < PTX_LANES; i++)
		warp->groups[i].warp = warp;
	warp->rows = aligned_alloc(64, rows * PTX_LANES * sizeof(uint64_t));
	if (launch->program->needs_device)
		warp->issues = calloc(PTX_ISSUES, sizeof(*warp->issues));
	if (!warp->rows || (launch->program->needs_device && !warp->issues))
		return -ENOMEM;
	memset(warp->rows, 0, rows * PTX_LANES * sizeof(uint64_t));
	frame = ptx_frame_create(warp, NULL, &launch->program->bodies[0]);
	if (!frame)
		return -ENOMEM;
	frame->lanes = warp->lanes;
	warp->groups[0].state = GROUP_RUNNABLE;
	warp->groups[0].lanes = warp->lanes;
	warp->groups[0].pc = launch->program->bodies[0].first;
	warp->groups[0].frame = frame;
	return 0;
}

static void warp_free(struct ptx_warp *warp)
{
	unsigned int i;

	for (i = 0; i < PTX_LANES; i++)
		if (warp->groups[i].state != GROUP_FREE)
			ptx_frame_leave(warp->groups[i].frame, warp->groups[i].lanes);
	free(warp->rows);
	free(warp->local);
	free(warp->issues);
}

static void split_index(uint64_t index, const uint32_t size[3], uint32_t at[3])
{
	at[0] = index % size[0];
	at[1] = index / size[0] % size[1];
	at[2] = index / size[0] / size[1];
}

static int cta_init(struct ptx_cta *cta, struct ptx_cluster *cluster, uint32_t rank)
{
	const struct vsm_ptx_launch *launch = cluster->launch;
	const struct vsm_ptx_config *config = &launch->config;
	uint32_t warps = ptx_block_warps(launch);
	uint32_t clusters[3], at[3], in[3], i;
	int err;

	for (i = 0; i < 3; i++)
		clusters[i] = config->grid[i] / config->cluster[i];
	split_index(cluster->index, clusters, at);
	split_index(rank, config->cluster, in);
	cta->cluster = cluster;
	cta->rank = rank;
	cta->live = ptx_block_threads(launch);
	for (i = 0; i < 3; i++)
		cta->ctaid[i] = at[i] * config->cluster[i] + in[i];
	cta->window = cluster->device
			      ? vsm_cluster_window(cluster->device, rank)
			      : cluster->windows + (size_t)rank * launch->window_bytes;
	cta->warps = calloc(warps, sizeof(*cta->warps));
	if (!cta->warps)
		return -ENOMEM;
	if (cluster->device && config->policy == DRM_VSM_POLICY_STRICT) {
		cta->valid.words = calloc(ptx_valid_words(launch), sizeof(*cta->valid.words));
		if (!cta->valid.words)
			return -ENOMEM;
	}
	for (i = 0; i < warps; i++) {
		err = warp_init(&cta->warps[i], cta, i);
		if (err)
			return err;
		set_rows(&cta->warps[i], at, in);
	}
	return 0;
}

/* --- clusters ----------------------------------------------------------------------- */

struct vsm_cluster_config vsm_ptx_launch_shape(const struct vsm_ptx_launch *launch)
{
	return (struct vsm_cluster_config){
		.ctas = launch->cluster_ctas,
		.threads = ptx_block_threads(launch),
		/* The device wants a window, even if the kernel has no shared memory. */
		.smem_bytes = launch->window_bytes ? launch->window_bytes : 16,
		.layout = launch->module->module->target >= 90 ? VSM_LAYOUT_SM_90
							       : VSM_LAYOUT_SM_80,
		.policy = launch->config.policy,
		.enforce = launch->config.enforce & ~PTX_RULE_PARITY,
		.trace_events = ptx_traces(launch) ? PTX_TRACE_EVENTS : 0,
	};
}

static int create_windows(struct ptx_cluster *cluster)
{
	struct vsm_ptx_launch *launch = cluster->launch;
	struct vsm_cluster_config config = vsm_ptx_launch_shape(launch);

	if (launch->program->needs_device) {
		cluster->history = ptx_history_create(launch);
		if (!cluster->history)
			return -ENOMEM;
		return vsm_cluster_create(launch->module->context->device, &config,
					  &cluster->device);
	}
	cluster->windows = calloc(launch->cluster_ctas, config.smem_bytes);
	return cluster->windows ? 0 : -ENOMEM;
}

/* What a cluster needs apart from frames and local memory. */
static uint64_t cluster_bytes(const struct vsm_ptx_launch *launch)
{
	uint64_t rows = PTX_SPECIAL_ROWS + launch->program->shared_row_count;
	uint64_t warp = sizeof(struct ptx_warp) + rows * PTX_LANES * sizeof(uint64_t);

	if (launch->program->needs_device)
		warp += PTX_ISSUES * sizeof(struct ptx_issue);
	return launch->cluster_ctas * (launch->window_bytes + ptx_block_warps(launch) * warp +
				       ptx_valid_words(launch) * sizeof(uint64_t)) +
	       (launch->program->needs_device ? ptx_history_bytes(launch) : 0);
}

/*
 * Creates a cluster of a worker's launch, and its cluster of the device. @index is its number in
 * the grid. Returns NULL after an error, whose negative number is in @error.
 */
static struct ptx_cluster *ptx_cluster_create(struct ptx_worker *worker, uint64_t index, int *error)
{
	struct vsm_ptx_launch *launch = worker->launch;
	struct ptx_cluster *cluster;
	uint32_t i;

	*error = -ENOMEM;
	if (!ptx_charge(launch, cluster_bytes(launch)))
		return NULL;
	cluster = calloc(1, sizeof(*cluster) + launch->cluster_ctas * sizeof(cluster->ctas[0]));
	if (!cluster) {
		ptx_uncharge(launch, cluster_bytes(launch));
		return NULL;
	}
	cluster->worker = worker;
	cluster->launch = launch;
	cluster->index = index;
	cluster->live = launch->cluster_ctas * ptx_block_threads(launch);
	*error = create_windows(cluster);
	for (i = 0; !*error && i < launch->cluster_ctas; i++)
		*error = cta_init(&cluster->ctas[i], cluster, i);
	if (!*error)
		return cluster;
	ptx_cluster_destroy(cluster);
	return NULL;
}

void ptx_cluster_destroy(struct ptx_cluster *cluster)
{
	struct vsm_ptx_launch *launch = cluster->launch;
	struct ptx_worker *worker = cluster->worker;
	uint32_t i, j;

	for (i = 0; i < launch->cluster_ctas && cluster->ctas[i].warps; i++) {
		for (j = 0; j < ptx_block_warps(launch); j++) {
			worker->steps += cluster->ctas[i].warps[j].steps;
			worker->lane_steps += cluster->ctas[i].warps[j].lane_steps;
			/* A warp that was not initialised has no memory. */
			ptx_uncharge(launch, PTX_LANES * cluster->ctas[i].warps[j].local_bytes);
			warp_free(&cluster->ctas[i].warps[j]);
		}
		free(cluster->ctas[i].warps);
		free(cluster->ctas[i].valid.words);
	}
	ptx_uncharge(launch, cluster_bytes(launch));
	vsm_cluster_destroy(cluster->device);
	ptx_history_destroy(launch, cluster->history);
	free(cluster->windows);
	free(cluster);
}

/* --- starting clusters ---------------------------------------------------- */

/*
 * Starts clusters, as memory allows.
 *
 * The memory of the device, or that of the launch, may not suffice for a cluster while other
 * clusters run. A worker that runs some itself then tries again later. A worker that runs none
 * waits until one of the launch has ended. It is an error only if none of the launch runs, or if
 * the launch is cooperative: its clusters may wait for each other.
 */

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
	       (launch->config.cooperative ||
		__atomic_load_n(&launch->memory_used, __ATOMIC_RELAXED) < launch->memory_limit / 2);
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
		if (cluster || !is_shortage(*error) || alone || launch->config.cooperative)
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

/* A cluster of the launch has ended, and its memory is free. */
static void ptx_launch_cluster_ended(struct vsm_ptx_launch *launch)
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

/*
 * Starts clusters until the worker has as many as it may have. A worker that has none waits until
 * there is memory for one. Returns false on an error.
 */
static bool ptx_worker_start(struct ptx_worker *worker)
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

/* --- workers -------------------------------------------------------------- */

/* Steps that a warp runs before the next one does. */
#define SLICE	2000
/* Slices between two looks at what has happened meanwhile. */
#define LOOK	16

/* --- clusters ----------------------------------------------------------------------- */

static void end_cluster(struct ptx_worker *worker, struct ptx_cluster *cluster)
{
	struct ptx_cluster **link = &worker->clusters;

	if (!ptx_device_flush(worker))
		return;
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
		/* A warp that spins may wait for lanes that are in the batch. */
		if ((!worker->first || worker->batch_seen) && !ptx_device_flush(worker))
			return;
		worker->batch_seen = worker->batch_count;
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
