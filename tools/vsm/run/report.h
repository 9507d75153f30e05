/* SPDX-License-Identifier: MIT */
/*
 * Reports failures of a scenario as KTAP diagnostics.
 */
#ifndef _RUN_REPORT_H_
#define _RUN_REPORT_H_

#include <stdbool.h>

/**
 * struct report - Result of a scenario
 * @indent: What begins each line
 * @path: Path of the scenario
 * @line: Line of the last instruction: the place of failures that have no other line
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

/* Prints and counts a failure. Returns false. Only for the main thread. */
bool report_failure(struct report *report, unsigned int line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
