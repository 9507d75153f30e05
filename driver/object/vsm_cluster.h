/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state of a cluster: its windows, its words and its threads. Dumps of failures.
 */
#ifndef _VSM_CLUSTER_H_
#define _VSM_CLUSTER_H_

#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include <drm/vsm_dump.h>

#include "base/vsm_trace.h"
#include "core/vsm_shadow.h"

/* --- clusters -------------------------------------------------------------------- */

/* Rows of the parking lot (vsm_park.c) */
#define VSM_PARK_ROWS	256

struct vsm_cluster_rendezvous;
struct vsm_hazards;

/**
 * struct vsm_visible - Inits of a CTA, and which of them are visible to the cluster
 * @inits: Inits of the CTA
 * @fenced: For each thread the number up to which its fence.mbarrier_init has made the inits
 *	visible that the thread itself has done; NULL until the first such fence
 */
struct vsm_visible {
	struct vsm_inits inits;
	u64 *fenced;
};

/**
 * struct vsm_suspension - The lanes of a warp that count as suspended
 * @lock: Protects the other fields
 * @waiting: Lanes that at least one wait suspends without a time limit
 * @exited: Lanes that have exited
 * @shared: Lanes of @waiting that more than one such wait suspends
 * @more: For each lane, the number of such waits besides the first
 *
 * &vsm_cluster.suspended counts the lanes in @waiting or in @exited.
 */
struct vsm_suspension {
	spinlock_t lock; /* all other fields */
	u32 waiting;
	u32 exited;
	u32 shared;
	u32 more[VSM_WARP_SIZE];
};

/**
 * struct vsm_cluster - The state of a cluster, without the bytes of its windows
 * @vdev: Device
 * @number: Number of the cluster, from 1; unique among the clusters of the device that exist
 * @lost: 1 if a trap has killed the cluster, else 0; never 0 again
 * @live: Number of threads that have not exited
 * @window_stride: Bytes from one window to the next
 * @words: Words of all windows
 * @windows: Kernel mapping of all windows
 * @shadows: Rows of shadows, by word index; strict policy only, NULL until the first mbarrier.init
 * @geo: Geometry
 * @hash: Random number that spreads clusters over the parking lot
 * @hash_factor: Random odd number that spreads the words of the cluster over the parking lot
 * @client: Client that is charged for the cluster; the object has a reference
 * @hazards: Bytes of the windows that operations in flight use: &vsm_bo.hazards of the object
 * @rendezvous: State of the threads in a rendezvous, NULL until the first rendezvous
 * @recorder: Gets the events of the cluster
 * @objects: Number of objects that have been initialised
 * @inits: Number of inits that have been completed
 * @phases: Number of phases that the device has completed
 * @visible_lock: Protects @visible
 * @visible: Inits of each CTA, and which of them are visible to the cluster
 * @suspended: Number of threads that are suspended without a time limit, or have exited
 * @resumed: How often a suspended thread was resumed
 * @wakers: Number of jobs, batches of asynchronous operations of threads, and armed waits, which
 *	may resume a thread. An armed wait whose threads count in @suspended is not among them
 * @deadlock_epoch: How often all threads were found suspended with no waker
 * @deadlock_before: The epoch that began when the last deadlock was found. The waits that belong
 *	to this deadlock began in an earlier epoch
 * @deadlock_resumed: @resumed when that deadlock was found
 * @held: Operations that threads issue are held; protected by &vsm_device.hold_lock
 * @maybe_held: @held is set, or @held_ops may have operations; written under
 *	&vsm_device.hold_lock, which vsm_held_keep() takes only if this is true
 * @held_ops: Operations that are held, or that a release has not launched yet; protected by
 *	&vsm_device.hold_lock
 * @held_last: Number of the last operation that was held; protected by &vsm_device.hold_lock
 * @groups: Groups of the cluster's threads, &struct vsm_groups, by CTA and thread
 * @deadlock_work: Ends the waits of that deadlock; it counts as a waker until it has done so
 * @kill_work: Ends the waits of a cluster that a channel has marked lost
 * @parked: Rows of the parking lot in which there has been a waiter for a word of the cluster; a
 *	bit is never cleared (vsm_park_note_row())
 * @suspensions: For each warp, which of its lanes count in @suspended
 */
struct vsm_cluster {
	struct vsm_device *vdev;
	u32 number;
	u32 lost;
	u32 live;
	u32 window_stride;
	unsigned long words;
	void *windows;
	struct vsm_shadow **shadows;
	struct vsm_geometry geo;
	u32 hash;
	u32 hash_factor;
	struct vsm_client *client;
	struct vsm_hazards *hazards;
	struct vsm_cluster_rendezvous *rendezvous;
	struct vsm_recorder recorder;

