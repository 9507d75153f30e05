/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A flight recorder: a ring of the last events of a cluster.
 *
 * Tasks write events and read them while they hold the lock, which orders their accesses. A reader
 * therefore finds only whole events, and finds all events in the order of their numbers.
 *
 * Most events are instructions. To record one must cost little compared with executing it. Such an
 * event is written packed, in one line of the cache, and a reader unpacks it. What an older event
 * has left behind it in its place is never read.
 *
 * The lock is a bit, because bit_spin_lock() is inline. It is held for some forty instructions. A
 * spinlock would add half as many.
 *
 * The times of events never decrease: the clock is read while the lock is held. Reading it costs as
 * much as the rest of an event. Instructions that a task executes in one call share a reading of it
 * while no other event comes between them, but at most VSM_RING_SHARES of them do.
 */
#ifndef _VSM_RING_H_
#define _VSM_RING_H_

#include <linux/bit_spinlock.h>
#include <linux/sched.h>

#include <drm/vsm_drm.h>
#include <drm/vsm_trace.h>

struct vsm_quota;

/* The most events of instructions that have the time of the event before them. */
#define VSM_RING_SHARES	15

/* Set in the time of a packed event. A time of CLOCK_MONOTONIC never has this bit. */
#define VSM_RING_PACKED	BIT_ULL(63)

/**
 * struct vsm_ring_insn - An event of an instruction, packed
 * @time: &drm_vsm_trace_event.time, with VSM_RING_PACKED
 * @word: &drm_vsm_trace_event.word
 * @next: &drm_vsm_trace_event.next
 * @value: &drm_vsm_trace_event.value
 * @op: &drm_vsm_trace_event.op
 * @mods: &drm_vsm_trace_event.mods
 * @addr: &drm_vsm_trace_event.addr
 * @client: &drm_vsm_trace_event.client
 * @site: &drm_vsm_trace_event.site
 * @lanes: Lanes that execute the instruction together; 0 if only @thread does
 * @cta: &drm_vsm_trace_event.cta
 * @thread: &drm_vsm_trace_event.thread
 *
 * The other fields of the event are 0, except the cluster.
 */
struct vsm_ring_insn {
	u64 time;
	u64 word;
	u64 next;
	u64 value;
	u16 op;
	u16 mods;
	u32 addr;
	u32 client;
	u32 site;
	u32 lanes;
	u16 cta;
	u16 thread;
};

/* A place in the ring. */
union vsm_ring_place {
	struct drm_vsm_trace_event event;
	struct vsm_ring_insn insn;
};

static_assert(sizeof(union vsm_ring_place) == sizeof(struct drm_vsm_trace_event));

/**
 * struct vsm_ring - A flight recorder
 * @lock: Bit 0 is the lock. It protects the other fields
 * @next: Number of the next event
 * @time: Time of the last event, with VSM_RING_PACKED
 * @task: The task that recorded the last event, unless its call has ended. That task changes this
 *	to NULL without the lock
 * @shares: How many more instructions of @task may have the time @time
 * @mask: Number of @places - 1
 * @places: The event with number n is at n & @mask
 */
struct vsm_ring {
	unsigned long lock;
	u64 next;
	u64 time;
	const struct task_struct *task;
	s32 shares;
	u32 mask;
	union vsm_ring_place places[];
};

static __always_inline void vsm_ring_lock(struct vsm_ring *ring)
{
	bit_spin_lock(0, &ring->lock);
}

static __always_inline void vsm_ring_unlock(struct vsm_ring *ring)
{
	__bit_spin_unlock(0, &ring->lock);
}

/* The place of the next event. The caller holds the lock, and drops it when the place is filled. */
static __always_inline union vsm_ring_place *vsm_ring_place(struct vsm_ring *ring)
{
	return &ring->places[ring->next++ & ring->mask];
}

/* May an instruction have the time of the last event? The caller holds the lock. */
static __always_inline bool vsm_ring_shares_time(struct vsm_ring *ring)
{
	return READ_ONCE(ring->task) == current && --ring->shares >= 0;
}

/* What the task records next must not have the time of what it has recorded last. */
static inline void vsm_ring_renew(struct vsm_ring *ring)
{
	/*
	 * If @task is another task by now, that one has to read the clock once more: this does no
	 * harm.
	 */
	if (READ_ONCE(ring->task) == current)
		WRITE_ONCE(ring->task, NULL);
}

struct vsm_ring *vsm_ring_alloc(struct vsm_quota *quota, u32 events);
void vsm_ring_free(struct vsm_quota *quota, struct vsm_ring *ring);
void vsm_ring_add(struct vsm_ring *ring, struct drm_vsm_trace_event *event);
u64 vsm_ring_end(struct vsm_ring *ring);
u32 vsm_ring_take(struct vsm_ring *ring, u32 cluster, u64 *next, u64 *lost, u32 most,
		  union vsm_ring_place *to);

#endif
