// SPDX-License-Identifier: MIT
/*
 * vsm trace: shows traces of the device.
 */
#include <ctype.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "command.h"
#include "trace/event.h"
#include "trace/export.h"
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

static const struct option export_options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "from", required_argument, NULL, 'f' },
	{ "to", required_argument, NULL, 't' },
	{ }
};

/* Reads a time: a number, which may have a fraction, and ns, us, ms or s. */
static bool parse_time(const char *text, uint64_t *time)
{
	static const struct {
		const char *name;
		double scale;
	} units[] = { { "", 1 }, { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
	char *end;
	double number = strtod(text, &end) + 0.0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(units); i++) {
		double ns = number * units[i].scale;

		if (end != text && isdigit((unsigned char)*text) && !strcmp(end, units[i].name) &&
		    ns < 1e18) {
			*time = ns + 0.5;
			return true;
		}
	}
	return false;
}

static int trace_export(int argc, char **argv)
{
	struct export_range range = { .to = UINT64_MAX };
	const char *output = NULL;
	bool ranged = false, written;
	struct trace trace;
	int option;

	opterr = 0;
	optind = 1;
	while ((option = getopt_long(argc, argv, ":o:", export_options, NULL)) != -1) {
		switch (option) {
		case 'o':
			output = optarg;
			break;
		case 'f':
		case 't':
			ranged = true;
			if (!parse_time(optarg, option == 'f' ? &range.from : &range.to))
				return misused("trace export: '%s' is not a time, such as 1.5us",
					       optarg);
			break;
		case ':':
			return misused("trace export: %s needs a value", argv[optind - 1]);
		default:
			return misused("trace export: no option '%s'; try 'vsm trace --help'",
				       argv[optind - 1]);
		}
	}
	if (optind + 1 != argc)
		return misused("trace export: expected one FILE; try 'vsm trace --help'");
	if (!output)
		return misused("trace export: -o OUT is missing; try 'vsm trace --help'");
	if (range.from >= range.to)
		return misused("trace export: --from must be before --to");
	if (!export_is_possible("trace export", output, ranged ? &range : NULL))
		return EXIT_USAGE;
	if (!trace_read(&trace, argv[optind]))
		return EXIT_FAILED;
	written = export_trace(&trace, output, ranged ? &range : NULL);
	trace_free(&trace);
	return written ? EXIT_OK : EXIT_FAILED;
}

static const struct subcommand {
	const char *name;
	const char *operands;
	const char *summary;
	int (*run)(int argc, char **argv);
} subcommands[] = {
	{ "record", "[-o OUT] [--buffer SIZE] [--events N] [--device N] [--vm[=KERNEL]]\n"
	  "                   -- COMMAND [ARGUMENT...]",
	  "record what happens on the device while a command runs", command_record },
	{ "show", "FILE", "print the events, one on each line", trace_show },
	{ "export", "FILE -o OUT [--from TIME] [--to TIME]", "write the trace in another format",
	  trace_export },
};

static int trace_help(void)
{
	unsigned int i;

	puts("usage: vsm trace SUBCOMMAND ...\n");
	for (i = 0; i < ARRAY_SIZE(subcommands); i++)
		printf("  vsm trace %s %s\n      %s\n", subcommands[i].name,
		       subcommands[i].operands, subcommands[i].summary);
	puts("\nrecord needs the rights of root. SIZE (4M) is that of the kernel's buffer for\n"
	     "each processor; N (1000000) is the number of the last events that are kept. OUT\n"
	     "is vsm.trace if it is not given. With --vm, all runs in a virtual machine.");
	printf("\nFILE is a trace, in its binary or in its text form. OUT ends in\n%s.\n"
	       "TIME is since the first event: 1500, 1.5us, 2ms; a .svg shows this part.\n",
	       export_endings());
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
