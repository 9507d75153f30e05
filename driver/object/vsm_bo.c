// SPDX-License-Identifier: GPL-2.0-only
/*
 * GEM objects, clusters and buffers: creation, imports, mappings, references and handles.
 */
#include <linux/dma-buf.h>
#include <linux/dma-mapping.h>
#include <linux/err.h>
#include <linux/idr.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>

#include "object/vsm_bo.h"
#include "object/vsm_cluster.h"
#include "vsm_compat.h"
#include "vsm_drv.h"

/* --- imports --------------------------------------------------------------------- */

/*
 * Imports: dma-bufs of other drivers, and of other devices of this driver, as buffers. The import
 * of a dma-buf that the same device has exported gives the exported object again.
 *
 * Copies use the kernel mapping of an import, which is made when the first copy is issued.
 * dma_buf_begin_cpu_access() and dma_buf_end_cpu_access() enclose the whole time of the mapping,
 * and not a single copy: they may sleep and allocate, which is forbidden where a fence waits. After
 * dma_buf_begin_cpu_access() the memory must stay coherent without further calls. System memory
 * does, cached (vsm, udmabuf) or write-combined (vgem). Memory that needs more on this machine is
 * refused.
 *
 * Copies do not wait for the fences of the dma-buf's reservation, except for those that are there
 * when the mapping is made. Programs that share a buffer order their jobs by syncobjs.
 */

/**
 * vsm_prime_import - Make an object of a dma-buf
 * @drm: Importing device
 * @dmabuf: dma-buf, of this device or any other
 *
 * Return: The object with a reference, or an ERR_PTR().
 */
struct drm_gem_object *vsm_prime_import(struct drm_device *drm, struct dma_buf *dmabuf)
{
	/* Objects consist of whole pages. An import must not be longer than its dma-buf. */
	if (!dmabuf->size || !PAGE_ALIGNED(dmabuf->size))
		return ERR_PTR(-EINVAL);
	return drm_gem_prime_import(drm, dmabuf);
}

/*
 * Does the memory need calls that synchronise what a device and the processor see? This looks at
 * the mapping for this device, as an example of the mappings for other devices. Exports of this
 * driver never need such calls, because only processors use them here.
 */
static bool vsm_import_needs_sync(const struct drm_gem_object *obj)
{
	const struct sg_table *sgt = to_drm_gem_shmem_obj(obj)->sgt;
	struct device *dev = obj->import_attach->dev;
	struct scatterlist *sg;
	int i;

	if (obj->import_attach->dmabuf->owner == THIS_MODULE)
		return false;
	for_each_sgtable_dma_sg(sgt, sg, i)
		if (dma_need_sync(dev, sg_dma_address(sg)))
			return true;
	return false;
}

/*
 * Map an import. This does not call the shmem helper: the helper would hold its locks while it
 * calls the exporter, which may use the same helper and take the same kind of locks.
 */
static int vsm_import_vmap(struct drm_gem_object *obj, struct iosys_map *map)
{
	struct dma_buf *dmabuf = obj->import_attach->dmabuf;
	int ret;

	if (!dmabuf->ops->vmap || vsm_import_needs_sync(obj))
		return -EOPNOTSUPP;
	ret = vsm_dma_buf_vmap(dmabuf, map);
	if (ret)
		goto out;
	if (map->is_iomem)
		ret = -EOPNOTSUPP;
	else
		ret = dma_buf_begin_cpu_access(dmabuf, DMA_BIDIRECTIONAL);
	if (ret)
		vsm_dma_buf_vunmap(dmabuf, map);
out:
	/*
	 * Exporters may return any error. Most have a different meaning for the callers of this
	 * function.
	 */
	if (ret && ret != -ENOMEM && ret != -ERESTARTSYS && ret != -EINTR)
		ret = -EOPNOTSUPP;
	return ret;
}

static void vsm_import_vunmap(struct drm_gem_object *obj, struct iosys_map *map)
{
	struct dma_buf *dmabuf = obj->import_attach->dmabuf;

	/* The exporter has to do this even if a signal is pending. */
	dma_buf_end_cpu_access(dmabuf, DMA_BIDIRECTIONAL);
	vsm_dma_buf_vunmap(dmabuf, map);
}

/*
 * Map an object, imported or not, into the kernel.
 * @map: The mapping (out)
 *
 * This may wait for the fences of a dma-buf's reservation.
 *
 * Returns 0; -EOPNOTSUPP for a dma-buf that cannot be mapped, is not system memory or is not
 * coherent; -ENOMEM, -ERESTARTSYS or -EINTR.
 */
static int vsm_prime_vmap(struct drm_gem_object *obj, struct iosys_map *map)
{
	if (obj->import_attach)
		return vsm_import_vmap(obj, map);
	return vsm_gem_vmap(obj, map);
}

static void vsm_prime_vunmap(struct drm_gem_object *obj, struct iosys_map *map)
{
	if (obj->import_attach)
		vsm_import_vunmap(obj, map);
	else
		vsm_gem_vunmap(obj, map);
}

