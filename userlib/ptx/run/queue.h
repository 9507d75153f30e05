/* SPDX-License-Identifier: MIT */
/* The queue of a worker: its warps that can run. */
#ifndef _RUN_QUEUE_H_
#define _RUN_QUEUE_H_

#include "run/state.h"

/* Puts a warp at the end of the queue of its worker, if it is not there. */
void ptx_worker_queue(struct ptx_worker *worker, struct ptx_warp *warp);
/* Takes the first warp from the queue, or with a seed any warp. NULL if the queue is empty. */
struct ptx_warp *ptx_worker_dequeue(struct ptx_worker *worker);
/* A number below @limit, for the order that a seed chooses. */
uint32_t ptx_random_below(struct ptx_worker *worker, uint32_t limit);

#endif
