// SPDX-License-Identifier: MIT
/* The queue of a worker: its warps that can run. */
#include "run/queue.h"

/* A generator of random numbers (xorshift64*), for the order that a seed chooses. */
uint32_t ptx_random_below(struct ptx_worker *worker, uint32_t limit)
{
	worker->random ^= worker->random >> 12;
	worker->random ^= worker->random << 25;
	worker->random ^= worker->random >> 27;
	return (uint32_t)((worker->random * 0x2545f4914f6cdd1dULL) >> 32) % limit;
}

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

struct ptx_warp *ptx_worker_dequeue(struct ptx_worker *worker)
{
	struct ptx_warp **link = &worker->first, *before = NULL, *warp;
	uint32_t skip = 0;

	if (!worker->first)
		return NULL;
	if (worker->launch->config.seed)
		skip = ptx_random_below(worker, worker->runnable);
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
