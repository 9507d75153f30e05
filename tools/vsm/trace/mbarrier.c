// SPDX-License-Identifier: MIT
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
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "trace/event.h"
#include "trace/mbarrier.h"

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

void mbarrier_add(struct build *b, size_t event, size_t slice)
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

void mbarrier_complete(struct build *b, size_t event)
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

void mbarrier_finish(struct build *b)
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
