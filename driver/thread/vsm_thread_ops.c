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
	INIT_LIST_HEAD(&ops->spare);
	client->thread_ops = ops;
	return 0;
}

/**
 * vsm_thread_ops_stop - Drop the held operations of a client, and launch no more operations
 * @client: Client
 *
 * The caller then stops the client's channels, on which other operations may have been launched.
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

/* Free &vsm_client.thread_ops. The client's channels have stopped, and no operation is left. */
void vsm_thread_ops_free(struct vsm_client *client)
{
	struct vsm_thread_op *thread_op, *next;

	list_for_each_entry_safe(thread_op, next, &client->thread_ops->spare, op.link)
		vsm_quota_free(&client->quota, thread_op, 1, sizeof(*thread_op));
	kfree(client->thread_ops);
	client->thread_ops = NULL;
}
