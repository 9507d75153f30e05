// SPDX-License-Identifier: MIT
/*
 * Writes a trace to a file, in the format that the ending of the file's name says. With the option
 * --timeline=FILE, the events of programs are gathered for that while they run.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "trace/export.h"
#include "trace/file.h"
#include "trace/timeline.h"
#include "vm.h"

/* --- formats -------------------------------------------------------------- */

/**
 * struct format - A format of files
 * @ending: End of the names of its files
 * @write: Writes a timeline; NULL for the formats of traces
 * @write_range: Writes a part of a timeline; or NULL
 */
static const struct format {
	const char *ending;
	bool (*write)(FILE *out, const struct timeline *timeline);
	bool (*write_range)(FILE *out, const struct timeline *timeline, uint64_t from,
			    uint64_t to);
} formats[] = {
	{ .ending = ".pftrace", .write = write_perfetto },
	{ .ending = ".html", .write = write_html },
	{ .ending = ".svg", .write_range = write_svg },
	{ .ending = ".txt" },
	{ .ending = ".trace" },
};

/* Returns the endings with their formats, for a help text. */
static const char *export_endings(void)
{
	return ".pftrace (Perfetto), .html, .svg, .txt (text form of a trace) or .trace";
}

static const struct format *find_format(const char *path)
{
	size_t length = strlen(path), end, i;

	for (i = 0; i < ARRAY_SIZE(formats); i++) {
		end = strlen(formats[i].ending);
		if (length > end && !strcmp(path + length - end, formats[i].ending))
			return &formats[i];
	}
	return NULL;
}

bool export_is_possible(const char *command, const char *path, const struct export_range *range)
{
	const struct format *format = find_format(path);

	if (!format)
		misused("%s: the name %s does not end in %s", command, path, export_endings());
	else if (range && !format->write_range)
		misused("%s: a file %s always has the whole trace", command, format->ending);
	else
		return true;
	return false;
}

static bool write_timeline(const struct format *format, FILE *out, const struct trace *trace,
			   const struct export_range *range)
{
	struct timeline timeline;
	uint64_t from, to;
	bool written;

	timeline_make(&timeline, trace);
	if (format->write_range) {
		from = range ? range->from : 0;
		to = range && range->to < timeline.length ? range->to : timeline.length;
		written = format->write_range(out, &timeline, from, to);
	} else {
		written = format->write(out, &timeline);
	}
	timeline_free(&timeline);
	return written;
}

bool export_trace(const struct trace *trace, const char *path, const struct export_range *range)
{
	const struct format *format = find_format(path);
	bool written;
	FILE *out;

	if (!strcmp(format->ending, ".trace"))
		return trace_write(trace, path);
	out = fopen(path, "we");
	if (!out) {
		failed("%s: %s", path, strerror(errno));
		return false;
	}
	written = !strcmp(format->ending, ".txt") ? trace_write_text(out, trace) :
						   write_timeline(format, out, trace, range);
	if (fclose(out) || !written) {
		failed("%s: cannot write the file: %s", path, strerror(errno));
		return false;
	}
	return true;
}

/* --- --timeline=FILE ------------------------------------------------------ */

/* Events that are kept. Up to twice as many are in memory before the older half is dropped. */
#define MAX_EVENTS (1 << 20)

int gather_option(struct gather *gather, const char *command, const char *path)
{
	if (!export_is_possible(command, path, NULL))
		return EXIT_USAGE;
	gather->path = path;
	return EXIT_OK;
}

void gather_begin(struct gather *gather, const char *title)
{
	if (!gather->path)
		return;
	trace_free(&gather->trace);
	trace_init(&gather->trace, title);
	free(gather->note);
	gather->note = NULL;
	gather->note_size = 0;
	gather->first = 0;
	gather->sites = 0;
	gather->no_memory = false;
}

/* Drops the older half of too many events. */
static void drop_old(struct gather *gather)
{
	struct trace *trace = &gather->trace;
	size_t drop = trace->count / 2;

	if (trace->count < 2 * MAX_EVENTS)
		return;
	trace->count -= drop;
	trace->lost += drop;
	memmove(trace->events, trace->events + drop, trace->count * sizeof(*trace->events));
	gather->first = gather->first > drop ? gather->first - drop : 0;
}

void gather_events(struct gather *gather, const struct drm_vsm_trace_event *events, size_t count,
		   uint64_t lost)
{
	if (!gather->path)
		return;
	gather->trace.lost += lost;
	if (trace_add_events(&gather->trace, events, count)) {
		gather->trace.lost += count;
		gather->no_memory = true;
	}
	drop_old(gather);
}

static void add_site(struct gather *gather, const struct gather_program *program, uint32_t site)
{
	char *text = NULL, *insn = NULL;
	size_t text_size, insn_size;
	FILE *texts = must(open_memstream(&text, &text_size));
	FILE *insns = must(open_memstream(&insn, &insn_size));
	bool named = program->site(program->data, site, texts, insns);

	if (fclose(texts) || fclose(insns) ||
	    (named && trace_add_site(&gather->trace, gather->sites + site, text, insn)))
		gather->no_memory = true;
	free(text);
	free(insn);
}

static void add_cluster(struct gather *gather, const struct gather_program *program,
			uint32_t number)
{
	struct trace_cluster cluster = program->shape;
	size_t i;

	cluster.number = number;
	if (trace_add_cluster(&gather->trace, &cluster))
		gather->no_memory = true;
	for (i = 0; i < program->name_count; i++) {
		struct trace_name name = program->names[i];

		name.cluster = number;
		if (trace_add_name(&gather->trace, &name))
			gather->no_memory = true;
	}
}

static void add_report(struct gather *gather, const char *report)
{
	size_t length = strlen(report);

	if (!length)
		return;
	gather->note = must(realloc(gather->note, gather->note_size + length + 1));
	memcpy(gather->note + gather->note_size, report, length + 1);
	gather->note_size += length;
}

void gather_end_program(struct gather *gather, const struct gather_program *program,
			const char *report)
{
	struct trace *trace = &gather->trace;
	uint32_t highest = 0;
	size_t i;

	if (!gather->path)
		return;
	for (i = gather->first; i < trace->count; i++) {
		struct drm_vsm_trace_event *event = &trace->events[i];

		if (event->cluster && !trace_find_cluster(trace, event->cluster))
			add_cluster(gather, program, event->cluster);
		if (!event->site)
			continue;
		if (event->site > highest)
			highest = event->site;
		if (!trace_find_site(trace, gather->sites + event->site))
			add_site(gather, program, event->site);
		event->site += gather->sites;
	}
	gather->first = trace->count;
	gather->sites += highest;
	add_report(gather, report);
}

void gather_expect(const struct gather *gather)
{
	if (gather->path)
		vm_expect(gather->path, VM_OUTPUT_TRACE);
}

int gather_write(struct gather *gather, const char *command)
{
	struct trace *trace = &gather->trace;
	bool written;
	char *path;

	if (!gather->path)
		return EXIT_OK;
	if (gather->note && trace_set_note(trace, gather->note))
		gather->no_memory = true;
	trace_sort(trace);
	path = vm_output_path(gather->path, VM_OUTPUT_TRACE);
	written = export_trace(trace, path, NULL);
	if (gather->no_memory)
		failed("%s: %s: %s", command, gather->path, strerror(ENOMEM));
	else if (written && !trace->count)
		fprintf(stderr, "vsm: %s: %s has no events: nothing was executed on the device\n",
			command, gather->path);
	free(path);
	free(gather->note);
	trace_free(trace);
	return written && !gather->no_memory ? EXIT_OK : EXIT_FAILED;
}
