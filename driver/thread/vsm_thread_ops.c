// SPDX-License-Identifier: GPL-2.0-only
/*
 * The asynchronous operations of a client's threads, from the opening of its file to its closing,
 * and held clusters. Operations that threads issue on a held cluster are in flight, but are
 * launched only when the cluster is released. &vsm_device.hold_lock protects them until then.
 */
#include <linux/sched.h>
#include <linux/slab.h>

#include "base/vsm_client.h"
#include "base/vsm_fault.h"
#include "channel/vsm_channel.h"
#include "copy/vsm_op.h"
#include "object/vsm_bo.h"
#include "thread/vsm_thread.h"
#include "vsm_drv.h"

/* --- operations ------------------------------------------------------------------ */

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

/*
 * Drop the held operations of a client, and hold no more operations. Other operations may have
 * been launched on the client's channels. Streams may launch more until the caller has stopped
 * these channels.
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

/* --- held clusters --------------------------------------------------------------- */

/* Add a batch to the operations that are held on the cluster. */
static void vsm_held_add(struct vsm_thread_ops *ops, struct vsm_cluster *cluster,
			 struct list_head *batch)
{
	struct vsm_op *op, *next;

	lockdep_assert_held(&cluster->vdev->hold_lock);
	list_for_each_entry_safe(op, next, batch, link) {
		struct vsm_thread_op *thread_op = container_of(op, struct vsm_thread_op, op);

		list_move_tail(&op->link, &ops->held);
		list_add_tail(&thread_op->held, &cluster->held_ops);
		thread_op->number = ++cluster->held_last;
		atomic_dec(&ops->active);
	}
}

/*
 * Launch the first of the operations that are held on a cluster, and those behind it that are of
 * the same client, up to the number @last and up to VSM_OP_BATCH of them. Returns whether there may
 * be more. None of them is of a client that is closing: vsm_thread_ops_stop() has dropped those.
 */
static bool vsm_held_launch_some(struct vsm_cluster *cluster, u64 last)
{
	struct vsm_thread_op *thread_op, *next;
	struct vsm_client *client;
	unsigned int count = 0;
	LIST_HEAD(batch);

	lockdep_assert_held(&cluster->vdev->hold_lock);
	thread_op = list_first_entry_or_null(&cluster->held_ops, struct vsm_thread_op, held);
	if (!thread_op && !cluster->held) {
		/*
		 * Pairs with the acquire in vsm_held_keep(): a task that reads false launches its
		 * batch after all operations that were held.
		 */
		smp_store_release(&cluster->maybe_held, false);
	}
	if (!thread_op || thread_op->number > last)
		return false;
	client = thread_op->op.origin.client;
	list_for_each_entry_safe(thread_op, next, &cluster->held_ops, held) {
		if (thread_op->op.origin.client != client || thread_op->number > last)
			break;
		list_del(&thread_op->held);
		list_move_tail(&thread_op->op.link, &batch);
		atomic_inc(&client->thread_ops->active);
		if (++count == VSM_OP_BATCH)
			break;
	}
	/*
	 * This cannot fail: vsm_thread_ops_stop() takes the operations of a client from this list
	 * before the client's channels stop.
	 */
	vsm_channel_launch(client->channels->first, &batch);
	return true;
}

/* A signal does not interrupt this, because no other task would launch the rest. */
static void vsm_held_launch_up_to(struct vsm_cluster *cluster, u64 last)
{
	struct vsm_device *vdev = cluster->vdev;
	bool more;

	do {
		spin_lock(&vdev->hold_lock);
		more = vsm_held_launch_some(cluster, last);
		spin_unlock(&vdev->hold_lock);
		cond_resched();
	} while (more);
}

/*
 * Hold a batch of operations, if their cluster is held.
 * @batch: Operations that have begun; empty afterwards if they are held, unchanged if the caller
 *	has to launch them
 *
 * While a release is still launching, a new batch has to wait behind the operations that are held.
 * This function then launches the held operations, and the batch with them.
 *
 * Usually nothing is held. This function then takes no lock, because all clients of the device
 * share that lock. CLUSTER_HOLD sets @maybe_held before it returns: a task that knows of a hold
 * therefore reads true. A batch that is issued while a hold begins may be launched or held.
 *
 * Returns 0; or -ENODEV if the cluster may be held and the client's file or the device is closing.
 * If the cluster is not held, vsm_channel_launch() fails instead, once the client's channels have
 * stopped.
 */
