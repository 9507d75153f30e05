/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A client: what an open DRM file is to the driver. Its limits, and its rules of injection.
 */
#ifndef _VSM_CLIENT_H_
#define _VSM_CLIENT_H_

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/log2.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/wait.h>
#include <linux/xarray.h>

#include <drm/drm_file.h>
#include <drm/vsm_drm.h>

/* Has this task got a fatal signal? */
static inline bool vsm_is_killed(void)
{
	/*
	 * Others set the flag with plain writes, which KCSAN reports. If this read misses a signal,
	 * the next call finds it.
	 */
	return data_race(fatal_signal_pending(current));
}

struct user_namespace;
struct vsm_bo;
struct vsm_channels;
struct vsm_device;
struct vsm_thread_ops;

/* --- limits ---------------------------------------------------------------------- */

#define VSM_CLIENT_CLUSTERS	1024
#define VSM_CLIENT_WAITS	BIT(17)
#define VSM_CLIENT_JOBS		1024
#define VSM_CLIENT_INSNS	BIT(18)

struct vsm_device;

/* Resources that are limited for each client and for each user. */
enum vsm_resource {
	VSM_RES_BYTES,
	VSM_RES_CLUSTERS,
	VSM_RES_WAITS,
	VSM_RES_JOBS,
	VSM_RES_INSNS,
	VSM_RES_COUNT,
};

/**
 * struct vsm_usage - How much of each resource is used
 * @used: How much is used now, by &enum vsm_resource
 * @limit: How much may be used at most, by &enum vsm_resource; constant
 */
struct vsm_usage {
	atomic64_t used[VSM_RES_COUNT];
	u64 limit[VSM_RES_COUNT];
};

/**
 * struct vsm_user - A user who has clients
 * @link: In &vsm_quotas.users
 * @uid: The user
 * @clients: Number of clients; protected by &vsm_quotas.users_lock
 * @usage: What all these clients use
 */
struct vsm_user {
	struct list_head link;
	kuid_t uid;
	u32 clients;
	struct vsm_usage usage;
};

/**
 * struct vsm_quotas - Limits of a device
 * @max_bytes: Limit of @bytes
 * @bytes: Bytes that all clients together are charged for
 * @client_limit: Limits that each client gets
 * @users_lock: Protects @users
 * @users: Users who have clients
 */
struct vsm_quotas {
	u64 max_bytes;
	atomic64_t bytes;
	u64 client_limit[VSM_RES_COUNT];
	spinlock_t users_lock; /* users */
	struct list_head users;
};

/**
 * struct vsm_quota - What a client may use
 * @quotas: The device's limits
 * @user: The user who opened the client
 * @usage: What the client uses
 */
struct vsm_quota {
	struct vsm_quotas *quotas;
	struct vsm_user *user;
	struct vsm_usage usage;
};

int vsm_quotas_init(struct vsm_device *vdev, u64 max_bytes, const u64 *client_limit);
bool vsm_quota_charge_bytes(struct vsm_quotas *quotas, struct vsm_usage *user, u64 n);
void *vsm_quota_alloc(struct vsm_quota *quota, size_t count, size_t size);
void vsm_quota_free(struct vsm_quota *quota, void *memory, size_t count, size_t size);

/*
 * Add @n to a sum unless it would exceed the limit. The sum is never above the limit, not even for
 * a moment: otherwise charges of others could fail in that moment.
 */
static inline bool vsm_charge(atomic64_t *used, u64 limit, u64 n)
{
	s64 old = atomic64_read(used);

	do {
		if (n > limit || old > limit - n)
			return false;
	} while (!atomic64_try_cmpxchg(used, &old, old + n));
	return true;
}

static inline bool vsm_usage_charge(struct vsm_usage *usage, enum vsm_resource res, u64 n)
{
	return vsm_charge(&usage->used[res], usage->limit[res], n);
}

/*
 * Charge a client before it takes a resource.
 * @res: Which resource, a constant
 *
 * Returns 0, or -ENOSPC if that is more than the client or its user may use.
 */
static inline int vsm_quota_charge(struct vsm_quota *quota, enum vsm_resource res, u64 n)
{
	struct vsm_usage *user = &quota->user->usage;

	if (!vsm_usage_charge(&quota->usage, res, n))
		return -ENOSPC;
	if (likely(res == VSM_RES_BYTES ? vsm_quota_charge_bytes(quota->quotas, user, n)
					: vsm_usage_charge(user, res, n)))
		return 0;
	atomic64_sub(n, &quota->usage.used[res]);
	return -ENOSPC;
}

/*
 * Undo a charge after a client has given back a resource.
 * @res: Which resource, a constant
 */
