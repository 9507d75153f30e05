// SPDX-License-Identifier: GPL-2.0-only
/*
 * Syncobjs that get a fence. What can fail happens before the fence exists.
 */
#include <linux/dma-fence-chain.h>

#include <drm/drm_syncobj.h>

#include "base/vsm_out_fence.h"

/**
 * vsm_out_fence_get - Prepare a syncobj for a fence
 * @out: What is prepared, for vsm_out_fence_put(); undefined after an error
 * @file: File that the handle belongs to
 * @handle: Handle of the syncobj
 * @point: Point of a timeline, or 0 for a binary syncobj
 *
 * Return: 0, -ENOENT or -ENOMEM.
 */
int vsm_out_fence_get(struct vsm_out_fence *out, struct drm_file *file, u32 handle, u64 point)
{
	*out = (struct vsm_out_fence) {
		.syncobj = drm_syncobj_find(file, handle),
		.point = point,
	};
	if (!out->syncobj)
		return -ENOENT;
	if (!point)
		return 0;
	out->chain = dma_fence_chain_alloc();
	if (out->chain)
		return 0;
	drm_syncobj_put(out->syncobj);
	return -ENOMEM;
}

/**
 * vsm_out_fence_attach - Give the fence to the syncobj
 * @out: From vsm_out_fence_get()
 * @fence: The fence; the syncobj takes a reference of its own
 */
void vsm_out_fence_attach(struct vsm_out_fence *out, struct dma_fence *fence)
{
	if (out->chain)
		drm_syncobj_add_point(out->syncobj, out->chain, fence, out->point);
	else
		drm_syncobj_replace_fence(out->syncobj, fence);
	out->chain = NULL;
}

/* Free what vsm_out_fence_get() has prepared, whether or not the syncobj has got a fence. */
void vsm_out_fence_put(struct vsm_out_fence *out)
{
	dma_fence_chain_free(out->chain);
	drm_syncobj_put(out->syncobj);
}
