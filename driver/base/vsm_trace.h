/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events, the flight recorder of a cluster, and who may see what a client does.
 */
#ifndef _VSM_TRACE_H_
#define _VSM_TRACE_H_

#include <linux/atomic.h>
#include <linux/bit_spinlock.h>
#include <linux/sched.h>
#include <linux/xarray.h>

#include <drm/vsm_drm.h>
#include <drm/vsm_trace.h>

#include "base/vsm_client.h"
#include "vsm_compat.h"

struct vsm_ring;

/* --- viewers --------------------------------------------------------------------- */

/*
 * Who may see what a client does: readers of the state and of the flight recorder of a cluster that
 * several clients share.
 */

/**
 * struct vsm_viewer - Who reads
 * @client: Client of the reader; NULL if @all is true
 * @all: The reader sees all clients
 */
struct vsm_viewer {
	const struct vsm_client *client;
	bool all;
};

/**
 * struct vsm_sharers - Clients that have had a handle of a cluster with a flight recorder
 * @owner: Client that has created the cluster; NULL if there is no flight recorder
 * @others: The other clients, by number, with a reference on each: events name them after their
 *	files have been closed
 * @count: Number of @others
 */
struct vsm_sharers {
	const struct vsm_client *owner;
	struct xarray others;
	atomic_t count;
};

struct vsm_viewer vsm_viewer_of(const struct vsm_client *client);
bool vsm_viewer_sees(const struct vsm_viewer *viewer, const struct vsm_client *client);

int vsm_sharers_add(struct vsm_sharers *sharers, struct vsm_client *client);

/* --- events ---------------------------------------------------------------------- */

/*
 * Events of a cluster: they go to the tracepoints and to the cluster's flight recorder.
 *
 * A function with something to tell first asks vsm_is_recording(). Only that test costs something
 * while nobody looks: no tracepoint is enabled, and no cluster has a flight recorder. Then it calls
 * a function that makes the event. That one asks vsm_recorder_is_on(), because the flight recorder
 * that somebody looks at may be another cluster's.
 */

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

/* --- flight recorders ------------------------------------------------------------ */

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

/* Not __bit_spin_unlock(): KCSAN reports its plain write when others try to take the lock. */
static __always_inline void vsm_ring_unlock(struct vsm_ring *ring)
{
	bit_spin_unlock(0, &ring->lock);
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

u64 vsm_ring_end(struct vsm_ring *ring);
u32 vsm_ring_take(struct vsm_ring *ring, u32 cluster, u64 *next, u64 *lost, u32 most,
		  union vsm_ring_place *to);

#endif
