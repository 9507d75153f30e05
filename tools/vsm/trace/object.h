/* SPDX-License-Identifier: MIT */
/*
 * Which mbarrier a slice is about.
 */
#ifndef _TRACE_OBJECT_H_
#define _TRACE_OBJECT_H_

#include "trace/timeline.h"

#define NO_TRACK SIZE_MAX

/* Returns the track of the mbarrier that the slice is about, or NO_TRACK. */
size_t object_of(const struct timeline *timeline, const struct slice *slice);

#endif
