// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is kept of a device thread: its asynchronous operations in flight, and the groups
 * that they are in (PTX 9.7.9.25.3.2 and .3, cp.async.commit_group and .wait_group;
 * 9.7.9.25.6.1 and .2, those of bulk copies).
 *
 * A group is a number. Operations in flight stand in the order in which they were issued,
 * so all groups up to one are complete when the first operation is of a later one.
 */
#include <linux/err.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "copy/vsm_op.h"

/**
 * vsm_groups_get_or_create - The state of a thread, made if need be
 * @cluster: Cluster
 * @cta: Rank of the thread's CTA
 * @thread: Thread
 *
 * It stays as long as the cluster.
 *
 * Return: The state, or -ENOMEM or -ENOSPC as a pointer.
 */
struct vsm_groups *vsm_groups_get_or_create(struct vsm_cluster *cluster, u32 cta, u32 thread)
{
	unsigned long index = cta * VSM_MAX_THREADS + thread;
	struct vsm_groups *made, *other;
	unsigned int kind;
	int ret;

	other = xa_load(&cluster->threads, index);
	if (other)
		return other;

	ret = vsm_client_charge(cluster->client, VSM_RES_BYTES, sizeof(*made));
	if (ret)
		return ERR_PTR(ret);
	made = kzalloc(sizeof(*made), GFP_KERNEL_ACCOUNT);
	if (!made) {
		other = ERR_PTR(-ENOMEM);
		goto out;
	}
	spin_lock_init(&made->lock);
	init_waitqueue_head(&made->wait);
	for (kind = 0; kind < VSM_GROUP_KINDS; kind++)
		INIT_LIST_HEAD(&made->groups[kind].pending);
	other = xa_cmpxchg(&cluster->threads, index, NULL, made, GFP_KERNEL_ACCOUNT);
	if (!other)
		return made;
	/* Somebody was faster, or there was no memory. */
	kfree(made);
	if (xa_is_err(other))
		other = ERR_PTR(xa_err(other));
out:
	vsm_client_uncharge(cluster->client, VSM_RES_BYTES, sizeof(*made));
	return other;
}

void vsm_groups_free_all(struct vsm_cluster *cluster)
{
	struct vsm_groups *thread;
	unsigned long index;

	xa_for_each(&cluster->threads, index, thread) {
		kfree(thread);
		vsm_client_uncharge(cluster->client, VSM_RES_BYTES, sizeof(*thread));
		cond_resched();
	}
	xa_destroy(&cluster->threads);
}

/* The cluster is lost: nobody needs to wait for groups any more. */
void vsm_groups_wake_all(struct vsm_cluster *cluster)
{
	struct vsm_groups *thread;
	unsigned long index;

	xa_for_each(&cluster->threads, index, thread) {
		wake_up_all(&thread->wait);
		cond_resched();
	}
}

static enum vsm_group_kind vsm_groups_kind(const struct vsm_op *async)
{
	return async->insn.op == DRM_VSM_OP_CP_ASYNC ? VSM_GROUP_CP_ASYNC : VSM_GROUP_BULK;
}

/**
 * vsm_groups_issue - An operation of a group is in flight
 * @thread: Its thread
 * @async: Operation
 */
void vsm_groups_issue(struct vsm_groups *thread, struct vsm_op *async)
{
	struct vsm_group_queue *groups = &thread->groups[vsm_groups_kind(async)];

	spin_lock(&thread->lock);
	async->groups = thread;
	async->group = groups->committed + 1;
	list_add_tail(&async->pending, &groups->pending);
	spin_unlock(&thread->lock);
}

/**
 * vsm_groups_end - It has ended
 * @async: Operation, of a group or not
 *
 * What it did can be seen by who finds it gone: both have the thread's lock.
 */
void vsm_groups_end(struct vsm_op *async)
{
	struct vsm_groups *thread = async->groups;

	if (!thread)
		return;
	spin_lock(&thread->lock);
	list_del(&async->pending);
	spin_unlock(&thread->lock);
	async->groups = NULL;
	/* Pairs with the wait in vsm_groups_wait(), as any wake-up. */
	if (wq_has_sleeper(&thread->wait))
		wake_up_all(&thread->wait);
}

/**
 * vsm_groups_commit - Make a group of what has been issued since the last one
 * @thread: Thread
 * @kind: Of which kind
 */
void vsm_groups_commit(struct vsm_groups *thread, enum vsm_group_kind kind)
{
	spin_lock(&thread->lock);
	/* Another task that plays the thread may read it in vsm_groups_wait(). */
	WRITE_ONCE(thread->groups[kind].committed, thread->groups[kind].committed + 1);
	spin_unlock(&thread->lock);
}

/* Are all groups up to one complete? */
static bool vsm_groups_done(struct vsm_groups *thread, enum vsm_group_kind kind, u32 group)
{
	struct vsm_op *first;
	bool done;

	spin_lock(&thread->lock);
	first = list_first_entry_or_null(&thread->groups[kind].pending, struct vsm_op, pending);
	done = !first || (s32)(first->group - group) > 0;
	spin_unlock(&thread->lock);
	return done;
}

/**
 * vsm_groups_wait - Suspend until at most so many of the newest groups are in flight
 * @thread: Thread
 * @cluster: Its cluster
 * @kind: Which groups
 * @left: So many
 *
 * Return: 0, -EIO, -ENODEV or -ERESTARTSYS.
 */
int vsm_groups_wait(struct vsm_groups *thread, struct vsm_cluster *cluster,
		    enum vsm_group_kind kind, u32 left)
{
	u32 group = READ_ONCE(thread->groups[kind].committed) - left;
	int ret;

	/* There are never so many. */
	if (left > S32_MAX)
		return 0;
	ret = wait_event_interruptible(thread->wait,
				       vsm_groups_done(thread, kind, group) ||
				       READ_ONCE(cluster->lost));
	if (ret)
		return ret;
	if (READ_ONCE(cluster->vdev->lost))
		return -ENODEV;
	return READ_ONCE(cluster->lost) ? -EIO : 0;
}
