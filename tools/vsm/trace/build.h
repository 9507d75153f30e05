/* SPDX-License-Identifier: MIT */
/*
 * A timeline that is being made. tracks.c adds tracks, slices, flows and samples, in the order of
 * the events. build_finish() then puts them in order, with lines and flows.
 */
#ifndef _TRACE_BUILD_H_
#define _TRACE_BUILD_H_

#include <stddef.h>
#include <stdint.h>

#include "trace/timeline.h"

/* --- spans of time that overlap ------------------------------------------- */

/**
 * struct time_span - A span of time
 * @start: Begin
 * @end: End, not before @start
 * @group: Spans of different groups do not share lines
 * @what: Number that the caller gives it: spans with the same begin are in the order of it
 * @line: Line of the group that it is on, from 0 (out)
 */
struct time_span {
	uint64_t start;
	uint64_t end;
	size_t group;
	size_t what;
	uint32_t line;
};

/*
 * Sorts the spans by their group, then by their begin, and puts each on the lowest line of its
 * group that is free. A line is free again when its span ends.
 */
void put_on_lines(struct time_span *spans, size_t count);

/**
 * struct draft - A slice that is being made
 * @slice: The slice. Its track is an index of &build.tracks
 * @next: Slice of the same job that follows, or NO_SLICE
 * @follows: It is the @next of another slice
 * @begun: The channel has begun to perform it (COPY)
 * @mbarrier: Track of the mbarrier that is waited for, or SIZE_MAX (WAIT)
 */
struct draft {
	struct slice slice;
	size_t next;
	bool follows;
	bool begun;
	size_t mbarrier;
};

/**
 * struct build_track - A track that is being made
 * @track: The track
 * @used: The track has slices, or is of a kind that may be empty. Set in the end
 * @layout: &enum vsm_layout of the cluster
 * @phase: Slice of the phase in progress, or NO_SLICE (MBARRIER)
 * @parity: Parity of @phase
 * @closed: Slice of the last phase whose completion was not seen, or NO_SLICE
 * @completed: The parity of the last phase that has completed is known: @last
 * @last: Parity of the last phase that has completed
 * @serial: Serial number of that phase, or 0
 * @numbered: Phases have numbers since the init (MBARRIER)
 * @number: Number of the phase in progress
 * @done: Slice of the phase whose PHASE came before the event of the instruction, or NO_SLICE
 * @flipped: The event of the operation that completes a phase came before PHASE
 * @flip: Slice of that operation, or NO_SLICE
 * @before: Word before the operation of @done or of @flipped
 * @after: Word after it
 * @sampled: There is a sample: @pending and @tx
 * @pending: Arrivals that are pending
 * @tx: tx-count
 * @waits: Slices of the suspensions of the lanes, or NO_SLICE (WARP); NULL before the first one
 */
struct build_track {
	struct track track;
	bool used;
	uint32_t layout;
	size_t phase;
	bool parity;
	size_t closed;
	bool completed;
	bool last;
	uint32_t serial;
	bool numbered;
	uint32_t number;
	size_t done;
	bool flipped;
	size_t flip;
	uint64_t before;
	uint64_t after;
	bool sampled;
	int64_t pending;
	int64_t tx;
	size_t *waits;
};

/**
 * struct link - A flow whose cause is a number
 * @cluster: Cluster in which the cause has this number
 * @cause: Number of the cause
 * @flow: The flow; @flow.from is found in the end
 */
struct link {
	uint32_t cluster;
	uint64_t cause;
	struct flow flow;
};

/**
 * struct build - A timeline that is being made
 * @trace: The trace
 * @start: Time of its first event
 * @length: Time of its last event since @start
 * @tracks: Tracks
 * @track_count: Number of @tracks
 * @drafts: Slices
 * @draft_count: Number of @drafts
 * @flows: Flows
 * @flow_count: Number of @flows
 * @links: Flows with a cause that is a number
 * @link_count: Number of @links
 * @samples: Samples
 * @sample_count: Number of @samples
 * @track_of: Indices of tracks by what they are about
 * @slice_of: Indices of slices by the number of what they show, and the cluster
 */
struct build {
	const struct trace *trace;
	uint64_t start;
	uint64_t length;
	struct build_track *tracks;
	size_t track_count;
	struct draft *drafts;
	size_t draft_count;
	struct flow *flows;
	size_t flow_count;
	struct link *links;
	size_t link_count;
	struct sample *samples;
	size_t sample_count;
	struct map track_of;
	struct map slice_of;
};

static inline const struct drm_vsm_trace_event *event_at(const struct build *b, size_t event)
{
	return &b->trace->events[event];
}

/* Time of an event since the start. */
static inline uint64_t time_of(const struct build *b, size_t event)
{
	return b->trace->events[event].time - b->start;
}

/* Each returns the index of the track, and adds the track if it is new. */
size_t track_of_warp(struct build *b, const struct drm_vsm_trace_event *event);
size_t track_of_mbarrier(struct build *b, uint32_t cluster, uint32_t addr);
size_t track_of_channel(struct build *b, enum track_kind kind, uint32_t client, uint32_t channel,
			uint32_t line);

/* Adds a slice that begins and ends with an event. Returns its index. @name is freed with it. */
size_t add_slice(struct build *b, size_t track, enum slice_kind kind, size_t event, char *name);
/* Adds a slice that has not ended. */
size_t add_open_slice(struct build *b, size_t track, enum slice_kind kind, size_t event,
		      char *name);
/* Ends a slice with an event. */
void end_slice(struct build *b, size_t slice, size_t event);
/* Ends a slice at the time of @event, which only shows that the end has happened. */
void close_slice(struct build *b, size_t slice, size_t event);
void set_name(struct build *b, size_t slice, char *name);

/* Remembers that a slice shows what the event is about, unless that has no number. */
void set_slice_of(struct build *b, const struct drm_vsm_trace_event *event, size_t slice);
/* Returns the slice that shows what has this number in a cluster; NO_SLICE if there is none. */
size_t slice_of(const struct build *b, uint32_t cluster, uint64_t number);

/* Add flows from a slice; or from the cause of an event, if that is known. */
void add_flow(struct build *b, size_t from, size_t to, bool at_end);
void add_link(struct build *b, const struct drm_vsm_trace_event *event, size_t to, bool at_end);

/*
 * Returns a short name: the operation without "mbarrier.", and what it works on. The caller frees
 * it.
 */
char *name_of_event(const struct build *b, const struct drm_vsm_trace_event *event);

/* Turns what has been added into a timeline, and frees the rest. */
void build_finish(struct build *b, struct timeline *timeline);

#endif
