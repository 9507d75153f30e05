/* SPDX-License-Identifier: MIT */
/* Loads, stores and atomic operations. */
#ifndef _RUN_ACCESS_H_
#define _RUN_ACCESS_H_

#include "run/warp.h"

/* Each executes a step for the lanes in @mask. Returns false after a fault. */
bool ptx_load(struct ptx_warp *warp, struct ptx_group *group, const struct ptx_step *step,
	      uint32_t mask);
bool ptx_store(struct ptx_warp *warp, struct ptx_group *group, const struct ptx_step *step,
	       uint32_t mask);
bool ptx_atom(struct ptx_warp *warp, struct ptx_group *group, const struct ptx_step *step,
	      uint32_t mask);

#endif
