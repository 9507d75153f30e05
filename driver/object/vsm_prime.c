// SPDX-License-Identifier: GPL-2.0-only
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
#include <linux/dma-buf.h>
#include <linux/dma-mapping.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/scatterlist.h>

#include "object/vsm_prime.h"
#include "vsm_compat.h"

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

/**
 * vsm_prime_vmap - Map an object, imported or not, into the kernel
 * @obj: Object
 * @map: The mapping (out)
 *
 * This may wait for the fences of a dma-buf's reservation.
 *
 * Return: 0; -EOPNOTSUPP for a dma-buf that cannot be mapped, is not system memory or is not
 * coherent; -ENOMEM, -ERESTARTSYS or -EINTR.
 */
int vsm_prime_vmap(struct drm_gem_object *obj, struct iosys_map *map)
{
	if (obj->import_attach)
		return vsm_import_vmap(obj, map);
	return vsm_gem_vmap(obj, map);
}

void vsm_prime_vunmap(struct drm_gem_object *obj, struct iosys_map *map)
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
