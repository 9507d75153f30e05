/* SPDX-License-Identifier: MIT */
/*
 * Writes a trace to a file, in the format that the ending of the file's name says. With the option
 * --timeline=FILE, the events of programs are gathered for that while they run.
 */
#ifndef _TRACE_EXPORT_H_
#define _TRACE_EXPORT_H_

#include "trace/trace.h"

/* --- formats -------------------------------------------------------------- */

/* Part of a trace, for the formats that can show a part */
struct export_range {
	uint64_t from;	/* begin, in ns since the first event */
	uint64_t to;	/* end, in ns since the first event; UINT64_MAX for the end of the trace */
};

/*
 * Checks that there is a format for @path, and that it can show a part if there is a range. If not,
 * prints an error after "COMMAND: " and returns false. @range may be NULL.
 */
bool export_is_possible(const char *command, const char *path, const struct export_range *range);
/* Writes a file. Prints errors. Returns whether the file was written. */
bool export_trace(const struct trace *trace, const char *path, const struct export_range *range);

/* --- --timeline=FILE ------------------------------------------------------ */

/* Events that are being gathered */
struct gather {
	const char *path;	/* the file; NULL if there is no such option */
	struct trace trace;	/* what has been gathered */
	size_t first;		/* index of the first event of the program that runs */
	uint32_t sites;		/* numbers up to this one are sites of the programs before */
	bool no_memory;		/* there was no memory for a part of it */
	char *note;		/* what the programs have reported */
	size_t note_size;	/* bytes of @note */
};

/* Names what the events of a program are about */
struct gather_program {
	struct trace_cluster shape;	/* its clusters, apart from their number */
	/* Writes the text and the instruction of a site, each into a stream */
	bool (*site)(void *data, uint32_t site, FILE *text, FILE *insn);
	const struct trace_name *names;	/* names of its shared memory; their cluster is ignored */
	size_t name_count;		/* number of @names */
	void *data;			/* first argument of @site */
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
