// SPDX-License-Identifier: MIT
/*
 * A timeline: how it is made from the events of a trace, and the details of its slices.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "trace/build.h"
#include "trace/channel.h"
#include "trace/event.h"
#include "trace/mbarrier.h"
#include "trace/warp.h"

/* --- making it ------------------------------------------------------------ */

static bool is_lost(const struct drm_vsm_trace_event *event)
{
	return event->type == DRM_VSM_TRACE_CLUSTER_LOST ||
	       event->type == DRM_VSM_TRACE_DEVICE_LOST;
}

static void add_event(struct build *b, size_t event)
{
	switch (event_at(b, event)->type) {
	case DRM_VSM_TRACE_INSN:
		mbarrier_add(b, event, warp_add(b, event, SLICE_INSN));
		break;
	case DRM_VSM_TRACE_COMMIT:
		warp_add(b, event, SLICE_INSN);
		break;
	case DRM_VSM_TRACE_PHASE:
		mbarrier_complete(b, event);
		break;
	case DRM_VSM_TRACE_SUSPEND:
	case DRM_VSM_TRACE_WAIT_ARM:
		warp_begin_wait(b, event);
		mbarrier_add(b, event, NO_SLICE);
		break;
	case DRM_VSM_TRACE_RESUME:
	case DRM_VSM_TRACE_WAIT_END:
		warp_end_wait(b, event);
		break;
	case DRM_VSM_TRACE_ARRIVE:
		warp_add(b, event, SLICE_ARRIVE);
		break;
	case DRM_VSM_TRACE_RELEASE:
		warp_release(b, event);
		break;
	case DRM_VSM_TRACE_COPY_ISSUE:
	case DRM_VSM_TRACE_COPY_BEGIN:
	case DRM_VSM_TRACE_COPY_END:
		channel_add_copy(b, event);
		break;
	case DRM_VSM_TRACE_COPY_DELIVER:
		mbarrier_add(b, event, NO_SLICE);
		break;
	case DRM_VSM_TRACE_JOB_QUEUE:
	case DRM_VSM_TRACE_JOB_BEGIN:
	case DRM_VSM_TRACE_JOB_END:
		channel_add_job(b, event);
		break;
	case DRM_VSM_TRACE_CHANNEL_RESET:
		channel_add_reset(b, event);
		break;
	case DRM_VSM_TRACE_FAULT:
		warp_add(b, event, SLICE_FAULT);
		break;
	}
}

void timeline_make(struct timeline *timeline, const struct trace *trace)
{
	struct build b = { .trace = trace };
	size_t i;

	if (trace->count) {
		b.start = trace->events[0].time;
		b.length = trace->events[trace->count - 1].time - b.start;
	}
	for (i = 0; i < trace->count; i++)
		add_event(&b, i);
	for (i = 0; i < trace->count; i++)
		if (is_lost(&trace->events[i]))
			warp_add_loss(&b, i);
	mbarrier_finish(&b);
	channel_finish(&b);
	build_finish(&b, timeline);
}

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

/* --- details -------------------------------------------------------------- */

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
