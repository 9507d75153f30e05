// SPDX-License-Identifier: MIT
/*
 * Makes a timeline from the events of a trace. Each event is added to the track of its warp, of
 * its mbarrier or of its channel.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "trace/build.h"
#include "trace/trace.h"

/* --- warps: instructions, waits, arrivals at rendezvous ------------------- */

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

/*
 * Adds what a thread does at one time: an instruction, an arrival, a fault. Returns the slice;
 * NO_SLICE if the event belongs to no track.
 */
static size_t warp_add(struct build *b, size_t index, enum slice_kind kind)
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

/* Adds the begin of a wait (SUSPEND, WAIT_ARM). */
static void warp_begin_wait(struct build *b, size_t index)
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

/* Adds the end of a wait (RESUME, WAIT_END). */
static void warp_end_wait(struct build *b, size_t index)
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

/* Marks the arrival that has released threads. */
static void warp_release(struct build *b, size_t event)
{
	const struct drm_vsm_trace_event *e = event_at(b, event);
	size_t slice = slice_of(b, e->cluster, e->id);

	if (slice != NO_SLICE && b->drafts[slice].slice.kind == SLICE_ARRIVE)
		b->drafts[slice].slice.end_event = event;
}

/* Adds what has happened to all warps of a cluster, or of the device. Call it in the end. */
static void warp_add_loss(struct build *b, size_t index)
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

/* --- mbarriers: their phases, and what is pending ------------------------- */

/*
 * Tracks of mbarriers: their phases, and what is pending.
 *
 * A phase begins with the first event about it: an arrival, an expect-tx or a delivery, or a wait
 * for it. It ends with its PHASE event. The event of the instruction that completes the phase can
 * come before or after PHASE: the two have the same words. Events can be lost, and events of two
 * CPUs can be in the wrong order. A word with the other parity shows that a phase has completed.
 *
 * Phases have numbers since the init of the mbarrier, from 0, as in the reports of hangs. If the
 * init was not recorded, or events were lost, they have only their serial numbers.
 */

static bool parity_of(uint64_t word)
{
	return vsm_mbarrier_phase(word);
}

static void add_sample(struct build *b, size_t index, uint64_t time, uint64_t word)
{
	struct build_track *track = &b->tracks[index];
	struct vsm_mbarrier_fields f = vsm_mbarrier_decode(track->layout, word);

	if (track->sampled && track->pending == f.pending && track->tx == f.tx)
		return;
	track->sampled = true;
	track->pending = f.pending;
	track->tx = f.tx;
	b->samples = grow(b->samples, b->sample_count, sizeof(*b->samples));
	b->samples[b->sample_count++] = (struct sample){
		.track = index, .time = time, .pending = f.pending, .tx = f.tx,
	};
}

static char *phase_name(const struct build_track *track, uint32_t number, uint32_t serial,
			bool parity)
{
	char *name;
	int ret;

	if (track->numbered)
		ret = asprintf(&name, "phase %" PRIu32, number);
	else if (serial)
		ret = asprintf(&name, "phase with serial %" PRIu32, serial);
	else
		ret = asprintf(&name, "phase of parity %d", parity);
	if (ret < 0)
		must(NULL);
	return name;
}

static void begin_phase(struct build *b, size_t index, size_t event, bool parity)
{
	const struct build_track *track = &b->tracks[index];
	size_t slice = add_open_slice(b, index, SLICE_PHASE, event,
				      phase_name(track, track->number, 0, parity));

	b->drafts[slice].slice.lanes = 0;
	b->tracks[index].phase = slice;
	b->tracks[index].parity = parity;
}

/* The phase in progress has ended, which @event shows. */
static void close_phase(struct build *b, size_t index, size_t event)
{
	struct build_track *track = &b->tracks[index];

	if (track->phase == NO_SLICE)
		return;
	close_slice(b, track->phase, event);
	track->closed = track->phase;
	track->phase = NO_SLICE;
	track->completed = true;
	track->last = track->parity;
	if (track->serial)
		track->serial++;
	set_name(b, track->closed, phase_name(track, track->number++, track->serial, track->last));
}

