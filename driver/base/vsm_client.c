// SPDX-License-Identifier: GPL-2.0-only
/*
 * Clients, and what each of them and each user may use.
 *
 * A client is limited in what it has, so that a mistake does not eat the machine; a user in
 * what all his clients have, so that no user can take everything from the others, however many
 * files he opens. What there is a number of (clusters, waits, jobs, instructions) has no limit
 * of the device beside that: it is memory in the end, and memory has. Of the device's bytes a
 * user gets at most half of what the others leave, so whoever comes next finds something.
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>

#include "vsm_drv.h"

/* Clients' worth of what there is a number of that a user may have. */
#define VSM_USER_SHARE	4

/*
 * Whose share the caller's clients get. The users of a user namespace count as the user who
 * has made it: everybody can make one and have many users there. If the machine's root has made
 * it, each of its users counts separately: root decides which users there are, there as outside.
 */
static kuid_t vsm_user_of_current(void)
{
	const struct user_namespace *ns = current_user_ns();
	kuid_t uid = current_uid();

	for (; ns != &init_user_ns; ns = ns->parent)
		if (!uid_eq(ns->owner, GLOBAL_ROOT_UID))
			uid = ns->owner;
	return uid;
}

static struct vsm_user *vsm_user_alloc(const struct vsm_device *vdev, kuid_t uid)
{
	struct vsm_user *user = kzalloc(sizeof(*user), GFP_KERNEL_ACCOUNT);
	unsigned int i;

	if (!user)
		return NULL;
	user->uid = uid;
	for (i = 0; i < VSM_RES_COUNT; i++)
		user->quota.limit[i] = vdev->client_limit[i] * VSM_USER_SHARE;
	/* See vsm_user_charge_bytes(). */
	user->quota.limit[VSM_RES_BYTES] = vdev->max_bytes;
	return user;
}

/* The caller's user, with a client more. */
static struct vsm_user *vsm_user_get(struct vsm_device *vdev)
{
	struct vsm_user *made, *user;
	kuid_t uid = vsm_user_of_current();

	made = vsm_user_alloc(vdev, uid);
	if (!made)
		return NULL;
	spin_lock(&vdev->users_lock);
	list_for_each_entry(user, &vdev->users, link)
		if (uid_eq(user->uid, uid))
			goto out;
	user = made;
	made = NULL;
	list_add(&user->link, &vdev->users);
out:
	user->clients++;
	spin_unlock(&vdev->users_lock);
	kfree(made);
	return user;
}

static void vsm_user_put(struct vsm_device *vdev, struct vsm_user *user)
{
	bool last;

	spin_lock(&vdev->users_lock);
	last = !--user->clients;
	if (last)
		list_del(&user->link);
	spin_unlock(&vdev->users_lock);
	if (last)
		kfree(user);
}

int vsm_client_open(struct drm_device *drm, struct drm_file *file)
{
	struct vsm_device *vdev = to_vsm_device(drm);
	struct vsm_client *client;

	client = kzalloc(sizeof(*client), GFP_KERNEL_ACCOUNT);
	if (!client)
		return -ENOMEM;
	client->user = vsm_user_get(vdev);
	if (!client->user) {
		kfree(client);
		return -ENOMEM;
	}

	kref_init(&client->ref);
	mutex_init(&client->read_mutex);
	client->vdev = vdev;
	memcpy(client->quota.limit, vdev->client_limit, sizeof(vdev->client_limit));
	vsm_channel_init(&client->channel, vdev);
	xa_init_flags(&client->channels, XA_FLAGS_ALLOC1);
	vsm_streams_init(client);
	vsm_fault_init(client);
	client->file = file;

	/* A client that opens as the device goes must find its engines stopped. */
	mutex_lock(&vdev->clients_lock);
	list_add(&client->link, &vdev->clients);
	if (READ_ONCE(vdev->lost)) {
		vsm_streams_stop(client);
		vsm_channels_stop(client, -ENODEV);
	}
	mutex_unlock(&vdev->clients_lock);

	file->driver_priv = client;
	return 0;
}

void vsm_client_postclose(struct drm_device *drm, struct drm_file *file)
{
	struct vsm_device *vdev = to_vsm_device(drm);
	struct vsm_client *client = file->driver_priv;
	struct vsm_channel *channel;
	unsigned long id;

	mutex_lock(&vdev->clients_lock);
	list_del(&client->link);
	mutex_unlock(&vdev->clients_lock);

	/* What its threads have issued happens, but what another client's hold keeps. */
	vsm_streams_stop(client);
	vsm_channels_stop(client, -ECANCELED);
	xa_for_each(&client->channels, id, channel)
		vsm_channel_put(channel);
	xa_destroy(&client->channels);
	vsm_streams_fini(client);
	vsm_gem_flush(vdev);
	vsm_client_put(client);
}

