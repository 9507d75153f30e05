// SPDX-License-Identifier: GPL-2.0-only
/*
 * Imports: dma-bufs of other drivers, and of other devices of this one, as buffers.
 * What a device has exported itself comes back to it as the object that it is.
 *
 * Copies use an import's kernel mapping, made when the first copy is issued. A single copy
 * is not put between dma_buf_begin_cpu_access() and dma_buf_end_cpu_access(): those may
 * sleep and allocate, and nothing may that a fence waits for. The mapping as a whole is, so
 * that an exporter can bring its memory to where the processor sees it. From then on the
 * memory must stay coherent, as system memory does, cached (vsm, udmabuf) or write-combined
 * (vgem): memory that needs more on this machine is refused. Nor do copies wait for the fences
 * of its reservation, beyond those that are there when it is mapped: who shares a buffer
 * orders its jobs by syncobjs.
 */
#include <linux/dma-buf.h>
#include <linux/dma-mapping.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/scatterlist.h>

#include "vsm_compat.h"
#include "vsm_drv.h"

/**
 * vsm_prime_import - Make an object of a dma-buf
 * @drm: Importing device
 * @dmabuf: dma-buf, of this device or any other
 *
 * Return: The object with a reference, or an ERR_PTR().
 */
struct drm_gem_object *vsm_prime_import(struct drm_device *drm, struct dma_buf *dmabuf)
{
	/* Objects are whole pages. This one must not seem longer than it is. */
	if (!dmabuf->size || !PAGE_ALIGNED(dmabuf->size))
		return ERR_PTR(-EINVAL);
	return drm_gem_prime_import(drm, dmabuf);
}

/**
 * vsm_prime_open - Charge an import to the client that gets its first handle
 * @obj: Object, imported or not
 * @file: File that gets a handle of it
 *
 * It is charged as if its pages were the client's: it pins them, and has them mapped
 * sooner or later. Two files may get a handle at once where the handle of the first can be
 * used before this returns, as kernels before 2025 let it: one of them is charged.
 *
 * Return: 0 or -ENOSPC.
 */
int vsm_prime_open(struct drm_gem_object *obj, struct drm_file *file)
{
	struct vsm_client *client = file->driver_priv;
	struct vsm_bo *bo = to_vsm_bo(obj);
	int ret;

	/* That of an object that is not imported is set as it is created. */
	if (READ_ONCE(bo->client))
		return 0;
	ret = vsm_client_charge(client, VSM_RES_BYTES, obj->size);
	if (ret)
		return ret;
	if (cmpxchg(&bo->client, NULL, vsm_client_get(client))) {
		vsm_client_put(client);
		vsm_client_uncharge(client, VSM_RES_BYTES, obj->size);
	}
	return 0;
}

/*
 * Must somebody make what a device and the processor see of the memory the same? What is
 * mapped for this device stands for what is mapped for others. It is nobody's business where
 * the driver itself is the exporter: its objects are used by processors alone, unless others
 * import them.
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

/* The shmem helper's would nest its locks in those of an exporter that uses it too. */
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
	/* What else exporters find in the way, EAGAIN perhaps, says nothing to our callers. */
	if (ret && ret != -ENOMEM && ret != -ERESTARTSYS && ret != -EINTR)
		ret = -EOPNOTSUPP;
	return ret;
}

static void vsm_import_vunmap(struct drm_gem_object *obj, struct iosys_map *map)
{
	struct dma_buf *dmabuf = obj->import_attach->dmabuf;

	/* It is an exporter's duty to get through this whatever signals there are. */
	dma_buf_end_cpu_access(dmabuf, DMA_BIDIRECTIONAL);
	vsm_dma_buf_vunmap(dmabuf, map);
}

/**
 * vsm_prime_vmap - Map an object, imported or not, into the kernel
 * @bo: Object
 * @map: The mapping (out)
 *
 * May wait for the fences of a dma-buf's reservation.
 *
 * Return: 0, -EOPNOTSUPP for a dma-buf that cannot be mapped, is not memory or is not
 * coherent, -ENOMEM, -ERESTARTSYS or -EINTR.
 */
int vsm_prime_vmap(struct vsm_bo *bo, struct iosys_map *map)
{
	if (bo->base.base.import_attach)
		return vsm_import_vmap(&bo->base.base, map);
	return vsm_gem_vmap(&bo->base.base, map);
}

void vsm_prime_vunmap(struct vsm_bo *bo, struct iosys_map *map)
{
	if (bo->base.base.import_attach)
		vsm_import_vunmap(&bo->base.base, map);
	else
		vsm_gem_vunmap(&bo->base.base, map);
}

int vsm_prime_mmap(struct drm_gem_object *obj, struct vm_area_struct *vma)
{
	bool imported = obj->import_attach;
	int ret = drm_gem_shmem_object_mmap(obj, vma);

	/* The DRM core insists on it, and not every exporter sets it. */
	if (!ret && imported)
		vsm_vma_keep_size(vma);
	return ret;
}
