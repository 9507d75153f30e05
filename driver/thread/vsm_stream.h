/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stream of instructions that a call of EXEC executes, and the operations that it issues.
 */
#ifndef _VSM_STREAM_H_
#define _VSM_STREAM_H_

#include "base/vsm_fault.h"
#include "object/vsm_bo.h"

/**
 * struct vsm_stream - A stream of instructions whose thread issues operations (EXEC)
 * @origin: The thread
 * @bo: Cluster
 * @groups: Groups of the thread, or NULL while they are not needed
 * @count: Number of operations in @batch
 * @cache: Finds buffers
 * @batch: Operations that have begun and have not been launched; valid if @count is not 0
 *
 * Operations are launched together, as soon as the thread may wait for them. That costs less than
 * launching them one by one, and the operations of a batch may be shuffled.
 */
struct vsm_stream {
	struct vsm_origin origin;
	struct vsm_bo *bo;
	struct vsm_groups *groups;
	unsigned int count;
	struct vsm_bo_cache cache;
	struct list_head batch;
};

int vsm_stream_issue(struct vsm_stream *stream, struct drm_vsm_insn *insn);
int vsm_stream_flush(struct vsm_stream *stream);

/*
 * A new stream. All fields are named: kernels that clear local variables would otherwise first
 * clear the whole structure, which costs more than all stores here.
 */
static inline struct vsm_stream vsm_stream_of(struct drm_file *file, struct vsm_bo *bo,
					      u32 handle, u32 cta, u32 thread)
{
	return (struct vsm_stream) {
		.origin = {
			.client = file->driver_priv,
			.handle = handle,
			.cta = cta,
			.thread = thread,
		},
		.bo = bo,
		.groups = NULL,
		.count = 0,
		.cache = { .file = file, .handle = 0, .buffer = NULL },
		.batch = { .next = NULL, .prev = NULL },
	};
}

/*
 * The thread may wait now: what it waits for may be in the batch. If the device goes, the caller
 * learns of it from the wait, or from the next call.
 */
static inline void vsm_stream_pause(struct vsm_stream *stream)
{
	if (unlikely(stream->count))
		vsm_stream_flush(stream);
	vsm_bo_cache_drop(&stream->cache);
}

#endif
