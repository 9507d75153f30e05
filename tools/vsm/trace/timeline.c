// SPDX-License-Identifier: MIT
/*
 * A timeline: what a trace shows, as tracks with slices on them. All formats are written from it.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base.h"
#include "trace/timeline.h"
#include "trace/trace.h"

/* --- a hash table from pairs of numbers to indices ------------------------ */

#define FIRST_SIZE 64

/* The entry of the pair, or the free entry where it belongs. @map is not empty. */
static struct map_entry *find(const struct map *map, uint64_t a, uint64_t b)
{
	uint64_t hash = (a ^ (b << 32 | b >> 32)) * 0x9e3779b97f4a7c15;
	size_t i = (hash ^ hash >> 32) & (map->size - 1);

	while (map->entries[i].index != MAP_NONE &&
	       (map->entries[i].a != a || map->entries[i].b != b))
		i = (i + 1) & (map->size - 1);
	return &map->entries[i];
}

size_t map_get(const struct map *map, uint64_t a, uint64_t b)
{
	return map->size ? find(map, a, b)->index : MAP_NONE;
}

static void resize(struct map *map)
{
	struct map old = *map;
	size_t i;

	map->size = old.size ? 2 * old.size : FIRST_SIZE;
	map->entries = must(reallocarray(NULL, map->size, sizeof(*map->entries)));
	for (i = 0; i < map->size; i++)
		map->entries[i].index = MAP_NONE;
	for (i = 0; i < old.size; i++)
		if (old.entries[i].index != MAP_NONE)
			*find(map, old.entries[i].a, old.entries[i].b) = old.entries[i];
	free(old.entries);
}

void map_set(struct map *map, uint64_t a, uint64_t b, size_t index)
{
	struct map_entry *entry;

	if (2 * map->count >= map->size)
		resize(map);
	entry = find(map, a, b);
	map->count += entry->index == MAP_NONE;
	*entry = (struct map_entry){ .a = a, .b = b, .index = index };
}

void map_free(struct map *map)
{
	free(map->entries);
	*map = (struct map){ };
}

/* --- the timeline --------------------------------------------------------- */

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
