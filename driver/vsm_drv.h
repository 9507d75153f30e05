/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The shell's objects and what each file offers to the others.
 *
 * An operation runs in EXEC (vsm_exec.c), in the caller's context; in a job (vsm_job.c) or in
 * flight (vsm_copy.c), on the copy engine's workqueue; or when a wait set arms it (vsm_guest.c),
 * in the caller's context. A wait for a phase runs nothing. All go through the SYNCS engine
 * (vsm_syncs.c), which changes words, and the parking lot (vsm_park.c), which
 * holds whoever waits for one. Threads meet beside that (vsm_meet.c). Misuse is told of in
 * one place (vsm_fault.c).
 *
 * The copy engine's own objects are in vsm_async.h and vsm_job.h. Its channels
 * (vsm_channel.c) run jobs and have asynchronous operations in flight, a job's and
 * those that threads issue (vsm_async.c); vsm_copy.c says what one does, vsm_hazard.c
 * which of them get in each other's way, vsm_thread.c has a thread wait for its own.
 *
 * Lock order, outermost first:
 *
 *	vsm_device.clients_lock		mutex	list of clients
 *	vsm_client.read_mutex		mutex	taking fault events
 *	vsm_waitset.mutex		mutex	life time of a set's waits
 *	vsm_device.rendezvous_lock		mutex	clusters whose threads have met
 *	vsm_bo.map_lock			mutex	kernel mapping of a buffer
 *	drm_gem_object.resv		ww	pages of an object or its dma-buf
 *	drm_file.table_lock		plain	handles, and vsm_client.recent
 *	vsm_deadlines.lock		plain	deadlines
 *	vsm_bucket.lock			plain	waiters, every phase completion, and
 *						vsm_shadow
 *	vsm_cluster_rendezvous.lock			plain	threads that meet
 *	vsm_cluster.publish_lock	plain	which inits are published
 *	vsm_device.waitsets_lock	plain	list of wait sets
 *	vsm_waitset.lock		plain	list of ended waits
 *	vsm_device.async_lock		plain	operations that are held
 *	vsm_channel.lock		plain	jobs and operations of a channel
 *	vsm_hazards.lock		plain	bytes of an object that are in flight
 *	vsm_groups.lock			plain	groups of a thread
 *	vsm_stream_queue.spare_lock	plain	operations that have ended
 *	vsm_device.users_lock		plain	list of users
 *	drm_device.event_lock		irq	fault events, vsm_client.file and fault_wake.queued
 *
 * "plain" locks are taken in process context only: timers queue work and touch nothing else.
 * Nothing sleeps under a spinlock, and no lock is held by a task that is
 * suspended. Nothing that user space can make long is done under a spinlock: many waits end
 * in batches of VSM_WAKE_BATCH, between which the lock is dropped, and readers are woken when
 * these locks have been dropped (struct vsm_wakes).
 *
 * drm_dev_enter() is not used: what an operation touches is memory that it holds references
 * on, which stays when the device goes; that it has gone is read from vsm_device.lost.
 */
#ifndef _VSM_DRV_H_
#define _VSM_DRV_H_

#include <linux/atomic.h>
#include <linux/dma-fence.h>
#include <linux/hrtimer.h>
#include <linux/iosys-map.h>
#include <linux/kcov.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/log2.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/timerqueue.h>
#include <linux/uidgid.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include <drm/drm_device.h>
#include <drm/drm_file.h>
#include <drm/drm_gem_shmem_helper.h>

#include "core/vsm_shadow.h"

#define VSM_MAX_EXEC	65536
#define VSM_MAX_SUBMIT	4096
#define VSM_MAX_SYNCS	64
#define VSM_MAX_CHANNELS 16

/* Counters of faults: below this by code, then the copies', then those of threads that meet. */
#define VSM_FAULTS	(DRM_VSM_FAULT_READ_OVER_LIVE + 1)
#define VSM_COPY_FAULTS	(DRM_VSM_FAULT_TENSOR_MAP - DRM_VSM_FAULT_COPY_SIZE + 1)
#define VSM_RENDEZVOUS_FAULTS	(DRM_VSM_FAULT_THREAD_SUSPENDED - DRM_VSM_FAULT_NOT_IN_MASK + 1)

/* Words whose shadows stand together. */
#define VSM_SHADOW_ROW	32

/* What is limited, per client and per user. */
enum vsm_resource {
	VSM_RES_BYTES,
	VSM_RES_CLUSTERS,
	VSM_RES_WAITS,
	VSM_RES_JOBS,
	VSM_RES_INSNS,
	VSM_RES_COUNT,
};

/**
 * struct vsm_quota - Use of each resource
 * @used: Now
 * @limit: At most; constant
 */
struct vsm_quota {
	atomic64_t used[VSM_RES_COUNT];
	u64 limit[VSM_RES_COUNT];
};

