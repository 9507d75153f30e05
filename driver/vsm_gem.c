// SPDX-License-Identifier: GPL-2.0-only
/*
 * GEM objects: their creation, the opening and closing of a handle, and their end. This file stands
 * above the layers, because it frees what each layer keeps in a cluster.
 */
#include <linux/err.h>
#include <linux/slab.h>

#include "base/vsm_fault.h"
#include "object/vsm_bo.h"
#include "object/vsm_cluster.h"
#include "sync/vsm_engine.h"
#include "sync/vsm_rendezvous_wait.h"
#include "sync/vsm_waiter.h"
#include "thread/vsm_thread.h"
#include "vsm_drv.h"
#include "vsm_ioctl.h"

static void vsm_gem_free(struct drm_gem_object *obj)
{
	struct vsm_bo *bo = to_vsm_bo(obj);

	if (bo->cluster) {
		vsm_cluster_retire(bo);
		vsm_cluster_cancel_works(bo->cluster);
		vsm_shadows_free(bo->cluster);
		vsm_groups_free_all(bo->cluster);
		vsm_rendezvous_free(bo->cluster);
		vsm_recorder_fini(&bo->cluster->recorder);
		vsm_cluster_free(bo->cluster);
	}
	vsm_bo_free(bo);
}

/*
 * A handle has been closed. This releases the cluster, so that no operation is held for ever.
 * vsm_cluster_hold_ioctl() does not find the cluster by this handle any more.
 */
static void vsm_gem_close(struct drm_gem_object *obj, struct drm_file *file)
{
	struct vsm_bo *bo = to_vsm_bo(obj);

	if (bo->cluster)
		vsm_held_release(bo->cluster);
}

/* A client gets a handle. */
static int vsm_gem_open(struct drm_gem_object *obj, struct drm_file *file)
{
	struct vsm_bo *bo = to_vsm_bo(obj);

	if (bo->cluster)
		return vsm_sharers_add(&bo->cluster->recorder.sharers, file->driver_priv);
	return vsm_bo_open(obj, file);
}

/* The client through whose file something was mapped, or NULL for a mapping of a dma-buf */
static struct vsm_client *vsm_vma_client(const struct vm_area_struct *vma)
{
	struct drm_file *file = vma->vm_file->private_data;

	return vma->vm_file->f_op->release == vsm_file_release ? file->driver_priv : NULL;
}

/*
 * A page of a mapping is touched. A dma-buf may be mapped by programs that trust it: only root can
 * fail them.
 */
static vm_fault_t vsm_gem_fault(struct vm_fault *vmf)
{
	struct vsm_bo *bo = to_vsm_bo(vmf->vma->vm_private_data);
	struct vsm_client *client = vsm_vma_client(vmf->vma);
	const struct vsm_inject_at at = {
		.client = client ?: bo->client,
		.foreign = !client,
		.where = DRM_VSM_INJECT_MMAP,
		.number = bo->cluster ? bo->cluster->number : 0,
		.cluster = bo->cluster,
		.bo = bo,
	};
	struct vsm_injection injection;

	/* What was mapped goes on to exist when the device is lost. */
	if (!READ_ONCE(at.client->vdev->lost) && vsm_injects(at.client, BIT(at.where)) &&
	    vsm_inject(&at, &injection))
		return VM_FAULT_SIGBUS;
	return drm_gem_shmem_vm_ops.fault(vmf);
}

static void vsm_gem_vm_open(struct vm_area_struct *vma)
{
	drm_gem_shmem_vm_ops.open(vma);
}

static void vsm_gem_vm_close(struct vm_area_struct *vma)
{
	drm_gem_shmem_vm_ops.close(vma);
}

/* The shmem helper's, except that a page can be refused. Imports have those of their exporter. */
static const struct vm_operations_struct vsm_gem_vm_ops = {
	.fault = vsm_gem_fault,
	.open = vsm_gem_vm_open,
	.close = vsm_gem_vm_close,
};

static const struct drm_gem_object_funcs vsm_gem_funcs = {
	.free = vsm_gem_free,
	.open = vsm_gem_open,
	.close = vsm_gem_close,
	.print_info = drm_gem_shmem_object_print_info,
	.pin = drm_gem_shmem_object_pin,
	.unpin = drm_gem_shmem_object_unpin,
	.get_sg_table = drm_gem_shmem_object_get_sg_table,
	.vmap = drm_gem_shmem_object_vmap,
	.vunmap = drm_gem_shmem_object_vunmap,
	.mmap = vsm_prime_mmap,
	.vm_ops = &vsm_gem_vm_ops,
};

