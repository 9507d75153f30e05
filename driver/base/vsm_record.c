// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events: the tracepoints, and the flight recorder of a cluster.
 *
 * A flight recorder is a ring of the cluster's last events. Its readers do not take events away:
 * events have numbers, and a reader says from which number on it reads.
 */
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/overflow.h>
#include <linux/sched/signal.h>
#include <linux/spinlock.h>
#include <linux/uaccess.h>

#include "base/vsm_record.h"
#include "vsm_drv.h"

#define CREATE_TRACE_POINTS
#include "base/vsm_trace.h"

/* The fewest events that a flight recorder keeps. */
#define VSM_MIN_EVENTS	64

/* The events that are copied in one go. They are on the reader's stack. */
#define VSM_READ_BATCH	8

/**
 * struct vsm_ring - A flight recorder
 * @lock: Protects @next and @events
 * @next: Number of the next event
 * @mask: Number of @events - 1
 * @events: The event with number n is at n & @mask
 */
struct vsm_ring {
	spinlock_t lock; /* next, events */
	u64 next;
	u32 mask;
	struct drm_vsm_trace_event events[];
};

/*
 * Changing the key stops all processors for a moment. A program that creates and closes clusters
 * with flight recorders in a loop must not do that each time: the key goes off at most once in
 * VSM_KEY_TIME.
 */
#define VSM_KEY_TIME	HZ

DEFINE_STATIC_KEY_DEFERRED_FALSE(vsm_recording, VSM_KEY_TIME);

/* Is a tracepoint enabled? */
static DEFINE_STATIC_KEY_FALSE(vsm_tracing);

int vsm_trace_on(void)
{
	static_branch_inc(&vsm_tracing);
	static_branch_deferred_inc(&vsm_recording);
	return 0;
}

/*
 * The kernel also calls this when the module goes while a tracepoint is enabled: after
 * vsm_record_exit(). The key must therefore go off now, and not in a work that runs later.
 */
void vsm_trace_off(void)
{
	static_branch_dec(&vsm_recording.key);
	static_branch_dec(&vsm_tracing);
}

/* The module goes: no cluster is left. A tracepoint may still be enabled. */
void vsm_record_exit(void)
{
	static_key_deferred_flush(&vsm_recording);
}

static size_t vsm_ring_bytes(u32 events)
{
	const struct vsm_ring *ring;

	return struct_size(ring, events, events);
}

/**
 * vsm_recorder_init - Give a cluster its recorder
 * @recorder: Recorder whose @vdev and @cluster are set
 * @client: Client that is charged for the flight recorder
 * @events: Events that the flight recorder keeps, up to VSM_MAX_EVENTS; 0 for no flight recorder
 *
 * Return: 0, -ENOSPC or -ENOMEM.
 */
int vsm_recorder_init(struct vsm_recorder *recorder, struct vsm_client *client, u32 events)
{
	struct vsm_ring *ring;

	recorder->client = client;
	vsm_sharers_init(&recorder->sharers);
	if (!events)
		return 0;
	events = roundup_pow_of_two(max_t(u32, events, VSM_MIN_EVENTS));
	ring = vsm_quota_alloc(&client->quota, 1, vsm_ring_bytes(events));
	if (IS_ERR(ring))
		return PTR_ERR(ring);
	spin_lock_init(&ring->lock);
	ring->mask = events - 1;
	recorder->ring = ring;
	recorder->sharers.owner = client;
	static_branch_deferred_inc(&vsm_recording);
	return 0;
}

void vsm_recorder_fini(struct vsm_recorder *recorder)
{
	struct vsm_ring *ring = recorder->ring;

	if (!ring)
		return;
	static_branch_slow_dec_deferred(&vsm_recording);
	vsm_sharers_fini(&recorder->sharers);
	vsm_quota_free(&recorder->client->quota, ring, 1, vsm_ring_bytes(ring->mask + 1));
}

static void vsm_ring_add(struct vsm_ring *ring, const struct drm_vsm_trace_event *event)
{
	spin_lock(&ring->lock);
	ring->events[ring->next++ & ring->mask] = *event;
	spin_unlock(&ring->lock);
}

/*
 * Copy at most VSM_READ_BATCH events from the number @next on. Events that have been overwritten
 * are skipped: @next and @lost count them. If @lost is NULL, nothing is copied when there are such
 * events. Returns how many were copied.
 */
static u32 vsm_ring_take(struct vsm_ring *ring, u64 *next, u64 *lost, u32 most,
			 struct drm_vsm_trace_event *to)
{
	u64 oldest;
	u32 i, count;