/**
 * struct vsm_user - A user who has clients
 * @link: In &vsm_device.users
 * @uid: The user
 * @clients: How many; protected by &vsm_device.users_lock
 * @quota: What all of them use
 */
struct vsm_user {
	struct list_head link;
	kuid_t uid;
	u32 clients;
	struct vsm_quota quota;
};

/* Waits that end with a lock held: the next ones wait until it has been free. */
#define VSM_WAKE_BATCH		64
/* Batches between two wake-ups of the same readers, at most. */
#define VSM_WAKE_BATCHES	1024

/**
 * struct vsm_wake - Readers that are to be woken when the driver's locks have been dropped
 * @next: In &vsm_wakes.first
 * @wake: Wakes them, and puts what kept them
 * @queued: It is in a list; protected by the lock of what it is embedded in
 */
struct vsm_wake {
	struct vsm_wake *next;
	void (*wake)(struct vsm_wake *wake);
	bool queued;
};

/**
 * struct vsm_wakes - Wake-ups that ending some waits has collected
 * @first: The last one added, or NULL
 * @batches: Batches of waits that have ended
 *
 * Waking the readers of a wait set or of fault events costs as much as there are readers, and
 * epolls that watch it. So it is done when the driver's locks have been dropped, and seldom.
 */
struct vsm_wakes {
	struct vsm_wake *first;
	unsigned int batches;
};

static inline void vsm_wakes_add(struct vsm_wakes *wakes, struct vsm_wake *wake)
{
	wake->next = wakes->first;
	wakes->first = wake;
}

/* To be called without a lock. */
static inline void vsm_wakes_run(struct vsm_wakes *wakes)
{
	while (unlikely(wakes->first)) {
		struct vsm_wake *wake = wakes->first;

		/* It may be gone, or in another list, as soon as it has been run. */
		wakes->first = wake->next;
		wake->wake(wake);
	}
}

/*
 * To be called without a lock between two batches of waits. It wakes after 1, 2, 4, ... of them,
 * and then after each VSM_WAKE_BATCHES: so a reader waits for few others, and of the many waits of
 * one set few wake its readers.
 */
static inline void vsm_wakes_batch(struct vsm_wakes *wakes)
{
	if (is_power_of_2(++wakes->batches) || wakes->batches % VSM_WAKE_BATCHES == 0)
		vsm_wakes_run(wakes);
}

/**
 * struct vsm_bucket - A row of the parking lot
 * @lock: Protects the rest; every phase of a word that hashes here completes under it
 * @words: First waiter of each word and parity
 * @woken: Waiters whose phase has completed, and who are not awake yet
 * @timed: Waiters with a time limit
 */
struct vsm_bucket {
	spinlock_t lock; /* the rest */
	struct hlist_head words;
	struct list_head woken;
	struct list_head timed;
};

/**
 * struct vsm_model - When asynchronous operations happen; set through debugfs
 * @latency_ns: From issue to completion
 * @bandwidth: Bytes per second of a channel, 0 for no limit
 * @shuffle_seed: Orders what is issued together, 0 for the order of issue
 * @split_bytes: Bytes of a complete-tx at most, 0 for no limit
 * @job_timeout_ms: Time that a job may take, 0 for no limit
 */
struct vsm_model {
	u64 latency_ns;
	u64 bandwidth;
	u64 shuffle_seed;
	u32 split_bytes;
	u32 job_timeout_ms;
};

/**
 * struct vsm_device - An instance of the device
 * @drm: DRM device
 * @index: Instance number
 * @try_wait_limit_ns: Time limit of a try_wait without a hint
 * @rows: The parking lot
 * @deadlines: Queues of deadlines
 * @wq: The copy engine
 * @max_bytes: What @bytes may be
 * @bytes: Bytes that all clients together are charged for
 * @client_limit: Limits that each client gets
 * @users_lock: Protects @users
 * @users: Users who have clients
 * @clients_lock: Protects @clients
 * @clients: Open clients
 * @rendezvous_lock: Protects @rendezvous
 * @rendezvous: &struct vsm_cluster_rendezvous of all clusters that have one
 * @waitsets_lock: Protects @waitsets
 * @waitsets: Open wait sets
 * @async_lock: Protects the lists of operations that are held, and &vsm_cluster.held
 * @model: Time of asynchronous operations; read without a lock
 * @freed: Objects that @free_work is to free
 * @free_work: Frees what cannot be freed where its last reference goes
 * @faults: Misuses so far, by vsm_fault_index()
 * @lost: The device has been unplugged; never false again
 * @waits_ended: Every wait on the lost device has ended; never false again
 */
