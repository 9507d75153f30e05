/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The asynchronous operations that the threads of a client have issued.
 */
#ifndef _VSM_THREAD_OPS_H_
#define _VSM_THREAD_OPS_H_

#include <linux/wait.h>

#include "copy/vsm_op.h"
#include "sync/vsm_group.h"

struct vsm_thread_op;

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

#endif
