/* SPDX-License-Identifier: MIT */
/* Finds waits that a program only repeats until they return True. */
#ifndef _PTX_CODE_LOOP_H_
#define _PTX_CODE_LOOP_H_

#include "code/steps.h"

/*
 * &ptx_step.flags of STEP_DEVICE: the instruction is a wait that the program only repeats. With
 * PTX_STEP_REPEATS_LATER it may have had other operands before it has returned False once.
 */
#define PTX_STEP_REPEATS	1
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
