/* SPDX-License-Identifier: MIT */
/* Finds waits that a program only repeats until they return True. */
#ifndef _PTX_CODE_LOOP_H_
#define _PTX_CODE_LOOP_H_

#include "code/steps.h"

/* &ptx_step.flags of STEP_DEVICE: the instruction is a wait that the program only repeats. */
#define PTX_STEP_REPEATS	1

/*
 * Is the instruction at @index a test_wait or try_wait that is executed again, with the same
 * operands and without any other effect, whenever it has returned False?
 *
 * A thread in such a loop is as good as suspended until the phase completes. If no thread of a
 * cluster can do anything else, this is a deadlock. Any other wait may return False, so that the
 * program can do something else.
 *
 * @steps are the steps of the function: all of them have been decoded.
 */
bool ptx_wait_repeats(const struct ptx_function *function, const struct ptx_step *steps,
		      uint32_t index);

#endif