	/* Written by each init and each phase */
	atomic_t objects ____cacheline_aligned_in_smp;
	atomic_t inits;
	atomic64_t phases;
	spinlock_t visible_lock; /* visible */
	struct vsm_visible visible[VSM_MAX_CTAS];

	/* Written by each suspension, armed wait, job and batch of operations */
	atomic_t suspended ____cacheline_aligned_in_smp;
	atomic_t resumed;
	atomic_t wakers;
	atomic_t deadlock_epoch;
	int deadlock_before;
	int deadlock_resumed;

	bool held;
	bool maybe_held;
	struct list_head held_ops;
	u64 held_last;
	struct xarray groups;
	struct work_struct deadlock_work;
	struct work_struct kill_work;
	DECLARE_BITMAP(parked, VSM_PARK_ROWS);
	struct vsm_suspension suspensions[];
};

struct vsm_cluster *vsm_cluster_create(struct vsm_bo *bo, const struct vsm_geometry *geo);
void vsm_cluster_free(struct vsm_cluster *cluster);

/*
 * The index of the word at a checked address. It stays below the number of words even if the
 * processor executes this speculatively before the check.
 */
static inline u32 vsm_cluster_index(const struct vsm_cluster *cluster, u32 addr)
{
	unsigned long index = (vsm_addr_rank(addr) * cluster->window_stride +
			       vsm_addr_offset(addr)) / sizeof(u64);

	return array_index_nospec(index, cluster->words);
}

/* The cluster shared address of the word with an index. */
static inline u32 vsm_cluster_addr(const struct vsm_cluster *cluster, u32 index)
{
	u32 words = cluster->window_stride / sizeof(u64);

	return index / words << VSM_SHARED_RANK_SHIFT | index % words * sizeof(u64);
}

static inline u64 *vsm_cluster_word(const struct vsm_cluster *cluster, u32 index)
{
	return (u64 *)cluster->windows + index;
}

/*
 * The offset of a checked address from the first window. It is inside the windows even if the
 * processor executes this speculatively before the check.
 */
static inline unsigned long vsm_cluster_offset(const struct vsm_cluster *cluster, u32 addr)
{
	unsigned long offset = vsm_addr_rank(addr) * cluster->window_stride +
			       vsm_addr_offset(addr);

	return array_index_nospec(offset, cluster->words * sizeof(u64));
}

/* The memory at a checked address. */
static inline void *vsm_cluster_mem(const struct vsm_cluster *cluster, u32 addr)
{
	return cluster->windows + vsm_cluster_offset(cluster, addr);
}

static inline u32 vsm_cluster_threads(const struct vsm_cluster *cluster)
{
	return cluster->geo.ctas * cluster->geo.threads;
}

/* The number of a thread's warp, counted over the whole cluster. */
static inline u32 vsm_cluster_warp(const struct vsm_cluster *cluster, u32 cta, u32 thread)
{
	return cta * vsm_geometry_warps(&cluster->geo) + thread / VSM_WARP_SIZE;
}

/* Mask of the lanes that exist in the warp of a thread. */
static inline u32 vsm_cluster_lanes(const struct vsm_cluster *cluster, u32 thread)
{
	u32 left = cluster->geo.threads - round_down(thread, VSM_WARP_SIZE);

	return left < VSM_WARP_SIZE ? BIT(left) - 1 : ~0U;
}

/* --- dumps ----------------------------------------------------------------------- */

/* The most instructions, words and events in a dump */
#define VSM_DUMP_INSNS	512
#define VSM_DUMP_WORDS	64
#define VSM_DUMP_EVENTS	256

int vsm_dumps_init(struct vsm_device *vdev);
void vsm_dumps_stop(struct vsm_device *vdev);
struct drm_vsm_dump *vsm_dump_begin(struct vsm_cluster *cluster, const struct vsm_client *client,
				    enum drm_vsm_dump_reason reason, u32 insns);
void vsm_dump_add_word(struct drm_vsm_dump *dump, const struct vsm_cluster *cluster, u32 index);
void vsm_dump_end(const struct vsm_cluster *cluster, struct drm_vsm_dump *dump);

/* The part of a dump at its offset */
static inline void *vsm_dump_at(struct drm_vsm_dump *dump, const struct drm_vsm_dump_part *part)
{
	return (void *)dump + part->offset;
}

#endif
