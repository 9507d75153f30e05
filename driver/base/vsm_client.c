// SPDX-License-Identifier: GPL-2.0-only
/*
 * Clients, and limits on what a client, a user and all clients together may use.
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/overflow.h>
#include <linux/pid.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>

#include <drm/drm_managed.h>

#include "base/vsm_client.h"
#include "vsm_drv.h"

/* --- limits ---------------------------------------------------------------------- */

/*
 * Limits on what a client, a user and all clients together may use.
 *
 * The limit of a client keeps a faulty program from using up the machine. The limit of a user
 * covers all clients of that user ID, so that opening many files does not help. A user who has many
 * IDs (subuid) has as many limits. The numbers of clusters, waits, jobs and instructions are not
 * limited for the whole device: they need memory, and memory is limited. A user gets at most half
 * of the device's bytes that the other users leave. The next user therefore always finds some.
 */

/* A user may have this many times as many clusters, waits, jobs and instructions as one client. */
#define VSM_USER_SHARE	4

/*
 * Set the limits of a device.
 * @max_bytes: Bytes that all clients together may use
 * @client_limit: What each client may use, by &enum vsm_resource. Of the bytes it is half of
 *	@max_bytes instead
 *
 * Returns 0 or -ENOMEM.
 */
int vsm_quotas_init(struct vsm_device *vdev, u64 max_bytes, const u64 *client_limit)
{
	struct vsm_quotas *quotas = drmm_kzalloc(&vdev->drm, sizeof(*quotas), GFP_KERNEL);

	if (!quotas)
		return -ENOMEM;
	/* With this limit no sum of charges overflows. */
	quotas->max_bytes = min_t(u64, max_bytes, S64_MAX / 4);
	memcpy(quotas->client_limit, client_limit, sizeof(quotas->client_limit));
	quotas->client_limit[VSM_RES_BYTES] = quotas->max_bytes / 2;
	spin_lock_init(&quotas->users_lock);
	INIT_LIST_HEAD(&quotas->users);
	vdev->quotas = quotas;
	return 0;
}

static struct vsm_user *vsm_user_alloc(const struct vsm_quotas *quotas, kuid_t uid)
{
	struct vsm_user *user = kzalloc(sizeof(*user), GFP_KERNEL_ACCOUNT);
	unsigned int i;

	if (!user)
		return NULL;
	user->uid = uid;
	for (i = 0; i < VSM_RES_COUNT; i++)
		user->usage.limit[i] = quotas->client_limit[i] * VSM_USER_SHARE;
	/* vsm_quota_charge_bytes() has the limit that a user really reaches. */
	user->usage.limit[VSM_RES_BYTES] = quotas->max_bytes;
	return user;
}

/* Find or create the user of the calling task, and count one more client of this user. */
static struct vsm_user *vsm_user_get(struct vsm_quotas *quotas)
{
	struct vsm_user *made, *user;
	kuid_t uid = current_uid();

	made = vsm_user_alloc(quotas, uid);
	if (!made)
		return NULL;
	spin_lock(&quotas->users_lock);
	list_for_each_entry(user, &quotas->users, link)
		if (uid_eq(user->uid, uid))
			goto out;
	user = made;
	made = NULL;
	list_add(&user->link, &quotas->users);
out:
	user->clients++;
	spin_unlock(&quotas->users_lock);
	kfree(made);
	return user;
}

static void vsm_user_put(struct vsm_quotas *quotas, struct vsm_user *user)
{
	bool last;

	spin_lock(&quotas->users_lock);
	last = !--user->clients;
	if (last)
		list_del(&user->link);
	spin_unlock(&quotas->users_lock);
	if (last)
		kfree(user);
}

/*
 * Set the limits of a client of the calling task's user.
 * @quota: Quota of the client, all zeros
 *
 * Returns 0 or -ENOMEM.
 */
static int vsm_quota_init(struct vsm_quota *quota, struct vsm_quotas *quotas)
{
	quota->user = vsm_user_get(quotas);
	if (!quota->user)
		return -ENOMEM;
	quota->quotas = quotas;
	memcpy(quota->usage.limit, quotas->client_limit, sizeof(quotas->client_limit));
	return 0;
}

static void vsm_quota_fini(struct vsm_quota *quota)
{
	vsm_user_put(quota->quotas, quota->user);
}

/*
 * Charge bytes to a user and to the device. The bytes of all clients plus the bytes of this user
 * may not exceed the device's limit. The user therefore has at most half of what the others leave.
 */
bool vsm_quota_charge_bytes(struct vsm_quotas *quotas, struct vsm_usage *user, u64 n)
{
	u64 own;

	if (!vsm_usage_charge(user, VSM_RES_BYTES, n))
		return false;
	own = atomic64_read(&user->used[VSM_RES_BYTES]);
	if (own <= quotas->max_bytes && vsm_charge(&quotas->bytes, quotas->max_bytes - own, n))
		return true;
	atomic64_sub(n, &user->used[VSM_RES_BYTES]);
	return false;
}

