// SPDX-License-Identifier: GPL-2.0-only
/*
 * Asynchronous operations of threads: EXEC issues them, and they happen on the client's
 * first channel. Those on a cluster that is held wait until it is released.
 *
 * A channel performs a cp.async.mbarrier.arrive behind all that was issued before it, however
 * it shuffles the rest: so an arrive needs to know nothing of the copies before it.
 */
#include <linux/err.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "copy/vsm_op.h"

/*
 * Streams issue operations as fast as others end: making one of one that has ended costs a
 * small part of what the allocator takes for both. The client stays charged for it.
 */
static struct vsm_async *vsm_async_spare(struct vsm_async_queue *queue)
{
	struct vsm_async *async;

	spin_lock(&queue->spare_lock);
	async = list_first_entry_or_null(&queue->spare, struct vsm_async, link);
	if (async) {
		list_del(&async->link);
		queue->spares--;
	}
	spin_unlock(&queue->spare_lock);
	return async;
}

static void vsm_async_recycle(struct vsm_client *client, struct vsm_async *async)
{
	struct vsm_async_queue *queue = &client->async;

	spin_lock(&queue->spare_lock);
	if (queue->spares < VSM_ASYNC_BATCH) {
		list_add(&async->link, &queue->spare);
		queue->spares++;
		async = NULL;
	}
	spin_unlock(&queue->spare_lock);
	if (unlikely(async))
		vsm_client_free(client, async, 1, sizeof(*async));
}

/**
 * vsm_async_end - An operation of a thread has been performed or dropped
 * @async: Operation; it is gone
 */
void vsm_async_end(struct vsm_async *async)
{
	struct vsm_client *client = async->client;

	vsm_thread_end(async);
	vsm_async_unprepare(async);
	vsm_cluster_remove_waker(async->cluster);
	vsm_bo_put(async->bo);
	vsm_async_recycle(client, async);
	vsm_client_uncharge(client, VSM_RES_INSNS, 1);
	atomic_dec(&client->async.flying);
	/* Pairs with the wait in vsm_async_wait_for_room(), as any wake-up. */
	if (wq_has_sleeper(&client->async.room))
		wake_up_all(&client->async.room);
}

static void vsm_async_end_all(struct list_head *batch)
{
	struct vsm_async *async, *next;

	list_for_each_entry_safe(async, next, batch, link) {
		vsm_async_drop(async);
		vsm_async_end(async);
	}
}

/* Keep what must wait for the release of its cluster, or stand behind what waits for it. */
static void vsm_async_hold(struct vsm_client *client, struct vsm_cluster *cluster,
			   struct list_head *batch)
{
	struct vsm_async *async, *next;

	lockdep_assert_held(&client->vdev->async_lock);
	list_for_each_entry_safe(async, next, batch, link) {
		list_move_tail(&async->link, &client->async.held);
		list_add_tail(&async->held, &cluster->held_ops);
		async->key = ++cluster->held_last;
		atomic_dec(&client->async.flying);
	}
}

/*
 * Launches some of the operations that are held on a cluster, as far as they are one client's
 * and no later than @last; true if there may be more. A client that has stopped holds nothing.
 */
static bool vsm_async_release_some(struct vsm_cluster *cluster, u64 last)
{
	struct vsm_async *async, *next;
	struct vsm_client *client;
	unsigned int count = 0;
	LIST_HEAD(batch);

	lockdep_assert_held(&cluster->vdev->async_lock);
	async = list_first_entry_or_null(&cluster->held_ops, struct vsm_async, held);
	if (!async || async->key > last)
		return false;
	client = async->client;
	list_for_each_entry_safe(async, next, &cluster->held_ops, held) {
		if (async->client != client || async->key > last)
			break;
		list_del(&async->held);
		list_move_tail(&async->link, &batch);
		atomic_inc(&client->async.flying);
		if (++count == VSM_ASYNC_BATCH)
			break;
	}
	/* The channel stops behind the queue. */
	vsm_channel_launch(&client->channel, &batch);
	return true;
}

