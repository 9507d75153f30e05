/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An asynchronous operation: a copy, or a cp.async.mbarrier.arrive. It is prepared
 * where it may fail for want of something, begun when it is issued, in flight then, and
 * ends by being performed or dropped (vsm_copy.c). Threads issue them one by one
 * (vsm_async.c), a job has them with its other instructions (vsm_job.c); a channel has
 * them in flight (vsm_channel.c).
 */
#ifndef _VSM_ASYNC_H_
#define _VSM_ASYNC_H_

#include "vsm_drv.h"

/*
 * Operations that are launched together at most. None of them happens before all have been
 * issued, so that those among them that must not meet are always found.
 */
#define VSM_OP_BATCH	256

/* What thread's groups an operation may belong to. */
enum vsm_group_kind {
	VSM_GROUP_CP_ASYNC,
	VSM_GROUP_BULK,
	VSM_GROUP_KINDS,
};

/**
 * struct vsm_group_queue - Groups of a thread, of one kind
 * @pending: Operations in flight, in the order in which they were issued
 * @committed: Groups that have been committed; the next operation is of the next one
 *
 * Both are protected by &vsm_groups.lock.
 */
struct vsm_group_queue {
	struct list_head pending;
	u32 committed;
};

/**
 * struct vsm_groups - State of a device thread, from its first use on
 * @lock: Protects @groups
 * @wait: Who waits for groups
 * @groups: By &enum vsm_group_kind
 */
struct vsm_groups {
	spinlock_t lock; /* groups */
	wait_queue_head_t wait;
	struct vsm_group_queue groups[VSM_GROUP_KINDS];
};

/**
 * struct vsm_target - A CTA that an operation goes to
 * @hazard: The bytes that it writes
 * @serial: Phase of the mbarrier that it is bound to
 */
struct vsm_target {
	struct vsm_hazard hazard;
	u32 serial;
};

/**
 * struct vsm_op_more - What only few operations have
 * @map: Tensor map
 * @targets: Of a multicast, by the bits of its mask
 */
struct vsm_op_more {
	struct drm_vsm_tensor_map map;
	struct vsm_target targets[];
};

/**
 * struct vsm_op - An asynchronous operation
 * @link: In &vsm_channel.flight, &vsm_stream_queue.held or a batch
 * @held: In &vsm_cluster.held_ops, if in the second
 * @key: Number among those that are held; then orders a batch that is shuffled
 * @due: When to perform it (CLOCK_MONOTONIC, ns), 0 for at once
 * @cluster: Cluster; held by @bo or by @job
 * @bo: The cluster, held, of a thread's operation
 * @client: Whose it is; stays until its channels are stopped
 * @job: Job that it belongs to, or NULL
 * @groups: Thread whose groups it is in, or NULL
 * @pending: In &vsm_group_queue.pending
 * @group: Number of its group
 * @buffer: Buffer of a copy, held and mapped, or NULL
 * @more: Of tensor copies and multicasts, or NULL
 * @extra: Bytes that the client is charged for it
 * @inits: &vsm_cluster.inits when it began
 * @reported: Rules that it has broken and that have been reported
 * @error: Of the first complete-tx that was refused
 * @size: Bytes in shared memory
 * @tx: Bytes that each mbarrier is completed by: @size, unless a swizzle leaves gaps
 * @left: Bytes of @tx that the mbarrier whose turn it is still lacks
 * @bound: CTAs to whose mbarriers it is bound, a bit each
 * @incomplete: CTAs whose mbarriers it has to complete, once it has moved its bytes
 * @busy: How often in a row others have kept it from changing a word
 * @moved: It has moved its bytes into windows
 * @flying: It is a job's, and has begun and not ended
 * @source: The bytes that it reads
 * @target: The bytes that it writes, unless it is a multicast
 * @handle: Handle of the cluster
 * @cta: Rank of the issuing thread's CTA
 * @thread: Issuing thread
 * @insn: The instruction
 */
