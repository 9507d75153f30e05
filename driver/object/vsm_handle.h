/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Handles of objects.
 */
#ifndef _VSM_HANDLE_H_
#define _VSM_HANDLE_H_

#include "object/vsm_bo.h"

/**
 * struct vsm_bo_cache - The buffer that a stream of instructions has named last
 * @file: File that executes the stream
 * @handle: Handle of the buffer
 * @buffer: The buffer, with a reference, or NULL
 * @shared: A buffer on which the batch that the stream is issuing has a reference, or NULL
 */
struct vsm_bo_cache {
	struct drm_file *file;
	u32 handle;
	struct vsm_bo *buffer;
	struct vsm_bo *shared;
};

struct vsm_bo *vsm_bo_lookup(struct drm_file *file, u32 handle);
struct vsm_bo *vsm_cluster_lookup(struct drm_file *file, u32 handle);
struct vsm_bo *vsm_buffer_lookup(struct drm_file *file, u32 handle);
struct vsm_bo *vsm_bo_cache_fill(struct vsm_bo_cache *cache, u32 handle);

/*
 * Find a buffer that an instruction names, and map it. The cache has the reference. Returns -ENOENT
 * or the error of vsm_bo_vmap() as a pointer if there is no such buffer.
 */
static inline struct vsm_bo *vsm_bo_cache_find(struct vsm_bo_cache *cache, u32 handle)
{
	if (likely(cache->buffer && cache->handle == handle))
		return cache->buffer;
	return vsm_bo_cache_fill(cache, handle);
}

/*
 * Forget the buffer before the thread waits. Meanwhile the handle may be closed, and may then name
 * another object.
 */
static inline void vsm_bo_cache_drop(struct vsm_bo_cache *cache)
{
	if (likely(!cache->buffer))
		return;
	vsm_bo_put(cache->buffer);
	cache->buffer = NULL;
}

#endif
