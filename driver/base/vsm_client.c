// SPDX-License-Identifier: GPL-2.0-only
/*
 * Clients. The layers above allocate the channels and the operations of a client, and free them
 * when its file is closed (vsm_file.c). The structure of the client stays as long as objects or
 * waits have references on it.
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/pid.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>

#include "base/vsm_client.h"
#include "vsm_drv.h"

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
