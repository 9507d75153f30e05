// SPDX-License-Identifier: MIT
/*
 * Writes a timeline as one HTML page. The page has the trace as JSON; page/model.js reads it. The
 * JSON has tables, each with a list of numbers for each column. A text is a number in one list of
 * all texts. Times are differences to the row before.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "text.h"
#include "trace/page.h"
#include "trace/timeline.h"
#include "trace/trace.h"

/* --- texts, each of them once --------------------------------------------- */

/* A text of the list */
struct text {
	char *bytes;	/* the text */
	size_t size;	/* bytes of the text */
};

/* A list of texts */
struct string_table {
	struct text *list;	/* the texts */
	size_t count;		/* number of texts */
	size_t *slots;		/* hash table: number of a text plus 1, or 0 */
	size_t slot_count;	/* size of @slots: a power of two, at least twice @count; or 0 */
};

/* FNV-1a */
static uint64_t hash_of(const char *bytes, size_t size)
{
	uint64_t hash = 0xcbf29ce484222325;

	while (size--)
		hash = (hash ^ (unsigned char)*bytes++) * 0x100000001b3;
	return hash;
}

/* Returns the slot of a text, or the empty slot where it belongs. */
static size_t *find_slot(const struct string_table *table, const char *bytes, size_t size)
{
	size_t i = hash_of(bytes, size) & (table->slot_count - 1);
	const struct text *text;

	for (; table->slots[i]; i = (i + 1) & (table->slot_count - 1)) {
		text = &table->list[table->slots[i] - 1];
		if (text->size == size && !memcmp(text->bytes, bytes, size))
			break;
	}
	return &table->slots[i];
}

static void enlarge(struct string_table *table)
{
	size_t i;

	free(table->slots);
	table->slot_count = table->slot_count ? 2 * table->slot_count : 256;
	table->slots = must(calloc(table->slot_count, sizeof(*table->slots)));
	for (i = 0; i < table->count; i++)
		*find_slot(table, table->list[i].bytes, table->list[i].size) = i + 1;
}

/* Returns the number of a text, which is added if it is new. Begin with a list of zeros. */
static size_t string_table_add(struct string_table *table, const char *bytes, size_t size)
{
	struct text *text;
	size_t *slot;

	if (2 * (table->count + 1) > table->slot_count)
		enlarge(table);
	slot = find_slot(table, bytes, size);
	if (*slot)
		return *slot - 1;

	table->list = grow(table->list, table->count, sizeof(*table->list));
	text = &table->list[table->count];
	text->bytes = must(malloc(size + 1));
	memcpy(text->bytes, bytes, size);
	text->bytes[size] = 0;
	text->size = size;
	*slot = ++table->count;
	return table->count - 1;
}

static void string_table_free(struct string_table *table)
{
	size_t i;

	for (i = 0; i < table->count; i++)
		free(table->list[i].bytes);
	free(table->list);
	free(table->slots);
}

/* --- the mbarrier of a slice ---------------------------------------------- */

#define NO_TRACK MAP_NONE

/* Fills an empty table, by cluster and address, with the tracks of mbarriers. */
static void objects_make(struct map *objects, const struct timeline *timeline)
{
	const struct track *track;
	size_t i;

	for (i = 0; i < timeline->track_count; i++) {
		track = &timeline->tracks[i];
		if (track->kind == TRACK_MBARRIER)
			map_set(objects, track->cluster, track->addr, i);
	}
}

/* Returns the track of the mbarrier that the slice is about, or NO_TRACK. */
static size_t object_of(const struct map *objects, const struct timeline *timeline,
			const struct slice *slice)
{
	const struct drm_vsm_trace_event *event = &timeline->trace->events[slice->event];
	uint32_t addr;

	if (timeline->tracks[slice->track].kind == TRACK_MBARRIER)
		return slice->track;
	/* An event of a copy that has no mbarrier has the address 0. */
	if (!event_has_mbarrier(event, &addr)) {
		addr = event->mbar;
		if (!addr)
			return NO_TRACK;
	}
	return map_get(objects, event->cluster, addr);
}

/* --- the page ------------------------------------------------------------- */

/* Bits of the column "flags" of a slice. */
#define FLAG_OPEN 1
#define FLAG_BAD 2

