/* SPDX-License-Identifier: MIT */
/*
 * Trace files. They have two forms: a compact one, and a text form that people and other programs
 * can write. trace_read() reads both.
 */
#ifndef _TRACE_FILE_H_
#define _TRACE_FILE_H_

#include "trace/trace.h"

/* Writes the compact form. Returns whether the file was written. Prints errors. */
bool trace_write(const struct trace *trace, const char *path);
/*
 * Reads a file of either form. Returns whether that was possible: @trace then has to be freed.
 * Prints errors.
 */
bool trace_read(struct trace *trace, const char *path);
/* Reads the text form into an empty trace. Writes errors to standard error. */
bool trace_read_text(struct trace *trace, const char *path, const char *data, size_t size);
/* Writes the text form. Returns whether everything could be written. */
bool trace_write_text(FILE *out, const struct trace *trace);

#endif
