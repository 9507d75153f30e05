// SPDX-License-Identifier: MIT
/*
 * Clusters that run: their CTAs and warps, and the cluster of the device.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "code/special.h"
#include "run/cluster.h"
#include "run/group.h"
#include "run/history.h"
#include "run/limit.h"
#include "run/sized.h"
#include "run/trace.h"

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
	set_row(warp, SPECIAL_TOTAL_SMEM_SIZE, 0, launch->window_bytes);
	set_row(warp, SPECIAL_AGGR_SMEM_SIZE, 0, launch->window_bytes);
	set_row(warp, SPECIAL_DYNAMIC_SMEM_SIZE, 0, config->smem_bytes);
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
	for (i = 0; i < warps; i++) {
		err = warp_init(&cta->warps[i], cta, i);
		if (err)
			return err;
		set_rows(&cta->warps[i], at, in);
	}
	return 0;
}

/* --- clusters ----------------------------------------------------------------------- */

static struct vsm_cluster_config shape_of(const struct vsm_ptx_launch *launch)
{
	return (struct vsm_cluster_config){
		.ctas = launch->cluster_ctas,
		.threads = ptx_block_threads(launch),
		/* The device wants a window, even if the kernel has no shared memory. */
		.smem_bytes = launch->window_bytes ? launch->window_bytes : 16,
		.layout = launch->module->module->target >= 90 ? VSM_LAYOUT_SM_90
							       : VSM_LAYOUT_SM_80,
		.policy = launch->config.policy,
		.trace_events = ptx_traces(launch) ? PTX_TRACE_EVENTS : 0,
	};
}

void vsm_ptx_launch_shape_sized(const struct vsm_ptx_launch *launch,
				struct vsm_cluster_config *shape, size_t size)
{
	struct vsm_cluster_config full = shape_of(launch);

	ptx_struct_copy(shape, size, &full, sizeof(full));
}

static int create_windows(struct ptx_cluster *cluster)
{
	struct vsm_ptx_launch *launch = cluster->launch;
	struct vsm_cluster_config config = shape_of(launch);

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
	return launch->cluster_ctas * (launch->window_bytes + ptx_block_warps(launch) * warp) +
	       (launch->program->needs_device ? ptx_history_bytes(launch) : 0);
}

struct ptx_cluster *ptx_cluster_create(struct ptx_worker *worker, uint64_t index, int *error)
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
	}
	ptx_uncharge(launch, cluster_bytes(launch));
	vsm_cluster_destroy(cluster->device);
	ptx_history_destroy(launch, cluster->history);
	free(cluster->windows);
	free(cluster);
}
