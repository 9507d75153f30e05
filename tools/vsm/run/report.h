/* SPDX-License-Identifier: MIT */
/*
 * Reports failures of a scenario as KTAP diagnostics.
 */
#ifndef _RUN_REPORT_H_
#define _RUN_REPORT_H_

#include <stdbool.h>

/**
 * struct report - Result of a scenario
 * @indent: Text at the beginning of each line that is printed
 * @path: Path of the scenario
 * @line: Line of the last instruction; failures that belong to no line are reported with it
 * @checked: Number of expectations that were checked
 * @failures: Number of failures
 */
struct report {
	const char *indent;
	const char *path;
	unsigned int line;
	unsigned int checked;
	unsigned int failures;
};

/* Prints and counts a failure. Returns false. Only the main thread may call this. */
bool report_failure(struct report *report, unsigned int line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
