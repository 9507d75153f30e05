// SPDX-License-Identifier: GPL-2.0-only
/*
 * GEM objects: clusters (windows of shared memory and what belongs to them) and
 * buffers (global memory). Both are shmem objects, mapped cached: user space and
 * the kernel work on the same words.
 */
#include <linux/idr.h>
#include <linux/overflow.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "vsm_compat.h"
#include "vsm_drv.h"

static size_t vsm_cluster_size(const struct vsm_geometry *geo)
{
	const struct vsm_cluster *cluster;

	return struct_size(cluster, endless, geo->ctas * vsm_geometry_warps(geo));
}

static void vsm_bo_free(struct vsm_bo *bo)
{
	struct vsm_client *client = bo->client;
	u64 size = bo->base.base.size;

	if (bo->map.vaddr)
		vsm_prime_vunmap(bo, &bo->map);
	if (bo->cluster) {
		vsm_deadlock_fini(bo->cluster);
		vsm_shadow_free(bo->cluster);
		vsm_groups_free_all(bo->cluster);
		vsm_rendezvous_free(bo->cluster);
		vsm_client_free(client, bo->cluster, 1, vsm_cluster_size(&bo->cluster->geo));
		vsm_client_uncharge(client, VSM_RES_CLUSTERS, 1);
	}
	mutex_destroy(&bo->map_lock);
	drm_gem_shmem_free(&bo->base);
	/* An import that was given no handle has not been charged. */
	if (client) {
		vsm_client_uncharge(client, VSM_RES_BYTES, size);
		vsm_client_put(client);
	}
}

static void vsm_gem_free_work(struct work_struct *work)
{
	struct vsm_device *vdev = container_of(work, struct vsm_device, free_work);
	struct vsm_bo *bo, *next;

	llist_for_each_entry_safe(bo, next, llist_del_all(&vdev->freed), freed)
		vsm_bo_free(bo);
}

/*
 * Freeing takes a reservation, that of an import's dma-buf if it is one, and whoever has
 * it locked may be waiting for a fence: not where one may be behind this.
 */
static void vsm_gem_free(struct drm_gem_object *obj)
{
	struct vsm_device *vdev = to_vsm_device(obj->dev);
	struct vsm_bo *bo = to_vsm_bo(obj);

	if (!vsm_channel_is_current())
		vsm_bo_free(bo);
	else if (llist_add(&bo->freed, &vdev->freed))
		schedule_work(&vdev->free_work);
}

/**
 * vsm_gem_flush - Wait until what jobs and operations have put last is freed
 * @vdev: Device
 *
 * For a file that closes, when its channels have stopped: it keeps the device until then.
 */
void vsm_gem_flush(struct vsm_device *vdev)
{
	flush_work(&vdev->free_work);
}

void vsm_gem_init(struct vsm_device *vdev)
{
	init_llist_head(&vdev->freed);
	INIT_WORK(&vdev->free_work, vsm_gem_free_work);
}

/* A handle goes: so must what was remembered of it. */
static void vsm_gem_close(struct drm_gem_object *obj, struct drm_file *file)
{
	struct vsm_client *client = file->driver_priv;
	unsigned int i;

	spin_lock(&file->table_lock);
	for (i = 0; i < VSM_RECENT; i++)
		if (client->recent[i].bo == to_vsm_bo(obj))
			client->recent[i].bo = NULL;
	spin_unlock(&file->table_lock);
	if (to_vsm_bo(obj)->cluster)
		vsm_hold_release(to_vsm_bo(obj)->cluster);
}

static const struct drm_gem_object_funcs vsm_gem_funcs = {
	.free = vsm_gem_free,
	.open = vsm_prime_open,
	.close = vsm_gem_close,
	.print_info = drm_gem_shmem_object_print_info,
	.pin = drm_gem_shmem_object_pin,
	.unpin = drm_gem_shmem_object_unpin,
	.get_sg_table = drm_gem_shmem_object_get_sg_table,
	.vmap = drm_gem_shmem_object_vmap,
	.vunmap = drm_gem_shmem_object_vunmap,
	.mmap = vsm_prime_mmap,
	.vm_ops = &drm_gem_shmem_vm_ops,
};

/* Called by drm_gem_shmem_create(). */
struct drm_gem_object *vsm_gem_create_object(struct drm_device *drm, size_t size)
{
	struct vsm_bo *bo = kzalloc(sizeof(*bo), GFP_KERNEL_ACCOUNT);

