/* SPDX-License-Identifier: MIT */
/*
 * A slow model of the rendezvous: it records each thread and each arrival of a warp, and
 * derives everything else from these records at every step. It is written from PTX 9.7.9.6,
 * 9.7.12.7, 9.7.13.1 to .3, .9, .10, .12 and .14 and from the uapi header, and shares no code
 * with the device.
 */
#ifndef VSM_UNIT_RENDEZVOUS_MODEL_H
#define VSM_UNIT_RENDEZVOUS_MODEL_H

#include "rendezvous_state.h"

void rv_create(struct rv_model *m, unsigned int ctas, unsigned int threads);
void rv_destroy(struct rv_model *m);

/*
 * The thread executes an instruction that vsm_insn_check() has accepted. If @converged is set, it
 * executes it for the whole warp. A refused instruction changes nothing. @info gets the fault's
 * info, or 0. If the source lane of a shfl.sync does not take part, the lane gets its own value and
 * SHFL_SOURCE, unless the cluster enforces that rule.
 */
enum drm_vsm_fault rv_execute(struct rv_model *m, unsigned int cta, unsigned int thread,
			      bool converged, const struct drm_vsm_insn *insn, __u32 *info);

/* The thread takes its result and leaves the instruction. */
void rv_take(struct rv_model *m, unsigned int cta, unsigned int thread);

/* A suspended thread withdraws, as if it had never executed the instruction. */
void rv_withdraw(struct rv_model *m, unsigned int cta, unsigned int thread);

/* Returns the arrival with which the thread's warp waits at a named barrier, or NULL. */
struct rv_arrival *rv_waits_at(struct rv_model *m, unsigned int cta, unsigned int thread,
			       unsigned int barrier);

#endif
