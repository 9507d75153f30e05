/* SPDX-License-Identifier: MIT */
/*
 * Tracks of channels: copies and jobs.
 */
#ifndef _TRACE_CHANNEL_H_
#define _TRACE_CHANNEL_H_

#include "trace/build.h"

/* Adds what an event says about a copy (COPY_ISSUE, COPY_BEGIN, COPY_END). */
void channel_add_copy(struct build *b, size_t event);
/* Adds what an event says about a job. */
void channel_add_job(struct build *b, size_t event);
/* Adds the reset of a channel. */
void channel_add_reset(struct build *b, size_t event);
/* Puts copies, and jobs, that overlap on different tracks. */
void channel_finish(struct build *b);

#endif
