/* SPDX-License-Identifier: MIT */
/*
 * Starts clusters, as memory allows.
 */
#ifndef _PTX_RUN_START_H_
#define _PTX_RUN_START_H_

#include "run/state.h"

/*
 * Starts clusters until the worker has as many as it may have. A worker that has none waits until
 * there is memory for one. Returns false on an error.
 */
bool ptx_worker_start(struct ptx_worker *worker);
/* A cluster of the launch has ended, and its memory is free. */
void ptx_launch_cluster_ended(struct vsm_ptx_launch *launch);

#endif