int vsm_prime_mmap(struct drm_gem_object *obj, struct vm_area_struct *vma)
{
	bool imported = obj->import_attach;
	int ret = drm_gem_shmem_object_mmap(obj, vma);

	/* The DRM core requires the flag, and not every exporter sets it. */
	if (!ret && imported)
		vsm_vma_keep_size(vma);
	return ret;
}

/* --- objects --------------------------------------------------------------------- */

/*
 * GEM objects: clusters (windows of shared memory, with the state of their threads) and buffers
 * (global memory). Both are shmem objects. They are mapped cached, and not write-combined, because
 * user space and the kernel work on the same words.
 */

/* Allocate an object for drm_gem_shmem_create(). Returns NULL if there is no memory. */
struct vsm_bo *vsm_bo_alloc(void)
{
	struct vsm_bo *bo = kzalloc(sizeof(*bo), GFP_KERNEL_ACCOUNT);

	if (!bo)
		return NULL;
	mutex_init(&bo->map_lock);
	vsm_hazards_init(&bo->hazards);
	return bo;
}

/**
 * vsm_bo_create - Create an object
 * @client: Client that is charged for the object
 * @size: Bytes
 *
 * Return: The object with one reference; -ENOSPC or -ENOMEM as a pointer.
 */
struct vsm_bo *vsm_bo_create(struct vsm_client *client, u64 size)
{
	struct drm_gem_shmem_object *shmem;
	struct vsm_bo *bo;
	int ret;

	if (size > SIZE_MAX - PAGE_SIZE)
		return ERR_PTR(-ENOSPC);
	size = PAGE_ALIGN(size);
	ret = vsm_quota_charge(&client->quota, VSM_RES_BYTES, size);
	if (ret)
		return ERR_PTR(ret);

	shmem = drm_gem_shmem_create(&client->vdev->drm, size);
	if (IS_ERR(shmem)) {
		vsm_quota_uncharge(&client->quota, VSM_RES_BYTES, size);
		return ERR_CAST(shmem);
	}
	bo = container_of(shmem, struct vsm_bo, base);
	bo->client = vsm_client_get(client);
	return bo;
}

/**
 * vsm_bo_open - Charge an import to the client that gets its first handle
 * @obj: Object, imported or not
 * @file: File that gets a handle of the object
 *
 * The client is charged as if the pages were its own, because an import pins them and copies map
 * them. In older kernels user space can use the first handle before this function has returned. Two
 * files may then get a first handle at once, and only one of the two clients is charged.
 *
 * Return: 0 or -ENOSPC.
 */
int vsm_bo_open(struct drm_gem_object *obj, struct drm_file *file)
{
	struct vsm_client *client = file->driver_priv;
	struct vsm_bo *bo = to_vsm_bo(obj);
	int ret;

	/* Only an import that has had no handle has no client. */
	if (READ_ONCE(bo->client))
		return 0;
	ret = vsm_quota_charge(&client->quota, VSM_RES_BYTES, obj->size);
	if (ret)
		return ret;
	if (cmpxchg(&bo->client, NULL, vsm_client_get(client))) {
		vsm_client_put(client);
		vsm_quota_uncharge(&client->quota, VSM_RES_BYTES, obj->size);
	}
	return 0;
}

/**
 * vsm_bo_free - Free an object on which there is no reference
 * @bo: Object; the state of its cluster has been freed
 */
void vsm_bo_free(struct vsm_bo *bo)
{
	struct vsm_client *client = bo->client;
	u64 size = bo->base.base.size;

	if (bo->map.vaddr)
		vsm_prime_vunmap(&bo->base.base, &bo->map);
	mutex_destroy(&bo->map_lock);
	drm_gem_shmem_free(&bo->base);
	/* An import that has never had a handle has not been charged. */
	if (client) {
		vsm_quota_uncharge(&client->quota, VSM_RES_BYTES, size);
		vsm_client_put(client);
	}
}

void vsm_bo_put(struct vsm_bo *bo)
{
	if (bo)
		drm_gem_object_put(&bo->base.base);
}

static void vsm_bo_free_work(struct work_struct *work)
{
	struct vsm_device *vdev = container_of(work, struct vsm_device, free_work);
	struct vsm_bo *bo, *next;

	llist_for_each_entry_safe(bo, next, llist_del_all(&vdev->freed), freed)
		drm_gem_object_free(&bo->base.base.refcount);
}

static void vsm_bo_release_deferred(struct kref *ref)
{
	struct drm_gem_object *obj = container_of(ref, struct drm_gem_object, refcount);
	struct vsm_device *vdev = to_vsm_device(obj->dev);

	if (llist_add(&to_vsm_bo(obj)->freed, &vdev->freed))
		schedule_work(&vdev->free_work);
}