struct vsm_device {
	struct drm_device drm;
	unsigned int index;
	u64 try_wait_limit_ns;
	struct vsm_row *rows;
	struct vsm_deadlines *deadlines;
	struct workqueue_struct *wq;
	u64 max_bytes;
	atomic64_t bytes;
	u64 client_limit[VSM_RES_COUNT];
	spinlock_t users_lock; /* users */
	struct list_head users;
	struct mutex clients_lock; /* clients */
	struct list_head clients;
	struct mutex rendezvous_lock; /* rendezvous */
	struct list_head rendezvous;
	spinlock_t waitsets_lock; /* waitsets */
	struct list_head waitsets;
	spinlock_t async_lock; /* lists of operations that are held, held */
	struct vsm_model model;
	struct llist_head freed;
	struct work_struct free_work;
	atomic64_t faults[VSM_FAULTS + VSM_COPY_FAULTS + VSM_RENDEZVOUS_FAULTS];
	bool lost;
	bool waits_ended;
};

struct vsm_job;

static inline struct vsm_device *to_vsm_device(struct drm_device *drm)
{
	return container_of(drm, struct vsm_device, drm);
}

/**
 * struct vsm_channel - A copy channel: runs jobs one at a time, and has operations in
 * flight
 * @kcov: Coverage of @work counts for the task with this handle that made the channel
 * @ref: Held by the client's table and by who submits
 * @vdev: Device
 * @out_of_order: A job may overtake those that wait for a fence
 * @lock: Protects @jobs, @flight, @free_at, @launched, @seqno, @error, @landing and @patience
 * @jobs: Queued jobs, next first
 * @flight: Operations in flight, in the order in which they will happen
 * @free_at: When all that is in flight has passed the channel (CLOCK_MONOTONIC, ns)
 * @launched: Operations that have been shuffled
 * @running: Job that runs; only the work changes it
 * @moved: Bytes since the work has looked at the time; the work's own
 * @looked: When the work has looked at the time (CLOCK_MONOTONIC, ns); the work's own
 * @idle: The work had nothing to do when it last ended; the work's own
 * @queued: When the work was first queued since it last began to run (CLOCK_MONOTONIC, ns); 0 if
 *	no job was running then
 * @work: Runs jobs and performs operations
 * @timer: Queues @work when the next operation is due, or a job's time is up
 * @context: Fence context, unless @out_of_order
 * @seqno: Of the last job's fence in it
 * @error: What jobs end with from now on, 0 while the channel works
 * @landing: An operation that was in @flight is performed now, or put back
 * @patience: When a channel that stops drops the operations of threads (jiffies)
 */
struct vsm_channel {
	typeof(kcov_common_handle()) kcov; /* a u64, in newer kernels a struct */
	struct kref ref;
	struct vsm_device *vdev;
	bool out_of_order;
	spinlock_t lock; /* jobs, flight, free_at, launched, seqno, error, landing, patience */
	struct list_head jobs;
	struct list_head flight;
	s64 free_at;
	u64 launched;
	struct vsm_job *running;
	u64 moved;
	s64 looked;
	bool idle;
	atomic64_t queued;
	struct work_struct work;
	struct hrtimer timer;
	u64 context;
	u64 seqno;
	int error;
	bool landing;
	unsigned long patience;
};

/**
 * struct vsm_stream_queue - Operations of a client's threads
 * @held: Those on clusters that are held
 * @flying: Those that are not, until they have ended
 * @room: Who waits for operations to end
 * @stopped: No operation is launched any more
 * @spare_lock: Protects @spare and @spares
 * @spare: Operations that have ended, for the next ones to be made of
 * @spares: How many
 *
 * @held and @stopped are protected by &vsm_device.async_lock.
 */
struct vsm_stream_queue {
	struct list_head held;
	atomic_t flying;
	wait_queue_head_t room;
	bool stopped;
	spinlock_t spare_lock; /* spare, spares */
	struct list_head spare;
	u32 spares;
};

/* What an operation in flight does with bytes. */
enum vsm_use {
	VSM_USE_READ,
	VSM_USE_WRITE,
	VSM_USE_REDUCE,
};

/**
 * struct vsm_hazard - Bytes of an object that an operation in flight uses
 * @link: In &vsm_hazards.list
 * @set: The object's, or NULL
 * @start: First byte
 * @end: First byte behind them
 * @use: How
 */
struct vsm_hazard {
	struct list_head link;
	struct vsm_hazards *set;
	u64 start;
	u64 end;
	enum vsm_use use;
};

/**
 * struct vsm_hazards - What is in flight on an object
 * @lock: Protects the rest
 * @list: The uses
 * @count: How many
 * @read: No byte outside it is read
 * @written: No byte outside it is written or reduced
 */
struct vsm_hazards {
	spinlock_t lock; /* the rest */
	struct list_head list;
	u32 count;
	struct vsm_span {
		u64 start;
		u64 end;
	} read, written;
};

#define VSM_RECENT 8

/**
 * struct vsm_recent - A cluster that was created not long ago
 * @bo: The cluster, not held: vsm_gem_close() takes it out before its handle goes
 * @handle: Its handle
 */
struct vsm_recent {
	struct vsm_bo *bo;
	u32 handle;
};

