/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The device, and the order of the driver's locks.
 *
 * Lock order, outermost first:
 *
 *	vsm_folder.lock			mutex	a folder of configfs
 *	vsm_device.clients_lock		mutex	list of clients
 *	vsm_client.read_mutex		mutex	reading fault events
 *	vsm_waitset.mutex		mutex	life time of a set's waits
 *	vsm_device.rendezvous_lock	mutex	clusters that have a rendezvous
 *	vsm_bo.map_lock			mutex	kernel mapping of a buffer
 *	drm_gem_object.resv		ww	pages of an object or its dma-buf
 *	drm_file.table_lock		plain	handles
 *	vsm_deadlines.lock		plain	deadlines
 *	vsm_bucket.lock			plain	waiters, every phase completion, and
 *						vsm_shadow
 *	vsm_cluster_rendezvous.lock	plain	threads in a rendezvous
 *	vsm_suspension.lock		plain	which lanes count as suspended
 *	vsm_cluster.visible_lock	plain	which inits are visible
 *	vsm_device.group_waits_lock	plain	armed waits for groups
 *	vsm_device.waitsets_lock	plain	list of wait sets
 *	vsm_waitset.lock		plain	list of ended waits
 *	vsm_device.hold_lock		plain	operations on held clusters (CLUSTER_HOLD)
 *	vsm_reset_group.lock		plain	channels that are reset together
 *	vsm_jobs.lock			plain	queued jobs of a channel
 *	vsm_schedule.lock		plain	operations launched on a channel
 *	vsm_hazards.lock		plain	bytes of an object that are in flight
 *	vsm_groups.lock			plain	groups of a thread
 *	vsm_thread_ops.spare_lock	plain	memory of operations that have ended
 *	vsm_quotas.users_lock		plain	list of users
 *	xa_lock of vsm_device.numbers	plain	numbers of clients
 *	xa_lock of vsm_device.clusters	plain	numbers of clusters
 *	xa_lock of vsm_channels.others	plain	channels of a client
 *	xa_lock of vsm_sharers.others	plain	clients that share a cluster
 *	xa_lock of vsm_client.holds	plain	fences of HOLD_CREATE
 *	vsm_rules.lock			plain	rules of injection
 *	vsm_priorities.lock		plain	which channels have something to do
 *	vsm_work.busy_lock		plain	for how long a channel has been busy
 *	vsm_uevents.lock		plain	resets that udev will hear of
 *	vsm_dumps.lock			plain	the dump that is on its way
 *	vsm_ring.lock			bit	flight recorder of a cluster
 *	drm_device.event_lock		irq	fault events, vsm_client.file and
 *						vsm_client.fault_wake.queued
 *
 * "plain" locks are spinlocks that are taken in process context only: timers only queue a work, or
 * signal the fence of a hold.
 * "irq" locks are spinlocks that are taken with interrupts off. No task sleeps while it holds a
 * spinlock, and a suspended task holds no lock. Work that user space can make long is not done
 * under a spinlock: when many waits end, they end in batches of VSM_WAKE_BATCH, the lock is dropped
 * between two batches, and readers are woken after these locks have been dropped (struct
 * vsm_wakes).
 *
 * The driver does not use drm_dev_enter(). An operation touches memory that it holds references
 * on, and that memory stays when the device goes. vsm_device.lost says that the device has gone.
 */
#ifndef _VSM_DRV_H_
#define _VSM_DRV_H_

#include <linux/list.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include <drm/drm_device.h>

#include "base/vsm_client.h"

/* The longest time that a job may take: an hour. Every job therefore ends. */
#define VSM_JOB_TIMEOUT_MAX_MS	3600000

/*
 * The model of time: when asynchronous operations complete, and how long a try_wait suspends. Each
 * row has the type of a number, its name, and its largest value; the smallest is 0. All of these
 * are options of a device.
 *
 * try_wait_limit_ns: time limit of a try_wait without a hint
 * latency_ns: time from issue to completion
 * bandwidth: bytes that a channel moves per second, 0 for no limit
 * load_latency_ns: what a load adds to latency_ns: a copy from a buffer into a window, or a
 *	prefetch
 * load_bandwidth: bytes of loads that a channel moves per second, 0 for no limit. They also take
 *	the time of bandwidth
 * load_next_ns: time that a load takes on its channel if it was launched together with loads before
 *	it
 * store_latency_ns: what a store adds to latency_ns: a copy or a reduction from a window into a
 *	buffer
 * store_bandwidth: the same as load_bandwidth, of stores
 * remote_latency_ns: what a copy or a store between windows adds to latency_ns, if it ends in the
 *	window of another CTA than that of its thread
 * local_latency_ns: the same if it ends in the window of the CTA of its thread
 * shuffle_seed: seed of the random order of each batch's operations, 0 for the order of issue
 * split_bytes: largest number of bytes that one complete-tx counts, 0 for no limit
 * job_timeout_ms: time that a job may take, 0 for %VSM_JOB_TIMEOUT_MAX_MS
 */
