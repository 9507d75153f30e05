/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Waits of wait sets: suspension without a task.
 */
#ifndef _VSM_WAIT_H_
#define _VSM_WAIT_H_

#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/wait.h>
#include <linux/xarray.h>

#include "base/vsm_deadline.h"
#include "object/vsm_bo.h"
#include "sync/vsm_park.h"
#include "sync/vsm_rendezvous_wait.h"

/* The id of a wait has its slot in the low bits, and above how many were armed before it. */
#define VSM_SLOT_BITS	20

/**
 * struct vsm_waitset - A wait set
 * @ref: Held by the file, and by @wake while it is queued
 * @client: Client that is charged for the waits; held by the file
 * @record_stride: Bytes of a record in read()
 * @mutex: Protects @waits, and keeps the waits in it alive
 * @waits: All waits by the slot in their id: armed, ended and spare
 * @spare: Waits whose records have been read, for the next ones to be armed
 * @spares: Number of waits in @spare
 * @armed: Number of waits ever armed: the high bits of ids, so that an old id names nothing
 * @lock: Protects @ended, @last and @wake
 * @ended: Ended waits whose records have not been read, oldest first
 * @last: Where the next wait to end is linked
 * @wake: Wakes @readers when no lock is held
 * @readers: Tasks that poll or read
 * @link: In &vsm_device.waitsets
 */
struct vsm_waitset {
	struct kref ref;
	struct vsm_client *client;
	u32 record_stride;
	struct mutex mutex; /* waits and spare */
	struct xarray waits;
	struct vsm_wait *spare;
	u32 spares;
	u64 armed;
	spinlock_t lock; /* ended, last and wake */
	struct vsm_wait *ended;
	struct vsm_wait **last;
	struct vsm_wake wake;
	wait_queue_head_t readers;
	struct list_head link;
};

/**
 * struct vsm_wait - An armed or ended wait
 * @phase: Place in the parking lot, if @insn is NULL
 * @rendezvous: Place in a rendezvous, if not
 * @insn: The armed instruction; NULL if the wait is for a phase
 * @set: Its set
 * @bo: Cluster, held; NULL in a spare wait
 * @deadline: When the wait expires, if @timed is set
 * @timed: The wait has a deadline
 * @user_data: For the record
 * @id: Id in the set
 * @slot: In &vsm_waitset.waits
 * @status: &enum drm_vsm_wait_status
 * @next: In &vsm_waitset.ended or &vsm_waitset.spare
 */
struct vsm_wait {
	union {
		struct vsm_phase_waiter phase;
		struct vsm_rendezvous_waiter rendezvous;
	};
	struct drm_vsm_insn *insn;
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

int vsm_wait_arm(struct vsm_waitset *set, struct drm_file *file, u64 uptr,
		 struct vsm_wakes *wakes);
bool vsm_wait_leave(struct vsm_wait *wait);
void vsm_wait_disarm(struct vsm_wait *wait);
void vsm_wait_free(struct vsm_wait *wait);
void vsm_waitset_init(struct vsm_waitset *set);
void vsm_waitset_put(struct vsm_waitset *set);
void vsm_waitset_queue_wake(struct vsm_waitset *set, struct vsm_wakes *wakes);

#endif
