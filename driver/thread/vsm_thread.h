/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a task does as a device thread: streams of instructions, suspension, and asynchronous
 * operations, which a held cluster keeps back.
 */
#ifndef _VSM_THREAD_H_
#define _VSM_THREAD_H_

#include <linux/wait.h>

#include <drm/vsm_drm.h>

#include "base/vsm_fault.h"
#include "copy/vsm_op.h"
#include "object/vsm_bo.h"
#include "object/vsm_cluster.h"
#include "sync/vsm_waiter.h"

struct drm_file;
struct list_head;
struct vsm_state;
struct vsm_thread_op;

/* --- asynchronous operations ----------------------------------------------------- */

/**
 * struct vsm_batch - What the operations of a batch share
 * @bo: The cluster, with a reference; the batch counts as one of its wakers
 * @buffer: Buffer that operations of the batch use, with a reference, or NULL
 * @last: The last operation of the batch
 * @count: Number of operations, for which the client is charged
 * @active: Number of operations that have not ended
 *
 * All this is given back when the last operation has ended.
 */
struct vsm_batch {
	struct vsm_bo *bo;
	struct vsm_bo *buffer;
	struct vsm_thread_op *last;
	u32 count;
	atomic_t active;
};

/**
 * struct vsm_thread_op - An operation of a thread
 * @op: The operation
 * @batch: Batch of the operation
 * @own_batch: The batch, if the operation is the first one in it
 * @next: The next operation of the batch; in a list of unused memory, the next entry
 * @group: Place of the operation in a group of its thread
 * @held: In &vsm_cluster.held_ops; valid while @op.link is in &vsm_thread_ops.held
 * @number: Number of the operation among all that were ever held on its cluster; valid as @held is
 */
struct vsm_thread_op {
	struct vsm_op op;
	struct vsm_batch *batch;
	struct vsm_batch own_batch;
	struct vsm_thread_op *next;
	struct vsm_group_op group;
	struct list_head held;
	u64 number;
};

/**
 * struct vsm_thread_ops - Asynchronous operations of all threads of a client
 * @held: Operations that are held because their cluster is
 * @active: Number of operations that are not held and whose batch has not ended
 * @wait: Tasks that wait for operations to end
 * @stopped: The file or the device is closing: no further operation is held
 * @spare_lock: Protects @spare and @spares
 * @spare: Memory of operations that have ended, for the next ones
 * @spares: Number of operations in @spare
 *
 * @held and @stopped are protected by &vsm_device.hold_lock.
 */
struct vsm_thread_ops {
	struct list_head held;
	atomic_t active;
	wait_queue_head_t wait;
	bool stopped;
	spinlock_t spare_lock; /* spare, spares */
	struct vsm_thread_op *spare;
	u32 spares;
};

int vsm_thread_ops_create(struct vsm_client *client);
void vsm_thread_ops_stop(struct vsm_client *client);
void vsm_thread_ops_free(struct vsm_client *client);
u32 vsm_thread_ops_take(struct vsm_thread_ops *ops, u32 most, struct vsm_thread_op **first);
void vsm_thread_ops_put(struct vsm_client *client, struct vsm_thread_op *first,
			struct vsm_thread_op *last, u32 count);

/* --- held clusters --------------------------------------------------------------- */

/*
 * Held clusters: operations that threads issue on them are launched when the cluster is released.
 */

int vsm_held_keep(struct vsm_client *client, struct vsm_cluster *cluster,
		  struct list_head *batch);
void vsm_held_release(struct vsm_cluster *cluster);
int vsm_cluster_hold_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

/* --- streams --------------------------------------------------------------------- */

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

/* --- refused instructions -------------------------------------------------------- */

/**
 * struct vsm_exec_busy - An instruction that cannot change its word, because others keep writing it
 * @at: Number of the instruction in the stream
 * @count: How often in a row the instruction has failed
 */
struct vsm_exec_busy {
	u32 at;
	u16 count;
};

int vsm_exec_report(struct vsm_stream *stream, const struct drm_vsm_exec *args,
		    struct drm_vsm_insn *insn);
int vsm_exec_refuse(struct vsm_stream *stream, const struct drm_vsm_exec *args,
		    const struct drm_vsm_insn *insn);
int vsm_exec_give_way(struct vsm_cluster *cluster, const struct drm_vsm_exec *args,
		      struct vsm_exec_busy *busy);

/* --- suspended tasks ------------------------------------------------------------- */

int vsm_task_try_wait(struct vsm_stream *stream, struct drm_vsm_exec *args,
		      struct drm_vsm_insn *insn);
int vsm_task_rendezvous(struct vsm_stream *stream, const struct drm_vsm_exec *args,
			struct drm_vsm_insn *insn);
bool vsm_task_describe(const struct vsm_state *state, const struct vsm_waiter *waiter,
		       struct drm_vsm_state_entry *entry);

#endif
