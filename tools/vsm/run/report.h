/* SPDX-License-Identifier: MIT */
/*
 * Reports failures of a scenario to the process that has started it.
 */
#ifndef _RUN_REPORT_H_
#define _RUN_REPORT_H_

#include <stdbool.h>
#include <stdio.h>

/**
 * struct report - Result of a scenario
 * @out: Stream for the failures: for each failure its line and its message, both as texts that end
 *	with a 0
 * @line: Line of the last instruction; failures that belong to no line are reported with it
 * @checked: Number of expectations that were checked
 * @failures: Number of failures
 */
struct report {
	FILE *out;
	unsigned int line;
	unsigned int checked;
	unsigned int failures;
};

/*
 * Writes and counts a failure; @line is 0 if it belongs to no line. Returns false. Only the main
 * thread may call this.
 */
bool report_failure(struct report *report, unsigned int line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
