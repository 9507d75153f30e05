// SPDX-License-Identifier: MIT
/*
 * Writes a trace to a file, in the format that the ending of the file's name says.
 */
#include <errno.h>
#include <string.h>

#include "base.h"
#include "trace/export.h"
#include "trace/text.h"
#include "trace/timeline.h"

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

const char *export_endings(void)
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