struct vsm_client *vsm_client_get(struct vsm_client *client)
{
	kref_get(&client->ref);
	return client;
}

static void vsm_client_release(struct kref *ref)
{
	struct vsm_client *client = container_of(ref, struct vsm_client, ref);

	mutex_destroy(&client->read_mutex);
	vsm_user_put(client->vdev, client->user);
	kfree(client);
}

void vsm_client_put(struct vsm_client *client)
{
	kref_put(&client->ref, vsm_client_release);
}

/* Not to be added and taken back: meanwhile it would be missing for others. */
static bool vsm_charge(atomic64_t *used, u64 limit, u64 n)
{
	s64 old = atomic64_read(used);

	do {
		if (n > limit || old > limit - n)
			return false;
	} while (!atomic64_try_cmpxchg(used, &old, old + n));
	return true;
}

static bool vsm_quota_charge(struct vsm_quota *quota, enum vsm_resource res, u64 n)
{
	return vsm_charge(&quota->used[res], quota->limit[res], n);
}

/* The user has no more of the device's bytes than the others have left. */
static bool vsm_user_charge_bytes(struct vsm_device *vdev, struct vsm_user *user, u64 n)
{
	u64 own;

	if (!vsm_quota_charge(&user->quota, VSM_RES_BYTES, n))
		return false;
	own = atomic64_read(&user->quota.used[VSM_RES_BYTES]);
	if (own <= vdev->max_bytes && vsm_charge(&vdev->bytes, vdev->max_bytes - own, n))
		return true;
	atomic64_sub(n, &user->quota.used[VSM_RES_BYTES]);
	return false;
}

/**
 * vsm_client_charge - Account for a resource before it is taken
 * @client: Who takes it
 * @res: Which
 * @n: How much
 *
 * Return: 0, or -ENOSPC if that is more than the client or its user may use.
 */
int vsm_client_charge(struct vsm_client *client, enum vsm_resource res, u64 n)
{
	struct vsm_user *user = client->user;

	if (!vsm_quota_charge(&client->quota, res, n))
		return -ENOSPC;
	if (likely(res == VSM_RES_BYTES ? vsm_user_charge_bytes(client->vdev, user, n)
					: vsm_quota_charge(&user->quota, res, n)))
		return 0;
	atomic64_sub(n, &client->quota.used[res]);
	return -ENOSPC;
}

/**
 * vsm_client_uncharge - Account for a resource that is free again
 * @client: Who had taken it
 * @res: Which
 * @n: How much
 */
void vsm_client_uncharge(struct vsm_client *client, enum vsm_resource res, u64 n)
{
	if (res == VSM_RES_BYTES)
		atomic64_sub(n, &client->vdev->bytes);
	atomic64_sub(n, &client->user->quota.used[res]);
	atomic64_sub(n, &client->quota.used[res]);
}

/**
 * vsm_client_alloc - Memory that a client is charged for
 * @client: Who is
 * @count: Objects
 * @size: Bytes of one
 *
 * Return: The memory, all zeros, for vsm_client_free(); -ENOSPC or -ENOMEM as a pointer.
 */
void *vsm_client_alloc(struct vsm_client *client, size_t count, size_t size)
{
	size_t bytes = size_mul(count, size);
	void *memory;
	int ret;

	ret = vsm_client_charge(client, VSM_RES_BYTES, bytes);
	if (ret)
		return ERR_PTR(ret);
	memory = kvcalloc(count, size, GFP_KERNEL_ACCOUNT);
	if (memory)
		return memory;
	vsm_client_uncharge(client, VSM_RES_BYTES, bytes);
	return ERR_PTR(-ENOMEM);
}

/**
 * vsm_client_free - Free memory that a client is charged for
 * @client: Who is
 * @memory: From vsm_client_alloc(), or NULL
 * @count: As there
 * @size: As there
 */
void vsm_client_free(struct vsm_client *client, void *memory, size_t count, size_t size)
{
	if (!memory)
		return;
	kvfree(memory);
	vsm_client_uncharge(client, VSM_RES_BYTES, size_mul(count, size));
}
