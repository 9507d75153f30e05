/* SPDX-License-Identifier: MIT */
/*
 * Clocks: the one that time limits refer to, and those that kernels read.
 */
#ifndef _PTX_RUN_CLOCK_H_
#define _PTX_RUN_CLOCK_H_

#include <stdint.h>
#include <time.h>

#include "run/warp.h"

/* CLOCK_MONOTONIC in ns. */
static inline int64_t ptx_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* Executes a step that reads clocks: fills their rows, and lets the ALU read them. */
void ptx_clock_read(struct ptx_warp *warp, struct ptx_regs *regs, const struct ptx_step *step,
		    uint32_t mask);

#endif
