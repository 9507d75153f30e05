// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events: they go to the tracepoints and to the flight recorder of their cluster (vsm_ring.h).
 * Events in a flight recorder have numbers, and a reader says from which number on it reads.
 */
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include "base/vsm_record.h"
#include "base/vsm_ring.h"
#include "vsm_drv.h"

#define CREATE_TRACE_POINTS
#include "base/vsm_trace.h"

/* The events that are copied in one go. They are on the reader's stack. */
#define VSM_READ_BATCH	8

atomic_t vsm_lookers __read_mostly = ATOMIC_INIT(0);
atomic_t vsm_tracers __read_mostly = ATOMIC_INIT(0);

/* A tracepoint is enabled. */
int vsm_trace_on(void)
{
	atomic_inc(&vsm_tracers);
	atomic_inc(&vsm_lookers);
	return 0;
}

void vsm_trace_off(void)
{
	atomic_dec(&vsm_lookers);
	atomic_dec(&vsm_tracers);
}

/**
 * vsm_recorder_init - Give a cluster its recorder
 * @recorder: Recorder whose @vdev is set
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
	ring = vsm_ring_alloc(&client->quota, events);
	if (IS_ERR(ring))
		return PTR_ERR(ring);
	recorder->ring = ring;
	recorder->sharers.owner = client;
	atomic_inc(&vsm_lookers);
	return 0;
}

void vsm_recorder_fini(struct vsm_recorder *recorder)
{
	if (!recorder->ring)
		return;
	atomic_dec(&vsm_lookers);
	vsm_sharers_fini(&recorder->sharers);
	vsm_ring_free(&recorder->client->quota, recorder->ring);
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
	union vsm_ring_place batch[VSM_READ_BATCH];
	struct vsm_ring *ring = recorder->ring;
	u64 end, next = args->next, lost = 0;
	u32 count, copied = 0;

	if (!ring)
		return -ENOENT;
	end = vsm_ring_end(ring);
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
		count = vsm_ring_take(ring, recorder->cluster, &next, copied ? NULL : &lost,
				      min_t(u32, args->count - copied, VSM_READ_BATCH), batch);
		if (!count)
			break;
		vsm_sharers_hide(&recorder->sharers, viewer, &batch->event, count);
		if (vsm_events_store(args->events + (u64)copied * args->stride, args->stride,
				     &batch->event, count))
			return -EFAULT;
		copied += count;
		cond_resched();
	}
	args->count = copied;
	args->next = next;
	args->lost = lost;
	return 0;
}

/* A call begins, or goes on after the task may have slept. The next event gets its own time. */
void vsm_record_renew(struct vsm_recorder *recorder)
{
	if (recorder->ring)
		vsm_ring_renew(recorder->ring);
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
 * @recorder: Recorder of the cluster, which is on
 * @event: The event; gets its time and its cluster
 *
 * Context: process context. The caller may hold any lock that comes before &vsm_ring.lock in
 * vsm_drv.h.
 */
void vsm_record(const struct vsm_recorder *recorder, struct drm_vsm_trace_event *event)
{
	event->cluster = recorder->cluster;
	if (recorder->ring)
		vsm_ring_add(recorder->ring, event);
	else
		event->time = ktime_get_ns();
	if (vsm_is_tracing())
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
	if (vsm_is_tracing())
		vsm_trace_event(recorder->vdev->index, event);
}

/* Record an event that is about no cluster. */
void vsm_record_device(struct vsm_device *vdev, enum drm_vsm_trace type)
{
	struct drm_vsm_trace_event event = { .type = type, .time = ktime_get_ns() };

	if (vsm_is_tracing())
		vsm_trace_event(vdev->index, &event);
}

/* --- instructions ------------------------------------------------------------------ */

static noinline void vsm_record_insn_slowly(const struct vsm_origin *origin,
					    const struct drm_vsm_insn *insn, u64 old, u64 next)
{
	struct drm_vsm_trace_event event = vsm_event_of(origin, DRM_VSM_TRACE_INSN);

	event.word = old;
	event.next = next;
	event.value = insn->result;
	event.mods = insn->mods;
	event.op = insn->op;
	/* pending_count and fences take no address. The bytes are 0 then. */
	event.addr = insn->u.mbarrier.addr;
	if (origin->copy) {
		event.type = DRM_VSM_TRACE_COPY_DELIVER;
		event.id = vsm_number_shown(origin->copy);
		event.mbar = event.addr;
		if (insn->op == DRM_VSM_OP_MBARRIER_COMPLETE_TX)
			event.size = insn->u.mbarrier.tx_count;
	}
	vsm_record(origin->recorder, &event);
}

/**
 * vsm_record_insn - Record that an mbarrier operation or a fence has been executed
 * @origin: The thread, or the asynchronous operation that executes it
 * @insn: The instruction with its result
 * @old: The word before
 * @next: The word afterwards
 *
 * Most events are instructions, and most of these have the time of the event before. In this case
 * the function writes the packed event itself, and calls no other function.
 */
void vsm_record_insn(const struct vsm_origin *origin, const struct drm_vsm_insn *insn, u64 old,
		     u64 next)
{
	struct vsm_ring *ring = origin->recorder->ring;
	struct vsm_ring_insn *event;

	if (!ring && !vsm_is_tracing())
		return;
	if (!ring || origin->copy || vsm_is_tracing())
		return vsm_record_insn_slowly(origin, insn, old, next);
	vsm_ring_lock(ring);
	if (unlikely(!vsm_ring_shares_time(ring))) {
		vsm_ring_unlock(ring);
		return vsm_record_insn_slowly(origin, insn, old, next);
	}
	event = &vsm_ring_place(ring)->insn;
	event->time = ring->time;
	event->word = old;
	event->next = next;
	event->value = insn->result;
	event->op = insn->op;
	event->mods = insn->mods;
	event->addr = insn->u.mbarrier.addr;
	event->client = origin->client->number;
	event->site = origin->site;
	event->lanes = origin->lanes;
	event->cta = origin->cta;
	event->thread = origin->thread;
	vsm_ring_unlock(ring);
}
