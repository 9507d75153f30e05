/* SPDX-License-Identifier: MIT */
/*
 * What threads meet at, once more and slowly: a record for each thread and for each arrival
 * of a warp, from which everything else is found out anew at every step. Written from PTX
 * 9.7.9.6, 9.7.12.7, 9.7.13.1 to .3, .9, .10, .12 and .14 and the uapi header; shares no
 * code with the device.
 */
#ifndef VSM_UNIT_RENDEZVOUS_MODEL_H
#define VSM_UNIT_RENDEZVOUS_MODEL_H

#include "rendezvous_state.h"

void meet_create(struct meet_model *m, unsigned int ctas, unsigned int threads);
void meet_destroy(struct meet_model *m);

/*
 * The thread executes a checked instruction, as the whole warp if it is converged. What is
 * refused changes nothing; @info gets what the fault says, or 0. A shfl.sync that reads what
 * is not there gets its own value, and SHFL_SOURCE with it, if that is not refused.
 */
enum drm_vsm_fault meet_execute(struct meet_model *m, unsigned int cta, unsigned int thread,
				bool converged, const struct drm_vsm_insn *insn, __u32 *info);

/* The thread goes on with its result. */
void meet_take(struct meet_model *m, unsigned int cta, unsigned int thread);

/* A suspended thread has never executed it. */
void meet_withdraw(struct meet_model *m, unsigned int cta, unsigned int thread);

/* The arrival by which the warp of a thread waits at a named barrier, or NULL. */
struct meet_arrival *meet_waits_at(struct meet_model *m, unsigned int cta, unsigned int thread,
				   unsigned int barrier);

#endif
