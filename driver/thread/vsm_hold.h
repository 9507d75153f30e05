/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Operations of threads, and those of them that are held on a cluster.
 */
#ifndef _VSM_HOLD_H_
#define _VSM_HOLD_H_

#include <linux/wait.h>

#include "copy/vsm_op.h"
#include "sync/vsm_group.h"

struct drm_device;
struct drm_file;

/**
 * struct vsm_thread_op - An operation of a thread
 * @op: The operation
 * @bo: Cluster, held
 * @group: Its place in a group
 * @held: In &vsm_cluster.held_ops, while @op.link is in &vsm_thread_ops.held
 * @number: Number among the operations held on its cluster
 */
struct vsm_thread_op {
	struct vsm_op op;
	struct vsm_bo *bo;
	struct vsm_group_op group;
	struct list_head held;
	u64 number;
};

/**
 * struct vsm_thread_ops - Asynchronous operations of all threads of a client
 * @held: Operations that are held because their cluster is
 * @active: Number of operations that are not held and have not ended
 * @wait: Tasks that wait for operations to end
 * @stopped: No operation is launched any more
 * @spare_lock: Protects @spare and @spares
 * @spare: Operations that have ended, whose memory the next ones use
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
	struct list_head spare;
	u32 spares;
};

int vsm_hold_batch(struct vsm_client *client, struct vsm_cluster *cluster,
		   struct list_head *batch);
void vsm_hold_release(struct vsm_cluster *cluster);
int vsm_cluster_hold_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

#endif
