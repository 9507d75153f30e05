/* SPDX-License-Identifier: MIT */
/*
 * Writes a trace to a file, in the format that the ending of the file's name says.
 */
#ifndef _TRACE_EXPORT_H_
#define _TRACE_EXPORT_H_

#include "trace/trace.h"

/**
 * struct export_range - Part of a trace, for the formats that can show a part
 * @from: Begin, in ns since the first event
 * @to: End, in ns since the first event; UINT64_MAX for the end of the trace
 */
struct export_range {
	uint64_t from;
	uint64_t to;
};

/*
 * Checks that there is a format for @path, and that it can show a part if there is a range. If not,
 * prints an error after "COMMAND: " and returns false. @range may be NULL.
 */
bool export_is_possible(const char *command, const char *path, const struct export_range *range);
/* Writes a file. Prints errors. Returns whether the file was written. */
bool export_trace(const struct trace *trace, const char *path, const struct export_range *range);
/* Returns the endings with their formats, for a help text. */
const char *export_endings(void);

#endif
