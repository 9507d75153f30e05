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

/* A span of time */
struct time_span {
	uint64_t start;	/* begin */
	uint64_t end;	/* end, not before @start */
	size_t group;	/* spans of different groups do not share lines */
	/* Number that the caller gives it: spans with the same begin are in the order of it */
	size_t what;
	uint32_t line;	/* line of the group that it is on, from 0 (out) */
};

/*
 * Sorts the spans by their group, then by their begin, and puts each on the lowest line of its
 * group that is free. A line is free again when its span ends.
 */
void put_on_lines(struct time_span *spans, size_t count);

/* A slice that is being made */
struct draft {
	struct slice slice;	/* The slice. Its track is an index of build.tracks. */
	size_t next;		/* slice of the same job that follows, or NO_SLICE */
	bool follows;		/* it is the @next of another slice */
	bool begun;		/* the channel has begun to perform it (COPY) */
	size_t mbarrier;	/* track of the mbarrier that is waited for, or SIZE_MAX (WAIT) */
};

/* A track that is being made */
struct build_track {
	struct track track;
	/* The track has slices, or is of a kind that may be empty. Set in the end. */
	bool used;
	uint32_t layout;	/* enum vsm_layout of the cluster */
	size_t phase;		/* slice of the phase in progress, or NO_SLICE (MBARRIER) */
	bool parity;		/* parity of @phase */
	size_t closed;	/* slice of the last phase whose completion was not seen, or NO_SLICE */
	bool completed;	/* the parity of the last phase that has completed is known: @last */
	bool last;		/* parity of the last phase that has completed */
	uint32_t serial;	/* serial number of that phase, or 0 */
	bool numbered;		/* phases have numbers since the init (MBARRIER) */
	uint32_t number;	/* number of the phase in progress */
	/* Slice of the phase whose PHASE came before the event of the instruction, or NO_SLICE */
	size_t done;
	bool flipped;	/* the event of the operation that completes a phase came before PHASE */
	size_t flip;		/* slice of that operation, or NO_SLICE */
	uint64_t before;	/* word before the operation of @done or of @flipped */
	uint64_t after;		/* word after it */
	bool sampled;		/* there is a sample: @pending and @tx */
	int64_t pending;	/* arrivals that are pending */
	int64_t tx;		/* tx-count */
	/* Slices of the suspensions of the lanes, or NO_SLICE (WARP); NULL before the first one */
	size_t *waits;
};

/* A flow whose cause is a number */
struct link {
	uint32_t cluster;	/* cluster in which the cause has this number */
	uint64_t cause;		/* number of the cause */
	struct flow flow;	/* the flow; @flow.from is found in the end */
};

/* A timeline that is being made */
struct build {
	const struct trace *trace;
	uint64_t start;		/* time of its first event */
	uint64_t length;	/* time of its last event since @start */
	struct build_track *tracks;
	size_t track_count;	/* number of @tracks */
	struct draft *drafts;	/* slices */
	size_t draft_count;	/* number of @drafts */
	struct flow *flows;
	size_t flow_count;	/* number of @flows */
	struct link *links;	/* flows with a cause that is a number */
	size_t link_count;	/* number of @links */
	struct sample *samples;
	size_t sample_count;	/* number of @samples */
	struct map track_of;	/* indices of tracks by what they are about */
	/* Indices of slices by the number of what they show, and the cluster */
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
