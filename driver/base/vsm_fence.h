/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fence of a job or of a hold.
 */
#ifndef _VSM_FENCE_H_
#define _VSM_FENCE_H_

#include <linux/dma-fence.h>

struct dma_fence *vsm_fence_alloc(void);
void vsm_fence_init(struct dma_fence *fence, const char *timeline, u64 context, u64 seqno);
void vsm_fence_drop(struct dma_fence *fence);
void vsm_fence_exit(void);

#endif
