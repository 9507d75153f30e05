// SPDX-License-Identifier: MIT
/* vsm trace: shows traces of the device. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "command.h"
#include "trace/export.h"
#include "trace/file.h"

int command_trace_show(struct args *args)
{
	struct trace trace;
	size_t i;

	while (args_next(args))
		;
	if (args->ended)
		return args->status;
	if (!trace_read(&trace, args->operands[0]))
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

int command_trace_export(struct args *args)
{
	struct export_range range = { .to = UINT64_MAX };
	const char *output = NULL;
	bool ranged = false, written;
	struct trace trace;

	while (args_next(args)) {
		if (args->option == OPT_OUTPUT) {
			output = args->value;
			continue;
		}
		ranged = true;
		if (!parse_time(args->value, args->option == OPT_FROM ? &range.from : &range.to))
			return misused("trace export: '%s' is not a time, such as 1.5us",
				       args->value);
	}
	if (args->ended)
		return args->status;
	if (!output)
		return misused("trace export: -o OUT is missing; try 'vsm trace export --help'");
	if (range.from >= range.to)
		return misused("trace export: --from must be before --to");
	if (!export_is_possible("trace export", output, ranged ? &range : NULL))
		return EXIT_USAGE;
	if (!trace_read(&trace, args->operands[0]))
		return EXIT_FAILED;
	written = export_trace(&trace, output, ranged ? &range : NULL);
	trace_free(&trace);
	return written ? EXIT_OK : EXIT_FAILED;
}