/**
 * struct vsm_client - An open DRM file
 * @ref: Held by the file, and by objects and waits for their share of @quota
 * @vdev: Device; valid while the holder of a reference keeps the device
 * @user: Who opened it
 * @quota: What the client uses
 * @link: In &vsm_device.clients
 * @channel: Its first copy channel, which operations of its threads pass too
 * @channels: The others, by number
 * @async: Its asynchronous operations
 * @file: Gets its fault events, NULL once it is closing; under &drm_device.event_lock,
 *	as is @lost_events
 * @lost_events: Events that did not fit since the last one that did
 * @readers: Who waits for fault events
 * @fault_wake: Wakes them; under &drm_device.event_lock
 * @read_mutex: Held by who takes events away
 * @recent: By handle, modulo; protected by &drm_file.table_lock
 */
struct vsm_client {
	struct kref ref;
	struct vsm_device *vdev;
	struct vsm_user *user;
	struct vsm_quota quota;
	struct list_head link;
	struct vsm_channel channel;
	struct xarray channels;
	struct vsm_stream_queue async;
	struct drm_file *file;
	u32 lost_events;
	wait_queue_head_t readers;
	struct vsm_wake fault_wake;
	struct mutex read_mutex; /* taking events */
	struct vsm_recent recent[VSM_RECENT];
};

/**
 * struct vsm_published - What is published of the inits of a CTA
 * @inits: Its inits
 * @fenced: Of each thread, up to which number fence.mbarrier_init has published the inits that
 *	the thread has done; NULL until the first does
 */
struct vsm_published {
	struct vsm_inits inits;
	u64 *fenced;
};

/**
 * struct vsm_cluster - State of a cluster beside its windows
 * @vdev: Device
 * @client: Who is charged for it; held by the object
 * @geo: Shape
 * @window_stride: Bytes from one window to the next
 * @words: Words of all windows
 * @hash: Random, spreads clusters over the parking lot
 * @hash_factor: Random and odd, spreads the words of the cluster over it
 * @windows: Kernel mapping of all windows
 * @shadows: Rows of shadows, by word index; strict policy only, NULL until the first
 *	mbarrier.init
 * @objects: Objects that there have been
 * @inits: Objects that are there for all to see, or have been
 * @publish_lock: Protects @published
 * @published: Inits of each CTA, and which of them are published
 * @lost: A trap has ended the cluster; never false again
 * @held: Asynchronous operations stay in flight; under &vsm_device.async_lock
 * @held_ops: Operations that are held, or that a release has not launched yet; under
 *	&vsm_device.async_lock
 * @held_last: Number of the last operation that was held; under &vsm_device.async_lock
 * @hazards: What is in flight on the windows; the object's
 * @threads: State of threads, &struct vsm_groups, by CTA and thread
 * @rendezvous: What its threads meet at, NULL until the first does
 * @live: Threads that have not exited
 * @suspended: Threads that are suspended without a time limit, or have exited
 * @resumed: How often one of them was resumed
 * @wakers: Jobs, asynchronous operations and armed waits: what may wake one
 * @deadlocks: How often somebody has taken all of them for suspended with no waker
 * @deadlock: @deadlocks with the last one that was a deadlock; its waits have smaller numbers
 * @deadlock_resumed: @resumed as that was found
 * @deadlock_work: Ends the waits of that deadlock; it is a waker until it has
 * @endless: Threads that count in @suspended, for each warp: lanes that are suspended in the
 *	lower half, that have exited in the upper
 */
struct vsm_cluster {
	struct vsm_device *vdev;
	struct vsm_client *client;
	struct vsm_geometry geo;
	u32 window_stride;
	unsigned long words;
	u32 hash;
	u32 hash_factor;
	void *windows;
	struct vsm_shadow **shadows;
	atomic_t objects;
	atomic_t inits;
	spinlock_t publish_lock; /* published */
	struct vsm_published published[VSM_MAX_CTAS];
	bool lost;
	bool held;
	struct list_head held_ops;
	u64 held_last;
	struct vsm_hazards *hazards;
	struct xarray threads;
	struct vsm_cluster_rendezvous *rendezvous;
	u32 live;
	atomic_t suspended;
	atomic_t resumed;
	atomic_t wakers;
	atomic_t deadlocks;
	int deadlock;
	int deadlock_resumed;
	struct work_struct deadlock_work;
	atomic64_t endless[];
};

/**
 * struct vsm_bo - GEM object: a buffer, or a cluster
 * @base: shmem object
 * @client: Who is charged for it; of an import set with its first handle
 * @cluster: State of a cluster, NULL for a buffer
 * @map_lock: Protects the making of @map
 * @map: Kernel mapping; of a cluster always there, of a buffer once it was copied
 * @hazards: What is in flight on it
 * @freed: In &vsm_device.freed
 */
