// SPDX-License-Identifier: GPL-2.0-only
/*
 * The flight recorder of a cluster. Its readers do not take events away.
 */
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/overflow.h>

#include "base/vsm_quota.h"
#include "base/vsm_ring.h"

/* The fewest events that a flight recorder keeps. */
#define VSM_MIN_EVENTS	64

static size_t vsm_ring_bytes(u32 events)
{
	const struct vsm_ring *ring;

	return struct_size(ring, places, events);
}

/**
 * vsm_ring_alloc - Create a flight recorder
 * @quota: Is charged for the memory
 * @events: Events that it keeps, from 1
 *
 * Return: The flight recorder; -ENOSPC or -ENOMEM as a pointer.
 */
struct vsm_ring *vsm_ring_alloc(struct vsm_quota *quota, u32 events)
{
	struct vsm_ring *ring;

	events = roundup_pow_of_two(max_t(u32, events, VSM_MIN_EVENTS));
	ring = vsm_quota_alloc(quota, 1, vsm_ring_bytes(events));
	if (IS_ERR(ring))
		return ring;
	ring->mask = events - 1;
	return ring;
}

void vsm_ring_free(struct vsm_quota *quota, struct vsm_ring *ring)
{
	vsm_quota_free(quota, ring, 1, vsm_ring_bytes(ring->mask + 1));
}

/**
 * vsm_ring_add - Add an event
 * @ring: Flight recorder
 * @event: The event; gets its time
 */
void vsm_ring_add(struct vsm_ring *ring, struct drm_vsm_trace_event *event)
{
	vsm_ring_lock(ring);
	event->time = ktime_get_ns();
	ring->time = event->time | VSM_RING_PACKED;
	WRITE_ONCE(ring->task, current);
	ring->shares = VSM_RING_SHARES;
	vsm_ring_place(ring)->event = *event;
	vsm_ring_unlock(ring);
}

/* The number of the next event. */
u64 vsm_ring_end(struct vsm_ring *ring)
{
	u64 end;

	vsm_ring_lock(ring);
	end = ring->next;
	vsm_ring_unlock(ring);
	return end;
}

/* Replace a packed event by the event. */
static void vsm_ring_unpack(union vsm_ring_place *place, u32 cluster)
{
	const struct vsm_ring_insn insn = place->insn;

	if (!(insn.time & VSM_RING_PACKED))
		return;
	place->event = (struct drm_vsm_trace_event) {
		.time = insn.time & ~VSM_RING_PACKED,
		.word = insn.word,
		.next = insn.next,
		.value = insn.value,
		.cluster = cluster,
		.client = insn.client,
		.addr = insn.addr,
		.lanes = insn.lanes ?: BIT(insn.thread % 32),
		.site = insn.site,
		.mods = insn.mods,
		.op = insn.op,
		.type = DRM_VSM_TRACE_INSN,
		.cta = insn.cta,
		.thread = insn.thread,
	};
}

/**
 * vsm_ring_take - Copy events
 * @ring: Flight recorder
 * @cluster: Number of the cluster
 * @next: Number of the first event (in), and of the event behind the last one (out)
 * @lost: Is increased by the number of events that have been overwritten and are skipped. If it is
 *	NULL, nothing is copied when there are such events
 * @most: The most events to copy. The lock is held meanwhile
 * @to: Gets the events, and no packed ones
 *
 * Return: Number of events.
 */
u32 vsm_ring_take(struct vsm_ring *ring, u32 cluster, u64 *next, u64 *lost, u32 most,
		  union vsm_ring_place *to)
{
	u64 oldest;
	u32 i, count;

	vsm_ring_lock(ring);
	oldest = ring->next > ring->mask ? ring->next - ring->mask - 1 : 0;
	if (*next < oldest && lost) {
		*lost += oldest - *next;
		*next = oldest;
	}
	count = *next < oldest ? 0 : min_t(u64, ring->next - *next, most);
	for (i = 0; i < count; i++)
		to[i] = ring->places[(*next)++ & ring->mask];
	vsm_ring_unlock(ring);
	for (i = 0; i < count; i++)
		vsm_ring_unpack(&to[i], cluster);
	return count;
}