/* An init or inval ends the object, and what is known about it. */
static void forget(struct build *b, size_t index, size_t event)
{
	struct build_track *track = &b->tracks[index];

	if (track->phase != NO_SLICE)
		close_slice(b, track->phase, event);
	track->phase = NO_SLICE;
	track->closed = NO_SLICE;
	track->done = NO_SLICE;
	track->flipped = false;
	track->completed = false;
	track->serial = 0;
	track->numbered = false;
	track->number = 0;
}

/*
 * The instruction of @slice has completed @phase. Its event came after PHASE, but the instruction
 * did not.
 */
static void completes(struct build *b, size_t slice, size_t phase)
{
	struct slice *insn = &b->drafts[slice].slice;

	if (insn->start > b->drafts[phase].slice.end) {
		insn->start = b->drafts[phase].slice.end;
		insn->end = insn->start;
	}
	add_flow(b, slice, phase, true);
}

static void add_change(struct build *b, size_t index, size_t event, size_t slice)
{
	const struct drm_vsm_trace_event *e = event_at(b, event);
	struct build_track *track = &b->tracks[index];
	bool flips = parity_of(e->word) != parity_of(e->next);
	bool same = track->before == e->word && track->after == e->next;

	if (e->word == e->next)
		return;
	add_sample(b, index, time_of(b, event), e->next);
	if (flips && track->done != NO_SLICE && same) {
		if (slice != NO_SLICE)
			completes(b, slice, track->done);
		track->done = NO_SLICE;
		return;
	}
	if (track->phase != NO_SLICE && parity_of(e->word) != track->parity)
		close_phase(b, index, event);
	if (track->phase == NO_SLICE)
		begin_phase(b, index, event, parity_of(e->word));
	track = &b->tracks[index];
	if (flips) {
		track->flipped = true;
		track->flip = slice;
		track->done = NO_SLICE;
		track->before = e->word;
		track->after = e->next;
	}
}

/* The word was found by a wait: it can be older than the last PHASE. */
static void add_wait(struct build *b, size_t index, size_t event)
{
	const struct drm_vsm_trace_event *e = event_at(b, event);
	struct build_track *track = &b->tracks[index];
	bool parity = parity_of(e->word);

	if (!track->sampled)
		add_sample(b, index, time_of(b, event), e->word);
	if (track->completed && parity == track->last)
		return;
	if (track->phase != NO_SLICE && parity != track->parity)
		close_phase(b, index, event);
	if (b->tracks[index].phase == NO_SLICE)
		begin_phase(b, index, event, parity);
}

/* Adds what an event says about an mbarrier. @slice is that of the instruction, or NO_SLICE. */
static void mbarrier_add(struct build *b, size_t event, size_t slice)
{
	const struct drm_vsm_trace_event *e = event_at(b, event);
	size_t index;
	uint32_t addr;

	if (!event_has_mbarrier(e, &addr) || e->error || e->type == DRM_VSM_TRACE_FAULT)
		return;
	if (e->type == DRM_VSM_TRACE_COPY_DELIVER && e->word == e->next)
		return;
	index = track_of_mbarrier(b, e->cluster, addr);
	if (e->type == DRM_VSM_TRACE_SUSPEND || e->type == DRM_VSM_TRACE_WAIT_ARM) {
		add_wait(b, index, event);
		return;
	}
	if (e->type == DRM_VSM_TRACE_COPY_DELIVER) {
		add_change(b, index, event, slice);
		return;
	}
	switch (e->op) {
	case DRM_VSM_OP_MBARRIER_INIT:
		forget(b, index, event);
		b->tracks[index].numbered = !b->trace->lost;
		add_sample(b, index, time_of(b, event), e->next);
		break;
	case DRM_VSM_OP_MBARRIER_INVAL:
		forget(b, index, event);
		break;
	case DRM_VSM_OP_MBARRIER_TEST_WAIT:
	case DRM_VSM_OP_MBARRIER_TRY_WAIT:
		if (!b->tracks[index].sampled)
			add_sample(b, index, time_of(b, event), e->word);
		break;
	default:
		add_change(b, index, event, slice);
	}
}

