/* SPDX-License-Identifier: MIT */
/*
 * The text form of a trace: a file that people and other programs can write. trace_read() reads it,
 * too.
 */
#ifndef _TRACE_TEXT_H_
#define _TRACE_TEXT_H_

#include "trace/trace.h"

/* Does a file with these contents have the text form? */
bool trace_is_text(const char *data, size_t size);
/* Reads the text form into an empty trace. Writes errors to standard error. */
bool trace_read_text(struct trace *trace, const char *path, const char *data, size_t size);
/* Writes the text form. Returns whether everything could be written. */
bool trace_write_text(FILE *out, const struct trace *trace);

#endif
