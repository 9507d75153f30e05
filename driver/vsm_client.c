// SPDX-License-Identifier: GPL-2.0-only
/*
 * Clients, and what each of them may use.
 */
#include <linux/slab.h>

#include "vsm_drv.h"

int vsm_client_open(struct drm_device *drm, struct drm_file *file)
{
	struct vsm_device *vdev = to_vsm_device(drm);
	struct vsm_client *client;

	client = kzalloc(sizeof(*client), GFP_KERNEL_ACCOUNT);
	if (!client)
		return -ENOMEM;

	kref_init(&client->ref);
	mutex_init(&client->read_mutex);
	client->vdev = vdev;
	memcpy(client->quota.limit, vdev->client_limit, sizeof(vdev->client_limit));
	vsm_channel_init(&client->channel, vdev);
	xa_init_flags(&client->channels, XA_FLAGS_ALLOC1);
	vsm_async_init(client);
	client->file = file;

	/* A client that opens as the device goes must find its engines stopped. */
	mutex_lock(&vdev->clients_lock);
	list_add(&client->link, &vdev->clients);
	if (READ_ONCE(vdev->lost)) {
		vsm_async_stop(client);
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
	vsm_async_stop(client);
	vsm_channels_stop(client, -ECANCELED);
	xa_for_each(&client->channels, id, channel)
		vsm_channel_put(channel);
	xa_destroy(&client->channels);
	vsm_async_fini(client);
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
	kfree(client);
}

void vsm_client_put(struct vsm_client *client)
{
	kref_put(&client->ref, vsm_client_release);
}

static bool vsm_quota_charge(struct vsm_quota *quota, enum vsm_resource res, u64 n)
{
	if (n > quota->limit[res])
		return false;
	if (atomic64_add_return(n, &quota->used[res]) <= quota->limit[res])
		return true;
	atomic64_sub(n, &quota->used[res]);
	return false;
}

/**
 * vsm_client_charge - Account for a resource before it is taken
 * @client: Who takes it
 * @res: Which
 * @n: How much
 *
 * Return: 0, or -ENOSPC if that is more than the client or the device may use.
 */
int vsm_client_charge(struct vsm_client *client, enum vsm_resource res, u64 n)
{
	if (!vsm_quota_charge(&client->quota, res, n))
		return -ENOSPC;
	if (!vsm_quota_charge(&client->vdev->quota, res, n)) {
		atomic64_sub(n, &client->quota.used[res]);
		return -ENOSPC;
	}
	return 0;
}

/**
 * vsm_client_uncharge - Account for a resource that is free again
 * @client: Who had taken it
 * @res: Which
 * @n: How much
 */
void vsm_client_uncharge(struct vsm_client *client, enum vsm_resource res, u64 n)
{
	atomic64_sub(n, &client->vdev->quota.used[res]);
	atomic64_sub(n, &client->quota.used[res]);
}
