/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Syncobjs that get a fence.
 */
#ifndef _VSM_OUT_FENCE_H_
#define _VSM_OUT_FENCE_H_

#include <linux/types.h>

struct dma_fence;
struct dma_fence_chain;
struct drm_file;
struct drm_syncobj;

/**
 * struct vsm_out_fence - A syncobj that gets a fence
 * @syncobj: The syncobj, with a reference
 * @chain: Link for the timeline's chain, NULL if @point is 0
 * @point: Point of the timeline, 0 for a binary syncobj
 */
struct vsm_out_fence {
	struct drm_syncobj *syncobj;
	struct dma_fence_chain *chain;
	u64 point;
};

int vsm_out_fence_get(struct vsm_out_fence *out, struct drm_file *file, u32 handle, u64 point);
void vsm_out_fence_attach(struct vsm_out_fence *out, struct dma_fence *fence);
void vsm_out_fence_put(struct vsm_out_fence *out);

#endif