/*
 * Allocate memory and charge a client for it. Returns the memory, all zeros, for vsm_quota_free();
 * -ENOSPC or -ENOMEM as a pointer.
 */
void *vsm_quota_alloc(struct vsm_quota *quota, size_t count, size_t size)
{
	size_t bytes = size_mul(count, size);
	void *memory;
	int ret;

	ret = vsm_quota_charge(quota, VSM_RES_BYTES, bytes);
	if (ret)
		return ERR_PTR(ret);
	memory = kvcalloc(count, size, GFP_KERNEL_ACCOUNT);
	if (memory)
		return memory;
	vsm_quota_uncharge(quota, VSM_RES_BYTES, bytes);
	return ERR_PTR(-ENOMEM);
}

/*
 * Free memory that a client is charged for.
 * @memory: Memory from vsm_quota_alloc(), or NULL
 * @count: Number of elements, the same as for vsm_quota_alloc()
 * @size: Bytes of an element, the same as for vsm_quota_alloc()
 */
void vsm_quota_free(struct vsm_quota *quota, void *memory, size_t count, size_t size)
{
	if (!memory)
		return;
	kvfree(memory);
	vsm_quota_uncharge(quota, VSM_RES_BYTES, size_mul(count, size));
}

/* --- clients --------------------------------------------------------------------- */

/*
 * Clients. The layers above allocate the channels and the operations of a client, and free them
 * when its file is closed (vsm_file.c). The structure of the client stays as long as objects or
 * waits have references on it.
 */

/* Mark in &vsm_device.numbers: the file of the client is open. */
#define VSM_CLIENT_OPEN	XA_MARK_1

void vsm_clients_init(struct vsm_device *vdev)
{
	xa_init_flags(&vdev->numbers, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
}

/**
 * vsm_client_create - Create the client of a file that is being opened
 * @vdev: Device
 * @file: The file
 *
 * Return: The client with one reference, or -ENOMEM as a pointer.
 */
struct vsm_client *vsm_client_create(struct vsm_device *vdev, struct drm_file *file)
{
	struct vsm_client *client = kzalloc(sizeof(*client), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!client)
		return ERR_PTR(-ENOMEM);
	ret = vsm_quota_init(&client->quota, vdev->quotas);
	if (ret)
		goto err_free;
	/* Numbers are given out in turn, so that a number is not soon that of another client. */
	ret = xa_alloc_cyclic(&vdev->numbers, &client->number, client, xa_limit_32b,
			      &vdev->numbers_next, GFP_KERNEL);
	if (ret < 0)
		goto err_quota;
	client->pid = get_pid(task_tgid(current));
	get_task_comm(client->comm, current);
	client->uid = current_uid();
	client->user_ns = get_user_ns(current_user_ns());
	kref_init(&client->ref);
	client->vdev = vdev;
	client->file = file;
	mutex_init(&client->read_mutex);
	xa_init_flags(&client->holds, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	init_waitqueue_head(&client->readers);
	vsm_rules_init(&client->rules);
	return client;

err_quota:
	vsm_quota_fini(&client->quota);
err_free:
	kfree(client);
	return ERR_PTR(ret);
}

/* The file of the client is open, from now on or no more. */
void vsm_client_set_open(struct vsm_client *client, bool open)
{
	struct vsm_device *vdev = client->vdev;

	lockdep_assert_held(&vdev->clients_lock);
	if (open)
		xa_set_mark(&vdev->numbers, client->number, VSM_CLIENT_OPEN);
	else
		xa_clear_mark(&vdev->numbers, client->number, VSM_CLIENT_OPEN);
}

/**
 * vsm_client_next_open - Find the client with the lowest number among those with an open file
 * @vdev: Device
 * @number: Lowest number that the client may have (in); the number that it has (out)
 *
 * The caller holds &vsm_device.clients_lock. Until it drops this lock the client stays open.
 *
 * Return: The client, or NULL if there is none.
 */
struct vsm_client *vsm_client_next_open(struct vsm_device *vdev, u32 *number)
{
	unsigned long index = *number;
	struct vsm_client *client;

	lockdep_assert_held(&vdev->clients_lock);
	client = xa_find(&vdev->numbers, &index, U32_MAX, VSM_CLIENT_OPEN);
	*number = index;
	return client;
}

struct vsm_client *vsm_client_get(struct vsm_client *client)
{
	kref_get(&client->ref);
	return client;
}

static void vsm_client_release(struct kref *ref)
{
	struct vsm_client *client = container_of(ref, struct vsm_client, ref);

	xa_erase(&client->vdev->numbers, client->number);
	put_user_ns(client->user_ns);
	put_pid(client->pid);
	xa_destroy(&client->holds);
	mutex_destroy(&client->read_mutex);
	vsm_quota_fini(&client->quota);
	kfree(client);
}

void vsm_client_put(struct vsm_client *client)
{
	kref_put(&client->ref, vsm_client_release);
}