	if (!bo)
		return ERR_PTR(-ENOMEM);
	mutex_init(&bo->map_lock);
	vsm_hazards_init(&bo->hazards);
	bo->base.base.funcs = &vsm_gem_funcs;
	return &bo->base.base;
}

static struct vsm_bo *vsm_bo_create(struct vsm_client *client, u64 size)
{
	struct drm_gem_shmem_object *shmem;
	struct vsm_bo *bo;
	int ret;

	if (size > SIZE_MAX - PAGE_SIZE)
		return ERR_PTR(-ENOSPC);
	size = PAGE_ALIGN(size);
	ret = vsm_client_charge(client, VSM_RES_BYTES, size);
	if (ret)
		return ERR_PTR(ret);

	shmem = drm_gem_shmem_create(&client->vdev->drm, size);
	if (IS_ERR(shmem)) {
		vsm_client_uncharge(client, VSM_RES_BYTES, size);
		return ERR_CAST(shmem);
	}
	bo = container_of(shmem, struct vsm_bo, base);
	bo->client = vsm_client_get(client);
	return bo;
}

void vsm_bo_put(struct vsm_bo *bo)
{
	if (bo)
		drm_gem_object_put(&bo->base.base);
}

/**
 * vsm_bo_vmap - Make sure that an object has a kernel mapping
 * @bo: Object
 *
 * The mapping, and with it the pages, stay until the object is freed.
 *
 * Return: 0, -EOPNOTSUPP for an import that cannot be used (vsm_prime_vmap()), -ENOMEM,
 * -ERESTARTSYS or -EINTR.
 */
int vsm_bo_vmap(struct vsm_bo *bo)
{
	struct iosys_map map;
	int ret = 0;

	if (mutex_lock_interruptible(&bo->map_lock))
		return -ERESTARTSYS;
	if (!bo->map.vaddr) {
		ret = vsm_prime_vmap(bo, &map);
		if (!ret)
			bo->map = map;
	}
	mutex_unlock(&bo->map_lock);
	return ret;
}

static struct vsm_bo *vsm_bo_lookup(struct drm_file *file, u32 handle)
{
	struct drm_gem_object *obj = drm_gem_object_lookup(file, handle);

	return obj ? to_vsm_bo(obj) : NULL;
}

/* The cluster of a handle, with a reference; NULL if it names none. */
struct vsm_bo *vsm_cluster_lookup(struct drm_file *file, u32 handle)
{
	struct vsm_client *client = file->driver_priv;
	struct vsm_recent *recent = &client->recent[handle % VSM_RECENT];
	struct vsm_bo *bo = NULL;

	spin_lock(&file->table_lock);
	if (recent->bo && recent->handle == handle) {
		bo = recent->bo;
		drm_gem_object_get(&bo->base.base);
	}
	spin_unlock(&file->table_lock);
	if (bo)
		return bo;

	bo = vsm_bo_lookup(file, handle);
	if (!bo)
		return NULL;
	if (!bo->cluster) {
		vsm_bo_put(bo);
		return NULL;
	}

	return bo;
}

/* Have vsm_cluster_lookup() find a new handle at once. */
static void vsm_cluster_remember(struct drm_file *file, u32 handle, struct vsm_bo *bo)
{
	struct vsm_client *client = file->driver_priv;
	struct vsm_recent *recent = &client->recent[handle % VSM_RECENT];

	if (!VSM_HANDLES_STAY)
		return;
	/* While the handle names the object, vsm_gem_close() is still to come. */
	spin_lock(&file->table_lock);
	if (idr_find(&file->object_idr, handle) == &bo->base.base) {
		recent->bo = bo;
		recent->handle = handle;
	}
	spin_unlock(&file->table_lock);
}

/* The buffer of a handle, with a reference; NULL if it names none. */
struct vsm_bo *vsm_buffer_lookup(struct drm_file *file, u32 handle)
{
	struct vsm_bo *bo = vsm_bo_lookup(file, handle);

	if (bo && bo->cluster) {
		vsm_bo_put(bo);
		return NULL;
	}
	return bo;
}

static struct vsm_cluster *vsm_cluster_create(struct vsm_bo *bo, const struct vsm_geometry *geo)
{
	struct vsm_cluster *cluster;
	int ret;

