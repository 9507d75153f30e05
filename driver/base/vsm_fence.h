/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fences of jobs and of holds, and the syncobjs that get them.
 */
#ifndef _VSM_FENCE_H_
#define _VSM_FENCE_H_

#include <linux/dma-fence.h>
#include <linux/types.h>

struct dma_fence;
struct dma_fence_chain;
struct drm_device;
struct drm_file;
struct drm_syncobj;
struct vsm_client;

/* --- fences ---------------------------------------------------------------------- */

struct dma_fence *vsm_fence_alloc(void);
void vsm_fence_init(struct dma_fence *fence, const char *timeline, u64 context, u64 seqno);
void vsm_fence_drop(struct dma_fence *fence);
void vsm_fence_exit(void);

/* --- syncobjs -------------------------------------------------------------------- */

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

/* --- holds ----------------------------------------------------------------------- */

void vsm_job_holds_stop(struct vsm_client *client, int error);
int vsm_hold_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int vsm_hold_release_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

#endif
