/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events of a cluster: they go to the tracepoints and to the cluster's flight recorder.
 *
 * A function that makes an event first asks vsm_is_recording(). That costs one instruction while
 * nobody looks: no tracepoint is enabled, and no cluster has a flight recorder.
 */
#ifndef _VSM_RECORD_H_
#define _VSM_RECORD_H_

#include <linux/jump_label_ratelimit.h>

#include <drm/vsm_drm.h>
#include <drm/vsm_trace.h>

#include "base/vsm_viewer.h"

struct vsm_ring;

/**
 * struct vsm_recorder - Where the events of a cluster go
 * @vdev: Device
 * @client: Client that is charged for @ring; the owner has a reference
 * @cluster: Number of the cluster
 * @ring: Flight recorder of the cluster, or NULL
 * @sharers: Whom the events in @ring may name
 */
struct vsm_recorder {
	struct vsm_device *vdev;
	struct vsm_client *client;
	u32 cluster;
	struct vsm_ring *ring;
	struct vsm_sharers sharers;
};

/**
 * struct vsm_origin - Thread on whose behalf an instruction is executed
 * @client: Client that executes the instruction; the owner of this structure keeps it alive
 * @recorder: Gets the events; it is a part of the cluster, which the owner keeps alive as well
 * @copy: Number of the asynchronous operation that performs the instruction; 0 if the thread does
 * @handle: The client's handle of the cluster
 * @site: Number that the program has given to the instruction, or 0
 * @lanes: Lanes that execute the instruction together; 0 if only @thread does
 * @cta: Rank of the thread's CTA
 * @thread: Thread in its CTA
 */
struct vsm_origin {
	struct vsm_client *client;
	const struct vsm_recorder *recorder;
	u64 copy;
	u32 handle;
	u32 site;
	u32 lanes;
	u16 cta;
	u16 thread;
};

extern struct static_key_false_deferred vsm_recording;

/* Does anybody look at events? */
static __always_inline bool vsm_is_recording(void)
{
	return static_branch_unlikely(&vsm_recording.key);
}

/* The most events that a flight recorder keeps. */
#define VSM_MAX_EVENTS	BIT(20)

int vsm_recorder_init(struct vsm_recorder *recorder, struct vsm_client *client, u32 events);
void vsm_recorder_fini(struct vsm_recorder *recorder);
int vsm_recorder_read(struct vsm_recorder *recorder, const struct vsm_viewer *viewer,
		      struct drm_vsm_trace_read *args);
void vsm_record_exit(void);

u64 vsm_record_number(struct vsm_device *vdev);
void vsm_record(const struct vsm_recorder *recorder, struct drm_vsm_trace_event *event);
void vsm_record_create(const struct vsm_recorder *recorder, struct drm_vsm_trace_event *event);
void vsm_record_device(struct vsm_device *vdev, enum drm_vsm_trace type);

/* An event about a thread. The caller sets the other fields and calls vsm_record(). */
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
