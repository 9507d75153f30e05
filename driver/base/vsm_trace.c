// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events: they go to the tracepoints and to the flight recorder of their cluster.
 */
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/overflow.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>
#include <linux/user_namespace.h>

#include "base/vsm_client.h"
#include "base/vsm_trace.h"
#include "vsm_drv.h"

/* --- viewers --------------------------------------------------------------------- */

/*
 * Who may see what a client does. The rule is that of ptrace_may_access(), with CAP_PERFMON as the
 * capability: the reader has the same user as the client and is in the same user namespace, or has
 * the capability in the namespace of the client.
 *
 * A user namespace is not its creator. The programs in a sandbox often have the user of its
 * creator, and must not see what this user does outside.
 */

/*
 * The most clients besides the owner that the events of a cluster can name after their files have
 * been closed. With more of them, a reader no longer sees what belongs to the oldest ones.
 */
#define VSM_MAX_SHARERS	64

/* Has the calling task the capability in a user namespace? */
static bool vsm_may_see_all_of(struct user_namespace *ns)
{
	return ns_capable_noaudit(ns, CAP_PERFMON) || ns_capable_noaudit(ns, CAP_SYS_ADMIN);
}

/**
 * vsm_viewer_of - Who reads, if the calling task does
 * @client: Client of the file with which it reads
 *
 * Return: The reader.
 */
struct vsm_viewer vsm_viewer_of(const struct vsm_client *client)
{
	return (struct vsm_viewer) {
		.client = client,
		.all = vsm_may_see_all_of(&init_user_ns),
	};
}

/*
 * May the reader see what belongs to a client? Returns whether the reader may see it. If not, he
 * sees of shared clusters what happens, and not who does it, with which handles and numbers of his
 * own.
 */
bool vsm_viewer_sees(const struct vsm_viewer *viewer, const struct vsm_client *client)
{
	if (viewer->all || client == viewer->client)
		return true;
	if (client->user_ns == viewer->client->user_ns && uid_eq(client->uid, viewer->client->uid))
		return true;
	/* @all would be true if the reader had the capability here. */
	return client->user_ns != &init_user_ns && vsm_may_see_all_of(client->user_ns);
}

static void vsm_sharers_init(struct vsm_sharers *sharers)
{
	xa_init(&sharers->others);
}

static void vsm_sharers_fini(struct vsm_sharers *sharers)
{
	struct vsm_client *client;
	unsigned long number;

	xa_for_each(&sharers->others, number, client)
		vsm_client_put(client);
	xa_destroy(&sharers->others);
}

/* Forget the oldest client: numbers are given out in turn. */
static void vsm_sharers_drop(struct vsm_sharers *sharers)
{
	unsigned long number = 0;
	struct vsm_client *client;

	xa_lock(&sharers->others);
	client = xa_find(&sharers->others, &number, ULONG_MAX, XA_PRESENT);
	if (client)
		__xa_erase(&sharers->others, number);
	xa_unlock(&sharers->others);
	if (client) {
		atomic_dec(&sharers->count);
		vsm_client_put(client);
	}
}

/* A client gets a handle of the cluster. Returns 0 or -ENOMEM. */
int vsm_sharers_add(struct vsm_sharers *sharers, struct vsm_client *client)
{
	int ret;

	if (!sharers->owner || client == sharers->owner)
		return 0;
	ret = xa_insert(&sharers->others, client->number, vsm_client_get(client),
			GFP_KERNEL_ACCOUNT);
	if (ret) {
		vsm_client_put(client);
		return ret == -EBUSY ? 0 : ret;
	}
	if (atomic_inc_return(&sharers->count) > VSM_MAX_SHARERS)
		vsm_sharers_drop(sharers);
	return 0;
}

/* May the reader see what belongs to the client with this number? */
static bool vsm_sharers_show(struct vsm_sharers *sharers, const struct vsm_viewer *viewer,
			     u32 number)
{
	const struct vsm_client *client;
	bool shows;

	if (viewer->all || !number)
		return true;
	if (number == sharers->owner->number)
		return vsm_viewer_sees(viewer, sharers->owner);
	/* The reference is put after the client has left the array, under this lock. */
	xa_lock(&sharers->others);
	client = xa_load(&sharers->others, number);
	shows = client && vsm_viewer_sees(viewer, client);
	xa_unlock(&sharers->others);
	return shows;
}