/* Called by drm_gem_shmem_create(). */
struct drm_gem_object *vsm_gem_create_object(struct drm_device *drm, size_t size)
{
	struct vsm_bo *bo = vsm_bo_alloc();

	if (!bo)
		return ERR_PTR(-ENOMEM);
	bo->base.base.funcs = &vsm_gem_funcs;
	return &bo->base.base;
}

static void vsm_cluster_record(const struct vsm_cluster *cluster, const struct vsm_client *client,
			       const struct drm_vsm_cluster_create *args)
{
	struct drm_vsm_trace_event event = {
		.client = client->number,
		.size = args->smem_bytes,
		.info = args->policy,
		.mods = args->layout,
		.cta = args->ctas,
		.thread = args->threads,
	};

	vsm_record_create(&cluster->recorder, &event);
}

/* Has the device what the cluster needs? */
static bool vsm_cluster_supported(const struct vsm_device *vdev,
				  const struct drm_vsm_cluster_create *args)
{
	return vdev->policies & BIT(args->policy) &&
	       (!(args->report | args->enforce) || vsm_device_has(vdev, DRM_VSM_FEATURE_RULES)) &&
	       (!args->trace_events || vsm_device_has(vdev, DRM_VSM_FEATURE_TRACE));
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
		.lacks = ~to_vsm_device(drm)->features,
	};
	struct vsm_cluster *cluster;
	struct vsm_bo *bo;
	const char *field;
	int ret;

	field = args->flags ? "flags" :
		args->pad ? "pad" :
		args->trace_events > VSM_MAX_EVENTS ? "trace_events" :
		args->policy > DRM_VSM_POLICY_HARDWARE ? "policy" : vsm_geometry_invalid(&geo);
	if (field)
		return vsm_invalid(drm, "CLUSTER_CREATE", field);
	if (!vsm_cluster_supported(to_vsm_device(drm), args))
		return -EOPNOTSUPP;
	ret = vsm_client_inject(file->driver_priv, DRM_VSM_INJECT_ALLOC);
	if (ret)
		return ret;

	bo = vsm_bo_create(file->driver_priv, (u64)geo.ctas * PAGE_ALIGN(geo.smem_bytes));
	if (IS_ERR(bo))
		return PTR_ERR(bo);
	cluster = vsm_cluster_create(bo, &geo);
	if (IS_ERR(cluster)) {
		ret = PTR_ERR(cluster);
		goto out;
	}
	vsm_cluster_init_works(cluster);
	/* From here on vsm_gem_free() frees the cluster. */
	bo->cluster = cluster;
	ret = vsm_recorder_init(&cluster->recorder, bo->client, args->trace_events);
	if (ret)
		goto out;
	ret = vsm_cluster_publish(bo);
	if (ret)
		goto out;
	cluster->recorder.cluster = cluster->number;
	if (vsm_is_recording())
		vsm_cluster_record(cluster, bo->client, args);

	args->window_stride = cluster->window_stride;
	args->size = bo->base.base.size;
	args->mmap_offset = drm_vma_node_offset_addr(&bo->base.base.vma_node);
	ret = drm_gem_handle_create(file, &bo->base.base, &args->handle);
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
		return vsm_invalid(drm, "BUFFER_CREATE", args->flags ? "flags" : "size");
	ret = vsm_client_inject(file->driver_priv, DRM_VSM_INJECT_ALLOC);
	if (ret)
		return ret;

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
	const struct vsm_client *client;

	if (!bo)
		return -ENOENT;
	/* An import has no client yet if another task is just getting its first handle. */
	client = READ_ONCE(bo->client);

	*args = (struct drm_vsm_object_info) {
		.handle = args->handle,
		.kind = bo->cluster ? DRM_VSM_OBJECT_CLUSTER : DRM_VSM_OBJECT_BUFFER,
		.size = bo->base.base.size,
		.mmap_offset = drm_vma_node_offset_addr(&bo->base.base.vma_node),
		.client = client ? client->number : 0,
	};
	if (bo->cluster) {
		args->number = bo->cluster->number;
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
