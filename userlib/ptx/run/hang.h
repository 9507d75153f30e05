/* SPDX-License-Identifier: MIT */
/*
 * Why a launch hangs: who waits where and for what, whose arrivals and bytes are missing, and which
 * of the waits is the cause of the others.
 */
#ifndef _PTX_RUN_HANG_H_
#define _PTX_RUN_HANG_H_

#include "run/stop.h"

/*
 * Finds the cause of a hang, when no worker of the launch runs any more. The caller holds
 * &vsm_ptx_launch.lock. Sets &ptx_fault.step. Returns NULL if there is no memory. The hang belongs
 * to the launch.
 */
const struct ptx_hang *ptx_hang_find(struct vsm_ptx_launch *launch);
void ptx_hang_free(struct ptx_hang *hang);

#endif