static const char *const site_columns[] = { "text", "insn" };

static const char *const track_columns[] = {
	"kind", "cluster", "cta", "client", "channel", "name",
};

static const char *const slice_columns[] = {
	"track", "kind", "start", "length", "flags", "line", "name", "site", "object", "details",
};

static const char *const flow_columns[] = { "from", "to", "end" };

static const char *const sample_columns[] = { "track", "time", "pending", "tx" };

/* A page that is being written */
struct page {
	FILE *out;				/* where it is written to */
	const struct timeline *timeline;	/* what it shows */
	struct string_table texts;		/* all texts of the JSON */
	/* Numbers of the texts of the details of all slices, line by line */
	int64_t *details;
	size_t detail_count;			/* number of @details */
};

static size_t text_of(struct page *page, const char *text)
{
	return string_table_add(&page->texts, text, strlen(text));
}

static void put_string(const struct page *page, const char *key, const char *text)
{
	fprintf(page->out, "\"%s\":", key);
	escape_json(page->out, text, strlen(text), true);
	fputs(",\n", page->out);
}

/* Writes every @stride-th number, from the first one on. */
static void put_numbers(FILE *out, const char *key, const int64_t *numbers, size_t count,
			size_t stride)
{
	size_t i;

	fprintf(out, "\"%s\":[", key);
	for (i = 0; i < count; i++)
		fprintf(out, "%s%" PRId64, i ? "," : "", numbers[i * stride]);
	putc(']', out);
}

/* Writes a table, whose cells are in the order of the rows, and frees the cells. */
static void put_table(FILE *out, const char *key, const char *const *columns, size_t column_count,
		      int64_t *cells, size_t rows)
{
	size_t i;

	fprintf(out, "\"%s\":{", key);
	for (i = 0; i < column_count; i++) {
		fputs(i ? ",\n" : "\n", out);
		put_numbers(out, columns[i], cells + i, rows, column_count);
	}
	fputs("},\n", out);
	free(cells);
}

static int64_t *make_cells(size_t rows, size_t columns)
{
	return must(calloc(rows + 1, columns * sizeof(int64_t)));
}

static void put_sites(struct page *page)
{
	const struct trace *trace = page->timeline->trace;
	int64_t *cells = make_cells(trace->site_count, ARRAY_SIZE(site_columns)), *cell = cells;
	size_t i;

	for (i = 0; i < trace->site_count; i++) {
		*cell++ = text_of(page, trace->sites[i].text);
		*cell++ = text_of(page, trace->sites[i].insn);
	}
	put_table(page->out, "sites", site_columns, ARRAY_SIZE(site_columns), cells,
		  trace->site_count);
}

static void put_tracks(struct page *page)
{
	const struct timeline *timeline = page->timeline;
	int64_t *cells = make_cells(timeline->track_count, ARRAY_SIZE(track_columns));
	int64_t *cell = cells;
	const struct track *track;
	size_t i;

	for (i = 0; i < timeline->track_count; i++) {
		track = &timeline->tracks[i];
		*cell++ = track->kind;
		*cell++ = track->cluster;
		*cell++ = track->cta;
		*cell++ = track->client;
		*cell++ = track->channel;
		*cell++ = text_of(page, track->name);
	}
	put_table(page->out, "tracks", track_columns, ARRAY_SIZE(track_columns), cells,
		  timeline->track_count);
}

/* Adds the lines of details of all slices. Sets the last column of their cells. */
static void add_details(struct page *page, int64_t *cells)
{
	const struct timeline *timeline = page->timeline;
	char *text = NULL, *line, *end;
	size_t size = 0, i, before;
	FILE *memory;

	memory = must(open_memstream(&text, &size));
	for (i = 0; i < timeline->slice_count; i++) {
		rewind(memory);
		timeline_print_slice(memory, timeline, i);
		putc(0, memory);
		if (fflush(memory))
			must(NULL);
		before = page->detail_count;
		for (line = text; *line; line = end + (*end == '\n')) {
			end = line + strcspn(line, "\n");
			page->details = grow(page->details, page->detail_count,
					     sizeof(*page->details));
			page->details[page->detail_count++] =
				string_table_add(&page->texts, line, end - line);
		}
		cells += ARRAY_SIZE(slice_columns);
		cells[-1] = page->detail_count - before;
	}
	fclose(memory);
	free(text);
}