static inline void vsm_quota_uncharge(struct vsm_quota *quota, enum vsm_resource res, u64 n)
{
	if (res == VSM_RES_BYTES)
		atomic64_sub(n, &quota->quotas->bytes);
	atomic64_sub(n, &quota->user->usage.used[res]);
	atomic64_sub(n, &quota->usage.used[res]);
}

/* --- rules of injection ---------------------------------------------------------- */

/* Rules that a client, or a device, may have */
#define VSM_MAX_RULES	64

/**
 * struct vsm_rule - A rule
 * @link: In &vsm_rules.list
 * @info: The rule, as user space sees it
 * @object: What &drm_vsm_inject_rule.object names: a &struct vsm_cluster or a &struct vsm_bo, or
 *	NULL for any
 * @bo: The GEM object of @object, with a reference that whoever removes the rule puts
 */
struct vsm_rule {
	struct list_head link;
	struct drm_vsm_inject_rule info;
	const void *object;
	struct vsm_bo *bo;
};

/**
 * struct vsm_rules - The rules of a client or of a device
 * @lock: Protects @list, the counters of the rules, @count and @last
 * @list: The rules, in the order of their numbers
 * @count: Number of rules
 * @last: Number of the rule that was added last
 * @changed: Tasks that wait until a rule fires or is removed, or until the device is lost
 */
struct vsm_rules {
	spinlock_t lock; /* list, count, last */
	struct list_head list;
	u32 count;
	u32 last;
	wait_queue_head_t changed;
};

void vsm_rules_init(struct vsm_rules *rules);
const char *vsm_rule_invalid(const struct drm_vsm_inject_rule *info);
int vsm_rules_add(struct vsm_rules *rules, struct vsm_rule *rule);
struct vsm_rule *vsm_rules_remove(struct vsm_rules *rules, u32 number);
bool vsm_rules_read(struct vsm_rules *rules, u32 number, bool next, struct vsm_rule *copy);

/* --- wake-ups -------------------------------------------------------------------- */

/*
 * Wake-ups that are collected while locks are held and done without locks.
 *
 * The time for waking the readers of a wait set or of fault events grows with the number of readers
 * and of epolls that watch the file. The driver therefore only collects these wake-ups while it
 * holds a lock, and wakes the readers after it has dropped its locks.
 */

/* At most this many waits end while a lock is held. Then the lock is dropped for a moment. */
#define VSM_WAKE_BATCH		64
/* The most batches between two wake-ups of the same readers. */
#define VSM_WAKE_BATCHES	1024

/**
 * struct vsm_wake - Readers to wake after the driver's locks have been dropped
 * @next: In &vsm_wakes.first
 * @wake: Wakes the readers, and drops the reference that kept them
 * @queued: The entry is in a list. It is set under the lock of the object that embeds the entry
 */
struct vsm_wake {
	struct vsm_wake *next;
	void (*wake)(struct vsm_wake *wake);
	bool queued;
};

/**
 * struct vsm_wakes - Wake-ups that have been collected
 * @first: The entry added last, or NULL
 * @batches: Batches of waits that have ended
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

/* Wake all readers that have been collected. The caller holds no lock. */
static inline void vsm_wakes_run(struct vsm_wakes *wakes)
{
	while (unlikely(wakes->first)) {
		struct vsm_wake *wake = wakes->first;

		/* After the call the entry may be freed, or be in another list. */
		wakes->first = wake->next;
		wake->wake(wake);
	}
}

/*
 * Call this without a lock after each batch of waits. It wakes the readers after 1, 2, 4, ...
 * batches, and later after every VSM_WAKE_BATCHES. The records of the first waits therefore reach
 * their reader soon, and a set with very many waits does not wake its readers very often.
 */
static inline void vsm_wakes_batch(struct vsm_wakes *wakes)
{
	if (is_power_of_2(++wakes->batches) || wakes->batches % VSM_WAKE_BATCHES == 0)
		vsm_wakes_run(wakes);
}

/* --- clients --------------------------------------------------------------------- */

/**
 * struct vsm_client - An open DRM file
 * @ref: References: one of the file, one of each object, job and wait that is charged to @quota,
 *	and one of @fault_wake while it is queued
 * @number: Number of the client, from 1; unique among the clients of the device that exist
 * @pid: Process that opened the file
 * @comm: Name of this process when it opened the file
 * @uid: Real user of this process then
 * @user_ns: User namespace in which it was then, with a reference
 * @vdev: Device. The client has no reference on it; each owner of a reference on the client keeps
 *	the device alive
 * @quota: What the client uses and may use
 * @link: In &vsm_device.clients
 * @channels: Copy channels of the client (vsm_channel.h), NULL once the file has been closed
 * @thread_ops: Asynchronous operations of the client's threads (vsm_thread.h), NULL once the
 *	file has been closed
 * @file: File that gets the fault events, NULL once it is being closed; protected by
 *	&drm_device.event_lock
 * @lost_events: Number of events that have been lost since the last one that was queued; protected
 *	by &drm_device.event_lock
 * @readers: Tasks that wait for fault events
 * @fault_wake: Wakes @readers; protected by &drm_device.event_lock
 * @holds: The &struct vsm_job_hold that exist, by number (vsm_fence.c)
 * @read_mutex: Held while a reader takes events
 * @faults: Number of broken rules that were recorded or reported
 * @rules: Rules of injection of the client
 * @injects: Mask of BIT(where) for which the client or the device has rules; written under
 *	&vsm_device.clients_lock
 */