struct vsm_op {
	struct list_head link;
	struct list_head held;
	u64 key;
	s64 due;
	struct vsm_cluster *cluster;
	struct vsm_bo *bo;
	struct vsm_client *client;
	struct vsm_job *job;
	struct vsm_groups *groups;
	struct list_head pending;
	u32 group;
	struct vsm_bo *buffer;
	struct vsm_op_more *more;
	u32 extra;
	int inits;
	u64 reported;
	int error;
	u32 size;
	u32 tx;
	u32 left;
	u16 bound;
	u16 incomplete;
	u16 busy;
	bool moved;
	bool flying;
	struct vsm_hazard source;
	struct vsm_target target;
	u32 handle;
	u16 cta;
	u16 thread;
	struct drm_vsm_insn insn;
};

/**
 * struct vsm_bo_cache - Finds the buffers of a stream, which repeats few
 * @file: File that the stream comes from
 * @handle: The last handle
 * @buffer: Its buffer, held, or NULL
 */
struct vsm_bo_cache {
	struct drm_file *file;
	u32 handle;
	struct vsm_bo *buffer;
};

/**
 * struct vsm_stream - A stream whose thread issues operations (EXEC)
 * @client: Client
 * @bo: Cluster
 * @handle: Its handle
 * @cta: Rank of the thread's CTA
 * @thread: Thread
 * @groups: Its state, or NULL while it is not needed
 * @batch: Operations that have begun and not been launched, if there are any
 * @count: How many
 * @cache: Finds buffers
 *
 * Operations are launched together, as soon as the thread may wait for them: that costs
 * less, and what is launched together may be shuffled.
 */
struct vsm_stream {
	struct vsm_client *client;
	struct vsm_bo *bo;
	u32 handle;
	u16 cta;
	u16 thread;
	struct vsm_groups *groups;
	struct list_head batch;
	unsigned int count;
	struct vsm_bo_cache cache;
};

static inline void vsm_stream_init(struct vsm_stream *stream, struct drm_file *file,
				   struct vsm_bo *bo, u32 handle, u32 cta, u32 thread)
{
	/* For most streams this is all that is ever done with it. */
	stream->client = file->driver_priv;
	stream->bo = bo;
	stream->handle = handle;
	stream->cta = cta;
	stream->thread = thread;
	stream->groups = NULL;
	stream->count = 0;
	stream->cache.file = file;
	stream->cache.buffer = NULL;
}

/* vsm_copy.c */
u32 vsm_op_extra(const struct vsm_cluster *cluster, const struct drm_vsm_insn *insn);
int vsm_op_prepare(struct vsm_op *async, struct vsm_bo_cache *cache);
int vsm_op_begin(struct vsm_op *async);
int vsm_op_perform(struct vsm_op *async);
void vsm_op_drop(struct vsm_op *async);
void vsm_op_unprepare(struct vsm_op *async);

/* vsm_thread.c */
struct vsm_groups *vsm_groups_get_or_create(struct vsm_cluster *cluster, u32 cta, u32 thread);
void vsm_groups_issue(struct vsm_groups *thread, struct vsm_op *async);
void vsm_groups_end(struct vsm_op *async);
void vsm_groups_commit(struct vsm_groups *thread, enum vsm_group_kind kind);
int vsm_groups_wait(struct vsm_groups *thread, struct vsm_cluster *cluster,
		    enum vsm_group_kind kind, u32 left);

/* vsm_async.c */
int vsm_stream_issue(struct vsm_stream *stream, struct drm_vsm_insn *insn);
int vsm_stream_flush(struct vsm_stream *stream);
void vsm_stream_end_op(struct vsm_op *async);

/* What a handle stands for may have changed while the thread has waited. */
static inline void vsm_bo_cache_drop(struct vsm_bo_cache *cache)
{
	if (likely(!cache->buffer))
		return;
	vsm_bo_put(cache->buffer);
	cache->buffer = NULL;
}

/* Launch what a stream has issued, and end it. */
static inline void vsm_stream_end(struct vsm_stream *stream)
{
	/* If the device goes, whoever called is told with the next call. */
	if (unlikely(stream->count))
		vsm_stream_flush(stream);
	vsm_bo_cache_drop(&stream->cache);
}

/* vsm_channel.c */
int vsm_channel_launch(struct vsm_channel *channel, struct list_head *batch);

#endif
