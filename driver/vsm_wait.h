/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A wait of a wait set: its memory, its deadline and its end.
 */
#ifndef _VSM_WAIT_H_
#define _VSM_WAIT_H_

#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/timerqueue.h>
#include <linux/wait.h>
#include <linux/xarray.h>

#include "base/vsm_client.h"
#include "base/vsm_state.h"
#include "object/vsm_bo.h"
#include "sync/vsm_rendezvous_wait.h"
#include "sync/vsm_waiter.h"

struct vsm_deadlines;

/* --- deadlines ------------------------------------------------------------------- */

/**
 * struct vsm_deadline - A time at which a wait expires
 * @node: In &struct vsm_deadlines, with the time (CLOCK_MONOTONIC)
 * @queue: The queue, which vsm_deadline_init() chooses
 * @expire: Called once when the time has come. The caller holds the queue's lock, which
 *	vsm_deadline_stop() takes too
 */
struct vsm_deadline {
	struct timerqueue_node node;
	struct vsm_deadlines *queue;
	void (*expire)(struct vsm_deadline *deadline, struct vsm_wakes *wakes);
};

int vsm_deadlines_init(struct vsm_device *vdev);
void vsm_deadline_stop(struct vsm_deadline *deadline);

/* --- waits ----------------------------------------------------------------------- */

/*
 * Waits of wait sets. They suspend no task: a program reads from the set's file which have ended.
 * The structure of the set is here too, because waits end in its list.
 */

/*
 * The low bits of a wait's id are its slot. The high bits count the waits that the set has armed.
 */
#define VSM_SLOT_BITS	20
/* The most spare waits of a set. */
#define VSM_MAX_SPARE	64

/**
 * struct vsm_waitset - A wait set
 * @ref: References: one of the file, one of @wake while it is queued, and one of
 *	vsm_waitset_kill() while it wakes @readers
 * @client: Client that is charged for the waits; the file has a reference on it
 * @record_stride: Bytes of each record that read() returns
 * @mutex: Protects @waits, and keeps the waits in it alive
 * @waits: All waits by the slot in their id: armed, ended and spare
 * @spare: Waits whose records have been read; their memory is used for the next waits
 * @spares: Number of waits in @spare
 * @armed: Number of waits that have ever been armed. It becomes the high bits of the next id, so
 *	that an old id never names a new wait
 * @unread: Ended waits that a reader has taken out of @ended and whose records have not been read,
 *	oldest first; protected by @mutex, and set before the waits leave @ended
 * @lock: Protects @ended, @last and @wake
 * @ended: Waits that have ended after those in @unread, oldest first
 * @last: Pointer to which the next wait that ends is linked: &vsm_wait.next of the last wait in
 *	@ended, or @ended itself
 * @wake: Wakes @readers when no lock is held; vsm_waitset_wake() clears its @queued without @lock
 * @readers: Tasks that poll or read
 * @link: In &vsm_device.waitsets
 */
struct vsm_waitset {
	struct kref ref;
	struct vsm_client *client;
	u32 record_stride;
	struct mutex mutex; /* waits, spare and unread */
	struct xarray waits;
	struct vsm_wait *spare;
	u32 spares;
	u64 armed;
	struct vsm_wait *unread;
	spinlock_t lock; /* ended, last and wake */
	struct vsm_wait *ended;
	struct vsm_wait **last;
	struct vsm_wake wake;
	wait_queue_head_t readers;
	struct list_head link;
};

/* What a wait waits for. */
enum vsm_wait_kind {
	VSM_WAIT_FOR_PHASE,
	VSM_WAIT_FOR_RENDEZVOUS,
	VSM_WAIT_FOR_GROUPS,
};

/**
 * struct vsm_wait - An armed or ended wait
 * @phase: The waiter in the parking lot (%VSM_WAIT_FOR_PHASE)
 * @rendezvous: The waiter in a rendezvous (%VSM_WAIT_FOR_RENDEZVOUS)
 * @groups: The waiter for groups (%VSM_WAIT_FOR_GROUPS)
 * @kind: What the wait waits for
 * @wakes: The wait counts as a waker; false if its threads count as suspended
 * @insn: The armed instruction; NULL if the wait has none
 * @origin: The thread that executes @insn, or the lowest of several; with a reference on the client
 * @set: The wait set
 * @bo: The cluster, with a reference; NULL in a spare wait
 * @deadline: When the wait expires, if @timed is set
 * @timed: The wait has a deadline
 * @user_data: Number that the program has given; returned in the record
 * @id: Id in the set
 * @slot: Index in &vsm_waitset.waits
 * @status: Why the wait has ended, &enum drm_vsm_wait_status
 * @next: In &vsm_waitset.ended, &vsm_waitset.unread or &vsm_waitset.spare
 */
