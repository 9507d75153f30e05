/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * GEM objects: clusters and buffers.
 */
#ifndef _VSM_BO_H_
#define _VSM_BO_H_

#include <linux/atomic.h>
#include <linux/iosys-map.h>
#include <linux/llist.h>
#include <linux/mutex.h>

#include <drm/drm_gem_shmem_helper.h>

#include "base/vsm_client.h"
#include "object/vsm_hazard.h"

struct vsm_cluster;
struct vsm_device;

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
void vsm_bo_put_deferred(struct vsm_bo *bo);
void vsm_bo_end_use(struct vsm_bo *bo);
void vsm_bo_add_memory(struct vsm_bo *bo, struct vsm_memory *sum);
int vsm_bo_vmap(struct vsm_bo *bo);
int vsm_cluster_publish(struct vsm_bo *bo);
void vsm_cluster_retire(struct vsm_bo *bo);
struct vsm_bo *vsm_cluster_next(struct vsm_device *vdev, u32 *number);

#endif
