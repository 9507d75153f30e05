/* SPDX-License-Identifier: MIT */
/* Workers: threads of the host that run the warps of clusters. */
#ifndef _RUN_SCHEDULE_H_
#define _RUN_SCHEDULE_H_

#include "run/state.h"
#include "run/warp.h"

/* --- clusters ------------------------------------------------------------- */

/* Frees a cluster. The worker gets the counts of its steps. */
void ptx_cluster_destroy(struct ptx_cluster *cluster);

/* --- workers -------------------------------------------------------------- */

/* The function of a worker's thread. */
void *ptx_worker_run(void *worker);

#endif
