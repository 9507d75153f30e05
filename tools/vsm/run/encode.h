/* SPDX-License-Identifier: MIT */
/*
 * Encodes an instruction of a scenario for the device.
 */
#ifndef _RUN_ENCODE_H_
#define _RUN_ENCODE_H_

#include "run/thread.h"

/*
 * Encodes @insn with the values that the registers of @t have now. Returns 0, or a negative errno
 * with a note in @outcome.
 */
int encode(const struct thread *t, const struct instruction *insn,
	   struct outcome *outcome, struct drm_vsm_insn *to);

#endif