/**
 * vsm_bo_put_deferred - Put a reference where freeing must not wait
 * @bo: Object, or NULL
 *
 * The work of a channel calls this, and never vsm_bo_put(). Freeing an object locks a reservation;
 * for an import, that of its dma-buf. A task that has locked the same reservation may be waiting
 * for a fence that only this work can signal. If this is the last reference, another work therefore
 * frees the object.
 */
static void vsm_bo_put_deferred(struct vsm_bo *bo)
{
	if (bo)
		kref_put(&bo->base.base.refcount, vsm_bo_release_deferred);
}

/* A job or an operation no longer uses an object: put its reference. @bo may be NULL. */
void vsm_bo_end_use(struct vsm_bo *bo)
{
	if (!bo)
		return;
	atomic_dec(&bo->uses);
	vsm_bo_put_deferred(bo);
}

/*
 * Add the memory of an object to sums.
 * @bo: Object, on which there is a reference
 *
 * An object counts as shared if it has several handles, or a dma-buf, through which it was
 * exported or imported. The importer of a dma-buf has pinned its pages, so they are resident.
 *
 * Context: any; this takes no lock.
 */
void vsm_bo_add_memory(struct vsm_bo *bo, struct vsm_memory *sum)
{
	struct drm_gem_object *obj = &bo->base.base;

	sum->total += obj->size;
	/* An old value is as good: the object may be shared a moment later. */
	if (data_race(obj->handle_count > 1 || obj->dma_buf))
		sum->shared += obj->size;
	if (obj->import_attach)
		sum->resident += obj->size;
	else
		/* An old value is as good: the pages may come or go a moment later. */
		sum->resident += (u64)data_race(obj->filp->f_mapping->nrpages) << PAGE_SHIFT;
	if (atomic_read(&bo->uses))
		sum->active += obj->size;
}

/*
 * Wait until the objects that vsm_bo_put_deferred() has put are freed. A file that is being closed
 * calls this after its channels have stopped. Until then the file keeps the device alive, which
 * the work needs.
 */
void vsm_bos_flush(struct vsm_device *vdev)
{
	flush_work(&vdev->free_work);
}

void vsm_bos_init(struct vsm_device *vdev)
{
	xa_init_flags(&vdev->clusters, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	init_llist_head(&vdev->freed);
	INIT_WORK(&vdev->free_work, vsm_bo_free_work);
}

/*
 * Make sure that an object has a kernel mapping. The mapping and the pages stay until the object
 * is freed. Returns 0, -EOPNOTSUPP for an import that cannot be used (vsm_prime_vmap()), -ENOMEM,
 * -ERESTARTSYS or -EINTR.
 */
int vsm_bo_vmap(struct vsm_bo *bo)
{
	struct iosys_map map;
	int ret = 0;

	if (mutex_lock_interruptible(&bo->map_lock))
		return -ERESTARTSYS;
	if (!bo->map.vaddr) {
		ret = vsm_prime_vmap(&bo->base.base, &map);
		if (!ret)
			bo->map = map;
	}
	mutex_unlock(&bo->map_lock);
	return ret;
}

/**
 * vsm_cluster_publish - Give a new cluster its number
 * @bo: The cluster, which is complete: from now on others may find it by its number
 *
 * Numbers are given out in turn, so that a number is not soon that of another cluster.
 *
 * Return: 0, -ENOMEM, or -ENOSPC if all numbers are in use.
 */
int vsm_cluster_publish(struct vsm_bo *bo)
{
	struct vsm_device *vdev = bo->cluster->vdev;
	int ret = xa_alloc_cyclic(&vdev->clusters, &bo->cluster->number, bo, xa_limit_32b,
				  &vdev->clusters_next, GFP_KERNEL);

	/* The xarray may have chosen a number before it found no memory. */
	if (ret < 0)
		bo->cluster->number = 0;
	return ret == -EBUSY ? -ENOSPC : min(ret, 0);
}

/* Take back the number of a cluster that is about to be freed, if it has a number. */
void vsm_cluster_retire(struct vsm_bo *bo)
{
	if (bo->cluster->number)
		xa_erase(&bo->cluster->vdev->clusters, bo->cluster->number);
}

/**
 * vsm_cluster_next - Find the cluster with the lowest number from a given number on
 * @vdev: Device
 * @number: Lowest number that the cluster may have (in); the number that it has (out)
 *
 * Return: The cluster with a reference, or NULL if there is none.
 */
struct vsm_bo *vsm_cluster_next(struct vsm_device *vdev, u32 *number)
{
	unsigned long index = *number;
	struct vsm_bo *bo;

	/* A cluster leaves the array under this lock before it is freed. */
	xa_lock(&vdev->clusters);
	xa_for_each_start(&vdev->clusters, index, bo, index)
		if (kref_get_unless_zero(&bo->base.base.refcount))
			break;
	xa_unlock(&vdev->clusters);
	*number = index;
	return bo;
}

/* --- handles --------------------------------------------------------------------- */

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
static struct vsm_bo *vsm_buffer_lookup(struct drm_file *file, u32 handle)
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
