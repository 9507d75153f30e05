/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * GEM objects, clusters and buffers: their memory, their handles, and which of their bytes
 * operations in flight use.
 */
#ifndef _VSM_BO_H_
#define _VSM_BO_H_

#include <linux/atomic.h>
#include <linux/iosys-map.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>

#include <drm/drm_gem_shmem_helper.h>
#include <drm/vsm_drm.h>

#include "base/vsm_client.h"
#include "core/vsm_core.h"

struct dma_buf;
struct drm_device;
struct drm_gem_object;
struct iosys_map;
struct vm_area_struct;
struct vsm_cluster;

/* --- bytes in use ---------------------------------------------------------------- */

/* The most uses in the list of an object. Further operations are checked, but not added. */
#define VSM_MAX_HAZARDS	1024

/* What an operation in flight does with bytes. */
enum vsm_use {
	VSM_USE_READ,
	VSM_USE_WRITE,
	VSM_USE_REDUCE,
};

/**
 * struct vsm_hazard - Bytes of an object that an operation in flight uses
 * @link: In &vsm_hazards.list
 * @set: Hazards of the object; NULL if the operation is not entered there
 * @start: First byte
 * @end: First byte behind the range
 * @use: What the operation does with the bytes
 */
struct vsm_hazard {
	struct hlist_node link;
	struct vsm_hazards *set;
	u64 start;
	u64 end;
	enum vsm_use use;
};

/**
 * struct vsm_hazards - All uses of an object by operations in flight
 * @lock: Protects all other fields
 * @list: The uses
 * @count: Number of uses in @list
 * @read: A range that holds all bytes that are read
 * @written: A range that holds all bytes that are written or reduced
 */
struct vsm_hazards {
	spinlock_t lock; /* all other fields */
	struct hlist_head list;
	u32 count;
	struct vsm_span {
		u64 start;
		u64 end;
	} read, written;
};

void vsm_hazards_init(struct vsm_hazards *set);
enum drm_vsm_fault vsm_hazards_search(const struct vsm_hazards *set,
				      const struct vsm_hazard *hazard);
void vsm_hazards_leave(struct vsm_hazard *const *hazards, u32 count);

static inline bool vsm_span_overlaps(const struct vsm_span *span, u64 start, u64 end)
{
	return start < span->end && span->start < end;
}

static inline void vsm_span_add(struct vsm_span *span, u64 start, u64 end)
{
	span->start = min(span->start, start);
	span->end = max(span->end, end);
}

/*
 * An operation begins to use bytes of an object.
 * @hazard: The operation's hazard; its @set is NULL
 * @use: What the operation does with the bytes
 * @report: Rules that are only reported, a mask of DRM_VSM_RULE()
 *
 * Returns %DRM_VSM_FAULT_NONE, or the rule that the operation breaks. If that rule is not in
 * @report, the use has not been entered.
 */
static inline enum drm_vsm_fault vsm_hazard_enter(struct vsm_hazards *set,
						  struct vsm_hazard *hazard, u64 start, u64 size,
						  enum vsm_use use, u64 report)
{
	enum drm_vsm_fault fault = DRM_VSM_FAULT_NONE;
	u64 end = start + size;

	if (!size)
		return DRM_VSM_FAULT_NONE;
	hazard->start = start;
	hazard->end = end;
	hazard->use = use;
	spin_lock(&set->lock);
	if (vsm_span_overlaps(&set->written, start, end) ||
	    (use != VSM_USE_READ && vsm_span_overlaps(&set->read, start, end)))
		fault = vsm_hazards_search(set, hazard);
	if (likely(!fault || report & DRM_VSM_RULE(fault)) && set->count < VSM_MAX_HAZARDS) {
		hazard->set = set;
		hlist_add_head(&hazard->link, &set->list);
		set->count++;
		vsm_span_add(use == VSM_USE_READ ? &set->read : &set->written, start, end);
	}
	spin_unlock(&set->lock);
	return fault;
}

static inline void vsm_hazard_leave(struct vsm_hazard *hazard)
{
	vsm_hazards_leave(&hazard, 1);
}

/* --- objects --------------------------------------------------------------------- */

/**
 * struct vsm_bo - A GEM object: a buffer, or a cluster
 * @base: The shmem object
 * @client: Client that is charged for the object; NULL for an import until it has a handle
 * @cluster: State of a cluster, NULL for a buffer
 * @map_lock: Held while @map is created
 * @map: Kernel mapping; a cluster always has one, a buffer from its first copy on
 * @hazards: Bytes of the object that operations in flight use
 * @uses: Number of jobs and operations that use the object, from when they are submitted or issued
 *	until they have ended; an operation of a job counts for its buffer
 * @freed: In &vsm_device.freed
 */
struct vsm_bo {
	struct drm_gem_shmem_object base;
	struct vsm_client *client;
	struct vsm_cluster *cluster;
	struct mutex map_lock; /* creation of map */
	struct iosys_map map;
	struct vsm_hazards hazards;
	atomic_t uses;
	struct llist_node freed;
};

static inline struct vsm_bo *to_vsm_bo(struct drm_gem_object *obj)
{
	return container_of(to_drm_gem_shmem_obj(obj), struct vsm_bo, base);
}

static inline struct vsm_bo *vsm_bo_get(struct vsm_bo *bo)
{
	drm_gem_object_get(&bo->base.base);
	return bo;
}

/* A job or an operation begins to use an object, on which it has a reference. */
static inline void vsm_bo_begin_use(struct vsm_bo *bo)
{
	atomic_inc(&bo->uses);
}

/**
 * struct vsm_memory - Memory of objects for which a client has handles, in bytes
 * @total: All objects
 * @shared: Objects for which another client or driver may have a handle
 * @resident: What is in memory now
 * @active: Objects that jobs or operations use
 */
struct vsm_memory {
	u64 total;
	u64 shared;
	u64 resident;
	u64 active;
};

void vsm_bos_init(struct vsm_device *vdev);
void vsm_bos_flush(struct vsm_device *vdev);
struct vsm_bo *vsm_bo_alloc(void);
struct vsm_bo *vsm_bo_create(struct vsm_client *client, u64 size);
int vsm_bo_open(struct drm_gem_object *obj, struct drm_file *file);
void vsm_bo_free(struct vsm_bo *bo);
void vsm_bo_put(struct vsm_bo *bo);
void vsm_bo_end_use(struct vsm_bo *bo);
void vsm_bo_add_memory(struct vsm_bo *bo, struct vsm_memory *sum);
int vsm_bo_vmap(struct vsm_bo *bo);
int vsm_cluster_publish(struct vsm_bo *bo);
void vsm_cluster_retire(struct vsm_bo *bo);
struct vsm_bo *vsm_cluster_next(struct vsm_device *vdev, u32 *number);

/* --- imports --------------------------------------------------------------------- */

struct drm_gem_object *vsm_prime_import(struct drm_device *drm, struct dma_buf *dmabuf);
int vsm_prime_mmap(struct drm_gem_object *obj, struct vm_area_struct *vma);

/* --- handles --------------------------------------------------------------------- */

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
