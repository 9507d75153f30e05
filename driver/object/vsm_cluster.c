// SPDX-License-Identifier: GPL-2.0-only
/*
 * The state of a cluster, and the bytes of an object that operations in flight use (declared in
 * vsm_bo.h, because buffers have them, too).
 */
#include <linux/err.h>
#include <linux/overflow.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "object/vsm_bo.h"
#include "object/vsm_cluster.h"

/* --- bytes in use ---------------------------------------------------------------- */

/*
 * Conflicts between operations in flight. An operation that is issued while another one is in
 * flight is not ordered after it. The new one must therefore not write bytes that the other one
 * reads or writes, and must not read bytes that the other one writes. Reductions are atomic, and
 * several of them may use the same bytes.
 *
 * Most operations use bytes that no other operation uses. Two ranges show that at once: one around
 * all bytes that are read, and one around all bytes that are written. The list is searched only for
 * uses that overlap these ranges.
 */

/* The range from the first byte that is added to the last one begins as this. */
#define VSM_EMPTY_SPAN	((struct vsm_span) { .start = U64_MAX, .end = 0 })

void vsm_hazards_init(struct vsm_hazards *set)
{
	spin_lock_init(&set->lock);
	INIT_HLIST_HEAD(&set->list);
	set->read = VSM_EMPTY_SPAN;
	set->written = VSM_EMPTY_SPAN;
}

static enum drm_vsm_fault vsm_hazard_check_use(const struct vsm_hazard *hazard, enum vsm_use use)
{
	if (use == VSM_USE_READ)
		return hazard->use == VSM_USE_READ ? DRM_VSM_FAULT_NONE
						   : DRM_VSM_FAULT_COPY_INCOMPLETE;
	if (use == VSM_USE_REDUCE && hazard->use == VSM_USE_REDUCE)
		return DRM_VSM_FAULT_NONE;
	return DRM_VSM_FAULT_COPY_OVERLAP;
}

/* The bytes overlap one of the ranges around all uses: compare them with each use. */
enum drm_vsm_fault vsm_hazards_search(const struct vsm_hazards *set,
				      const struct vsm_hazard *hazard)
{
	enum drm_vsm_fault fault = DRM_VSM_FAULT_NONE;
	const struct vsm_hazard *other;

	lockdep_assert_held(&set->lock);
	hlist_for_each_entry(other, &set->list, link) {
		if (hazard->start < other->end && other->start < hazard->end)
			fault = vsm_hazard_check_use(other, hazard->use);
		if (fault)
			break;
	}
	return fault;
}

/**
 * vsm_hazards_leave - Operations no longer use their bytes
 * @hazards: Hazards of the operations, entered or not. Neighbours in this array that are in the
 *	list of the same object leave it under one lock
 * @count: Number of hazards; few, because the lock is held for all neighbours
 */
void vsm_hazards_leave(struct vsm_hazard *const *hazards, u32 count)
{
	struct vsm_hazard *const *end = hazards + count;

	while (hazards < end) {
		struct vsm_hazards *set = (*hazards)->set;

		if (!set) {
			hazards++;
			continue;
		}
		spin_lock(&set->lock);
		do {
			struct vsm_hazard *hazard = *hazards;

			hazard->set = NULL;
			__hlist_del(&hazard->link);
			set->count--;
		} while (++hazards < end && (*hazards)->set == set);
		if (!set->count) {
			set->read = VSM_EMPTY_SPAN;
			set->written = VSM_EMPTY_SPAN;
		}
		spin_unlock(&set->lock);
	}
}

/* --- clusters -------------------------------------------------------------------- */

/*
 * Creation and end of a cluster's state. Other layers keep more in a cluster, and create and free
 * that themselves (vsm_gem.c calls them).
 */

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