/* Not interruptible: nobody else launches what is left over. */
static void vsm_async_release_up_to(struct vsm_cluster *cluster, u64 last)
{
	struct vsm_device *vdev = cluster->vdev;
	bool more;

	do {
		spin_lock(&vdev->async_lock);
		more = vsm_async_release_some(cluster, last);
		spin_unlock(&vdev->async_lock);
		cond_resched();
	} while (more);
}

/**
 * vsm_async_release - Let what is in flight on a cluster happen
 * @cluster: Cluster, held or not
 *
 * That is what is held now, however much is issued meanwhile. What is, gets in behind it and
 * is launched by who issues it, with whatever is before it.
 *
 * Context: may sleep.
 */
void vsm_async_release(struct vsm_cluster *cluster)
{
	struct vsm_device *vdev = cluster->vdev;
	u64 last;

	spin_lock(&vdev->async_lock);
	cluster->held = false;
	last = cluster->held_last;
	spin_unlock(&vdev->async_lock);
	vsm_async_release_up_to(cluster, last);
}

/**
 * vsm_async_flush - Launch what a stream has issued
 * @issuer: The stream
 *
 * Return: 0, or -ENODEV: the device goes.
 */
int vsm_async_flush(struct vsm_issuer *issuer)
{
	struct vsm_cluster *cluster = issuer->bo->cluster;
	struct vsm_client *client = issuer->client;
	struct vsm_device *vdev = client->vdev;
	u64 released = 0;
	bool held = false;
	int ret = 0;

	if (!issuer->count)
		return 0;
	issuer->count = 0;
	spin_lock(&vdev->async_lock);
	if (client->async.stopped) {
		ret = -ENODEV;
	} else if (cluster->held || !list_empty(&cluster->held_ops)) {
		held = true;
		vsm_async_hold(client, cluster, &issuer->batch);
		if (!cluster->held)
			released = cluster->held_last;
	}
	spin_unlock(&vdev->async_lock);
	/* Tasks that wait in vsm_async_wait_for_room() for one to end wait for none of these. */
	if (unlikely(held) && wq_has_sleeper(&client->async.room))
		wake_up_all(&client->async.room);
	if (unlikely(released))
		vsm_async_release_up_to(cluster, released);
	if (!ret && !list_empty(&issuer->batch))
		ret = vsm_channel_launch(&client->channel, &issuer->batch);
	if (ret)
		vsm_async_end_all(&issuer->batch);
	return ret;
}

static int vsm_async_charge(struct vsm_client *client, u32 bytes)
{
	int ret = vsm_client_charge(client, VSM_RES_INSNS, 1);

	if (ret || !bytes)
		return ret;
	ret = vsm_client_charge(client, VSM_RES_BYTES, bytes);
	if (ret)
		vsm_client_uncharge(client, VSM_RES_INSNS, 1);
	return ret;
}

/* It is not the program's fault that the engine is behind: wait while it is. */
static int vsm_async_wait_for_room(struct vsm_issuer *issuer, u32 bytes)
{
	struct vsm_client *client = issuer->client;
	struct vsm_async_queue *queue = &client->async;
	int interrupted, ret;

	ret = vsm_async_flush(issuer);
	if (ret)
		return ret;
	vsm_finder_forget(&issuer->finder);
	interrupted = wait_event_interruptible(queue->room,
					       !(ret = vsm_async_charge(client, bytes)) ||
					       !atomic_read(&queue->flying));
	return interrupted ?: ret;
}

/* An operation, charged to the client, and what an instruction adds to it charged too. */
static struct vsm_async *vsm_async_new(struct vsm_issuer *issuer, const struct drm_vsm_insn *insn)
{
	struct vsm_client *client = issuer->client;
	struct vsm_async *async = vsm_async_spare(&client->async);
	u32 extra = vsm_async_extra(issuer->bo->cluster, insn);
	u32 bytes = async ? extra : extra + sizeof(*async);
	int ret;

