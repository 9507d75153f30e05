// SPDX-License-Identifier: GPL-2.0-only
/*
 * The asynchronous operations of a client's threads, from the opening of its file to its closing.
 */
#include <linux/sched.h>
#include <linux/slab.h>

#include "base/vsm_client.h"
#include "copy/vsm_perform.h"
#include "thread/vsm_thread_ops.h"
#include "vsm_drv.h"

/* Allocate &vsm_client.thread_ops. Returns 0 or -ENOMEM. */
int vsm_thread_ops_create(struct vsm_client *client)
{
	struct vsm_thread_ops *ops = kzalloc(sizeof(*ops), GFP_KERNEL_ACCOUNT);

	if (!ops)
		return -ENOMEM;
	INIT_LIST_HEAD(&ops->held);
	init_waitqueue_head(&ops->wait);
	spin_lock_init(&ops->spare_lock);
	client->thread_ops = ops;
	return 0;
}

/**
 * vsm_thread_ops_stop - Drop the held operations of a client, and hold no more operations
 * @client: Client
 *
 * Other operations may have been launched on the client's channels. Streams may launch more until
 * the caller has stopped these channels.
 */
void vsm_thread_ops_stop(struct vsm_client *client)
{
	struct vsm_thread_ops *ops = client->thread_ops;
	struct vsm_device *vdev = client->vdev;
	struct vsm_thread_op *thread_op;

	for (;;) {
		spin_lock(&vdev->hold_lock);
		ops->stopped = true;
		thread_op = list_first_entry_or_null(&ops->held, struct vsm_thread_op, op.link);
		if (thread_op) {
			list_del(&thread_op->held);
			list_del(&thread_op->op.link);
			atomic_inc(&ops->active);
		}
		spin_unlock(&vdev->hold_lock);
		if (!thread_op)
			break;

		vsm_op_drop(&thread_op->op);
		thread_op->op.end(&thread_op->op, -ECANCELED);
		cond_resched();
	}
}

/* Free the memory of unused operations: of @first and of those behind it. */
static void vsm_thread_ops_free_memory(struct vsm_client *client, struct vsm_thread_op *first)
{
	while (first) {
		struct vsm_thread_op *next = first->next;

		vsm_quota_free(&client->quota, first, 1, sizeof(*first));
		first = next;
	}
}

/**
 * vsm_thread_ops_take - Take memory of operations that have ended
 * @ops: Operations of the client, which has stayed charged for the memory
 * @most: How many operations, not 0
 * @first: First of them (out); the others are behind it
 *
 * A stream needs memory as often as operations end, and this costs far less than to free and
 * allocate it.
 *
 * Return: For how many operations there was memory.
 */
u32 vsm_thread_ops_take(struct vsm_thread_ops *ops, u32 most, struct vsm_thread_op **first)
{
	struct vsm_thread_op *last;
	u32 count = 0;

	spin_lock(&ops->spare_lock);
	*first = ops->spare;
	if (ops->spare) {
		for (last = ops->spare, count = 1; last->next && count < most; count++)
			last = last->next;
		ops->spare = last->next;
		last->next = NULL;
		ops->spares -= count;
	}
	spin_unlock(&ops->spare_lock);
	return count;
}

/* Give back the memory of @count operations, which are from @first to @last. */
void vsm_thread_ops_put(struct vsm_client *client, struct vsm_thread_op *first,
			struct vsm_thread_op *last, u32 count)
{
	struct vsm_thread_ops *ops = client->thread_ops;
	bool keep;

	spin_lock(&ops->spare_lock);
	keep = ops->spares < VSM_OP_BATCH;
	if (keep) {
		last->next = ops->spare;
		ops->spare = first;
		ops->spares += count;
	} else {
		last->next = NULL;
	}
	spin_unlock(&ops->spare_lock);
	if (unlikely(!keep))
		vsm_thread_ops_free_memory(client, first);
}

/* Free &vsm_client.thread_ops. The client's channels have stopped, and no operation is left. */
void vsm_thread_ops_free(struct vsm_client *client)
{
	vsm_thread_ops_free_memory(client, client->thread_ops->spare);
	kfree(client->thread_ops);
	client->thread_ops = NULL;
}
