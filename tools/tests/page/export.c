// SPDX-License-Identifier: MIT
/*
 * Writes the page and the picture of a trace, for the tests of both.
 *
 *	export FILE.trace FILE.html FILE.svg [FROM TO]
 *
 * FROM and TO are the times of the picture, in ns.
 */
#include <stdlib.h>

#include "base.h"
#include "trace/timeline.h"

static FILE *must_open(const char *path)
{
	FILE *out = fopen(path, "w");

	if (!out)
		exit(failed("cannot write '%s'", path));
	return out;
}

int main(int argc, char **argv)
{
	struct timeline timeline;
	struct trace trace;
	FILE *html, *svg;
	uint64_t from, to;
	bool done;

	if (argc != 4 && argc != 6)
		return misused("usage: export FILE.trace FILE.html FILE.svg [FROM TO]");
	if (!trace_read(&trace, argv[1]))
		return EXIT_FAILED;
	timeline_make(&timeline, &trace);
	from = argc == 6 ? strtoull(argv[4], NULL, 10) : 0;
	to = argc == 6 ? strtoull(argv[5], NULL, 10) : timeline.length;
	html = must_open(argv[2]);
	svg = must_open(argv[3]);
	done = write_html(html, &timeline) & write_svg(svg, &timeline, from, to);
	done &= !fclose(html) & !fclose(svg);
	timeline_free(&timeline);
	trace_free(&trace);
	return done ? EXIT_OK : failed("cannot write '%s' or '%s'", argv[2], argv[3]);
}
