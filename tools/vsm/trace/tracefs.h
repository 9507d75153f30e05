/* SPDX-License-Identifier: MIT */
/*
 * Reads the events of a device from its tracepoints, through tracefs.
 */
#ifndef _TRACE_TRACEFS_H_
#define _TRACE_TRACEFS_H_

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"

/* Reads events while they happen (opaque). */
struct tracefs;

/**
 * struct tracefs_config - What to read
 * @device: Instance number of the device
 * @buffer: Bytes of the kernel's buffer for each processor
 * @limit: Number of events that the trace keeps: the last ones
 */
struct tracefs_config {
	uint32_t device;
	uint64_t buffer;
	size_t limit;
};

/*
 * Begins to record events into @trace, which stays the caller's. The kernel keeps them in a buffer
 * of its own, which no other program uses. Prints an error, which begins with the name of @command,
 * and returns NULL if that is not possible.
 */
struct tracefs *tracefs_begin(const char *command, const struct tracefs_config *config,
			      struct trace *trace);
/* Returns file descriptors to poll for events, and sets @count to their number. */
const struct pollfd *tracefs_files(const struct tracefs *tracefs, size_t *count);
/*
 * Moves events to the trace. Returns 1 if there may be more, 0 if there are none, or a negative
 * errno.
 */
int tracefs_read(struct tracefs *tracefs);
/*
 * Ends recording: moves the last events to the trace, counts those that are lost, sorts them, and
 * frees @tracefs. Returns 0 or a negative errno.
 */
int tracefs_end(struct tracefs *tracefs);

#endif
