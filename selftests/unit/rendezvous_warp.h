/* SPDX-License-Identifier: MIT */
/* Warp operations in the model of the rendezvous: which lanes take part, and their results. */
#ifndef VSM_UNIT_RENDEZVOUS_WARP_H
#define VSM_UNIT_RENDEZVOUS_WARP_H

#include "rendezvous_state.h"

/* Where shfl.sync reads, by the lane and the operands of PTX; @pred gets p. */
unsigned int rv_shfl_source(unsigned int mode, unsigned int lane, __u32 b, __u32 c, bool *pred);

/* Does shfl.sync read a lane that does not take part? @info gets that lane. */
bool rv_source_missing(const struct party *w, unsigned int lane, const struct drm_vsm_insn *insn,
		       __u32 *info);

/* Does the lane take part in the complete instruction? The other lanes of the mask have exited. */
bool rv_takes_part(const struct party *w, const struct drm_vsm_insn *insn, unsigned int lane);

/* The lane is released with a result, or a fault. */
void rv_give(const struct party *w, unsigned int lane, __u64 result, enum drm_vsm_fault fault,
	     __u32 info);

/* All existing lanes of the mask have executed the instruction: gives each its result. */
void rv_finish_warp_op(const struct party *w, const struct drm_vsm_insn *insn);

#endif
