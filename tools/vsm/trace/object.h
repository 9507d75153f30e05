/* SPDX-License-Identifier: MIT */
/*
 * Which mbarrier a slice is about.
 */
#ifndef _TRACE_OBJECT_H_
#define _TRACE_OBJECT_H_

#include "trace/map.h"
#include "trace/timeline.h"

#define NO_TRACK MAP_NONE

/* Fills an empty table, by cluster and address, with the tracks of mbarriers. */
void objects_make(struct map *objects, const struct timeline *timeline);
/* Returns the track of the mbarrier that the slice is about, or NO_TRACK. */
size_t object_of(const struct map *objects, const struct timeline *timeline,
		 const struct slice *slice);

#endif
