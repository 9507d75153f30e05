// SPDX-License-Identifier: MIT
/*
 * Reports failures of a scenario as KTAP diagnostics.
 */
#include <stdarg.h>
#include <stdio.h>

#include "run/report.h"

bool report_failure(struct report *report, unsigned int line, const char *format, ...)
{
	va_list args;

	report->failures++;
	printf("%s# %s:%u: ", report->indent, report->path, line);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	return false;
}
