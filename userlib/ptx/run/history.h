/* SPDX-License-Identifier: MIT */
/*
 * What the threads of a cluster have done to its mbarriers (object.h) and barriers. note.h records
 * it while a kernel runs, and the reports of faults and hangs read it.
 *
 * Recording costs a look-up for each lane, and allocates memory only when an mbarrier is
 * initialised.
 */
#ifndef _PTX_RUN_HISTORY_H_
#define _PTX_RUN_HISTORY_H_

#include "run/object.h"

/**
 * struct ptx_barrier - A named barrier of a CTA, since it was last complete
 * @count: Number of threads that completes it; 0 if nobody has arrived
 * @arrived: Threads that have arrived: 32 for each arrival of a warp
 * @note_count: Number of notes
 * @notes: Arrivals; the amount is the count that the instruction has given, or 0
 */
struct ptx_barrier {
	uint32_t count;
	uint32_t arrived;
	uint32_t note_count;
	struct ptx_note notes[PTX_LANES];
};

#define PTX_NAMED_BARRIERS 16

/**
 * struct ptx_exit - How lanes of a warp have exited last
 * @step: The step in which they have exited; -1 if none have
 * @branch: The branch that has decided that they exit; -1 if it is not known
 */
struct ptx_exit {
	int64_t step;
	int64_t branch;
};

/**
 * struct ptx_history - What has happened in a cluster
 * @objects: Its mbarriers
 * @barriers: PTX_NAMED_BARRIERS for each CTA
 * @arrived: For each warp of each CTA: lanes that have arrived at the barrier of the cluster and
 *	have not begun to wait there
 * @arrive_steps: For each warp of each CTA the step in which lanes have last arrived there
 * @exits: For each warp of each CTA how lanes have exited last
 * @executed: A bit for each step: the device has executed it for a thread of the cluster
 */
struct ptx_history {
	struct ptx_objects objects;
	struct ptx_barrier *barriers;
	uint32_t *arrived;
	uint32_t *arrive_steps;
	struct ptx_exit *exits;
	uint8_t *executed;
};

/* Creates the history of a cluster. Returns NULL if there is no memory. */
struct ptx_history *ptx_history_create(struct vsm_ptx_launch *launch);
void ptx_history_destroy(struct vsm_ptx_launch *launch, struct ptx_history *history);
/*
 * Bytes of a history without its mbarriers. The caller charges them to the launch; mbarriers are
 * charged when they are initialised.
 */
uint64_t ptx_history_bytes(const struct vsm_ptx_launch *launch);

/* How lanes of a warp have exited last. */
struct ptx_exit ptx_history_exit(const struct ptx_cluster *cluster, uint32_t rank, uint32_t warp);
/* Has the device executed a step for a thread of the cluster? */
bool ptx_history_executed(const struct ptx_cluster *cluster, uint32_t step);
/* The mbarrier at a cluster shared address; NULL if none was ever initialised there. */
struct ptx_object *ptx_history_object(const struct ptx_cluster *cluster, uint32_t address);

/* Number of a warp in the arrays that have an element for each warp of each CTA. */
static inline uint32_t ptx_history_warp(const struct ptx_cluster *cluster, uint32_t rank,
					uint32_t warp)
{
	return rank * ptx_block_warps(cluster->launch) + warp;
}

#endif