#define EACH_NUMBER(NUMBER)					\
	NUMBER(u64, try_wait_limit_ns, KTIME_MAX / 2)		\
	NUMBER(u64, latency_ns, KTIME_MAX / 2)			\
	NUMBER(u64, bandwidth, U64_MAX)				\
	NUMBER(u64, load_latency_ns, KTIME_MAX / 2)		\
	NUMBER(u64, load_bandwidth, U64_MAX)			\
	NUMBER(u64, load_next_ns, KTIME_MAX / 2)		\
	NUMBER(u64, store_latency_ns, KTIME_MAX / 2)		\
	NUMBER(u64, store_bandwidth, U64_MAX)			\
	NUMBER(u64, remote_latency_ns, KTIME_MAX / 2)		\
	NUMBER(u64, local_latency_ns, KTIME_MAX / 2)		\
	NUMBER(u64, shuffle_seed, U64_MAX)			\
	NUMBER(u32, split_bytes, U32_MAX)			\
	NUMBER(u32, job_timeout_ms, VSM_JOB_TIMEOUT_MAX_MS)

struct vsm_model {
#define VSM_MODEL_FIELD(type, name, max)	type name;
	EACH_NUMBER(VSM_MODEL_FIELD)
};

/* low, normal, high */
#define VSM_PRIORITIES	3

/**
 * struct vsm_priorities - Which channels have something to do, and which give way (vsm_channel.c)
 * @used: A channel of the device had another priority than the normal one; never false again
 * @lock: Protects @ready and @waiting
 * @ready: Number of channels of each priority that have something to do
 * @waiting: Works of each priority that give way, &vsm_work.waiting
 */
struct vsm_priorities {
	bool used;
	spinlock_t lock; /* ready, waiting */
	unsigned int ready[VSM_PRIORITIES];
	struct list_head waiting[VSM_PRIORITIES];
};

/**
 * struct vsm_device - An instance of the device
 * @drm: DRM device
 * @index: Instance number
 * @features: &vsm_options.features
 * @policies: &vsm_options.policies
 * @max_channels: &vsm_options.max_channels
 * @quotas: Limits, and how much of them is used (vsm_client.h)
 * @fault_counts: How often each rule was broken (vsm_fault.c)
 * @buckets: The buckets of the parking lot (vsm_park.c)
 * @rows: The timers of the parking lot
 * @deadlines: Queues of deadlines (vsm_wait.c)
 * @wq: Workqueue on which the channels of all clients run: the copy engine
 * @priorities: Which channels give way to others
 * @clients_lock: Protects @clients
 * @clients: Open clients, &vsm_client.link
 * @numbers: Numbers of the clients that exist, &vsm_client.number
 * @numbers_next: Where the search for the next client's number begins
 * @clusters: The &struct vsm_bo of each cluster that exists, by &vsm_cluster.number. There are no
 *	references: a cluster leaves the array before it is freed
 * @clusters_next: Where the search for the next cluster's number begins
 * @rendezvous_lock: Protects @rendezvous
 * @rendezvous: List of the &struct vsm_cluster_rendezvous of all clusters that have one
 * @group_waits_lock: Protects @group_waits and the waits in it
 * @group_waits: Armed waits for groups, &vsm_group_waiter.link
 * @waitsets_lock: Protects @waitsets
 * @waitsets: Open wait sets, &vsm_waitset.link
 * @hold_lock: Protects held clusters (&vsm_cluster.held and &vsm_cluster.held_last), the lists of
 *	operations that are held, and &vsm_thread_ops.stopped; &vsm_cluster.maybe_held is written
 *	under it
 * @rules: Rules of injection of the device
 * @lose_work: Unplugs the device because a rule says so; has a reference on the device
 * @lose_wq: Workqueue of @lose_work
 * @wedged: A rule says that the device is lost; never false again
 * @lose_returns: The device is to come back after that
 * @model: The model of time; read and changed without a lock
 * @freed: Objects that @free_work will free, &vsm_bo.freed
 * @free_work: Frees objects whose last reference was put where freeing must not wait
 * @uevents: Events for udev rules and monitors (vsm_fault.c)
 * @dumps: Dumps for devcoredump (vsm_dump.c)
 * @resets: How often a channel was reset, for any client
 * @lost: The device has been unplugged; never false again
 * @waits_ended: Every wait on the lost device has ended; never false again
 */
struct vsm_device {
	struct drm_device drm;
	unsigned int index;
	u64 features;
	u64 policies;
	u32 max_channels;
	struct vsm_quotas *quotas;
	atomic64_t *fault_counts;
	struct vsm_bucket *buckets;
	struct vsm_row *rows;
	struct vsm_deadlines *deadlines;
	struct workqueue_struct *wq;
	struct vsm_priorities priorities;
	struct mutex clients_lock; /* clients */
	struct list_head clients;
	struct xarray numbers;
	u32 numbers_next;
	struct xarray clusters;
	u32 clusters_next;
	struct mutex rendezvous_lock; /* rendezvous */
	struct list_head rendezvous;
	spinlock_t group_waits_lock; /* group_waits */
	struct list_head group_waits;
	spinlock_t waitsets_lock; /* waitsets */
	struct list_head waitsets;
	spinlock_t hold_lock; /* held clusters and their operations */
	struct vsm_rules rules;
	struct work_struct lose_work;
	struct workqueue_struct *lose_wq;
	bool wedged;
	bool lose_returns;
	struct vsm_model model;
	struct llist_head freed;
	struct work_struct free_work;
	struct vsm_uevents *uevents;
	struct vsm_dumps *dumps;
	atomic64_t resets;
	bool lost;
	bool waits_ended;
};

static inline struct vsm_device *to_vsm_device(struct drm_device *drm)
{
	return container_of(drm, struct vsm_device, drm);
}

/* Has the device all of these features, &enum drm_vsm_feature? */
static inline bool vsm_device_has(const struct vsm_device *vdev, u64 features)
{
	return !(features & ~vdev->features);
}

#endif
