// SPDX-License-Identifier: GPL-2.0-only
/*
 * Handles of objects (vsm_handle.h has the quick way to a cluster).
 */
#include <linux/err.h>

#include "object/vsm_cluster.h"
#include "object/vsm_handle.h"
#include "vsm_compat.h"

/* Find the object of a handle, and take a reference. Returns NULL if there is none. */
struct vsm_bo *vsm_bo_lookup(struct drm_file *file, u32 handle)
{
	struct drm_gem_object *obj = drm_gem_object_lookup(file, handle);

	return obj ? to_vsm_bo(obj) : NULL;
}

/*
 * Find the cluster of a handle, and take a reference. Returns NULL if the handle names no cluster.
 */
struct vsm_bo *vsm_cluster_lookup(struct drm_file *file, u32 handle)
{
	struct vsm_bo *bo = vsm_bo_lookup(file, handle);

	if (bo && !bo->cluster) {
		vsm_bo_put(bo);
		return NULL;
	}
	return bo;
}

/* Find the buffer of a handle, and take a reference. Returns NULL if the handle names no buffer. */
struct vsm_bo *vsm_buffer_lookup(struct drm_file *file, u32 handle)
{
	struct vsm_bo *bo = vsm_bo_lookup(file, handle);

	if (bo && bo->cluster) {
		vsm_bo_put(bo);
		return NULL;
	}
	return bo;
}

/* A client has created a cluster. From now on references on it may rest. */
void vsm_cluster_remember(struct drm_file *file, u32 handle, struct vsm_bo *bo)
{
	if (!VSM_HANDLES_STAY)
		return;
	/*
	 * Another task may have closed the handle already. If the handle still names the object,
	 * vsm_cluster_forget() will run later.
	 */
	spin_lock(&file->table_lock);
	if (idr_find(&file->object_idr, handle) == &bo->base.base)
		WRITE_ONCE(bo->handle, handle);
	spin_unlock(&file->table_lock);
}

/**
 * vsm_cluster_forget - A client closes a handle of an object
 * @file: File of the client
 * @bo: Object. No lookup finds it by this handle any more
 *
 * When this returns, no reference of the client on @bo rests. A call that is in vsm_cluster_rest()
 * meanwhile takes its reference back. This costs one load for each processor, because a reference
 * may rest on any of them.
 */
void vsm_cluster_forget(struct drm_file *file, struct vsm_bo *bo)
{
	struct vsm_client *client = file->driver_priv;
	u64 handle = READ_ONCE(bo->handle);
	int cpu;

	if (handle == VSM_NO_HANDLE || bo->client != client)
		return;
	WRITE_ONCE(bo->handle, VSM_NO_HANDLE);
	/* A full barrier, before and after. Pairs with vsm_cluster_rest(). */
	atomic_inc_return(&client->closings);
	for_each_possible_cpu(cpu) {
		struct vsm_bo **rest = &per_cpu_ptr(client->rests, cpu)->bos[handle % VSM_RESTS];

		if (READ_ONCE(*rest) == bo && cmpxchg(rest, bo, NULL) == bo)
			vsm_bo_put(bo);
	}
}

/* Find a buffer for vsm_bo_cache_find() that is not the one in the cache. */
struct vsm_bo *vsm_bo_cache_fill(struct vsm_bo_cache *cache, u32 handle)
{
	struct vsm_bo *buffer = vsm_buffer_lookup(cache->file, handle);
	int ret;

	if (!buffer)
		return ERR_PTR(-ENOENT);
	ret = vsm_bo_vmap(buffer);
	if (ret) {
		vsm_bo_put(buffer);
		return ERR_PTR(ret);
	}
	vsm_bo_put(cache->buffer);
	cache->buffer = buffer;
	cache->handle = handle;
	return buffer;
}
