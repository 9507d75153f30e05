// SPDX-License-Identifier: GPL-2.0-only
/*
 * The state of the threads of a cluster in a rendezvous: it is made at the first rendezvous of the
 * cluster, and freed with the cluster.
 */
#include <linux/err.h>

#include "base/vsm_client.h"
#include "sync/vsm_rendezvous_site.h"
#include "vsm_drv.h"

static u64 vsm_rendezvous_bytes(const struct vsm_cluster *cluster)
{
	return offsetof(struct vsm_cluster_rendezvous, rv) + vsm_rendezvous_size(&cluster->geo);
}

static struct vsm_cluster_rendezvous *vsm_rendezvous_alloc(struct vsm_cluster *cluster)
{
	struct vsm_cluster_rendezvous *site;

	site = vsm_quota_alloc(&cluster->client->quota, 1, vsm_rendezvous_bytes(cluster));
	if (IS_ERR(site))
		return site;
	spin_lock_init(&site->lock);
	site->cluster = cluster;
	vsm_rendezvous_init(&site->rv, &cluster->geo);
	return site;
}

static void vsm_rendezvous_drop(struct vsm_cluster_rendezvous *site)
{
	struct vsm_cluster *cluster = site->cluster;

	vsm_quota_free(&cluster->client->quota, site, 1, vsm_rendezvous_bytes(cluster));
}

/**
 * vsm_rendezvous_create - Allocate the state of a cluster's threads, unless another task is faster
 * @cluster: Cluster; its client is charged for the state
 *
 * Return: The state, which is freed with the cluster; -ENOMEM or -ENOSPC as a pointer.
 */
struct vsm_cluster_rendezvous *vsm_rendezvous_create(struct vsm_cluster *cluster)
{
	struct vsm_cluster_rendezvous *site = vsm_rendezvous_alloc(cluster), *other;
	struct vsm_device *vdev = cluster->vdev;

	if (IS_ERR(site))
		return site;

	mutex_lock(&vdev->rendezvous_lock);
	other = cluster->rendezvous;
	if (!other) {
		list_add(&site->link, &vdev->rendezvous);
		/* Pairs with the acquire in vsm_rendezvous_find(). */
		smp_store_release(&cluster->rendezvous, site);
	}
	mutex_unlock(&vdev->rendezvous_lock);
	if (!other)
		return site;
	/* Another task was faster. */
	vsm_rendezvous_drop(site);
	return other;
}

void vsm_rendezvous_free(struct vsm_cluster *cluster)
{
	struct vsm_cluster_rendezvous *site = cluster->rendezvous;

	if (!site)
		return;
	mutex_lock(&cluster->vdev->rendezvous_lock);
	list_del(&site->link);
	mutex_unlock(&cluster->vdev->rendezvous_lock);
	vsm_rendezvous_drop(site);
}
