/* SPDX-License-Identifier: MIT */
/*
 * Creates the clusters of a launch.
 */
#ifndef _PTX_RUN_CLUSTER_H_
#define _PTX_RUN_CLUSTER_H_

#include "run/warp.h"

/*
 * Creates a cluster of a worker's launch, and its cluster of the device. @index is its number in
 * the grid. Returns NULL after an error, whose negative number is in @error.
 */
struct ptx_cluster *ptx_cluster_create(struct ptx_worker *worker, uint64_t index, int *error);
/* Frees a cluster. The worker gets the counts of its steps. */
void ptx_cluster_destroy(struct ptx_cluster *cluster);

#endif