int vsm_held_keep(struct vsm_client *client, struct vsm_cluster *cluster,
		  struct list_head *batch)
{
	struct vsm_thread_ops *ops = client->thread_ops;
	struct vsm_device *vdev = cluster->vdev;
	u64 released = 0;
	bool held = false;
	int ret = 0;

	/*
	 * Pairs with the release in vsm_held_launch_some(). On other processors the operations may
	 * become active later than this reads: nobody may conclude from a hold and from
	 * &vsm_thread_ops.active being 0 that no operation is on its way.
	 */
	if (likely(!smp_load_acquire(&cluster->maybe_held)))
		return 0;
	spin_lock(&vdev->hold_lock);
	if (ops->stopped) {
		ret = -ENODEV;
	} else if (cluster->held || !list_empty(&cluster->held_ops)) {
		held = true;
		vsm_held_add(ops, cluster, batch);
		if (!cluster->held)
			released = cluster->held_last;
	}
	spin_unlock(&vdev->hold_lock);
	/* Tasks that wait until no active operation is left do not wait for these any more. */
	if (unlikely(held) && wq_has_sleeper(&ops->wait))
		wake_up_all(&ops->wait);
	if (unlikely(released))
		vsm_held_launch_up_to(cluster, released);
	return ret;
}

/**
 * vsm_held_release - Release a cluster, and launch the operations that are held on it
 * @cluster: Cluster, held or not
 *
 * This launches the operations that are held now. Operations that are issued meanwhile are added
 * behind them, and the task that issues them launches all of these (vsm_held_keep()).
 *
 * Context: may sleep.
 */
void vsm_held_release(struct vsm_cluster *cluster)
{
	struct vsm_device *vdev = cluster->vdev;
	u64 last;

	spin_lock(&vdev->hold_lock);
	cluster->held = false;
	last = cluster->held_last;
	spin_unlock(&vdev->hold_lock);
	vsm_held_launch_up_to(cluster, last);
}

int vsm_cluster_hold_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vsm_device *vdev = to_vsm_device(drm);
	struct vsm_client *client = file->driver_priv;
	struct vsm_thread_ops *ops = client->thread_ops;
	struct drm_vsm_cluster_hold *args = data;
	struct vsm_bo *bo, *named;
	int ret = 0;

	if (args->flags != DRM_VSM_HOLD && args->flags != DRM_VSM_DRAIN && args->flags)
		return vsm_invalid(drm, "CLUSTER_HOLD", "flags");
	if (args->flags & DRM_VSM_DRAIN && !vsm_device_has(vdev, DRM_VSM_FEATURE_DRAIN))
		return -EOPNOTSUPP;
	bo = vsm_cluster_lookup(file, args->cluster);
	if (!bo)
		return -ENOENT;

	if (args->flags & DRM_VSM_HOLD) {
		spin_lock(&vdev->hold_lock);
		bo->cluster->held = true;
		WRITE_ONCE(bo->cluster->maybe_held, true);
		spin_unlock(&vdev->hold_lock);
		/*
		 * The handle may have been closed since the lookup. vsm_gem_close() releases the
		 * cluster after the handle has gone. If it takes the lock after this, it releases
		 * the cluster. If it took the lock before this, the handle is not found here, and
		 * the cluster is released below.
		 */
		named = vsm_cluster_lookup(file, args->cluster);
		if (named != bo)
			ret = -ENOENT;
		vsm_bo_put(named);
	}
	if (ret || !(args->flags & DRM_VSM_HOLD))
		vsm_held_release(bo->cluster);
	vsm_bo_put(bo);
	if (!(args->flags & DRM_VSM_DRAIN))
		return ret;
	/*
	 * Wait until none of the client's operations is active. An operation ends its waits before
	 * it ends, and vsm_thread_op_end() wakes this task behind that.
	 */
	return wait_event_interruptible(ops->wait, !atomic_read(&ops->active));
}
