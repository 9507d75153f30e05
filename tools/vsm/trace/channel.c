// SPDX-License-Identifier: MIT
/*
 * Tracks of channels: copies and jobs. Until channel_finish(), all slices of a channel are on
 * its track with line 0.
 */
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "trace/channel.h"
#include "trace/lines.h"

static size_t find(const struct build *b, const struct drm_vsm_trace_event *event,
		   enum slice_kind kind)
{
	size_t slice = slice_of(b, event->cluster, event->id);

	return slice != NO_SLICE && b->drafts[slice].slice.kind == kind ? slice : NO_SLICE;
}

static size_t copy_track(struct build *b, const struct drm_vsm_trace_event *event)
{
	return track_of_channel(b, TRACK_COPY, event->client, event->channel, 0);
}

static void issue_copy(struct build *b, size_t index)
{
	const struct drm_vsm_trace_event *event = event_at(b, index);
	size_t copy, issue;

	copy = add_open_slice(b, copy_track(b, event), SLICE_COPY, index,
			      name_of_event(b, event));
	set_slice_of(b, event, copy);
	add_link(b, event, copy, false);
	if (event->lanes) {
		issue = add_slice(b, track_of_warp(b, event), SLICE_ISSUE, index,
				  name_of_event(b, event));
		add_flow(b, issue, copy, false);
	}
}

void channel_add_copy(struct build *b, size_t index)
{
	const struct drm_vsm_trace_event *event = event_at(b, index);
	size_t copy = find(b, event, SLICE_COPY);
	struct draft *draft;

	if (event->type == DRM_VSM_TRACE_COPY_ISSUE) {
		issue_copy(b, index);
		return;
	}
	if (copy == NO_SLICE && event->type == DRM_VSM_TRACE_COPY_BEGIN) {
		/* The end of a copy without a number cannot be found. Its COPY_END shows it. */
		if (!event->id)
			return;
		copy = add_open_slice(b, copy_track(b, event), SLICE_COPY, index,
				      name_of_event(b, event));
		set_slice_of(b, event, copy);
		b->drafts[copy].begun = true;
	} else if (copy == NO_SLICE) {
		copy = add_slice(b, copy_track(b, event), SLICE_COPY, index,
				 name_of_event(b, event));
		end_slice(b, copy, index);
	} else if (event->type == DRM_VSM_TRACE_COPY_END) {
		end_slice(b, copy, index);
	} else {
		draft = &b->drafts[copy];
		if (draft->begun || !draft->slice.open)
			return;
		draft->begun = true;
		draft->slice.start = time_of(b, index);
		draft->slice.track = copy_track(b, event);
	}
}

static char *job_name(const char *what, const struct drm_vsm_trace_event *event)
{
	char *name;

	if (asprintf(&name, event->id ? "%s %llu" : "%s", what, event->id) < 0)
		must(NULL);
	return name;
}

static size_t job_track(struct build *b, const struct drm_vsm_trace_event *event)
{
	return track_of_channel(b, TRACK_JOB, event->client, event->channel, 0);
}

static void begin_job(struct build *b, size_t index)
{
	const struct drm_vsm_trace_event *event = event_at(b, index);
	size_t queue = find(b, event, SLICE_QUEUE), job;

	/* The end of a job without a number cannot be found. Its JOB_END shows it. */
	if (!event->id || find(b, event, SLICE_JOB) != NO_SLICE)
		return;
	job = add_open_slice(b, job_track(b, event), SLICE_JOB, index, job_name("job", event));
	set_slice_of(b, event, job);
	if (queue != NO_SLICE && b->drafts[queue].slice.open) {
		end_slice(b, queue, index);
		b->drafts[queue].next = job;
		b->drafts[job].follows = true;
		b->drafts[job].slice.track = b->drafts[queue].slice.track;
	}
}

static void end_job(struct build *b, size_t index)
{
	const struct drm_vsm_trace_event *event = event_at(b, index);
	size_t job = find(b, event, SLICE_JOB);

	/* A job that is dropped from the queue ends without a begin. */
	if (job == NO_SLICE)
		job = find(b, event, SLICE_QUEUE);
	if (job == NO_SLICE || !b->drafts[job].slice.open)
		job = add_slice(b, job_track(b, event), SLICE_JOB, index, job_name("job", event));
	end_slice(b, job, index);
}

void channel_add_job(struct build *b, size_t index)
{
	const struct drm_vsm_trace_event *event = event_at(b, index);
	size_t queue;

	switch (event->type) {
	case DRM_VSM_TRACE_JOB_QUEUE:
		queue = add_open_slice(b, job_track(b, event), SLICE_QUEUE, index,
				       job_name("queued job", event));
		set_slice_of(b, event, queue);
		break;
	case DRM_VSM_TRACE_JOB_BEGIN:
		begin_job(b, index);
		break;
	default:
		end_job(b, index);
	}
}

void channel_add_reset(struct build *b, size_t index)
{
	size_t slice = add_slice(b, job_track(b, event_at(b, index)), SLICE_LOST, index,
				 must(strdup("channel reset")));

	b->drafts[slice].slice.bad = true;
}

static bool spreads(const struct build *b, const struct draft *draft)
{
	enum track_kind kind = b->tracks[draft->slice.track].track.kind;

	return (kind == TRACK_COPY || kind == TRACK_JOB) && !draft->follows &&
	       draft->slice.kind != SLICE_LOST && draft->slice.kind != SLICE_FAULT;
}

/* Moves slices that overlap from the track of their channel to tracks of their own. */
void channel_finish(struct build *b)
{
	struct time_span *spans = must(calloc(b->draft_count + 1, sizeof(*spans)));
	size_t count = 0, i, slice, track;
	const struct slice *last;

	for (i = 0; i < b->draft_count; i++) {
		if (!spreads(b, &b->drafts[i]))
			continue;
		for (slice = i; b->drafts[slice].next != NO_SLICE;)
			slice = b->drafts[slice].next;
		last = &b->drafts[slice].slice;
		spans[count++] = (struct time_span){
			.start = b->drafts[i].slice.start, .what = i,
			.end = last->open ? UINT64_MAX : last->end,
			.group = b->drafts[i].slice.track,
		};
	}
	put_on_lines(spans, count);
	for (i = 0; i < count; i++) {
		const struct track of = b->tracks[spans[i].group].track;

		track = track_of_channel(b, of.kind, of.client, of.channel, spans[i].line);
		for (slice = spans[i].what; slice != NO_SLICE; slice = b->drafts[slice].next)
			b->drafts[slice].slice.track = track;
	}
	free(spans);
}
