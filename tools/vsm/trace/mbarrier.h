/* SPDX-License-Identifier: MIT */
/*
 * Tracks of mbarriers: their phases, and what is pending.
 */
#ifndef _TRACE_MBARRIER_H_
#define _TRACE_MBARRIER_H_

#include "trace/build.h"

/* Adds what an event says about an mbarrier. @slice is that of the instruction, or NO_SLICE. */
void mbarrier_add(struct build *b, size_t event, size_t slice);
/* Adds the completion of a phase. */
void mbarrier_complete(struct build *b, size_t event);
/* Names the phases that have not completed, and marks those that are waited for. */
void mbarrier_finish(struct build *b);

#endif
