// SPDX-License-Identifier: MIT
/*
 * Which mbarrier a slice is about.
 */
#include "trace/event.h"
#include "trace/object.h"

void objects_make(struct map *objects, const struct timeline *timeline)
{
	const struct track *track;
	size_t i;

	for (i = 0; i < timeline->track_count; i++) {
		track = &timeline->tracks[i];
		if (track->kind == TRACK_MBARRIER)
			map_set(objects, track->cluster, track->addr, i);
	}
}

size_t object_of(const struct map *objects, const struct timeline *timeline,
		 const struct slice *slice)
{
	const struct drm_vsm_trace_event *event = &timeline->trace->events[slice->event];
	uint32_t addr;

	if (timeline->tracks[slice->track].kind == TRACK_MBARRIER)
		return slice->track;
	/* An event of a copy that has no mbarrier has the address 0. */
	if (!event_has_mbarrier(event, &addr)) {
		addr = event->mbar;
		if (!addr)
			return NO_TRACK;
	}
	return map_get(objects, event->cluster, addr);
}