struct vsm_bo {
	struct drm_gem_shmem_object base;
	struct vsm_client *client;
	struct vsm_cluster *cluster;
	struct mutex map_lock; /* making of map */
	struct iosys_map map;
	struct vsm_hazards hazards;
	struct llist_node freed;
};

static inline struct vsm_bo *to_vsm_bo(struct drm_gem_object *obj)
{
	return container_of(to_drm_gem_shmem_obj(obj), struct vsm_bo, base);
}

/*
 * Index of the word at a checked address. It is one of the cluster's even if a processor goes on
 * speculatively before the check.
 */
static inline u32 vsm_cluster_index(const struct vsm_cluster *cluster, u32 addr)
{
	unsigned long index = (vsm_addr_rank(addr) * cluster->window_stride +
			       vsm_addr_offset(addr)) / sizeof(u64);

	return array_index_nospec(index, cluster->words);
}

static inline u64 *vsm_cluster_word(const struct vsm_cluster *cluster, u32 index)
{
	return (u64 *)cluster->windows + index;
}

/* Memory at a checked address; likewise. */
static inline void *vsm_cluster_mem(const struct vsm_cluster *cluster, u32 addr)
{
	unsigned long offset = vsm_addr_rank(addr) * cluster->window_stride +
			       vsm_addr_offset(addr);

	return cluster->windows + array_index_nospec(offset, cluster->words * sizeof(u64));
}

/* The shadow of a word, NULL if there has been no object near it. */
static inline struct vsm_shadow *vsm_shadow_find(const struct vsm_cluster *cluster, u32 index)
{
	/* Pairs with the release in vsm_shadow_alloc(). */
	struct vsm_shadow **rows = smp_load_acquire(&cluster->shadows);
	/* So does this. */
	struct vsm_shadow *row = rows ? smp_load_acquire(&rows[index / VSM_SHADOW_ROW]) : NULL;

	return row ? &row[index % VSM_SHADOW_ROW] : NULL;
}

/* vsm_shadow.c */
struct vsm_shadow *vsm_shadow_get_or_create(struct vsm_cluster *cluster, u32 index);
void vsm_shadow_free(struct vsm_cluster *cluster);
u32 vsm_shadow_live(const struct vsm_cluster *cluster, u32 index, u32 count);
u64 vsm_shadow_number(struct vsm_cluster *cluster, u32 cta);
u64 vsm_shadow_unpublished(const struct vsm_cluster *cluster, u32 cta);
void vsm_shadow_publish(struct vsm_cluster *cluster, u32 cta, u64 number);
int vsm_shadow_fence(struct vsm_cluster *cluster, u32 cta, u32 thread);
void vsm_shadow_look(struct vsm_cluster *cluster, struct vsm_shadow *shadow, u32 cta);

/* vsm_client.c */
int vsm_client_open(struct drm_device *drm, struct drm_file *file);
void vsm_client_postclose(struct drm_device *drm, struct drm_file *file);
struct vsm_client *vsm_client_get(struct vsm_client *client);
void vsm_client_put(struct vsm_client *client);
int vsm_client_charge(struct vsm_client *client, enum vsm_resource res, u64 n);
void vsm_client_uncharge(struct vsm_client *client, enum vsm_resource res, u64 n);
void *vsm_client_alloc(struct vsm_client *client, size_t count, size_t size);
void vsm_client_free(struct vsm_client *client, void *memory, size_t count, size_t size);

/* vsm_gem.c */
struct drm_gem_object *vsm_gem_create_object(struct drm_device *drm, size_t size);
void vsm_gem_init(struct vsm_device *vdev);
void vsm_gem_flush(struct vsm_device *vdev);
struct vsm_bo *vsm_cluster_lookup(struct drm_file *file, u32 handle);
struct vsm_bo *vsm_buffer_lookup(struct drm_file *file, u32 handle);
void vsm_bo_put(struct vsm_bo *bo);
int vsm_bo_vmap(struct vsm_bo *bo);
int vsm_cluster_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int vsm_buffer_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int vsm_object_info_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

/* vsm_prime.c */
struct drm_gem_object *vsm_prime_import(struct drm_device *drm, struct dma_buf *dmabuf);
int vsm_prime_open(struct drm_gem_object *obj, struct drm_file *file);
int vsm_prime_vmap(struct vsm_bo *bo, struct iosys_map *map);
void vsm_prime_vunmap(struct vsm_bo *bo, struct iosys_map *map);
int vsm_prime_mmap(struct drm_gem_object *obj, struct vm_area_struct *vma);

