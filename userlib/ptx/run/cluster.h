/* SPDX-License-Identifier: MIT */
/*
 * Creates the clusters of a launch.
 */
#ifndef _PTX_RUN_CLUSTER_H_
#define _PTX_RUN_CLUSTER_H_

#include "run/warp.h"

struct ptx_cluster *ptx_cluster_create(struct ptx_worker *worker, uint64_t index, int *error);
void ptx_cluster_destroy(struct ptx_cluster *cluster);

#endif