	/* The charge belongs to bo->cluster: vsm_gem_free() undoes both or none. */
	ret = vsm_client_charge(bo->client, VSM_RES_CLUSTERS, 1);
	if (ret)
		return ERR_PTR(ret);
	cluster = vsm_client_alloc(bo->client, 1, vsm_cluster_size(geo));
	if (IS_ERR(cluster)) {
		vsm_client_uncharge(bo->client, VSM_RES_CLUSTERS, 1);
		return cluster;
	}
	cluster->geo = *geo;
	bo->cluster = cluster;
	cluster->hazards = &bo->hazards;
	spin_lock_init(&cluster->publish_lock);
	xa_init(&cluster->threads);
	vsm_deadlock_init(cluster);

	ret = vsm_bo_vmap(bo);
	if (ret)
		return ERR_PTR(ret);
	cluster->vdev = bo->client->vdev;
	cluster->client = bo->client;
	INIT_LIST_HEAD(&cluster->held_ops);
	cluster->live = geo->ctas * geo->threads;
	cluster->window_stride = PAGE_ALIGN(geo->smem_bytes);
	cluster->words = geo->ctas * (cluster->window_stride / sizeof(u64));
	cluster->hash = get_random_u32();
	cluster->hash_factor = get_random_u32() | 1;
	cluster->windows = bo->map.vaddr;
	return cluster;
}

int vsm_cluster_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_vsm_cluster_create *args = data;
	struct vsm_geometry geo = {
		.ctas = args->ctas,
		.threads = args->threads,
		.smem_bytes = args->smem_bytes,
		.layout = args->layout,
		.strict = args->policy == DRM_VSM_POLICY_STRICT,
		.report = args->report,
		.enforce = args->enforce,
	};
	struct vsm_cluster *cluster;
	struct vsm_bo *bo;
	int ret;

	if (args->flags || args->policy > DRM_VSM_POLICY_HARDWARE || !vsm_geometry_valid(&geo))
		return -EINVAL;

	bo = vsm_bo_create(file->driver_priv, (u64)geo.ctas * PAGE_ALIGN(geo.smem_bytes));
	if (IS_ERR(bo))
		return PTR_ERR(bo);
	cluster = vsm_cluster_create(bo, &geo);
	if (IS_ERR(cluster)) {
		ret = PTR_ERR(cluster);
		goto out;
	}

	args->window_stride = cluster->window_stride;
	args->size = bo->base.base.size;
	args->mmap_offset = drm_vma_node_offset_addr(&bo->base.base.vma_node);
	ret = drm_gem_handle_create(file, &bo->base.base, &args->handle);
	if (!ret)
		vsm_cluster_remember(file, args->handle, bo);
out:
	vsm_bo_put(bo);
	return ret;
}

int vsm_buffer_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_vsm_buffer_create *args = data;
	struct vsm_bo *bo;
	int ret;

	if (args->flags || !args->size)
		return -EINVAL;

	bo = vsm_bo_create(file->driver_priv, args->size);
	if (IS_ERR(bo))
		return PTR_ERR(bo);

	args->size = bo->base.base.size;
	args->mmap_offset = drm_vma_node_offset_addr(&bo->base.base.vma_node);
	ret = drm_gem_handle_create(file, &bo->base.base, &args->handle);
	vsm_bo_put(bo);
	return ret;
}

int vsm_object_info_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_vsm_object_info *args = data;
	struct vsm_bo *bo = vsm_bo_lookup(file, args->handle);

	if (!bo)
		return -ENOENT;

	*args = (struct drm_vsm_object_info) {
		.handle = args->handle,
		.kind = bo->cluster ? DRM_VSM_OBJECT_CLUSTER : DRM_VSM_OBJECT_BUFFER,
		.size = bo->base.base.size,
		.mmap_offset = drm_vma_node_offset_addr(&bo->base.base.vma_node),
	};
	if (bo->cluster) {
		args->ctas = bo->cluster->geo.ctas;
		args->threads = bo->cluster->geo.threads;
		args->smem_bytes = bo->cluster->geo.smem_bytes;
		args->window_stride = bo->cluster->window_stride;
		args->layout = bo->cluster->geo.layout;
		args->policy = bo->cluster->geo.strict ? DRM_VSM_POLICY_STRICT
						       : DRM_VSM_POLICY_HARDWARE;
		args->report = bo->cluster->geo.report;
		args->enforce = bo->cluster->geo.enforce;
	}
	vsm_bo_put(bo);
	return 0;
}
