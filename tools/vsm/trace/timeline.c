// SPDX-License-Identifier: MIT
/*
 * A timeline, and the details of its slices.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "trace/event.h"
#include "trace/timeline.h"

void timeline_free(struct timeline *timeline)
{
	size_t i;

	for (i = 0; i < timeline->track_count; i++)
		free(timeline->tracks[i].name);
	for (i = 0; i < timeline->slice_count; i++)
		free(timeline->slices[i].name);
	free(timeline->tracks);
	free(timeline->slices);
	free(timeline->flows);
	free(timeline->samples);
	*timeline = (struct timeline){ };
}

static void print_time(FILE *out, const char *name, uint64_t time)
{
	fprintf(out, "%s: %" PRIu64 ".%03u us\n", name, time / 1000, (unsigned int)(time % 1000));
}

/* Says how a slice has ended: what its end says that its begin does not. */
static void print_end(FILE *out, const struct timeline *timeline, const struct slice *slice)
{
	const struct drm_vsm_trace_event *events = timeline->trace->events, *end;

	if (slice->open) {
		fputs("end: it has not ended\n", out);
		return;
	}
	if (slice->end != slice->start)
		print_time(out, "took", slice->end - slice->start);
	if (slice->end_event == NO_EVENT) {
		if (slice->end != slice->start)
			fputs("end: it was not recorded\n", out);
		return;
	}
	end = &events[slice->end_event];
	if (end->type == DRM_VSM_TRACE_RELEASE)
		fputs("releases: the threads that wait\n", out);
	if (end->cause)
		fprintf(out, "ended by: %llu\n", end->cause);
	if (end == &events[slice->event])
		return;
	if (end->type == DRM_VSM_TRACE_PHASE && end->serial)
		fprintf(out, "serial number: %" PRIu32 "\n", end->serial);
	if (slice->kind == SLICE_PHASE) {
		fputs("completed by: ", out);
		event_print(out, timeline->trace, end);
		putc('\n', out);
	}
	if (end->error)
		fprintf(out, "error: %s\n", event_error_name(end->error));
}

void timeline_print_slice(FILE *out, const struct timeline *timeline, size_t index)
{
	const struct slice *slice = &timeline->slices[index];

	print_time(out, "time", slice->start);
	print_end(out, timeline, slice);
	event_print_details(out, timeline->trace, &timeline->trace->events[slice->event]);
}