/**
 * struct vsm_waiter - Somebody who waits for a phase of a word
 * @node: In &vsm_bucket.words, if this is the first waiter of its word and parity
 * @peers: All waiters of the word and parity; or in &vsm_bucket.woken
 * @timed: In &vsm_bucket.timed, if it has a time limit
 * @cluster: Cluster of the word; the holder keeps it
 * @index: Index of the word
 * @parked: In the parking lot
 * @state: Token of the phase waited for
 * @parity: @state is only a parity
 * @warp: Warp of the thread in the cluster, if @endless
 * @endless: Lanes of it that are suspended so without a time limit, or 0
 * @counted: Those that count in &vsm_cluster.suspended
 * @deadlock: &vsm_cluster.deadlocks as it parked
 * @expires: When to look whether time is up (jiffies), 0 for never
 * @deadline: When time is up (CLOCK_MONOTONIC, ns), if @expires is set
 * @end: Called once, under the bucket's lock, when the phase has completed
 *	(error 0), time is up (-ETIMEDOUT) or the wait is lost; the waiter is no
 *	longer parked then and may be gone when it returns
 *
 * What @end adds to @wakes is run when the lock has been dropped.
 */
struct vsm_waiter {
	struct hlist_node node;
	struct list_head peers;
	struct list_head timed;
	struct vsm_cluster *cluster;
	u32 index;
	bool parked;
	bool parity;
	u16 warp;
	int deadlock;
	u32 endless;
	u32 counted;
	u64 state;
	unsigned long expires;
	s64 deadline;
	void (*end)(struct vsm_waiter *waiter, int error, struct vsm_wakes *wakes);
};

/**
 * struct vsm_deadline - When something expires
 * @node: In &struct vsm_deadlines, with the time (CLOCK_MONOTONIC)
 * @queue: Which one; set by vsm_deadline_init()
 * @expire: Called once when time is up, with a lock held that vsm_deadline_stop() takes
 */
struct vsm_deadline {
	struct timerqueue_node node;
	struct vsm_deadlines *queue;
	void (*expire)(struct vsm_deadline *deadline, struct vsm_wakes *wakes);
};

/* vsm_deadline.c */
int vsm_deadlines_init(struct vsm_device *vdev);
void vsm_deadline_init(struct vsm_device *vdev, struct vsm_deadline *deadline,
		       void (*expire)(struct vsm_deadline *deadline, struct vsm_wakes *wakes));
void vsm_deadline_start(struct vsm_deadline *deadline, s64 time);
void vsm_deadline_stop(struct vsm_deadline *deadline);

/* vsm_park.c */
int vsm_park_init(struct vsm_device *vdev);
struct vsm_bucket *vsm_park_bucket(const struct vsm_cluster *cluster, u32 index);
int vsm_park_enter(struct vsm_waiter *waiter, enum drm_vsm_fault *fault, u64 *word);
bool vsm_park_leave(struct vsm_waiter *waiter);
bool vsm_park_completed(const struct vsm_waiter *waiter);
void vsm_park_end(struct vsm_waiter *waiter, int error, struct vsm_wakes *wakes);
void vsm_park_wake(struct vsm_bucket *bucket, const struct vsm_cluster *cluster,
		   u32 index, u64 word, struct vsm_shadow *shadow, struct vsm_wakes *wakes);
void vsm_park_wake_rest(struct vsm_bucket *bucket, struct vsm_wakes *wakes);
bool vsm_park_occupied(struct vsm_bucket *bucket, const struct vsm_cluster *cluster, u32 index);
void vsm_park_kill(struct vsm_device *vdev, const struct vsm_cluster *cluster, int error);
void vsm_park_detect_deadlock(struct vsm_cluster *cluster);
void vsm_deadlock_init(struct vsm_cluster *cluster);
void vsm_deadlock_fini(struct vsm_cluster *cluster);

/* Unlock a bucket, and wake whoever has been taken from it. No other lock is held. */
static inline void vsm_park_unlock(struct vsm_bucket *bucket, struct vsm_wakes *wakes)
{
	if (unlikely(!list_empty(&bucket->woken)))
		vsm_park_wake_rest(bucket, wakes);
	spin_unlock(&bucket->lock);
	vsm_wakes_run(wakes);
}

/* Is a wait with this @deadlock younger than the deadlock that is being ended? */
static inline bool vsm_cluster_after_deadlock(const struct vsm_cluster *cluster, int deadlock)
{
	return (int)((u32)deadlock - (u32)cluster->deadlock) >= 0;
}

/* A thread has been suspended, or has exited: it may be the last. */
static inline void vsm_cluster_suspended(struct vsm_cluster *cluster)
{
	if (atomic_read(&cluster->suspended) == cluster->geo.ctas * cluster->geo.threads)
		vsm_park_detect_deadlock(cluster);
}

/* Something begins that may wake a thread. */
static inline void vsm_cluster_add_waker(struct vsm_cluster *cluster)
{
	atomic_inc(&cluster->wakers);
	/* Before it resumes anybody: pairs with vsm_cluster_is_deadlocked(). */
	smp_mb__after_atomic();
}

/* It has ended. Fully ordered: either this or the last to be suspended sees the other. */
static inline void vsm_cluster_remove_waker(struct vsm_cluster *cluster)
{
	if (atomic_dec_and_test(&cluster->wakers) && atomic_read(&cluster->suspended))
		vsm_park_detect_deadlock(cluster);
}

