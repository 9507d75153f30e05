/* SPDX-License-Identifier: MIT */
/*
 * What kernels print: vprintf and failed assertions.
 */
#ifndef _PTX_RUN_PRINT_H_
#define _PTX_RUN_PRINT_H_

#include "run/warp.h"

/* Each executes a step for the lanes in @mask. Returns false after a fault. */
bool ptx_print(struct ptx_warp *warp, struct ptx_group *group, const struct ptx_step *step,
	       uint32_t mask);
bool ptx_assert(struct ptx_warp *warp, struct ptx_group *group, const struct ptx_step *step,
		uint32_t mask);

#endif
