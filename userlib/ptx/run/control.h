/* SPDX-License-Identifier: MIT */
/*
 * Steps that change the flow of control, except bra, which execute.c executes.
 */
#ifndef _PTX_RUN_CONTROL_H_
#define _PTX_RUN_CONTROL_H_

#include "run/warp.h"

/* Each executes a step for the lanes in @mask. Returns false after a fault. */
bool ptx_branch_indexed(struct ptx_warp *warp, struct ptx_group *group,
			const struct ptx_step *step, uint32_t mask);
bool ptx_call(struct ptx_warp *warp, struct ptx_group *group, const struct ptx_step *step,
	      uint32_t mask);
/* Lanes return from a function; those whose guard is false go on. */
void ptx_return(struct ptx_warp *warp, struct ptx_group *group, uint32_t mask);
/* Each records a fault: threads execute trap or brkpt, or reach the closing brace of a function. */
void ptx_trap(struct ptx_warp *warp, struct ptx_group *group, uint32_t mask);
void ptx_reach_end(struct ptx_warp *warp, struct ptx_group *group, uint32_t mask);

#endif
