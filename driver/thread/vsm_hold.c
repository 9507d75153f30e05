// SPDX-License-Identifier: GPL-2.0-only
/*
 * Held clusters. Operations that threads issue on a held cluster are in flight, but are launched
 * only when the cluster is released.
 */
#include <linux/sched.h>

#include "base/vsm_invalid.h"
#include "channel/vsm_channel.h"
#include "object/vsm_handle.h"
#include "thread/vsm_hold.h"
#include "thread/vsm_thread_ops.h"
#include "vsm_drv.h"

static struct vsm_thread_op *to_thread_op(struct vsm_op *op)
{
	return container_of(op, struct vsm_thread_op, op);
}

/* Add a batch to the operations that are held on the cluster. */
static void vsm_hold_add(struct vsm_thread_ops *ops, struct vsm_cluster *cluster,
			 struct list_head *batch)
{
	struct vsm_op *op, *next;

	lockdep_assert_held(&cluster->vdev->hold_lock);
	list_for_each_entry_safe(op, next, batch, link) {
		struct vsm_thread_op *thread_op = to_thread_op(op);

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
static bool vsm_hold_launch_some(struct vsm_cluster *cluster, u64 last)
{
	struct vsm_thread_op *thread_op, *next;
	struct vsm_client *client;
	unsigned int count = 0;
	LIST_HEAD(batch);

	lockdep_assert_held(&cluster->vdev->hold_lock);
	thread_op = list_first_entry_or_null(&cluster->held_ops, struct vsm_thread_op, held);
	if (!thread_op && !cluster->held) {
		/*
		 * Pairs with the acquire in vsm_hold_batch(): a task that reads false launches its
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
static void vsm_hold_launch_up_to(struct vsm_cluster *cluster, u64 last)
{
	struct vsm_device *vdev = cluster->vdev;
	bool more;

	do {
		spin_lock(&vdev->hold_lock);
		more = vsm_hold_launch_some(cluster, last);
		spin_unlock(&vdev->hold_lock);
		cond_resched();
	} while (more);
}

/**
 * vsm_hold_batch - Hold a batch of operations, if their cluster is held
 * @client: Client
 * @cluster: Cluster
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
 * Return: 0; or -ENODEV if the cluster may be held and the client's file or the device is closing.
 * If the cluster is not held, vsm_channel_launch() fails instead, once the client's channels have
 * stopped.
 */
int vsm_hold_batch(struct vsm_client *client, struct vsm_cluster *cluster,
		   struct list_head *batch)
{
	struct vsm_thread_ops *ops = client->thread_ops;
	struct vsm_device *vdev = cluster->vdev;
	u64 released = 0;
	bool held = false;
	int ret = 0;

	/*
	 * Pairs with the release in vsm_hold_launch_some(). On other processors the operations may
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
		vsm_hold_add(ops, cluster, batch);
		if (!cluster->held)
			released = cluster->held_last;
	}
	spin_unlock(&vdev->hold_lock);
	/* Tasks that wait until no active operation is left do not wait for these any more. */
	if (unlikely(held) && wq_has_sleeper(&ops->wait))
		wake_up_all(&ops->wait);
	if (unlikely(released))
		vsm_hold_launch_up_to(cluster, released);
	return ret;
}

/**
 * vsm_hold_release - Release a cluster, and launch the operations that are held on it
 * @cluster: Cluster, held or not
 *
 * This launches the operations that are held now. Operations that are issued meanwhile are added
 * behind them, and the task that issues them launches all of these (vsm_hold_batch()).
 *
 * Context: may sleep.
 */
void vsm_hold_release(struct vsm_cluster *cluster)
{
	struct vsm_device *vdev = cluster->vdev;
	u64 last;

	spin_lock(&vdev->hold_lock);
	cluster->held = false;
	last = cluster->held_last;
	spin_unlock(&vdev->hold_lock);
	vsm_hold_launch_up_to(cluster, last);
}

/*
 * Wait until none of the client's operations is active. An operation ends its waits before it ends,
 * and vsm_thread_op_end() wakes this task behind that.
 */
static int vsm_hold_drain(struct vsm_client *client)
{
	struct vsm_thread_ops *ops = client->thread_ops;

	return wait_event_interruptible(ops->wait, !atomic_read(&ops->active));
}

int vsm_cluster_hold_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vsm_device *vdev = to_vsm_device(drm);
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
		vsm_hold_release(bo->cluster);
	vsm_bo_put(bo);
	return args->flags & DRM_VSM_DRAIN ? vsm_hold_drain(file->driver_priv) : ret;
}
