// SPDX-License-Identifier: GPL-2.0-only
/*
 * Handles of objects.
 */
#include <linux/err.h>

#include "object/vsm_cluster.h"
#include "object/vsm_handle.h"

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
