// SPDX-License-Identifier: MIT
/*
 * vsm trace: shows traces of the device.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base.h"
#include "command.h"
#include "trace/event.h"
#include "trace/trace.h"

static int trace_show(int argc, char **argv)
{
	struct trace trace;
	size_t i;

	if (argc != 2)
		return misused("trace show: expected one FILE; try 'vsm trace --help'");
	if (!trace_read(&trace, argv[1]))
		return EXIT_FAILED;
	if (trace.title && *trace.title)
		printf("%s\n", trace.title);
	printf("%zu events", trace.count);
	if (trace.lost)
		printf(", %" PRIu64 " lost", trace.lost);
	putchar('\n');
	for (i = 0; i < trace.count; i++) {
		uint64_t time = trace.events[i].time - trace.events[0].time;

		printf("%9" PRIu64 ".%03u us  ", time / 1000, (unsigned int)(time % 1000));
		event_print(stdout, &trace, &trace.events[i]);
		putchar('\n');
	}
	if (trace.note && *trace.note)
		printf("%s%s", trace.note,
		       trace.note[strlen(trace.note) - 1] == '\n' ? "" : "\n");
	trace_free(&trace);
	return EXIT_OK;
}

static const struct subcommand {
	const char *name;
	const char *operands;
	const char *summary;
	int (*run)(int argc, char **argv);
} subcommands[] = {
	{ "show", "FILE", "print the events, one on each line", trace_show },
};

static int trace_help(void)
{
	unsigned int i;

	puts("usage: vsm trace SUBCOMMAND ...\n");
	for (i = 0; i < ARRAY_SIZE(subcommands); i++)
		printf("  vsm trace %s %s\n      %s\n", subcommands[i].name,
		       subcommands[i].operands, subcommands[i].summary);
	return EXIT_OK;
}

int command_trace(int argc, char **argv)
{
	unsigned int i;

	if (argc < 2)
		return misused("trace: no subcommand; try 'vsm trace --help'");
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return trace_help();
	for (i = 0; i < ARRAY_SIZE(subcommands); i++) {
		if (!strcmp(argv[1], subcommands[i].name))
			return subcommands[i].run(argc - 1, argv + 1);
	}
	return misused("trace: no subcommand '%s'; try 'vsm trace --help'", argv[1]);
}
