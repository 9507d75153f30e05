/* SPDX-License-Identifier: MIT */
/*
 * Workers: threads of the host that run the warps of clusters.
 */
#ifndef _PTX_RUN_SCHEDULE_H_
#define _PTX_RUN_SCHEDULE_H_

#include "run/state.h"

/* The function of a worker's thread. */
void *ptx_worker_run(void *worker);

#endif
