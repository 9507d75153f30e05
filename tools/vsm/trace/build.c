// SPDX-License-Identifier: MIT
/*
 * A timeline that is being made. tracks.c adds tracks, slices, flows and samples, in the order of
 * the events. build_finish() then puts them in order, with lines and flows.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "trace/build.h"
#include "trace/trace.h"

/* --- spans of time that overlap ------------------------------------------- */

/*
 * A binary heap of lines. The line with the lowest time is the first; of equal times that with the
 * lowest number
 */
struct heap {
	struct item {
		uint64_t time;
		uint32_t line;
	} *items;	/* lines and their times */
	size_t count;	/* number of @items */
};

static bool is_before(const struct item *a, const struct item *b)
{
	return a->time < b->time || (a->time == b->time && a->line < b->line);
}

static void heap_push(struct heap *heap, uint64_t time, uint32_t line)
{
	struct item item = { time, line };
	size_t i;

	heap->items = grow(heap->items, heap->count, sizeof(*heap->items));
	for (i = heap->count++; i && is_before(&item, &heap->items[(i - 1) / 2]); i = (i - 1) / 2)
		heap->items[i] = heap->items[(i - 1) / 2];
	heap->items[i] = item;
}

static uint32_t heap_pop(struct heap *heap)
{
	uint32_t line = heap->items[0].line;
	struct item last = heap->items[--heap->count];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < heap->count) {
		if (child + 1 < heap->count &&
		    is_before(&heap->items[child + 1], &heap->items[child]))
			child++;
		if (!is_before(&heap->items[child], &last))
			break;
		heap->items[i] = heap->items[child];
		i = child;
	}
	heap->items[i] = last;
	return line;
}

static int compare(const void *left, const void *right)
{
	const struct time_span *a = left, *b = right;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->what > b->what) - (a->what < b->what);
}

/* Puts the spans of one group, which are sorted, on lines. */
static void put_group(struct time_span *spans, size_t count)
{
	/* Lines with a span, by its end; and lines without one, by their number. */
	struct heap busy = { }, idle = { };
	uint32_t lines = 0;
	size_t i;

	for (i = 0; i < count; i++) {
		while (busy.count && busy.items[0].time <= spans[i].start)
			heap_push(&idle, 0, heap_pop(&busy));
		spans[i].line = idle.count ? heap_pop(&idle) : lines++;
		heap_push(&busy, spans[i].end, spans[i].line);
	}
	free(busy.items);
	free(idle.items);
}

void put_on_lines(struct time_span *spans, size_t count)
{
	size_t first, next;

	if (count)
		qsort(spans, count, sizeof(*spans), compare);
	for (first = 0; first < count; first = next) {
		next = first + 1;
		while (next < count && spans[next].group == spans[first].group)
			next++;
		put_group(spans + first, next - first);
	}
}

/* --- tracks --------------------------------------------------------------- */

static size_t add_track(struct build *b, const struct track *track, char *name)
{
	struct build_track new = {
		.track = *track,
		.layout = event_layout(b->trace, track->cluster),
		.phase = NO_SLICE,
		.closed = NO_SLICE,
		.done = NO_SLICE,
		.flip = NO_SLICE,
	};

	new.track.name = name;
	b->tracks = grow(b->tracks, b->track_count, sizeof(*b->tracks));
	b->tracks[b->track_count] = new;
	return b->track_count++;
}

static char *print_name(const char *format, ...) __attribute__((format(printf, 1, 2)));

static char *print_name(const char *format, ...)
{
	va_list args;
	char *name;
	int length;

	va_start(args, format);
	length = vasprintf(&name, format, args);
	va_end(args);
	return must(length < 0 ? NULL : name);
}

size_t track_of_warp(struct build *b, const struct drm_vsm_trace_event *event)
{
	struct track track = { .kind = TRACK_WARP, .cluster = event->cluster, .cta = event->cta,
			       .warp = event->thread / 32 };
	uint64_t key = (uint64_t)track.kind << 32 | track.cluster;
	uint64_t rest = (uint64_t)track.cta << 32 | track.warp;
	size_t index = map_get(&b->track_of, key, rest);

	if (index == MAP_NONE) {
		index = add_track(b, &track, print_name("warp %" PRIu32, track.warp));
		map_set(&b->track_of, key, rest, index);
	}
	return index;
}

static char *name_of_place(const struct build *b, uint32_t cluster, uint32_t addr)
{
	size_t size;
	char *name;
	FILE *out = must(open_memstream(&name, &size));

	trace_print_address(out, b->trace, cluster, addr);
	if (fclose(out))
		must(NULL);
	return name;
}

size_t track_of_mbarrier(struct build *b, uint32_t cluster, uint32_t addr)
{
	struct track track = { .kind = TRACK_MBARRIER, .cluster = cluster, .addr = addr,
			       .cta = addr >> VSM_SHARED_RANK_SHIFT };
	uint64_t key = (uint64_t)track.kind << 32 | cluster;
	size_t index = map_get(&b->track_of, key, addr);

	if (index == MAP_NONE) {
		index = add_track(b, &track, name_of_place(b, cluster, addr));
		map_set(&b->track_of, key, addr, index);
	}
	return index;
}