struct vsm_client {
	struct kref ref;
	u32 number;
	struct pid *pid;
	char comm[TASK_COMM_LEN];
	kuid_t uid;
	struct user_namespace *user_ns;
	struct vsm_device *vdev;
	struct vsm_quota quota;
	struct list_head link;
	struct vsm_channels *channels;
	struct vsm_thread_ops *thread_ops;
	struct drm_file *file;
	u32 lost_events;
	wait_queue_head_t readers;
	struct vsm_wake fault_wake;
	struct xarray holds;
	struct mutex read_mutex; /* taking events */
	atomic64_t faults;
	struct vsm_rules rules;
	u32 injects;
};

void vsm_clients_init(struct vsm_device *vdev);
struct vsm_client *vsm_client_create(struct vsm_device *vdev, struct drm_file *file);
void vsm_client_set_open(struct vsm_client *client, bool open);
struct vsm_client *vsm_client_next_open(struct vsm_device *vdev, u32 *number);
struct vsm_client *vsm_client_get(struct vsm_client *client);
void vsm_client_put(struct vsm_client *client);

/*
 * The process that has opened the client, in the caller's PID namespace. 0 if it is not there, or
 * if it has ended: its number may be that of another process by now.
 */
static inline pid_t vsm_client_pid(const struct vsm_client *client)
{
	return pid_has_task(client->pid, PIDTYPE_TGID) ? pid_vnr(client->pid) : 0;
}

/* The same in the first PID namespace, for what root reads. */
static inline pid_t vsm_client_global_pid(const struct vsm_client *client)
{
	return pid_has_task(client->pid, PIDTYPE_TGID) ? pid_nr(client->pid) : 0;
}

/* --- injection ------------------------------------------------------------------- */

/**
 * struct vsm_inject_at - A moment at which rules may match
 * @client: Client that does it
 * @where: &enum drm_vsm_inject_where
 * @channel: Channel, if there is one
 * @number: Number of @cluster, or 0
 * @cluster: Its &struct vsm_cluster, or NULL
 * @bo: Its buffer, or the object of its mapping, or NULL
 * @foreign: No rule of the client matches, only rules of the device
 * @no_flip: No rule of %DRM_VSM_INJECT_FLIP matches
 */
struct vsm_inject_at {
	struct vsm_client *client;
	enum drm_vsm_inject_where where;
	u32 channel;
	u32 number;
	const void *cluster;
	const void *bo;
	bool foreign;
	bool no_flip;
};

/**
 * struct vsm_injection - What a rule that has fired does
 * @rule: Number of the rule, with VSM_RULE_OF_DEVICE if it is one of the device; 0 if none has
 *	fired
 * @what: &enum drm_vsm_inject_what
 * @flags: &drm_vsm_inject_rule.flags
 * @error: &drm_vsm_inject_rule.error
 * @arg: &drm_vsm_inject_rule.arg; or, if the seed chooses it, what the seed has chosen
 */
struct vsm_injection {
	u32 rule;
	u8 what;
	u8 flags;
	u16 error;
	u64 arg;
};

#define VSM_RULE_OF_DEVICE	0x80000000

/* Is there a rule for one of these places, a mask of BIT(where)? */
static inline bool vsm_injects(const struct vsm_client *client, u32 places)
{
	return unlikely(READ_ONCE(client->injects) & places);
}

/* Does the channel stand still because of this? */
static inline bool vsm_injection_stalls(const struct vsm_injection *injection)
{
	return injection->what == DRM_VSM_INJECT_HANG ||
	       injection->what == DRM_VSM_INJECT_DELAY ||
	       injection->what == DRM_VSM_INJECT_SLOW ||
	       injection->what == DRM_VSM_INJECT_LOSE_DEVICE;
}

void vsm_client_renew_injects(struct vsm_client *client);
bool vsm_inject(const struct vsm_inject_at *at, struct vsm_injection *injection);
bool vsm_injection_lasts(struct vsm_client *client, const struct vsm_injection *injection);
s64 vsm_injection_until(const struct vsm_injection *injection, u32 bytes);
int vsm_inject_call(const struct vsm_inject_at *at, struct vsm_injection *injection);

#endif
