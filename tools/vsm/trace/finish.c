// SPDX-License-Identifier: MIT
/*
 * Turns what has been added to a timeline into the timeline: in order, with lines and flows.
 */
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "trace/build.h"
#include "trace/lines.h"

/* Returns -1, 0 or 1, as comparisons do. */
static int order(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static bool is_of_channel(const struct track *track)
{
	return track->kind == TRACK_COPY || track->kind == TRACK_JOB;
}

static int compare_tracks(const void *left, const void *right, void *tracks)
{
	const struct build_track *all = tracks;
	const struct track *a = &all[*(const size_t *)left].track;
	const struct track *b = &all[*(const size_t *)right].track;
	const uint64_t keys[][2] = {
		{ !all[*(const size_t *)left].used, !all[*(const size_t *)right].used },
		{ is_of_channel(a), is_of_channel(b) },
		{ a->cluster, b->cluster },
		{ a->kind, b->kind },
		{ a->cta, b->cta },
		{ a->warp, b->warp },
		{ a->addr, b->addr },
		{ a->client, b->client },
		{ a->channel, b->channel },
		{ a->line, b->line },
	};
	int result = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys) && !result; i++)
		result = order(keys[i][0], keys[i][1]);
	return result;
}

static int compare_slices(const void *left, const void *right, void *drafts)
{
	size_t i = *(const size_t *)left, j = *(const size_t *)right;
	const struct draft *all = drafts;

	return order(all[i].slice.start, all[j].slice.start) ?: order(i, j);
}

static size_t *numbers(size_t count)
{
	size_t *order = must(reallocarray(NULL, count + 1, sizeof(*order)));
	size_t i;

	for (i = 0; i < count; i++)
		order[i] = i;
	return order;
}

/* Returns an array with the place of each number in @order, which is freed. */
static size_t *places(size_t *order, size_t count)
{
	size_t *place = numbers(count);
	size_t i;

	for (i = 0; i < count; i++)
		place[order[i]] = i;
	free(order);
	return place;
}

/* Finds the tracks of channels whose slices have all moved to another track. */
static void mark_used(struct build *b)
{
	size_t i;

	for (i = 0; i < b->track_count; i++)
		b->tracks[i].used = !is_of_channel(&b->tracks[i].track);
	for (i = 0; i < b->draft_count; i++)
		b->tracks[b->drafts[i].slice.track].used = true;
}

/* Puts the tracks in order, the unused ones last. These are dropped. */
static size_t *put_tracks(struct build *b, struct timeline *timeline)
{
	size_t *order = numbers(b->track_count), i;

	mark_used(b);
	qsort_r(order, b->track_count, sizeof(*order), compare_tracks, b->tracks);
	timeline->tracks = must(calloc(b->track_count + 1, sizeof(*timeline->tracks)));
	for (i = 0; i < b->track_count; i++) {
		if (b->tracks[order[i]].used)
			timeline->tracks[timeline->track_count++] = b->tracks[order[i]].track;
		else
			free(b->tracks[order[i]].track.name);
	}
	return places(order, b->track_count);
}

static size_t *put_slices(struct build *b, struct timeline *timeline, const size_t *track_places)
{
	size_t *order = numbers(b->draft_count), i;

	qsort_r(order, b->draft_count, sizeof(*order), compare_slices, b->drafts);
	timeline->slices = must(calloc(b->draft_count + 1, sizeof(*timeline->slices)));
	timeline->slice_count = b->draft_count;
	for (i = 0; i < b->draft_count; i++) {
		struct slice *slice = &timeline->slices[i];

		*slice = b->drafts[order[i]].slice;
		slice->track = track_places[slice->track];
		if (slice->open && slice->kind != SLICE_PHASE)
			slice->bad = true;
	}
	return places(order, b->draft_count);
}

/* On the track of an mbarrier, the phases are above all others. */
static bool is_first(const struct timeline *timeline, const struct slice *slice)
{
	return timeline->tracks[slice->track].kind != TRACK_MBARRIER || slice->kind == SLICE_PHASE;
}

/* Puts the slices of each track on lines: first those that are above, then the others. */
static void put_slices_on_lines(struct timeline *timeline)
{
	uint32_t *above = must(calloc(timeline->track_count + 1, sizeof(*above)));
	size_t count = timeline->slice_count, i;
	struct time_span *spans = must(calloc(count + 1, sizeof(*spans)));
	struct slice *slice;

	/* The first line of an mbarrier is for phases, even if there are none. */
	for (i = 0; i < timeline->track_count; i++)
		above[i] = timeline->tracks[i].kind == TRACK_MBARRIER;
	for (i = 0; i < count; i++) {
		slice = &timeline->slices[i];
		spans[i] = (struct time_span){
			.start = slice->start, .end = slice->open ? UINT64_MAX : slice->end,
			.group = 2 * slice->track + !is_first(timeline, slice), .what = i,
		};
	}
	put_on_lines(spans, count);
	for (i = 0; i < count; i++) {
		slice = &timeline->slices[spans[i].what];
		slice->line = spans[i].line;
		if (!is_first(timeline, slice))
			slice->line += above[slice->track];
		else if (above[slice->track] <= slice->line)
			above[slice->track] = slice->line + 1;
	}
	free(spans);
	free(above);
}

static void add_links(struct build *b)
{
	size_t i;

	for (i = 0; i < b->link_count; i++) {
		const struct link *link = &b->links[i];
		size_t from = slice_of(b, link->cluster, link->cause);

		if (from != NO_SLICE && from != link->flow.to)
			add_flow(b, from, link->flow.to, link->flow.at_end);
	}
}

void build_finish(struct build *b, struct timeline *timeline)
{
	size_t *track_places, *slice_places, i;

	*timeline = (struct timeline){ .trace = b->trace, .start = b->start,
				       .length = b->length };
	add_links(b);
	track_places = put_tracks(b, timeline);
	slice_places = put_slices(b, timeline, track_places);
	put_slices_on_lines(timeline);
	for (i = 0; i < b->flow_count; i++) {
		b->flows[i].from = slice_places[b->flows[i].from];
		b->flows[i].to = slice_places[b->flows[i].to];
	}
	for (i = 0; i < b->sample_count; i++)
		b->samples[i].track = track_places[b->samples[i].track];
	timeline->flows = b->flows;
	timeline->flow_count = b->flow_count;
	timeline->samples = b->samples;
	timeline->sample_count = b->sample_count;
	for (i = 0; i < b->track_count; i++)
		free(b->tracks[i].waits);
	free(b->tracks);
	free(b->drafts);
	free(b->links);
	map_free(&b->track_of);
	map_free(&b->slice_of);
	free(track_places);
	free(slice_places);
}