size_t track_of_channel(struct build *b, enum track_kind kind, uint32_t client, uint32_t channel,
			uint32_t line)
{
	struct track track = { .kind = kind, .client = client, .channel = channel, .line = line };
	uint64_t key = (uint64_t)kind << 32 | client, rest = (uint64_t)channel << 32 | line;
	size_t index = map_get(&b->track_of, key, rest);

	if (index == MAP_NONE) {
		index = add_track(b, &track, print_name("%s %" PRIu32,
							kind == TRACK_JOB ? "jobs of channel" :
									    "channel", channel));
		map_set(&b->track_of, key, rest, index);
	}
	return index;
}

/* --- slices --------------------------------------------------------------- */

size_t add_slice(struct build *b, size_t track, enum slice_kind kind, size_t event, char *name)
{
	struct draft draft = { .next = NO_SLICE, .mbarrier = SIZE_MAX };

	draft.slice = (struct slice){
		.track = track,
		.kind = kind,
		.start = time_of(b, event),
		.end = time_of(b, event),
		.event = event,
		.end_event = NO_EVENT,
		.lanes = event_at(b, event)->lanes,
		.name = name,
	};
	b->drafts = grow(b->drafts, b->draft_count, sizeof(*b->drafts));
	b->drafts[b->draft_count] = draft;
	return b->draft_count++;
}

size_t add_open_slice(struct build *b, size_t track, enum slice_kind kind, size_t event,
		      char *name)
{
	size_t slice = add_slice(b, track, kind, event, name);

	b->drafts[slice].slice.open = true;
	b->drafts[slice].slice.end = b->length;
	return slice;
}

void close_slice(struct build *b, size_t index, size_t event)
{
	struct slice *slice = &b->drafts[index].slice;

	slice->open = false;
	slice->end = time_of(b, event);
	if (slice->end < slice->start)
		slice->end = slice->start;
}

void end_slice(struct build *b, size_t index, size_t event)
{
	struct slice *slice = &b->drafts[index].slice;

	close_slice(b, index, event);
	slice->end_event = event;
	if (event_at(b, event)->error)
		slice->bad = true;
}

void set_name(struct build *b, size_t slice, char *name)
{
	free(b->drafts[slice].slice.name);
	b->drafts[slice].slice.name = name;
}

void set_slice_of(struct build *b, const struct drm_vsm_trace_event *event, size_t slice)
{
	if (event->id)
		map_set(&b->slice_of, event->id, event->cluster, slice);
}

size_t slice_of(const struct build *b, uint32_t cluster, uint64_t number)
{
	return number ? map_get(&b->slice_of, number, cluster) : NO_SLICE;
}

void add_flow(struct build *b, size_t from, size_t to, bool at_end)
{
	b->flows = grow(b->flows, b->flow_count, sizeof(*b->flows));
	b->flows[b->flow_count++] = (struct flow){ .from = from, .to = to, .at_end = at_end };
}

void add_link(struct build *b, const struct drm_vsm_trace_event *event, size_t to, bool at_end)
{
	if (!event->cause)
		return;
	b->links = grow(b->links, b->link_count, sizeof(*b->links));
	b->links[b->link_count++] = (struct link){
		.cluster = event->cluster, .cause = event->cause,
		.flow = { .to = to, .at_end = at_end },
	};
}

static void print_operands(FILE *out, const struct build *b,
			   const struct drm_vsm_trace_event *event)
{
	bool copy = event->type >= DRM_VSM_TRACE_COPY_ISSUE &&
		    event->type <= DRM_VSM_TRACE_COPY_END;

	if (event_op_has_mbarrier(event->op) || (copy && event->addr)) {
		putc(' ', out);
		event_print_address(out, b->trace, event, event->addr, event->cta);
	} else if (event_op_has_barrier(event->op)) {
		fprintf(out, " %" PRIu32, event->addr);
	} else if (event->type == DRM_VSM_TRACE_COMMIT) {
		fprintf(out, " %llu", event->value);
	}
	if (copy && event->size)
		fprintf(out, " %" PRIu32 " B", event->size);
}

char *name_of_event(const struct build *b, const struct drm_vsm_trace_event *event)
{
	static const char prefix[] = "mbarrier.";
	size_t size;
	char *name;
	FILE *out = must(open_memstream(&name, &size));

	event_print_op(out, event);
	print_operands(out, b, event);
	if (event->fault)
		fprintf(out, ": %s", vsm_fault_name(event->fault));
	if (fclose(out))
		must(NULL);
	if (!strncmp(name, prefix, strlen(prefix)))
		memmove(name, name + strlen(prefix), size - strlen(prefix) + 1);
	return name;
}

/* --- the finished timeline ------------------------------------------------ */

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
