/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Groups of asynchronous operations, and the wait for them.
 */
#ifndef _VSM_GROUP_H_
#define _VSM_GROUP_H_

#include <linux/wait.h>

#include "object/vsm_cluster.h"

/* Kinds of groups that a thread has. */
enum vsm_group_kind {
	VSM_GROUP_CP_ASYNC,
	VSM_GROUP_BULK,
	VSM_GROUP_KINDS,
};

/**
 * struct vsm_group_queue - Groups of a thread, of one kind
 * @pending: Operations in flight, in the order of their issue, &vsm_group_op.link
 * @committed: Number of groups that have been committed; the next operation is of the group
 *	behind them
 *
 * Both are protected by &vsm_groups.lock.
 */
struct vsm_group_queue {
	struct list_head pending;
	u32 committed;
};

/**
 * struct vsm_groups - Groups of a thread, from its first use of one on
 * @lock: Protects @queues
 * @wait: Tasks that wait for groups
 * @queues: By &enum vsm_group_kind
 */
struct vsm_groups {
	spinlock_t lock; /* queues */
	wait_queue_head_t wait;
	struct vsm_group_queue queues[VSM_GROUP_KINDS];
};

/**
 * struct vsm_group_op - An operation's place in a group
 * @groups: Groups of its thread, or NULL if it is in none
 * @link: In &vsm_group_queue.pending
 * @group: Number of its group
 */
struct vsm_group_op {
	struct vsm_groups *groups;
	struct list_head link;
	u32 group;
};

struct vsm_groups *vsm_groups_get_or_create(struct vsm_cluster *cluster, u32 cta, u32 thread);
void vsm_groups_free_all(struct vsm_cluster *cluster);
void vsm_groups_wake_all(struct vsm_cluster *cluster);
void vsm_group_issue(struct vsm_groups *groups, enum vsm_group_kind kind, struct vsm_group_op *op);
void vsm_group_end(struct vsm_group_op *op);
void vsm_group_commit(struct vsm_groups *groups, enum vsm_group_kind kind);
int vsm_group_wait(struct vsm_groups *groups, struct vsm_cluster *cluster,
		   enum vsm_group_kind kind, u32 left);

#endif
