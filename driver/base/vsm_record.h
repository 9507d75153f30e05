/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events of a cluster: they go to the tracepoints and to the cluster's flight recorder.
 *
 * A function with something to tell first asks vsm_is_recording(). Only that test costs something
 * while nobody looks: no tracepoint is enabled, and no cluster has a flight recorder. Then it calls
 * a function that makes the event. That one asks vsm_recorder_is_on(), because the flight recorder
 * that somebody looks at may be another cluster's.
 */
#ifndef _VSM_RECORD_H_
#define _VSM_RECORD_H_

#include <linux/atomic.h>

#include <drm/vsm_drm.h>
#include <drm/vsm_trace.h>

#include "base/vsm_viewer.h"
#include "vsm_compat.h"

struct vsm_ring;

/**
 * struct vsm_recorder - Where the events of a cluster go
 * @vdev: Device
 * @client: Client that is charged for @ring; the owner has a reference
 * @cluster: Number of the cluster
 * @numbers: Last number that vsm_record_number() has returned
 * @ring: Flight recorder of the cluster, or NULL
 * @sharers: Whom the events in @ring may name
 */
struct vsm_recorder {
	struct vsm_device *vdev;
	struct vsm_client *client;
	u32 cluster;
	atomic64_t numbers;
	struct vsm_ring *ring;
	struct vsm_sharers sharers;
};

/**
 * struct vsm_origin - Thread on whose behalf an instruction is executed
 * @client: Client that executes the instruction; the owner of this structure keeps it alive
 * @recorder: Gets the events; it is a part of the cluster, which the owner keeps alive as well
 * @copy: Number of the asynchronous operation that performs the instruction; %VSM_UNNUMBERED if
 *	nobody looked when it was issued; 0 if the thread itself performs the instruction
 * @handle: The client's handle of the cluster
 * @site: Number that the program has given to the instruction, or 0
 * @lanes: Lanes that execute the instruction together; 0 if only @thread does
 * @cta: Rank of the thread's CTA
 * @thread: Thread in its CTA
 */
struct vsm_origin {
	struct vsm_client *client;
	struct vsm_recorder *recorder;
	u64 copy;
	u32 handle;
	u32 site;
	u32 lanes;
	u16 cta;
	u16 thread;
};

/*
 * These are counters and not static keys, because any program that may open the device changes
 * them, and changing a static key stops all processors for a moment.
 */

/* Flight recorders and enabled tracepoints */
extern atomic_t vsm_lookers;
/* Enabled tracepoints */
extern atomic_t vsm_tracers;

/*
 * Does anybody look at events of any cluster? Nothing is ordered here: a thread that uses a cluster
 * has got its handle under a lock, after the flight recorder was counted.
 */
static __always_inline bool vsm_is_recording(void)
{
	/* Any answer is right while the counter changes. A compiler may share one read. */
	return unlikely(data_race(vsm_lookers.counter));
}

static __always_inline bool vsm_is_tracing(void)
{
	/* As above. */
	return unlikely(data_race(vsm_tracers.counter));
}

/* Does anybody look at events of this cluster? */
static __always_inline bool vsm_recorder_is_on(const struct vsm_recorder *recorder)
{
	return recorder->ring || vsm_is_tracing();
}

/* The most events that a flight recorder keeps. */
#define VSM_MAX_EVENTS	BIT(20)

int vsm_recorder_init(struct vsm_recorder *recorder, struct vsm_client *client, u32 events);
void vsm_recorder_fini(struct vsm_recorder *recorder);
int vsm_recorder_read(struct vsm_recorder *recorder, const struct vsm_viewer *viewer,
		      struct drm_vsm_trace_read *args);

void vsm_record_renew(struct vsm_recorder *recorder);
void vsm_record_insn(const struct vsm_origin *origin, const struct drm_vsm_insn *insn, u64 old,
		     u64 next);
void vsm_record(const struct vsm_recorder *recorder, struct drm_vsm_trace_event *event);
void vsm_record_create(const struct vsm_recorder *recorder, struct drm_vsm_trace_event *event);
void vsm_record_device(struct vsm_device *vdev, enum drm_vsm_trace type);

/*
 * A number for a copy, wait, arrival, phase or job: see &drm_vsm_trace_event.id. The recorder is
 * on: what happens while nobody looks has the number 0, and costs nothing here.
 */
static inline u64 vsm_record_number(struct vsm_recorder *recorder)
{
	return atomic64_inc_return(&recorder->numbers);
}

/* In place of the number of something that happened while nobody looked */
#define VSM_UNNUMBERED	U64_MAX

/* The number that events show. */
static inline u64 vsm_number_shown(u64 number)
{
	return number == VSM_UNNUMBERED ? 0 : number;
}

/*
 * An event about a thread. The caller sets the other fields and calls vsm_record(). If it first
 * asks vsm_recorder_is_on(), it declares the event __uninitialized: many kernels clear local
 * variables where a function begins, which would cost more than all else if the recorder is off.
 */
static inline struct drm_vsm_trace_event vsm_event_of(const struct vsm_origin *origin,
						      enum drm_vsm_trace type)
{
	return (struct drm_vsm_trace_event) {
		.type = type,
		.client = origin->client->number,
		.lanes = origin->lanes ?: BIT(origin->thread % 32),
		.site = origin->site,
		.cta = origin->cta,
		.thread = origin->thread,
	};
}

#endif
