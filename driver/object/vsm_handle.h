/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Handles of objects, and references that rest.
 *
 * EXEC and WAITSET_ARM need a reference on their cluster. Tasks of one process that look the handle
 * up and count the reference in turn would all write the same two cache lines. Therefore a call
 * leaves its reference on its processor when it ends, in &vsm_client.rests. The next call for the
 * same handle on this processor takes it and owns it: nobody else can take it, and nothing is
 * counted. A call for another handle that shares the place puts it.
 *
 * When the client closes the handle, its references stop resting (vsm_cluster_forget()).
 */
#ifndef _VSM_HANDLE_H_
#define _VSM_HANDLE_H_

#include <linux/atomic.h>
#include <linux/percpu.h>

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
void vsm_cluster_remember(struct drm_file *file, u32 handle, struct vsm_bo *bo);
void vsm_cluster_forget(struct drm_file *file, struct vsm_bo *bo);

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

/*
 * Where references on the cluster of a handle rest. The caller may move to another processor at any
 * time: the place is still one that every processor may use.
 */
static inline struct vsm_bo **vsm_client_rest(const struct vsm_client *client, u32 handle)
{
	return &raw_cpu_ptr(client->rests)->bos[handle % VSM_RESTS];
}

/**
 * vsm_cluster_take - Find the cluster of a handle
 * @file: File of a client
 * @handle: Handle, any number
 *
 * Return: The cluster with a reference, which the caller puts by vsm_cluster_rest(); NULL if the
 * handle names no cluster.
 */
static inline struct vsm_bo *vsm_cluster_take(struct drm_file *file, u32 handle)
{
	struct vsm_bo **rest = vsm_client_rest(file->driver_priv, handle);
	struct vsm_bo *bo = READ_ONCE(*rest) ? xchg(rest, NULL) : NULL;

	if (likely(bo)) {
		if (likely(READ_ONCE(bo->handle) == handle))
			return bo;
		vsm_bo_put(bo);
	}
	return vsm_cluster_lookup(file, handle);
}

/**
 * vsm_cluster_rest - Put the reference of vsm_cluster_take()
 * @file: File of the client
 * @handle: Handle by which the cluster was found
 * @bo: The cluster
 *
 * Why no reference rests after its handle has been closed: vsm_cluster_forget() first clears
 * @handle, then counts the closing, and then looks for references that rest. If it looks before the
 * reference is here, this function finds another number of closings, and takes the reference back.
 */
static inline void vsm_cluster_rest(struct drm_file *file, u32 handle, struct vsm_bo *bo)
{
	struct vsm_client *client = file->driver_priv;
	struct vsm_bo **rest = vsm_client_rest(client, handle);
	/* The acquire pairs with vsm_cluster_forget(): after the new number @handle is cleared. */
	int closings = atomic_read_acquire(&client->closings);

	if (unlikely(READ_ONCE(bo->handle) != handle) || unlikely(bo->client != client) ||
	    READ_ONCE(*rest) || cmpxchg(rest, NULL, bo)) {
		vsm_bo_put(bo);
		return;
	}
	/* From here on another task may have taken the reference, and @bo may be gone. */
	if (unlikely(atomic_read(&client->closings) != closings) &&
	    cmpxchg(rest, bo, NULL) == bo)
		vsm_bo_put(bo);
}

#endif
