/* SPDX-License-Identifier: MIT */
/* Warp operations in the model of the rendezvous: which lanes take part, and their results. */
#ifndef VSM_UNIT_RENDEZVOUS_WARP_H
#define VSM_UNIT_RENDEZVOUS_WARP_H

#include "rendezvous_state.h"

/* Returns the source lane of a shfl.sync with PTX's operands b and c. @pred gets p. */
unsigned int rv_shfl_source(unsigned int mode, unsigned int lane, __u32 b, __u32 c, bool *pred);

/* Is @insn a shfl.sync whose source lane does not take part? @info gets the source lane. */
bool rv_source_missing(const struct party *w, unsigned int lane, const struct drm_vsm_insn *insn,
		       __u32 *info);

/* Does the lane take part in the instruction? Lanes that have exited do not. */
bool rv_takes_part(const struct party *w, const struct drm_vsm_insn *insn, unsigned int lane);

/* Releases the lane with a result or a fault. */
void rv_give(const struct party *w, unsigned int lane, __u64 result, enum drm_vsm_fault fault,
	     __u32 info);

/* Releases all lanes that take part, each with its result. All have executed the instruction. */
void rv_finish_warp_op(const struct party *w, const struct drm_vsm_insn *insn);

#endif