/* vsm_syncs.c */

/**
 * struct vsm_report - Rules that an instruction breaks, and that its cluster only reports
 * @rules: Mask of DRM_VSM_RULE()
 * @word: The mbarrier word as it was found, or 0
 * @info: &drm_vsm_insn.info of the rule among them that has one
 */
struct vsm_report {
	u64 rules;
	u64 word;
	u32 info;
};

enum drm_vsm_fault vsm_engine_check_wait(const struct vsm_cluster *cluster,
					const struct vsm_waiter *waiter, u64 word);
void vsm_engine_observe(const struct vsm_cluster *cluster, u32 index);
void vsm_cluster_kill(struct vsm_cluster *cluster);
int vsm_engine_run(struct vsm_cluster *cluster, struct drm_vsm_insn *insn, u32 cta, u32 thread);
int vsm_engine_run_reporting(struct vsm_cluster *cluster, struct drm_vsm_insn *insn, u32 cta,
			    u32 thread, struct vsm_report *report);
int vsm_engine_release(struct vsm_cluster *cluster, struct drm_vsm_insn *insn, u32 cta, u32 thread);
enum drm_vsm_fault vsm_engine_bind(struct vsm_cluster *cluster, u32 addr, u32 *serial);
int vsm_engine_issue(struct vsm_cluster *cluster, struct drm_vsm_insn *insn, u32 cta, u32 thread,
		    u32 *serial, struct vsm_report *report);
void vsm_engine_unbind(struct vsm_cluster *cluster, u32 addr, bool raised, u32 serial);
int vsm_engine_run_bound(struct vsm_cluster *cluster, struct drm_vsm_insn *insn, u32 cta,
			u32 thread, bool raised, u32 serial, struct vsm_report *report);
bool vsm_engine_finds_object(const struct vsm_cluster *cluster, u32 addr, u32 size, u64 *word,
			    u32 *info);

/* vsm_hazard.c */
void vsm_hazards_init(struct vsm_hazards *set);
enum drm_vsm_fault vsm_hazard_enter(struct vsm_hazards *set, struct vsm_hazard *hazard,
				    u64 start, u64 size, enum vsm_use use, u64 report);
void vsm_hazard_leave(struct vsm_hazard *hazard);

/* The lanes that the warp of a thread has. */
static inline u32 vsm_cluster_lanes(const struct vsm_cluster *cluster, u32 thread)
{
	u32 left = cluster->geo.threads - round_down(thread, VSM_WARP_SIZE);

	return left < VSM_WARP_SIZE ? BIT(left) - 1 : ~0U;
}

/*
 * Threads that are suspended without a time limit, and such as have exited, are those of
 * &vsm_cluster.endless; &vsm_cluster.suspended is never above their number. Two tasks may play
 * one thread, which is one thread nevertheless.
 */
static inline u32 vsm_cluster_count(struct vsm_cluster *cluster, u32 warp, u32 lanes, u64 set)
{
	u64 old = atomic64_fetch_or(set, &cluster->endless[warp]);
	u32 counted = lanes & ~(lower_32_bits(old) | upper_32_bits(old));

	atomic_add(hweight32(counted), &cluster->suspended);
	/* Before who calls looks for a deadlock. */
	smp_mb__after_atomic();
	return counted;
}

/* Lanes of a warp are suspended: gives those that were not before. */
static inline u32 vsm_cluster_suspend(struct vsm_cluster *cluster, u32 warp, u32 lanes)
{
	return vsm_cluster_count(cluster, warp, lanes, lanes);
}

static inline void vsm_cluster_exit(struct vsm_cluster *cluster, u32 warp, u32 lanes)
{
	vsm_cluster_count(cluster, warp, lanes, (u64)lanes << 32);
}

/* Lanes that counted are suspended no longer; those that have exited meanwhile count still. */
static inline void vsm_cluster_resume(struct vsm_cluster *cluster, u32 warp, u32 counted)
{
	u64 old;

	atomic_sub(hweight32(counted), &cluster->suspended);
	/* They are set, and who set them clears them: as fetch_andnot, but in one instruction. */
	old = atomic64_fetch_sub(counted, &cluster->endless[warp]);
	if (unlikely(counted & upper_32_bits(old)))
		atomic_add(hweight32(counted & upper_32_bits(old)), &cluster->suspended);
	/* Pairs with the barriers in vsm_cluster_is_deadlocked(). */
	smp_mb__after_atomic();
	atomic_inc(&cluster->resumed);
}

