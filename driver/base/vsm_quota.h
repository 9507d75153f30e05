/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Limits on what each client, each user and all clients together may use.
 */
#ifndef _VSM_QUOTA_H_
#define _VSM_QUOTA_H_

#include <linux/atomic.h>
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
int vsm_quota_charge(struct vsm_quota *quota, enum vsm_resource res, u64 n);
void vsm_quota_uncharge(struct vsm_quota *quota, enum vsm_resource res, u64 n);
void *vsm_quota_alloc(struct vsm_quota *quota, size_t count, size_t size);
void vsm_quota_free(struct vsm_quota *quota, void *memory, size_t count, size_t size);

#endif
