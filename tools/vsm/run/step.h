/* SPDX-License-Identifier: MIT */
/*
 * Executes an instruction or submits a job as a device thread.
 */
#ifndef _RUN_STEP_H_
#define _RUN_STEP_H_

#include "run/thread.h"

void step(struct thread *t, const struct statement *statement, struct outcome *outcome);

#endif
