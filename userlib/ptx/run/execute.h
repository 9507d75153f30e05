/* SPDX-License-Identifier: MIT */
/* Runs the steps of a warp. */
#ifndef _RUN_EXECUTE_H_
#define _RUN_EXECUTE_H_

#include "run/state.h"
#include "run/warp.h"

/* --- operations in flight ------------------------------------------------- */

/*
 * Waits until the asynchronous operations of a cluster have ended, and records what the device
 * reports about them.
 */
void ptx_cluster_drain(struct ptx_cluster *cluster);

/* --- records of waits ----------------------------------------------------- */

/* Resumes the groups whose waits have ended. Does not block. Returns false on an error. */
bool ptx_records_read(struct ptx_worker *worker);
/* The same, but sleeps until a wait ends, something is reported, or the launch shall stop. */
bool ptx_records_wait(struct ptx_worker *worker);

/* --- steps ---------------------------------------------------------------- */

/*
 * Runs a warp for up to @budget steps. Returns how many it has used: an access with a memory order
 * uses more than one, and nanosleep all that are left.
 */
uint32_t ptx_warp_run(struct ptx_warp *warp, uint32_t budget);
/* Can a group of the warp run? */
bool ptx_warp_is_runnable(const struct ptx_warp *warp);

#endif
