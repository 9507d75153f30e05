/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Limits on what each client, each user and all clients together may use.
 */
#ifndef _VSM_QUOTA_H_
#define _VSM_QUOTA_H_

#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/uidgid.h>

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
int vsm_quota_init(struct vsm_quota *quota, struct vsm_quotas *quotas);
void vsm_quota_fini(struct vsm_quota *quota);
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

/**
 * vsm_quota_charge - Charge a client before it takes a resource
 * @quota: Quota of the client
 * @res: Which resource, a constant
 * @n: How much of it
 *
 * Return: 0, or -ENOSPC if that is more than the client or its user may use.
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

/**
 * vsm_quota_uncharge - Undo a charge after a client has given back a resource
 * @quota: Quota of the client
 * @res: Which resource, a constant
 * @n: How much of it
 */
static inline void vsm_quota_uncharge(struct vsm_quota *quota, enum vsm_resource res, u64 n)
{
	if (res == VSM_RES_BYTES)
		atomic64_sub(n, &quota->quotas->bytes);
	atomic64_sub(n, &quota->user->usage.used[res]);
	atomic64_sub(n, &quota->usage.used[res]);
}

#endif
