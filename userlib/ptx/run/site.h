/* SPDX-License-Identifier: MIT */
/*
 * What events name: instructions, and variables in shared memory.
 */
#ifndef _PTX_RUN_SITE_H_
#define _PTX_RUN_SITE_H_

#include "run/state.h"

/* The number that events have for a step. */
static inline uint32_t ptx_site_number(uint32_t step)
{
	return step + 1;
}

/* The instruction of a step. Returns false if none belongs to it. */
bool ptx_site_of(const struct vsm_ptx_launch *launch, uint32_t step, struct vsm_ptx_site *site);

#endif
