// SPDX-License-Identifier: MIT
/*
 * Which mbarrier a slice is about.
 */
#include "trace/event.h"
#include "trace/object.h"

size_t object_of(const struct timeline *timeline, const struct slice *slice)
{
	const struct drm_vsm_trace_event *event = &timeline->trace->events[slice->event];
	const struct track *track;
	uint32_t addr;
	size_t i;

	if (timeline->tracks[slice->track].kind == TRACK_MBARRIER)
		return slice->track;
	if (!event_has_mbarrier(event, &addr)) {
		addr = event->mbar;
		if (!addr)
			return NO_TRACK;
	}
	for (i = 0; i < timeline->track_count; i++) {
		track = &timeline->tracks[i];
		if (track->kind == TRACK_MBARRIER && track->cluster == event->cluster &&
		    track->addr == addr)
			return i;
	}
	return NO_TRACK;
}
