// SPDX-License-Identifier: GPL-2.0-only
/*
 * Creation and end of a cluster's state. Other layers keep more in a cluster, and create and free
 * that themselves (vsm_gem.c calls them).
 */
#include <linux/err.h>
#include <linux/overflow.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "object/vsm_bo.h"
#include "object/vsm_cluster.h"

static size_t vsm_cluster_size(const struct vsm_geometry *geo)
{
	const struct vsm_cluster *cluster;

	return struct_size(cluster, suspensions, geo->ctas * vsm_geometry_warps(geo));
}

/**
 * vsm_cluster_create - Create the state of a cluster
 * @bo: Object with the windows
 * @geo: Geometry, which is valid and for which the object is large enough
 *
 * The object's client is charged for the state.
 *
 * Return: The cluster; -ENOSPC, -ENOMEM, -ERESTARTSYS or -EINTR as a pointer.
 */
struct vsm_cluster *vsm_cluster_create(struct vsm_bo *bo, const struct vsm_geometry *geo)
{
	struct vsm_client *client = bo->client;
	struct vsm_cluster *cluster;
	u32 warp;
	int ret;

	ret = vsm_bo_vmap(bo);
	if (ret)
		return ERR_PTR(ret);
	ret = vsm_quota_charge(&client->quota, VSM_RES_CLUSTERS, 1);
	if (ret)
		return ERR_PTR(ret);
	cluster = vsm_quota_alloc(&client->quota, 1, vsm_cluster_size(geo));
	if (IS_ERR(cluster)) {
		vsm_quota_uncharge(&client->quota, VSM_RES_CLUSTERS, 1);
		return cluster;
	}
	cluster->vdev = client->vdev;
	cluster->recorder.vdev = client->vdev;
	cluster->client = client;
	cluster->geo = *geo;
	cluster->window_stride = PAGE_ALIGN(geo->smem_bytes);
	if (geo->layout == VSM_LAYOUT_SM_90 && !(geo->lacks & DRM_VSM_FEATURE_MBARRIER))
		cluster->plain_words = geo->smem_bytes / sizeof(u64);
	cluster->words = geo->ctas * (cluster->window_stride / sizeof(u64));
	cluster->hash = get_random_u32();
	cluster->hash_factor = get_random_u32() | 1;
	cluster->windows = bo->map.vaddr;
	spin_lock_init(&cluster->visible_lock);
	INIT_LIST_HEAD(&cluster->held_ops);
	cluster->hazards = &bo->hazards;
	xa_init(&cluster->groups);
	for (warp = 0; warp < geo->ctas * vsm_geometry_warps(geo); warp++)
		spin_lock_init(&cluster->suspensions[warp].lock);
	cluster->live = vsm_cluster_threads(cluster);
	return cluster;
}

void vsm_cluster_free(struct vsm_cluster *cluster)
{
	struct vsm_client *client = cluster->client;

	vsm_quota_free(&client->quota, cluster, 1, vsm_cluster_size(&cluster->geo));
	vsm_quota_uncharge(&client->quota, VSM_RES_CLUSTERS, 1);
}