	ret = vsm_async_charge(client, bytes);
	if (unlikely(ret))
		ret = vsm_async_wait_for_room(issuer, bytes);
	if (unlikely(ret)) {
		if (async)
			vsm_async_recycle(client, async);
		return ERR_PTR(ret);
	}
	if (!async)
		async = kmalloc(sizeof(*async), GFP_KERNEL_ACCOUNT);
	if (unlikely(!async)) {
		vsm_client_uncharge(client, VSM_RES_BYTES, bytes);
		vsm_client_uncharge(client, VSM_RES_INSNS, 1);
		return ERR_PTR(-ENOMEM);
	}
	*async = (struct vsm_async) { .extra = extra };
	return async;
}

static int vsm_issuer_groups(struct vsm_issuer *issuer)
{
	struct vsm_thread *groups;

	if (issuer->groups)
		return 0;
	groups = vsm_thread_make(issuer->bo->cluster, issuer->cta, issuer->thread);
	if (IS_ERR(groups))
		return PTR_ERR(groups);
	issuer->groups = groups;
	return 0;
}

/* Does a thread wait for the operation by its groups? */
static bool vsm_async_is_grouped(const struct drm_vsm_insn *insn)
{
	switch (insn->op) {
	case DRM_VSM_OP_CP_ASYNC:
	case DRM_VSM_OP_CP_ASYNC_BULK_S2G:
	case DRM_VSM_OP_CP_REDUCE_ASYNC_BULK_S2G:
	case DRM_VSM_OP_CP_ASYNC_BULK_TENSOR_S2G:
	case DRM_VSM_OP_CP_REDUCE_ASYNC_BULK_TENSOR:
		return true;
	default:
		return false;
	}
}

static int vsm_async_begin_in(struct vsm_issuer *issuer, struct vsm_async *async)
{
	int ret;

	ret = vsm_async_prepare(async, &issuer->finder);
	if (ret)
		return ret;
	if (vsm_async_is_grouped(&async->insn)) {
		ret = vsm_issuer_groups(issuer);
		if (ret)
			return ret;
	}
	return vsm_async_begin(async);
}

static int vsm_async_issue_op(struct vsm_issuer *issuer, struct drm_vsm_insn *insn)
{
	struct vsm_client *client = issuer->client;
	struct vsm_bo *bo = issuer->bo;
	struct vsm_async *async;
	int ret;

	async = vsm_async_new(issuer, insn);
	if (IS_ERR(async))
		return PTR_ERR(async);
	drm_gem_object_get(&bo->base.base);
	vsm_cluster_add_waker(bo->cluster);
	atomic_inc(&client->async.flying);
	async->cluster = bo->cluster;
	async->bo = bo;
	async->client = client;
	async->handle = issuer->handle;
	async->cta = issuer->cta;
	async->thread = issuer->thread;
	async->insn = *insn;

	ret = vsm_async_begin_in(issuer, async);
	insn->result = async->insn.result;
	insn->fault = async->insn.fault;
	insn->info = async->insn.info;
	if (ret) {
		vsm_async_end(async);
		return ret;
	}
	/* Nothing can fail any more. */
	if (vsm_async_is_grouped(insn))
		vsm_thread_issue(issuer->groups, async);
	if (!issuer->count)
		INIT_LIST_HEAD(&issuer->batch);
	list_add_tail(&async->link, &issuer->batch);
	if (++issuer->count == VSM_ASYNC_BATCH)
		return vsm_async_flush(issuer);
	return 0;
}

static int vsm_async_wait(struct vsm_issuer *issuer, enum vsm_group_kind kind, u32 left)
{
	int ret = vsm_async_flush(issuer);

	vsm_finder_forget(&issuer->finder);
	return ret ?: vsm_thread_wait(issuer->groups, issuer->bo->cluster, kind, left);
}

/**
 * vsm_async_issue - Issue an asynchronous operation, or group or wait for some
 * @issuer: The stream that it comes from
 * @insn: Checked instruction, its results being 0; gets them
 *
 * Return: 0; -EPROTO; -ENOENT, -ENOSPC, -ENOMEM, -EFAULT, -EIO or -ENODEV; -ERESTARTSYS or
 * -EINTR if a signal came first, nothing having been issued.
 */
