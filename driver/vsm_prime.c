// SPDX-License-Identifier: GPL-2.0-only
/*
 * Imports: dma-bufs of other drivers, and of other devices of this one, as buffers.
 * What a device has exported itself comes back to it as the object that it is.
 *
 * Copies use an import's kernel mapping, made when the first copy is issued. They are
 * not put between dma_buf_begin_cpu_access() and dma_buf_end_cpu_access(): those may
 * sleep and allocate, and nothing may that a fence waits for. So an import must be
 * coherent with the processor, as system memory is, cached (vsm, udmabuf) or
 * write-combined (vgem). Nor do copies wait for the fences of its reservation: who
 * shares a buffer orders its jobs by syncobjs.
 */
#include <linux/dma-buf.h>
#include <linux/mm.h>

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
 * sooner or later. The handle cannot be used before this returns.
 *
 * Return: 0 or -ENOSPC.
 */
int vsm_prime_open(struct drm_gem_object *obj, struct drm_file *file)
{
	struct vsm_bo *bo = to_vsm_bo(obj);
	int ret;

	/* That of an object that is not imported is set as it is created. */
	if (bo->client)
		return 0;
	ret = vsm_client_charge(file->driver_priv, VSM_RES_BYTES, obj->size);
	if (!ret)
		bo->client = vsm_client_get(file->driver_priv);
	return ret;
}

/* The shmem helper's would nest its locks in those of an exporter that uses it too. */
static int vsm_import_vmap(struct dma_buf *dmabuf, struct iosys_map *map)
{
	int ret;

	if (!dmabuf->ops->vmap)
		return -EOPNOTSUPP;
	ret = vsm_dma_buf_vmap(dmabuf, map);
	if (!ret && map->is_iomem) {
		vsm_dma_buf_vunmap(dmabuf, map);
		ret = -EOPNOTSUPP;
	}
	return ret;
}

/**
 * vsm_prime_vmap - Map an object, imported or not, into the kernel
 * @bo: Object
 * @map: The mapping (out)
 *
 * Return: 0, -EOPNOTSUPP for a dma-buf that cannot be mapped or is not memory, or
 * another negative error code.
 */
int vsm_prime_vmap(struct vsm_bo *bo, struct iosys_map *map)
{
	if (bo->base.base.import_attach)
		return vsm_import_vmap(bo->base.base.import_attach->dmabuf, map);
	return vsm_gem_vmap(&bo->base.base, map);
}

void vsm_prime_vunmap(struct vsm_bo *bo, struct iosys_map *map)
{
	if (bo->base.base.import_attach)
		vsm_dma_buf_vunmap(bo->base.base.import_attach->dmabuf, map);
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
