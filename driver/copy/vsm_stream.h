/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Asynchronous operations of threads.
 */
#ifndef _VSM_STREAM_H_
#define _VSM_STREAM_H_

#include "copy/vsm_hold.h"

/**
 * struct vsm_stream - A stream of instructions whose thread issues operations (EXEC)
 * @origin: The thread
 * @bo: Cluster
 * @groups: Groups of the thread, or NULL while they are not needed
 * @batch: Operations that have begun and have not been launched, if there are any
 * @count: Number of operations in @batch
 * @cache: Finds buffers
 *
 * Operations are launched together, as soon as the thread may wait for them. That costs less than
 * launching them one by one, and the operations of a batch may be shuffled.
 */
struct vsm_stream {
	struct vsm_origin origin;
	struct vsm_bo *bo;
	struct vsm_groups *groups;
	struct list_head batch;
	unsigned int count;
	struct vsm_bo_cache cache;
};

int vsm_streams_create(struct vsm_client *client);
void vsm_streams_stop(struct vsm_client *client);
void vsm_streams_free(struct vsm_client *client);
int vsm_stream_issue(struct vsm_stream *stream, struct drm_vsm_insn *insn);
int vsm_stream_flush(struct vsm_stream *stream);

static inline void vsm_stream_init(struct vsm_stream *stream, struct drm_file *file,
				   struct vsm_bo *bo, u32 handle, u32 cta, u32 thread)
{
	/* Most streams use no other field. */
	stream->origin.client = file->driver_priv;
	stream->origin.handle = handle;
	stream->origin.cta = cta;
	stream->origin.thread = thread;
	stream->bo = bo;
	stream->groups = NULL;
	stream->count = 0;
	stream->cache.file = file;
	stream->cache.buffer = NULL;
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
