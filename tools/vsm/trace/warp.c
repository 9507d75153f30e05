// SPDX-License-Identifier: MIT
/*
 * Tracks of warps: instructions, waits, arrivals at rendezvous.
 */
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "trace/event.h"
#include "trace/warp.h"

#define LANES 32

/*
 * Returns the track of the thread. Without a thread it is the mbarrier's, or for a fault that of
 * the client's copies; SIZE_MAX if there is none of these.
 */
static size_t track_of(struct build *b, const struct drm_vsm_trace_event *event)
{
	if (event->lanes)
		return track_of_warp(b, event);
	if (event_op_has_mbarrier(event->op) ||
	    (event->type == DRM_VSM_TRACE_WAIT_ARM && !event->op) ||
	    (event->type == DRM_VSM_TRACE_WAIT_END && !event->op))
		return track_of_mbarrier(b, event->cluster, event->addr);
	if (event->type == DRM_VSM_TRACE_FAULT)
		return track_of_channel(b, TRACK_COPY, event->client, event->channel, 0);
	return SIZE_MAX;
}

/*
 * If events are lost, a thread that does something else has resumed before. @but is the wait that
 * the event is about.
 */
static void close_waits(struct build *b, size_t event, size_t track, size_t but)
{
	size_t *waits = b->tracks[track].waits;
	uint32_t lanes = event_at(b, event)->lanes;
	unsigned int i;

	if (!b->trace->lost || !waits)
		return;
	for (i = 0; i < LANES; i++) {
		if (!(lanes & BIT(i)) || waits[i] == NO_SLICE || waits[i] == but)
			continue;
		if (b->drafts[waits[i]].slice.open)
			close_slice(b, waits[i], event);
		waits[i] = NO_SLICE;
	}
}

/* Remembers the suspension of the lanes, for close_waits(). */
static void set_waits(struct build *b, size_t track, uint32_t lanes, size_t wait)
{
	struct build_track *warp = &b->tracks[track];
	unsigned int i;

	if (!b->trace->lost)
		return;
	if (!warp->waits) {
		warp->waits = must(reallocarray(NULL, LANES, sizeof(*warp->waits)));
		for (i = 0; i < LANES; i++)
			warp->waits[i] = NO_SLICE;
	}
	for (i = 0; i < LANES; i++)
		if (lanes & BIT(i))
			warp->waits[i] = wait;
}

size_t warp_add(struct build *b, size_t index, enum slice_kind kind)
{
	const struct drm_vsm_trace_event *event = event_at(b, index);
	size_t track = track_of(b, event), slice;

	if (track == SIZE_MAX)
		return NO_SLICE;
	if (event->lanes && kind != SLICE_FAULT)
		close_waits(b, index, track, NO_SLICE);
	slice = add_slice(b, track, kind, index, name_of_event(b, event));
	if (event->error || kind == SLICE_FAULT)
		b->drafts[slice].slice.bad = true;
	if (kind == SLICE_ARRIVE)
		set_slice_of(b, event, slice);
	return slice;
}

void warp_begin_wait(struct build *b, size_t index)
{
	const struct drm_vsm_trace_event *event = event_at(b, index);
	size_t track = track_of(b, event), slice;

	if (track == SIZE_MAX)
		return;
	if (event->lanes)
		close_waits(b, index, track, NO_SLICE);
	slice = add_open_slice(b, track, SLICE_WAIT, index, name_of_event(b, event));
	if (event_op_has_mbarrier(event->op))
		b->drafts[slice].mbarrier = track_of_mbarrier(b, event->cluster, event->addr);
	set_slice_of(b, event, slice);
	if (event->lanes && event->type == DRM_VSM_TRACE_SUSPEND)
		set_waits(b, track, event->lanes, slice);
}

void warp_end_wait(struct build *b, size_t index)
{
	const struct drm_vsm_trace_event *event = event_at(b, index);
	size_t slice = slice_of(b, event->cluster, event->id), track;
	uint64_t now = time_of(b, index);

	if (slice == NO_SLICE || b->drafts[slice].slice.kind != SLICE_WAIT ||
	    b->drafts[slice].slice.end_event != NO_EVENT) {
		/* Its begin was not recorded. */
		track = track_of(b, event);
		if (track == SIZE_MAX)
			return;
		slice = add_slice(b, track, SLICE_WAIT, index, name_of_event(b, event));
		b->drafts[slice].slice.start = event->value < now ? now - event->value : 0;
	}
	end_slice(b, slice, index);
	if (event->lanes && event->type == DRM_VSM_TRACE_RESUME)
		set_waits(b, track_of_warp(b, event), event->lanes, NO_SLICE);
	add_link(b, event, slice, true);
}

void warp_release(struct build *b, size_t event)
{
	const struct drm_vsm_trace_event *e = event_at(b, event);
	size_t slice = slice_of(b, e->cluster, e->id);

	if (slice != NO_SLICE && b->drafts[slice].slice.kind == SLICE_ARRIVE)
		b->drafts[slice].slice.end_event = event;
}

void warp_add_loss(struct build *b, size_t index)
{
	const struct drm_vsm_trace_event *event = event_at(b, index);
	bool device = event->type == DRM_VSM_TRACE_DEVICE_LOST;
	size_t i, count = b->track_count, slice;

	for (i = 0; i < count; i++) {
		const struct track *track = &b->tracks[i].track;

		if ((track->kind == TRACK_WARP && (device || track->cluster == event->cluster)) ||
		    (track->kind == TRACK_JOB && device)) {
			slice = add_slice(b, i, SLICE_LOST, index,
					  must(strdup(device ? "device lost" : "cluster lost")));
			b->drafts[slice].slice.bad = true;
		}
	}
}
