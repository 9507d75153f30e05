// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups of a thread's asynchronous operations (PTX 9.7.9.25.3.2 and .3, cp.async.commit_group and
 * .wait_group; 9.7.9.25.6.1 and .2, those of bulk copies).
 *
 * A group is only a number. The operations in flight are in a list, in the order of their issue.
 * All groups up to a number are complete when the first operation in the list is in a later group.
 */
#include <linux/err.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "base/vsm_client.h"
#include "sync/vsm_group.h"
#include "vsm_drv.h"

/**
 * vsm_groups_get_or_create - Find the groups of a thread, or allocate them
 * @cluster: Cluster
 * @cta: Rank of the thread's CTA
 * @thread: Thread
 *
 * The groups are freed with the cluster.
 *
 * Return: The groups, or -ENOMEM or -ENOSPC as a pointer.
 */
struct vsm_groups *vsm_groups_get_or_create(struct vsm_cluster *cluster, u32 cta, u32 thread)
{
	unsigned long index = cta * VSM_MAX_THREADS + thread;
	struct vsm_quota *quota = &cluster->client->quota;
	struct vsm_groups *made, *other;
	unsigned int kind;
	int ret;

	other = xa_load(&cluster->groups, index);
	if (other)
		return other;

	ret = vsm_quota_charge(quota, VSM_RES_BYTES, sizeof(*made));
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
		INIT_LIST_HEAD(&made->queues[kind].pending);
	other = xa_cmpxchg(&cluster->groups, index, NULL, made, GFP_KERNEL_ACCOUNT);
	if (!other)
		return made;
	/* Another task was faster, or the xarray got no memory. */
	kfree(made);
	if (xa_is_err(other))
		other = ERR_PTR(xa_err(other));
out:
	vsm_quota_uncharge(quota, VSM_RES_BYTES, sizeof(*made));
	return other;
}

void vsm_groups_free_all(struct vsm_cluster *cluster)
{
	struct vsm_groups *groups;
	unsigned long index;

	xa_for_each(&cluster->groups, index, groups) {
		kfree(groups);
		vsm_quota_uncharge(&cluster->client->quota, VSM_RES_BYTES, sizeof(*groups));
		cond_resched();
	}
	xa_destroy(&cluster->groups);
}

/* Wake all tasks that wait for groups of a cluster. The cluster has been marked lost. */
void vsm_groups_wake_all(struct vsm_cluster *cluster)
{
	struct vsm_groups *groups;
	unsigned long index;

	xa_for_each(&cluster->groups, index, groups) {
		wake_up_all(&groups->wait);
		cond_resched();
	}
}

/**
 * vsm_group_issue - Add an operation to the group that has not been committed
 * @groups: Groups of the thread
 * @kind: Kind of the group
 * @op: The operation's place
 */
void vsm_group_issue(struct vsm_groups *groups, enum vsm_group_kind kind, struct vsm_group_op *op)
{
	struct vsm_group_queue *queue = &groups->queues[kind];

	spin_lock(&groups->lock);
	op->groups = groups;
	op->group = queue->committed + 1;
	list_add_tail(&op->link, &queue->pending);
	spin_unlock(&groups->lock);
}

/**
 * vsm_group_end - Remove an operation that has ended from its group
 * @op: The operation's place; it may be in no group
 *
 * A task that finds the operation gone has taken the lock after this function. It therefore sees
 * everything that the operation has done.
 */
void vsm_group_end(struct vsm_group_op *op)
{
	struct vsm_groups *groups = op->groups;

	if (!groups)
		return;
	spin_lock(&groups->lock);
	list_del(&op->link);
	spin_unlock(&groups->lock);
	op->groups = NULL;
	/* Pairs with the barrier in wait_event(), after which a waiter looks at the condition. */
	if (wq_has_sleeper(&groups->wait))
		wake_up_all(&groups->wait);
}

/**
 * vsm_group_commit - Make a group of the operations issued since the last commit
 * @groups: Groups of the thread
 * @kind: Kind of the group
 */
void vsm_group_commit(struct vsm_groups *groups, enum vsm_group_kind kind)
{
	struct vsm_group_queue *queue = &groups->queues[kind];

	spin_lock(&groups->lock);
	/*
	 * vsm_group_wait() reads it without the lock, perhaps in another task that plays the
	 * thread.
	 */
	WRITE_ONCE(queue->committed, queue->committed + 1);
	spin_unlock(&groups->lock);
}

/* Are all groups up to a number complete? The caller holds the lock. */
static bool vsm_group_queue_done(struct vsm_group_queue *queue, u32 group)
{
	struct vsm_group_op *first;

	first = list_first_entry_or_null(&queue->pending, struct vsm_group_op, link);
	return !first || (s32)(first->group - group) > 0;
}

/* Are all groups up to a number complete? */
static bool vsm_group_done(struct vsm_groups *groups, enum vsm_group_kind kind, u32 group)
{
	bool done;

	spin_lock(&groups->lock);
	done = vsm_group_queue_done(&groups->queues[kind], group);
	spin_unlock(&groups->lock);
	return done;
}

/* The number of the last group that a wait for groups waits for, if the wait begins now. */
static u32 vsm_group_last(const struct vsm_group_queue *queue, const struct drm_vsm_insn *insn)
{
	if (insn->op == DRM_VSM_OP_CP_ASYNC_WAIT_ALL)
		return queue->committed + 1;
	/* No thread has so many incomplete groups. */
	return queue->committed - min_t(u32, insn->u.mbarrier.count, S32_MAX);
}

/**
 * vsm_group_poll - Are the groups of a wait complete?
 * @groups: Groups of the thread
 * @insn: A checked wait for groups. If it is a cp.async.wait_all and is complete, a group has been
 *	committed
 *
 * Return: Whether the wait is complete. If not, nothing has changed.
 */
bool vsm_group_poll(struct vsm_groups *groups, const struct drm_vsm_insn *insn)
{
	struct vsm_group_queue *queue = &groups->queues[vsm_group_kind_of(insn)];
	bool done;

	spin_lock(&groups->lock);
	done = vsm_group_queue_done(queue, vsm_group_last(queue, insn));
	if (done && insn->op == DRM_VSM_OP_CP_ASYNC_WAIT_ALL)
		WRITE_ONCE(queue->committed, queue->committed + 1);
	spin_unlock(&groups->lock);
	return done;
}

/**
 * vsm_group_wait - Wait until all groups except the newest ones are complete
 * @groups: Groups of the thread
 * @cluster: Its cluster
 * @kind: Kind of the groups
 * @left: Number of the newest groups that may still be incomplete
 *
 * Return: 0, -EIO, -ENODEV or -ERESTARTSYS.
 */
int vsm_group_wait(struct vsm_groups *groups, struct vsm_cluster *cluster,
		   enum vsm_group_kind kind, u32 left)
{
	u32 group = READ_ONCE(groups->queues[kind].committed) - left;
	int ret;

	/* No thread has so many incomplete groups. */
	if (left > S32_MAX)
		return 0;
	ret = wait_event_interruptible(groups->wait, vsm_group_done(groups, kind, group) ||
				       READ_ONCE(cluster->lost));
	if (ret)
		return ret;
	if (READ_ONCE(cluster->vdev->lost))
		return -ENODEV;
	return READ_ONCE(cluster->lost) ? -EIO : 0;
}
