/* SPDX-License-Identifier: MIT */
/*
 * Tracks of warps: instructions, waits, arrivals at rendezvous.
 */
#ifndef _TRACE_WARP_H_
#define _TRACE_WARP_H_

#include "trace/build.h"

/*
 * Adds what a thread does at one time: an instruction, an arrival, a fault. Returns the slice;
 * NO_SLICE if the event belongs to no track.
 */
size_t warp_add(struct build *b, size_t event, enum slice_kind kind);
/* Adds the begin of a wait (SUSPEND, WAIT_ARM), and its end (RESUME, WAIT_END). */
void warp_begin_wait(struct build *b, size_t event);
void warp_end_wait(struct build *b, size_t event);
/* Marks the arrival that has released threads. */
void warp_release(struct build *b, size_t event);
/* Adds what has happened to all warps of a cluster, or of the device. Call it in the end. */
void warp_add_loss(struct build *b, size_t event);

#endif
