/* SPDX-License-Identifier: MIT */
/*
 * A timeline: what a trace shows, as tracks with slices on them. All formats are written from it.
 */
#ifndef _TRACE_TIMELINE_H_
#define _TRACE_TIMELINE_H_

#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"

/* --- a hash table from pairs of numbers to indices ------------------------ */

#define MAP_NONE SIZE_MAX

/* An entry of a table */
struct map_entry {
	uint64_t a;	/* first number */
	uint64_t b;	/* second number */
	size_t index;	/* the index; MAP_NONE if the entry is free */
};

/* A table. All members of an empty table are 0 */
struct map {
	struct map_entry *entries;
	size_t size;	/* number of @entries: a power of two, or 0 */
	size_t count;	/* number of entries that are not free */
};

/* Returns the index of a pair; MAP_NONE if the table does not have it. */
size_t map_get(const struct map *map, uint64_t a, uint64_t b);
/* Sets the index of a pair. */
void map_set(struct map *map, uint64_t a, uint64_t b, size_t index);
void map_free(struct map *map);

/* --- the timeline --------------------------------------------------------- */

#define NO_SLICE SIZE_MAX
#define NO_EVENT SIZE_MAX

/* Kinds of tracks, in the order in which they are shown */
enum track_kind {
	TRACK_WARP,	/* threads of a warp */
	TRACK_MBARRIER,	/* an mbarrier */
	TRACK_COPY,	/* copies of a channel; copies that overlap are on different tracks */
	/* Jobs of a channel; jobs that are queued at the same time are on different tracks */
	TRACK_JOB,
};

/* A line of the timeline */
struct track {
	enum track_kind kind;
	uint32_t cluster;	/* number of the cluster; 0 for the tracks of a channel */
	uint32_t cta;		/* rank of the CTA (WARP, MBARRIER) */
	uint32_t warp;		/* number of the warp in its CTA (WARP) */
	uint32_t addr;		/* cluster shared address (MBARRIER) */
	uint32_t client;	/* number of the client (COPY, JOB) */
	uint32_t channel;	/* number of the channel (COPY, JOB) */
	/* Number of the track among those of the channel that overlap, from 0 (COPY, JOB) */
	uint32_t line;
	char *name;		/* "warp 3", "full[1]", "channel 0" */
};

/* Kinds of slices */
enum slice_kind {
	SLICE_INSN,	/* an instruction, at one time */
	SLICE_WAIT,	/* threads are suspended, or a wait is armed, from begin to end */
	SLICE_ARRIVE,	/* a thread has arrived at a rendezvous, at one time */
	SLICE_PHASE,	/* a phase of an mbarrier, from its first event to its completion */
	SLICE_ISSUE,	/* a copy has been issued, at one time, on the track of its warp */
	/* A copy, from its begin on the channel to its end; from its issue if it never begins */
	SLICE_COPY,
	SLICE_JOB,	/* a job, from its begin to its end */
	SLICE_QUEUE,	/* a job waits in the queue of its channel */
	SLICE_FAULT,	/* a rule was broken, at one time */
	SLICE_LOST,	/* a channel was reset, or a cluster or the device was lost, at one time */
};

/* Something that happens on a track */
struct slice {
	size_t track;		/* index of the track */
	enum slice_kind kind;
	uint64_t start;		/* when it begins, in ns since the start of the timeline */
	/* When it ends; @start if it takes no time; the end of the timeline if it is @open */
	uint64_t end;
	size_t event;		/* index of the event with which it begins */
	size_t end_event;	/* index of the event with which it ends, or NO_EVENT */
	uint32_t lanes;		/* lanes of the warp that it is about, or 0 */
	bool open;		/* it has not ended */
	bool bad;		/* it is a fault, or has ended with an error, or never ends */
	/*
	 * Number of the line on the track, from 0: slices of other lanes of a warp that overlap are
	 * on different lines.
	 */
	uint32_t line;
	char *name;		/* short text, such as "try_wait full[1]" */
};

/* One slice has brought about another one */
struct flow {
	size_t from;	/* index of the cause */
	/*
	 * Index of what it caused: copy from issue, phase from the last copy or arrive, the end of
	 * a wait from the phase or the last arrival.
	 */
	size_t to;
	bool at_end;	/* the flow goes to the end of @to, and not to its start */
};

/* State of an mbarrier from a time on */
struct sample {
	size_t track;		/* index of the track */
	uint64_t time;		/* in ns since the start of the timeline */
	int64_t pending;	/* arrivals that are pending */
	int64_t tx;		/* tx-count, in bytes */
};

/* A timeline */
struct timeline {
	const struct trace *trace;	/* the trace that it was made from */
	uint64_t start;			/* time of the first event (CLOCK_MONOTONIC, ns) */
	uint64_t length;		/* time of the last event, in ns since @start */
	/* Tracks: by cluster, kind, CTA, warp or address; then those of channels */
	struct track *tracks;
	size_t track_count;		/* number of @tracks */
	struct slice *slices;		/* slices, by their start */
	size_t slice_count;		/* number of @slices */
	struct flow *flows;
	size_t flow_count;		/* number of @flows */
	struct sample *samples;		/* samples, by their time */
	size_t sample_count;		/* number of @samples */
};

/* Makes the timeline of a sorted trace, which has to stay. Ends the program if memory is gone. */
void timeline_make(struct timeline *timeline, const struct trace *trace);
void timeline_free(struct timeline *timeline);

/* Writes the details of a slice as lines "NAME: VALUE": what an event has, with names. */
void timeline_print_slice(FILE *out, const struct timeline *timeline, size_t slice);

/* Formats. They return whether everything could be written to @out. */
bool write_perfetto(FILE *out, const struct timeline *timeline);
bool write_html(FILE *out, const struct timeline *timeline);
/* Shows what happens between two times, in ns since the start. */
bool write_svg(FILE *out, const struct timeline *timeline, uint64_t from, uint64_t to);

#endif