int vsm_async_issue(struct vsm_issuer *issuer, struct drm_vsm_insn *insn)
{
	int ret;

	if (READ_ONCE(issuer->bo->cluster->lost))
		return -EIO;
	if (vsm_insn_is_async(insn))
		return vsm_async_issue_op(issuer, insn);

	ret = vsm_issuer_groups(issuer);
	if (ret)
		return ret;
	switch (insn->op) {
	case DRM_VSM_OP_CP_ASYNC_COMMIT_GROUP:
		vsm_thread_commit(issuer->groups, VSM_GROUP_CP_ASYNC);
		return 0;
	case DRM_VSM_OP_CP_ASYNC_BULK_COMMIT_GROUP:
		vsm_thread_commit(issuer->groups, VSM_GROUP_BULK);
		return 0;
	case DRM_VSM_OP_CP_ASYNC_WAIT_ALL:
		/* As commit_group, wait_group 0; after a signal both once more. */
		vsm_thread_commit(issuer->groups, VSM_GROUP_CP_ASYNC);
		return vsm_async_wait(issuer, VSM_GROUP_CP_ASYNC, 0);
	case DRM_VSM_OP_CP_ASYNC_WAIT_GROUP:
		return vsm_async_wait(issuer, VSM_GROUP_CP_ASYNC, insn->u.mbarrier.count);
	default: /* DRM_VSM_OP_CP_ASYNC_BULK_WAIT_GROUP; sources are read when the copy is done */
		return vsm_async_wait(issuer, VSM_GROUP_BULK, insn->u.mbarrier.count);
	}
}

void vsm_async_init(struct vsm_client *client)
{
	INIT_LIST_HEAD(&client->async.held);
	init_waitqueue_head(&client->async.room);
	spin_lock_init(&client->async.spare_lock);
	INIT_LIST_HEAD(&client->async.spare);
}

/**
 * vsm_async_fini - Free what a client's operations were made of
 * @client: Client whose channels have stopped
 */
void vsm_async_fini(struct vsm_client *client)
{
	struct vsm_async *async, *next;

	list_for_each_entry_safe(async, next, &client->async.spare, link)
		vsm_client_free(client, async, 1, sizeof(*async));
}

/**
 * vsm_async_stop - Drop what of a client's operations is held, and launch no more
 * @client: Client
 *
 * Those on its channel are the channel's.
 */
void vsm_async_stop(struct vsm_client *client)
{
	struct vsm_async_queue *queue = &client->async;
	struct vsm_device *vdev = client->vdev;
	struct vsm_async *async;

	do {
		spin_lock(&vdev->async_lock);
		queue->stopped = true;
		async = list_first_entry_or_null(&queue->held, struct vsm_async, link);
		if (async) {
			list_del(&async->held);
			list_del(&async->link);
			atomic_inc(&queue->flying);
		}
		spin_unlock(&vdev->async_lock);
		if (!async)
			break;

		vsm_async_drop(async);
		vsm_async_end(async);
		cond_resched();
	} while (async);
}

int vsm_cluster_hold_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vsm_device *vdev = to_vsm_device(drm);
	struct drm_vsm_cluster_hold *args = data;
	struct vsm_bo *bo, *named;
	int ret = 0;

	if (args->flags & ~DRM_VSM_HOLD)
		return -EINVAL;
	bo = vsm_cluster_lookup(file, args->cluster);
	if (!bo)
		return -ENOENT;

	if (args->flags & DRM_VSM_HOLD) {
		spin_lock(&vdev->async_lock);
		bo->cluster->held = true;
		spin_unlock(&vdev->async_lock);
		/*
		 * The handle may have been closed since the lookup. The DRM core takes it away, and
		 * vsm_gem_close() forgets it in @recent, before vsm_gem_close() takes the lock. So
		 * either it has the lock after this and releases the cluster, or no such handle is
		 * found here and the cluster is released below.
		 */
		named = vsm_cluster_lookup(file, args->cluster);
		if (named != bo)
			ret = -ENOENT;
		vsm_bo_put(named);
	}
	if (ret || !(args->flags & DRM_VSM_HOLD))
		vsm_async_release(bo->cluster);
	vsm_bo_put(bo);
	return ret;
}
