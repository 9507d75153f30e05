// SPDX-License-Identifier: MIT
/*
 * A timeline that is being made: its tracks, slices, flows and samples.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "trace/build.h"
#include "trace/event.h"

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
