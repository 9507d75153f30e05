// SPDX-License-Identifier: MIT
/*
 * Reports failures of a scenario to the process that has started it.
 */
#include <stdarg.h>
#include <stdio.h>

#include "run/report.h"

bool report_failure(struct report *report, unsigned int line, const char *format, ...)
{
	va_list args;

	report->failures++;
	fprintf(report->out, "%u%c", line, 0);
	va_start(args, format);
	vfprintf(report->out, format, args);
	va_end(args);
	fputc('\0', report->out);
	return false;
}