/* Returns the slice of the phase that an event completes, and the number of the phase. */
static size_t completed_phase(struct build *b, size_t index, size_t event, uint32_t *number)
{
	const struct drm_vsm_trace_event *e = event_at(b, event);
	struct build_track *track = &b->tracks[index];
	bool parity = parity_of(e->word);
	size_t slice = track->phase;

	if (slice != NO_SLICE && track->parity == parity) {
		end_slice(b, slice, event);
		track->phase = NO_SLICE;
		*number = track->number++;
		return slice;
	}
	slice = track->closed;
	if (slice != NO_SLICE && track->last == parity) {
		b->drafts[slice].slice.end_event = event;
		*number = track->number - 1;
		return slice;
	}
	*number = track->number++;
	slice = add_slice(b, index, SLICE_PHASE, event, NULL);
	b->drafts[slice].slice.lanes = 0;
	b->drafts[slice].slice.end_event = event;
	return slice;
}

/* Adds the completion of a phase. */
static void mbarrier_complete(struct build *b, size_t event)
{
	const struct drm_vsm_trace_event *e = event_at(b, event);
	size_t index = track_of_mbarrier(b, e->cluster, e->addr);
	uint32_t number;
	size_t slice = completed_phase(b, index, event, &number);
	struct build_track *track = &b->tracks[index];
	bool same = track->before == e->word && track->after == e->next;

	track->closed = NO_SLICE;
	track->completed = true;
	track->last = parity_of(e->word);
	track->serial = e->serial;
	set_name(b, slice, phase_name(track, number, e->serial, track->last));
	set_slice_of(b, e, slice);
	add_sample(b, index, time_of(b, event), e->next);
	add_link(b, e, slice, true);
	if (track->flipped && same) {
		if (!e->cause && track->flip != NO_SLICE)
			add_flow(b, track->flip, slice, true);
		track->flipped = false;
		track->done = NO_SLICE;
	} else {
		track->done = slice;
		track->before = e->word;
		track->after = e->next;
	}
}

/* Names the phases that have not completed, and marks those that are waited for. */
static void mbarrier_finish(struct build *b)
{
	struct build_track *track;
	size_t i;

	for (i = 0; i < b->track_count; i++) {
		track = &b->tracks[i];
		if (track->track.kind == TRACK_MBARRIER && track->phase != NO_SLICE &&
		    track->serial)
			set_name(b, track->phase, phase_name(track, track->number,
							     track->serial + 1, track->parity));
	}
	for (i = 0; i < b->draft_count; i++) {
		const struct draft *wait = &b->drafts[i];

		if (wait->slice.kind != SLICE_WAIT || !wait->slice.open ||
		    wait->mbarrier == SIZE_MAX)
			continue;
		track = &b->tracks[wait->mbarrier];
		if (track->phase != NO_SLICE)
			b->drafts[track->phase].slice.bad = true;
	}
}

/* --- channels: copies and jobs -------------------------------------------- */

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

/* Adds what an event says about a copy (COPY_ISSUE, COPY_BEGIN, COPY_END). */
static void channel_add_copy(struct build *b, size_t index)
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

/* Adds what an event says about a job. */
static void channel_add_job(struct build *b, size_t index)
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

/* Adds the reset of a channel. */
static void channel_add_reset(struct build *b, size_t index)
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
static void channel_finish(struct build *b)
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

/* --- all tracks ----------------------------------------------------------- */

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