struct vsm_wait {
	union {
		struct vsm_phase_waiter phase;
		struct vsm_rendezvous_waiter rendezvous;
		struct vsm_group_waiter groups;
	};
	enum vsm_wait_kind kind;
	bool wakes;
	struct drm_vsm_insn *insn;
	struct vsm_origin origin;
	struct vsm_waitset *set;
	struct vsm_bo *bo;
	struct vsm_deadline deadline;
	bool timed;
	u64 user_data;
	u64 id;
	u32 slot;
	u32 status;
	struct vsm_wait *next;
};

void vsm_wait_armed(struct vsm_wait *wait, bool complete, s64 deadline, struct vsm_wakes *wakes);
void vsm_wait_waiter_end(struct vsm_waiter *waiter, int error, struct vsm_wakes *wakes);
void vsm_wait_describe(const struct vsm_state *state, const struct vsm_waiter *waiter,
		       struct drm_vsm_state_entry *entry);
void vsm_wait_free_insn(struct vsm_client *client, struct drm_vsm_insn *insn);
bool vsm_wait_leave(struct vsm_wait *wait);
struct vsm_wait *vsm_wait_add(struct vsm_waitset *set);
void vsm_waitset_init(struct vsm_waitset *set);
void vsm_waitset_put(struct vsm_waitset *set);

/*
 * Add the readers of a set to those that the caller wakes after it has dropped its locks.
 *
 * Why no wake-up is lost: a reader enters the wait queue, and then looks for ended waits. A wait
 * that ends is put into the list, and then this function looks for readers. On both sides a full
 * barrier is in between. The reader therefore finds the wait, or is found here. If the entry is
 * queued, its wake-up is still to come: vsm_waitset_wake() clears the mark, and wakes the readers
 * after a full barrier. They then find the wait.
 */
static inline void vsm_waitset_queue_wake(struct vsm_waitset *set, struct vsm_wakes *wakes)
{
	lockdep_assert_held(&set->lock);
	if (!wq_has_sleeper(&set->readers) || READ_ONCE(set->wake.queued))
		return;
	WRITE_ONCE(set->wake.queued, true);
	kref_get(&set->ref);
	vsm_wakes_add(wakes, &set->wake);
}

/* Get the memory of a spare wait, or of a new one. Returns an error code as a pointer. */
static inline struct vsm_wait *vsm_wait_new(struct vsm_waitset *set)
{
	struct vsm_wait *wait = set->spare;

	lockdep_assert_held(&set->mutex);
	if (unlikely(!wait))
		return vsm_wait_add(set);
	set->spare = wait->next;
	set->spares--;
	return wait;
}

/* Disarm a wait that nobody else can reach any more. */
static inline void vsm_wait_disarm(struct vsm_wait *wait)
{
	if (unlikely(wait->timed))
		vsm_deadline_stop(&wait->deadline);
	if (unlikely(wait->insn)) {
		vsm_wait_free_insn(wait->origin.client, wait->insn);
		wait->insn = NULL;
	}
	if (wait->wakes)
		vsm_cluster_remove_waker(wait->bo->cluster);
	vsm_bo_put(wait->bo);
	wait->bo = NULL;
	vsm_quota_uncharge(&wait->set->client->quota, VSM_RES_WAITS, 1);
}

/* Disarm a wait, and keep its memory for the next one or free it. */
static inline void vsm_wait_free(struct vsm_wait *wait)
{
	struct vsm_waitset *set = wait->set;

	lockdep_assert_held(&set->mutex);
	vsm_wait_disarm(wait);
	if (unlikely(set->spares == VSM_MAX_SPARE)) {
		xa_erase(&set->waits, wait->slot);
		vsm_quota_free(&set->client->quota, wait, 1, sizeof(*wait));
		return;
	}
	wait->next = set->spare;
	set->spare = wait;
	set->spares++;
}

#endif
