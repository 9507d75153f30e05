/* SPDX-License-Identifier: MIT */
/* Where a thread is in a ring of stages that each have a full and an empty mbarrier */
#ifndef VSM_PIPELINE_CUH
#define VSM_PIPELINE_CUH

#include "vsm.cuh"

/*
 * Stage number @slot is next, and the phase to wait for has parity @phase. A consumer begins with
 * { 0, 0 }. A producer begins with { 0, 1 }: its first waits then return True at once, because
 * the phase before the first one counts as complete.
 */
struct pipe_state {
	u32 slot;
	u32 phase;

	__device__ __attribute__((always_inline, nodebug)) void next(u32 stages)
	{
		if (++slot == stages) {
			slot = 0;
			phase ^= 1;
		}
	}
};

/* Initialise the @stages mbarriers at @full and at @empty. One thread does this. */
PTX void pipe_init(u32 full, u32 full_count, u32 empty, u32 empty_count, u32 stages)
{
#pragma unroll 1
	for (u32 s = 0; s < stages; s++) {
		mbarrier_init(full + 8 * s, full_count);
		mbarrier_init(empty + 8 * s, empty_count);
	}
	fence_mbarrier_init();
}

#endif /* VSM_PIPELINE_CUH */
