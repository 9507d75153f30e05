/* SPDX-License-Identifier: MIT */
/*
 * What buffers contain before the first launch.
 */
#ifndef _LAUNCH_BUFFER_H_
#define _LAUNCH_BUFFER_H_

#include "launch/plan.h"

/* Number of fills that need no file. */
#define FILL_WORDS FILL_BYTES

/* The words for the fills, by &enum fill. The last one is for FILL_BYTES. */
extern const char *const fill_names[FILL_WORDS + 1];

/* Reads contents from a file, which must fit into the buffer. @where is used in errors. */
bool read_contents(const struct cursor *c, const char *where, const char *path,
		   struct plan_buffer *buffer);
/* Writes the contents of the buffer to @memory, which contains zeros. */
void fill_buffer(const struct plan_buffer *buffer, void *memory);

#endif
