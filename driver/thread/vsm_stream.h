/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stream of instructions that a call of EXEC executes, and the operations that it issues.
 */
#ifndef _VSM_STREAM_H_
#define _VSM_STREAM_H_

#include "base/vsm_fault.h"
#include "object/vsm_handle.h"
#include "object/vsm_cluster.h"

struct vsm_batch;
struct vsm_thread_op;

/**
 * struct vsm_stream - The stream of instructions that a call of EXEC executes
 * @origin: The thread that the calling task plays
 * @bo: The cluster; the caller of EXEC has a reference
 * @groups: Groups of the thread; NULL until the stream needs them
 * @insns: Instructions of the call for which no memory of operations has been reserved
 * @reserved: Number of operations in @spare
 * @spare: Memory of operations that the stream can issue; the client is charged for them
 * @count: Number of operations in @ops
 * @ops: Operations that have begun and have not been launched; valid if @count is not 0
 * @batch: The batch of these operations; valid if @count is not 0
 * @cache: The buffer that the stream used last
 *
 * The operations in @ops are launched together, at the latest when the thread may have to wait
 * for them. That costs less than launching them one by one, and only the operations of one batch
 * can be shuffled.
 */
struct vsm_stream {
	struct vsm_origin origin;
	struct vsm_bo *bo;
	struct vsm_groups *groups;
	u32 insns;
	u32 reserved;
	struct vsm_thread_op *spare;
	u32 count;
	struct list_head ops;
	struct vsm_batch *batch;
	struct vsm_bo_cache cache;
};

int vsm_stream_issue(struct vsm_stream *stream, struct drm_vsm_insn *insn);
int vsm_stream_poll(struct vsm_stream *stream, const struct drm_vsm_insn *insn);
int vsm_stream_flush(struct vsm_stream *stream);
void vsm_stream_release(struct vsm_stream *stream);

/*
 * Initialise a stream. All fields are named, because a compiler that has to clear local variables
 * would otherwise first clear the whole structure, which costs more than all these stores.
 */
static inline struct vsm_stream vsm_stream_of(struct drm_file *file, struct vsm_bo *bo,
					      u32 handle, u32 cta, u32 thread)
{
	return (struct vsm_stream) {
		.origin = {
			.client = file->driver_priv,
			.recorder = &bo->cluster->recorder,
			.copy = 0,
			.handle = handle,
			.site = 0,
			.lanes = 0,
			.cta = cta,
			.thread = thread,
		},
		.bo = bo,
		.groups = NULL,
		.insns = 0,
		.reserved = 0,
		.spare = NULL,
		.count = 0,
		.ops = { .next = NULL, .prev = NULL },
		.batch = NULL,
		.cache = { .file = file, .handle = 0, .buffer = NULL, .shared = NULL },
	};
}

/*
 * The thread may wait now, perhaps for an operation of the batch, or its stream ends: launch the
 * batch. An error means that the device goes. It is ignored here, because the wait or the next call
 * returns it too.
 */
static inline void vsm_stream_pause(struct vsm_stream *stream)
{
	if (unlikely(stream->count))
		vsm_stream_flush(stream);
	if (unlikely(stream->reserved))
		vsm_stream_release(stream);
	vsm_bo_cache_drop(&stream->cache);
}

#endif
