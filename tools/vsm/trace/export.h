/* SPDX-License-Identifier: MIT */
/*
 * Writes a trace to a file, in the format that the ending of the file's name says. With the option
 * --timeline=FILE, the events of programs are gathered for that while they run.
 */
#ifndef _TRACE_EXPORT_H_
#define _TRACE_EXPORT_H_

#include "trace/trace.h"

/* --- formats -------------------------------------------------------------- */

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

/* --- --timeline=FILE ------------------------------------------------------ */

/**
 * struct gather - Events that are being gathered
 * @path: The file; NULL if there is no such option
 * @trace: What has been gathered
 * @first: Index of the first event of the program that runs
 * @sites: Numbers up to this one are sites of the programs before
 * @no_memory: There was no memory for a part of it
 * @note: What the programs have reported
 * @note_size: Bytes of @note
 */
struct gather {
	const char *path;
	struct trace trace;
	size_t first;
	uint32_t sites;
	bool no_memory;
	char *note;
	size_t note_size;
};

/**
 * struct gather_program - Names what the events of a program are about
 * @shape: Its clusters, apart from their number
 * @site: Writes the text and the instruction of a site, each into a stream
 * @names: Names of its shared memory; their cluster is ignored
 * @name_count: Number of @names
 * @data: First argument of @site
 */
struct gather_program {
	struct trace_cluster shape;
	bool (*site)(void *data, uint32_t site, FILE *text, FILE *insn);
	const struct trace_name *names;
	size_t name_count;
	void *data;
};

/* Takes the option of @command. Reports errors. Returns the exit status. */
int gather_option(struct gather *gather, const char *command, const char *path);
/*
 * Begins to gather for the file. @title says what runs. If something has been gathered before, it
 * is lost. Does nothing if there is no such option, as all functions below.
 */
void gather_begin(struct gather *gather, const char *title);
/* Takes events of the program that runs. Of very many events it keeps the last ones. */
void gather_events(struct gather *gather, const struct drm_vsm_trace_event *events, size_t count,
		   uint64_t lost);
/* The program has ended. Names its events; @report is what went wrong, or "". */
void gather_end_program(struct gather *gather, const struct gather_program *program,
			const char *report);
/* The file comes back from a virtual machine. */
void gather_expect(const struct gather *gather);
/* Writes the file, and ends. Reports errors of @command. Returns the exit status. */
int gather_write(struct gather *gather, const char *command);

#endif