/* Hide of an event what CLUSTER_STATE hides: who it was, and the client's handles and numbers. */
static void vsm_event_hide(struct drm_vsm_trace_event *event)
{
	event->client = 0;
	event->buffer = 0;
	event->site = 0;
	if (event->type >= DRM_VSM_TRACE_COPY_ISSUE && event->type <= DRM_VSM_TRACE_COPY_END)
		event->value = 0;
}

/*
 * Remove from events what their reader may not see.
 * @sharers: Sharers of the cluster, which has a flight recorder
 */
static void vsm_sharers_hide(struct vsm_sharers *sharers, const struct vsm_viewer *viewer,
			     struct drm_vsm_trace_event *events, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++)
		if (!vsm_sharers_show(sharers, viewer, events[i].client))
			vsm_event_hide(&events[i]);
}

/* --- the memory of a flight recorder --------------------------------------------- */

/*
 * The flight recorder of a cluster. Its readers do not take events away.
 */

/* The fewest events that a flight recorder keeps. */
#define VSM_MIN_EVENTS	64

static size_t vsm_ring_bytes(u32 events)
{
	const struct vsm_ring *ring;

	return struct_size(ring, places, events);
}

/*
 * Create a flight recorder.
 * @events: Events that it keeps, from 1
 *
 * Returns the flight recorder; -ENOSPC or -ENOMEM as a pointer.
 */
static struct vsm_ring *vsm_ring_alloc(struct vsm_quota *quota, u32 events)
{
	struct vsm_ring *ring;

	events = roundup_pow_of_two(max_t(u32, events, VSM_MIN_EVENTS));
	ring = vsm_quota_alloc(quota, 1, vsm_ring_bytes(events));
	if (IS_ERR(ring))
		return ring;
	ring->mask = events - 1;
	return ring;
}

static void vsm_ring_free(struct vsm_quota *quota, struct vsm_ring *ring)
{
	vsm_quota_free(quota, ring, 1, vsm_ring_bytes(ring->mask + 1));
}

/*
 * Add an event.
 * @event: The event; gets its time
 */
static void vsm_ring_add(struct vsm_ring *ring, struct drm_vsm_trace_event *event)
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

/*
 * Copy events.
 * @next: Number of the first event (in), and of the event behind the last one (out)
 * @lost: Is increased by the number of events that have been overwritten and are skipped. If it is
 *	NULL, nothing is copied when there are such events
 * @most: The most events to copy. The lock is held meanwhile
 * @to: Gets the events, and no packed ones
 *
 * Returns number of events.
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

/* --- events ---------------------------------------------------------------------- */

/*
 * Events: they go to the tracepoints and to the flight recorder of their cluster (vsm_trace.h).
 * Events in a flight recorder have numbers, and a reader says from which number on it reads.
 */

#define CREATE_TRACE_POINTS
#include "base/vsm_tracepoints.h"

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

/*
 * Give a cluster its recorder.
 * @client: Client that is charged for the flight recorder
 * @events: Events that the flight recorder keeps, up to VSM_MAX_EVENTS; 0 for no flight recorder
 *
 * Returns 0, -ENOSPC or -ENOMEM.
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

/*
 * Copy events of a flight recorder to user space.
 * @args: Arguments of TRACE_READ, which have been checked
 *
 * Returns 0; -ENOENT if the cluster has no flight recorder; -EINVAL if there are not as many
 * events as @args says; -EFAULT; -ERESTARTSYS if a signal came before anything was copied.
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

/*
 * Record that a cluster has been created.
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
		/* Here this bit is VSM_MOD_ASYNC, a mark of the engine (core/vsm_step.h). */
		event.mods &= ~DRM_VSM_MOD_NOINC;
		if (insn->op == DRM_VSM_OP_MBARRIER_COMPLETE_TX)
			event.size = insn->u.mbarrier.tx_count;
	}
	vsm_record(origin->recorder, &event);
}

/*
 * Record that an mbarrier operation or a fence has been executed.
 * @origin: The thread, or the asynchronous operation that executes it
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
