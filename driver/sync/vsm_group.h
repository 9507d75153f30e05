/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Groups of asynchronous operations, and the wait for them.
 */
#ifndef _VSM_GROUP_H_
#define _VSM_GROUP_H_

#include <linux/wait.h>

#include "base/vsm_fault.h"
#include "sync/vsm_waiter.h"

/* The kinds of groups: those of cp.async, and those of bulk copies. */
enum vsm_group_kind {
	VSM_GROUP_CP_ASYNC,
	VSM_GROUP_BULK,
	VSM_GROUP_KINDS,
};

/**
 * struct vsm_group_queue - Groups of one kind of a thread
 * @pending: Operations in flight, in the order of their issue, &vsm_group_op.link
 * @committed: Number of groups that have been committed; the next operation is in the group with
 *	the number @committed + 1
 * @last: Number of the operation that ended last (&drm_vsm_trace_event.id), or 0
 * @wait: Tasks that wait for groups to complete, &vsm_group_task.entry
 *
 * &vsm_groups.lock protects the first three fields.
 */
struct vsm_group_queue {
	struct list_head pending;
	u64 committed;
	u64 last;
	wait_queue_head_t wait;
};

/**
 * struct vsm_group_task - A task that waits for groups
 * @entry: In &vsm_group_queue.wait
 * @client: Client that executes the instruction
 */
struct vsm_group_task {
	struct wait_queue_entry entry;
	const struct vsm_client *client;
};

/**
 * struct vsm_groups - Groups of a thread; allocated when the thread first uses one
 * @lock: Protects @queues
 * @cluster: Cluster of the thread
 * @lane: Bit of the thread in masks of lanes
 * @queues: The groups of each kind, indexed by &enum vsm_group_kind
 * @waiter: The armed wait for groups of the thread, or NULL. It is changed while both @lock and
 *	&vsm_device.group_waits_lock are held
 * @waited: Number of the last group that @waiter waits for; changed like @waiter
 */
struct vsm_groups {
	spinlock_t lock; /* queues, and with group_waits_lock waiter and waited */
	struct vsm_cluster *cluster;
	u32 lane;
	struct vsm_group_queue queues[VSM_GROUP_KINDS];
	struct vsm_group_waiter *waiter;
	u64 waited;
};

/**
 * struct vsm_group_waiter - An armed wait for groups, of one or more threads of a warp
 * @base: The waiter. &vsm_device.group_waits_lock protects its @waiting
 * @origin: The threads that wait; its @lanes are not 0
 * @insn: The instruction
 * @left: Lanes whose groups are not complete; protected by &vsm_device.group_waits_lock
 * @link: In &vsm_device.group_waits
 *
 * The threads do not count as suspended, also without a time limit. There is no deadlock while the
 * wait is armed: the operations for which it waits are wakers, and so is each of them until after
 * it has ended the wait.
 */
struct vsm_group_waiter {
	struct vsm_waiter base;
	struct vsm_origin origin;
	const struct drm_vsm_insn *insn;
	u32 left;
	struct list_head link;
};

/**
 * struct vsm_group_op - An operation's place in a group
 * @groups: Groups of the thread, or NULL if the operation is in no group
 * @queue: The thread's groups of the operation's kind
 * @link: In &vsm_group_queue.pending
 * @group: Number of the group
 */
struct vsm_group_op {
	struct vsm_groups *groups;
	struct vsm_group_queue *queue;
	struct list_head link;
	u64 group;
};

/* The kind of the groups that a wait for groups waits for. */
static inline enum vsm_group_kind vsm_group_kind_of(const struct drm_vsm_insn *insn)
{
	return insn->op == DRM_VSM_OP_CP_ASYNC_BULK_WAIT_GROUP ? VSM_GROUP_BULK
								: VSM_GROUP_CP_ASYNC;
}

struct vsm_groups *vsm_groups_get_or_create(struct vsm_cluster *cluster, u32 cta, u32 thread);
void vsm_groups_free_all(struct vsm_cluster *cluster);
void vsm_groups_end_cluster(struct vsm_cluster *cluster, int error);
void vsm_group_waits_end_device(struct vsm_device *vdev);
void vsm_group_issue(struct vsm_groups *groups, enum vsm_group_kind kind, struct vsm_group_op *op);
void vsm_group_end(struct vsm_group_op *op, u64 number);
u64 vsm_group_commit(struct vsm_groups *groups, enum vsm_group_kind kind);
int vsm_group_enter(struct vsm_group_waiter *waiter);
bool vsm_group_leave(struct vsm_group_waiter *waiter);
void vsm_group_expire(struct vsm_group_waiter *waiter, struct vsm_wakes *wakes);
bool vsm_group_poll(struct vsm_groups *groups, const struct drm_vsm_insn *insn);
bool vsm_group_are_done(struct vsm_groups *groups, enum vsm_group_kind kind, u32 left);
int vsm_group_wait(struct vsm_groups *groups, const struct vsm_client *client,
		   enum vsm_group_kind kind, u32 left);

#endif
