/* SPDX-License-Identifier: MIT */
/* Finds waits that a program only repeats until they return True. */
#ifndef _PTX_CODE_LOOP_H_
#define _PTX_CODE_LOOP_H_

#include "code/steps.h"

/*
 * &ptx_step.flags of STEP_DEVICE, at most one of them. The instruction is a wait that the program
 * only repeats until it returns True:
 */
#define PTX_STEP_REPEATS	1	/* always with the same operands */
/* With the same operands from the second time on; those of the first time may differ. */
#define PTX_STEP_REPEATS_LATER	2

/*
 * Mark each test_wait and try_wait that is executed again, with the same operands and without any
 * other effect, whenever it has returned False. All functions have been decoded.
 *
 * A thread in such a loop is as good as suspended until the phase completes. If no thread of a
 * cluster can do anything else, this is a deadlock. Any other wait may return False, so that the
 * program can do something else.
 *
 * Return: whether there was enough memory.
 */
bool ptx_mark_waits(struct ptx_program *program);

#endif