	spin_lock(&ring->lock);
	oldest = ring->next > ring->mask ? ring->next - ring->mask - 1 : 0;
	if (*next < oldest && lost) {
		*lost += oldest - *next;
		*next = oldest;
	}
	count = *next < oldest ? 0 : min_t(u64, ring->next - *next,
					   min_t(u32, most, VSM_READ_BATCH));
	for (i = 0; i < count; i++)
		to[i] = ring->events[(*next)++ & ring->mask];
	spin_unlock(&ring->lock);
	return count;
}

static int vsm_events_store(u64 uptr, u32 stride, const struct drm_vsm_trace_event *events,
			    u32 count)
{
	u32 i;

	for (i = 0; i < count; i++)
		if (copy_to_user(u64_to_user_ptr(uptr + (u64)i * stride), &events[i],
				 min_t(u32, stride, sizeof(events[i]))))
			return -EFAULT;
	return 0;
}

/**
 * vsm_recorder_read - Copy events of a flight recorder to user space
 * @recorder: Recorder of a cluster
 * @viewer: Who reads
 * @args: Arguments of TRACE_READ, which have been checked
 *
 * Return: 0; -ENOENT if the cluster has no flight recorder; -EINVAL if there are not as many events
 * as @args says; -EFAULT; -ERESTARTSYS if a signal came before anything was copied.
 */
int vsm_recorder_read(struct vsm_recorder *recorder, const struct vsm_viewer *viewer,
		      struct drm_vsm_trace_read *args)
{
	struct drm_vsm_trace_event batch[VSM_READ_BATCH];
	struct vsm_ring *ring = recorder->ring;
	u64 end, next = args->next, lost = 0;
	u32 count, copied = 0;

	if (!ring)
		return -ENOENT;
	spin_lock(&ring->lock);
	end = ring->next;
	spin_unlock(&ring->lock);
	if (next > end)
		return -EINVAL;

	/* Events that are added meanwhile are left for the next call. */
	while (copied < args->count && next < end) {
		if (signal_pending(current)) {
			if (!copied)
				return -ERESTARTSYS;
			break;
		}
		/* Events that are lost behind those that were copied are left for the next call. */
		count = vsm_ring_take(ring, &next, copied ? NULL : &lost, args->count - copied,
				      batch);
		if (!count)
			break;
		vsm_sharers_hide(&recorder->sharers, viewer, batch, count);
		if (vsm_events_store(args->events + (u64)copied * args->stride, args->stride, batch,
				     count))
			return -EFAULT;
		copied += count;
		cond_resched();
	}
	args->count = copied;
	args->next = next;
	args->lost = lost;
	return 0;
}

/* A number for a copy, wait, arrival, phase or job: see &drm_vsm_trace_event.id. */
u64 vsm_record_number(struct vsm_device *vdev)
{
	return atomic64_inc_return(&vdev->record_numbers);
}

static noinline void vsm_trace_event(u32 device, const struct drm_vsm_trace_event *event)
{
	static void (*const traces[])(u32 device, const struct drm_vsm_trace_event *event) = {
#define VSM_TRACE(NAME, name) \
	[DRM_VSM_TRACE_##NAME] = trace_vsm_##name,
#include <drm/vsm_trace_types.h>
	};

	traces[event->type](device, event);
}

/**
 * vsm_record - Record an event
 * @recorder: Recorder of the cluster
 * @event: The event; gets its time and its cluster
 *
 * Context: process context. The caller may hold any lock that comes before &vsm_ring.lock in
 * vsm_drv.h.
 */
void vsm_record(const struct vsm_recorder *recorder, struct drm_vsm_trace_event *event)
{
	event->time = ktime_get_ns();
	event->cluster = recorder->cluster;
	if (recorder->ring)
		vsm_ring_add(recorder->ring, event);
	if (static_branch_unlikely(&vsm_tracing))
		vsm_trace_event(recorder->vdev->index, event);
}

/**
 * vsm_record_create - Record that a cluster has been created
 * @recorder: Recorder of the cluster
 * @event: Shape of the cluster; gets its time, its type and its cluster
 */
void vsm_record_create(const struct vsm_recorder *recorder, struct drm_vsm_trace_event *event)
{
	event->type = DRM_VSM_TRACE_CLUSTER_CREATE;
	event->time = ktime_get_ns();
	event->cluster = recorder->cluster;
	if (static_branch_unlikely(&vsm_tracing))
		vsm_trace_event(recorder->vdev->index, event);
}

/* Record an event that is about no cluster. */
void vsm_record_device(struct vsm_device *vdev, enum drm_vsm_trace type)
{
	struct drm_vsm_trace_event event = { .type = type, .time = ktime_get_ns() };

	if (static_branch_unlikely(&vsm_tracing))
		vsm_trace_event(vdev->index, &event);
}
