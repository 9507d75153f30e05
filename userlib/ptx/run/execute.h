/* SPDX-License-Identifier: MIT */
/*
 * Runs the steps of a warp.
 */
#ifndef _PTX_RUN_EXECUTE_H_
#define _PTX_RUN_EXECUTE_H_

#include "run/warp.h"

/*
 * Runs a warp for up to @budget steps. Returns how many it has used: an access with a memory order
 * uses more than one, and nanosleep all that are left.
 */
uint32_t ptx_warp_run(struct ptx_warp *warp, uint32_t budget);
/* Can a group of the warp run? */
bool ptx_warp_is_runnable(const struct ptx_warp *warp);

#endif