static void put_slices(struct page *page)
{
	const struct timeline *timeline = page->timeline;
	const struct trace *trace = timeline->trace;
	int64_t *cells = make_cells(timeline->slice_count, ARRAY_SIZE(slice_columns));
	int64_t *cell = cells;
	const struct trace_site *site;
	const struct slice *slice;
	struct map objects = { };
	uint64_t before = 0;
	size_t i, object;

	objects_make(&objects, timeline);
	for (i = 0; i < timeline->slice_count; i++, cell++) {
		slice = &timeline->slices[i];
		site = trace_find_site(trace, trace->events[slice->event].site);
		object = object_of(&objects, timeline, slice);
		*cell++ = slice->track;
		*cell++ = slice->kind;
		*cell++ = slice->start - before;
		*cell++ = slice->end - slice->start;
		*cell++ = (slice->open ? FLAG_OPEN : 0) | (slice->bad ? FLAG_BAD : 0);
		*cell++ = slice->line;
		*cell++ = text_of(page, slice->name);
		*cell++ = site ? site - trace->sites + 1 : 0;
		*cell++ = object == NO_TRACK ? 0 : object + 1;
		before = slice->start;
	}
	map_free(&objects);
	add_details(page, cells);
	put_table(page->out, "slices", slice_columns, ARRAY_SIZE(slice_columns), cells,
		  timeline->slice_count);
	put_numbers(page->out, "details", page->details, page->detail_count, 1);
	fputs(",\n", page->out);
}

static void put_flows(struct page *page)
{
	const struct timeline *timeline = page->timeline;
	int64_t *cells = make_cells(timeline->flow_count, ARRAY_SIZE(flow_columns)), *cell = cells;
	size_t i;

	for (i = 0; i < timeline->flow_count; i++) {
		*cell++ = timeline->flows[i].from;
		*cell++ = timeline->flows[i].to;
		*cell++ = timeline->flows[i].at_end;
	}
	put_table(page->out, "flows", flow_columns, ARRAY_SIZE(flow_columns), cells,
		  timeline->flow_count);
}

static void put_samples(struct page *page)
{
	const struct timeline *timeline = page->timeline;
	int64_t *cells = make_cells(timeline->sample_count, ARRAY_SIZE(sample_columns));
	int64_t *cell = cells;
	uint64_t before = 0;
	size_t i;

	for (i = 0; i < timeline->sample_count; i++) {
		*cell++ = timeline->samples[i].track;
		*cell++ = timeline->samples[i].time - before;
		*cell++ = timeline->samples[i].pending;
		*cell++ = timeline->samples[i].tx;
		before = timeline->samples[i].time;
	}
	put_table(page->out, "samples", sample_columns, ARRAY_SIZE(sample_columns), cells,
		  timeline->sample_count);
}

/* The texts come last, when all of them are known. */
static void put_texts(const struct page *page)
{
	size_t i;

	fputs("\"strings\":[", page->out);
	for (i = 0; i < page->texts.count; i++) {
		fputs(i ? ",\n" : "\n", page->out);
		escape_json(page->out, page->texts.list[i].bytes, page->texts.list[i].size, true);
	}
	putc(']', page->out);
}

bool write_html(FILE *out, const struct timeline *timeline)
{
	struct page page = { .out = out, .timeline = timeline };
	const struct trace *trace = timeline->trace;

	fputs(page_before, out);
	fputs("{\n", out);
	put_string(&page, "title", trace->title);
	put_string(&page, "note", trace->note ? trace->note : "");
	fprintf(out, "\"lost\":%" PRIu64 ",\n\"events\":%zu,\n\"length\":%" PRIu64 ",\n",
		trace->lost, trace->count, timeline->length);
	put_sites(&page);
	put_tracks(&page);
	put_slices(&page);
	put_flows(&page);
	put_samples(&page);
	put_texts(&page);
	fputs("}\n", out);
	fputs(page_after, out);
	string_table_free(&page.texts);
	free(page.details);
	return !fflush(out) && !ferror(out);
}