/**
 * struct vsm_rendezvous_waiter - Somebody who waits for a thread that meets others
 * @cluster: Cluster; the holder keeps it
 * @client: Who plays the thread; the holder keeps it
 * @handle: Handle of the cluster
 * @source: Where the thread is played
 * @cta: Rank of the thread's CTA
 * @thread: Thread
 * @converged: It stands for its warp
 * @sleeps: The thread is suspended, not merely waited for
 * @attached: To the thread; under the lock of the cluster's rendezvous
 * @deadlock: &vsm_cluster.deadlocks as it was attached, if it sleeps
 * @warp: Its warp in the cluster, if @sleeps
 * @counted: Its lanes that count in &vsm_cluster.suspended
 * @insn: What the thread executes; gets the result
 * @end: Called once, under the lock, when the result is there (error 0) or the wait is lost or
 *	ended otherwise; the waiter is no longer attached then and may be gone when it
 *	returns
 */
struct vsm_rendezvous_waiter {
	struct vsm_cluster *cluster;
	struct vsm_client *client;
	u32 handle;
	enum drm_vsm_source source;
	u16 cta;
	u16 thread;
	bool converged;
	bool sleeps;
	bool attached;
	int deadlock;
	u32 warp;
	u32 counted;
	struct drm_vsm_insn *insn;
	void (*end)(struct vsm_rendezvous_waiter *waiter, int error, struct vsm_wakes *wakes);
};

/* vsm_meet.c */
int vsm_rendezvous_enter(struct vsm_rendezvous_waiter *waiter);
bool vsm_rendezvous_leave(struct vsm_rendezvous_waiter *waiter);
void vsm_rendezvous_end(struct vsm_rendezvous_waiter *waiter, int error, struct vsm_wakes *wakes);
void vsm_rendezvous_kill(struct vsm_cluster *cluster, int error);
void vsm_rendezvous_kill_all(struct vsm_device *vdev);
void vsm_rendezvous_free(struct vsm_cluster *cluster);
bool vsm_rendezvous_has_exited(struct vsm_cluster *cluster, u32 cta, u32 thread);

/* Has a thread exited? */
static inline bool vsm_thread_has_exited(struct vsm_cluster *cluster, u32 cta, u32 thread)
{
	/* Pairs with the release in vsm_rendezvous_exit(): then there is a rendezvous, and it knows. */
	u32 live = smp_load_acquire(&cluster->live);

	return unlikely(live != cluster->geo.ctas * cluster->geo.threads) &&
	       vsm_rendezvous_has_exited(cluster, cta, thread);
}

/* vsm_thread.c */
void vsm_groups_wake_all(struct vsm_cluster *cluster);
void vsm_groups_free_all(struct vsm_cluster *cluster);

/* vsm_async.c */
void vsm_streams_init(struct vsm_client *client);
void vsm_streams_stop(struct vsm_client *client);
void vsm_streams_fini(struct vsm_client *client);
void vsm_hold_release(struct vsm_cluster *cluster);
int vsm_cluster_hold_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

/* vsm_fault.c */
void vsm_fault_init(struct vsm_client *client);
void vsm_fault_record_locked(struct vsm_client *client, enum drm_vsm_source source, u32 handle,
			     u32 cta, u32 thread, const struct drm_vsm_insn *insn,
			     struct vsm_wakes *wakes);
void vsm_fault_record(struct vsm_client *client, enum drm_vsm_source source, u32 handle,
		      u32 cta, u32 thread, const struct drm_vsm_insn *insn);
void vsm_fault_count(struct vsm_device *vdev, enum drm_vsm_fault fault);
void vsm_fault_report_locked(struct vsm_client *client, enum drm_vsm_source source, u32 handle,
			     u32 cta, u32 thread, const struct drm_vsm_insn *insn,
			     const struct vsm_report *report, struct vsm_wakes *wakes);
void vsm_fault_report(struct vsm_client *client, enum drm_vsm_source source, u32 handle,
		      u32 cta, u32 thread, const struct drm_vsm_insn *insn,
		      const struct vsm_report *report);
void vsm_debugfs_init(struct drm_minor *minor);

/* vsm_exec.c */
int vsm_exec_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

/* vsm_waitset.c */
int vsm_waitset_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int vsm_waitset_arm_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int vsm_waitset_cancel_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
void vsm_waitset_kill(struct vsm_device *vdev);

/* vsm_job.c */
int vsm_submit_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

/* vsm_channel.c */
void vsm_channel_init(struct vsm_channel *channel, struct vsm_device *vdev);
struct vsm_channel *vsm_channel_find(struct vsm_client *client, u32 id);
void vsm_channel_put(struct vsm_channel *channel);
void vsm_channel_stop(struct vsm_channel *channel, int error);
void vsm_channels_stop(struct vsm_client *client, int error);
bool vsm_channel_is_current(void);
int vsm_channel_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int vsm_channel_destroy_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

/* vsm_fence.c */
struct dma_fence *vsm_fence_alloc(void);
void vsm_fence_init(struct dma_fence *fence, u64 context, u64 seqno);
void vsm_fence_drop(struct dma_fence *fence);
void vsm_fence_exit(void);

#endif
