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
static struct vsm_op *vsm_stream_spare(struct vsm_stream_queue *queue)
{
	struct vsm_op *async;

	spin_lock(&queue->spare_lock);
	async = list_first_entry_or_null(&queue->spare, struct vsm_op, link);
	if (async) {
		list_del(&async->link);
		queue->spares--;
	}
	spin_unlock(&queue->spare_lock);
	return async;
}

static void vsm_stream_recycle(struct vsm_client *client, struct vsm_op *async)
{
	struct vsm_stream_queue *queue = &client->async;

	spin_lock(&queue->spare_lock);
	if (queue->spares < VSM_OP_BATCH) {
		list_add(&async->link, &queue->spare);
		queue->spares++;
		async = NULL;
	}
	spin_unlock(&queue->spare_lock);
	if (unlikely(async))
		vsm_client_free(client, async, 1, sizeof(*async));
}

/**
 * vsm_stream_end_op - An operation of a thread has been performed or dropped
 * @async: Operation; it is gone
 */
void vsm_stream_end_op(struct vsm_op *async)
{
	struct vsm_client *client = async->client;

	vsm_groups_end(async);
	vsm_op_unprepare(async);
	vsm_cluster_remove_waker(async->cluster);
	vsm_bo_put(async->bo);
	vsm_stream_recycle(client, async);
	vsm_client_uncharge(client, VSM_RES_INSNS, 1);
	atomic_dec(&client->async.flying);
	/* Pairs with the wait in vsm_stream_wait_for_quota(), as any wake-up. */
	if (wq_has_sleeper(&client->async.room))
		wake_up_all(&client->async.room);
}

static void vsm_stream_drop_batch(struct list_head *batch)
{
	struct vsm_op *async, *next;

	list_for_each_entry_safe(async, next, batch, link) {
		vsm_op_drop(async);
		vsm_stream_end_op(async);
	}
}

/* Keep what must wait for the release of its cluster, or stand behind what waits for it. */
static void vsm_hold_add(struct vsm_client *client, struct vsm_cluster *cluster,
			   struct list_head *batch)
{
	struct vsm_op *async, *next;

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
static bool vsm_hold_launch_some(struct vsm_cluster *cluster, u64 last)
{
	struct vsm_op *async, *next;
	struct vsm_client *client;
	unsigned int count = 0;
	LIST_HEAD(batch);

	lockdep_assert_held(&cluster->vdev->async_lock);
	async = list_first_entry_or_null(&cluster->held_ops, struct vsm_op, held);
	if (!async || async->key > last)
		return false;
	client = async->client;
	list_for_each_entry_safe(async, next, &cluster->held_ops, held) {
		if (async->client != client || async->key > last)
			break;
		list_del(&async->held);
		list_move_tail(&async->link, &batch);
		atomic_inc(&client->async.flying);
		if (++count == VSM_OP_BATCH)
			break;
	}
	/* The channel stops behind the queue. */
	vsm_channel_launch(&client->channel, &batch);
	return true;
}

/* Not interruptible: nobody else launches what is left over. */
static void vsm_hold_launch_up_to(struct vsm_cluster *cluster, u64 last)
{
	struct vsm_device *vdev = cluster->vdev;
	bool more;

	do {
		spin_lock(&vdev->async_lock);
		more = vsm_hold_launch_some(cluster, last);
		spin_unlock(&vdev->async_lock);
		cond_resched();
	} while (more);
}

/**
 * vsm_hold_release - Let what is in flight on a cluster happen
 * @cluster: Cluster, held or not
 *
 * That is what is held now, however much is issued meanwhile. What is, gets in behind it and
 * is launched by who issues it, with whatever is before it.
 *
 * Context: may sleep.
 */
void vsm_hold_release(struct vsm_cluster *cluster)
{
	struct vsm_device *vdev = cluster->vdev;
	u64 last;

	spin_lock(&vdev->async_lock);
	cluster->held = false;
	last = cluster->held_last;
	spin_unlock(&vdev->async_lock);
	vsm_hold_launch_up_to(cluster, last);
}

/**
 * vsm_stream_flush - Launch what a stream has issued
 * @stream: The stream
 *
 * Return: 0, or -ENODEV: the device goes.
 */
int vsm_stream_flush(struct vsm_stream *stream)
{
	struct vsm_cluster *cluster = stream->bo->cluster;
	struct vsm_client *client = stream->client;
	struct vsm_device *vdev = client->vdev;
	u64 released = 0;
	bool held = false;
	int ret = 0;

	if (!stream->count)
		return 0;
	stream->count = 0;
	spin_lock(&vdev->async_lock);
	if (client->async.stopped) {
		ret = -ENODEV;
	} else if (cluster->held || !list_empty(&cluster->held_ops)) {
		held = true;
		vsm_hold_add(client, cluster, &stream->batch);
		if (!cluster->held)
			released = cluster->held_last;
	}
	spin_unlock(&vdev->async_lock);
	/* Tasks that wait in vsm_stream_wait_for_quota() for one to end wait for none of these. */
	if (unlikely(held) && wq_has_sleeper(&client->async.room))
		wake_up_all(&client->async.room);
	if (unlikely(released))
		vsm_hold_launch_up_to(cluster, released);
	if (!ret && !list_empty(&stream->batch))
		ret = vsm_channel_launch(&client->channel, &stream->batch);
	if (ret)
		vsm_stream_drop_batch(&stream->batch);
	return ret;
}

static int vsm_stream_charge(struct vsm_client *client, u32 bytes)
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
static int vsm_stream_wait_for_quota(struct vsm_stream *stream, u32 bytes)
{
	struct vsm_client *client = stream->client;
	struct vsm_stream_queue *queue = &client->async;
	int interrupted, ret;

	ret = vsm_stream_flush(stream);
	if (ret)
		return ret;
	vsm_bo_cache_drop(&stream->cache);
	interrupted = wait_event_interruptible(queue->room,
					       !(ret = vsm_stream_charge(client, bytes)) ||
					       !atomic_read(&queue->flying));
	return interrupted ?: ret;
}

/* An operation, charged to the client, and what an instruction adds to it charged too. */
static struct vsm_op *vsm_stream_alloc_op(struct vsm_stream *stream, const struct drm_vsm_insn *insn)
{
	struct vsm_client *client = stream->client;
	struct vsm_op *async = vsm_stream_spare(&client->async);
	u32 extra = vsm_op_extra(stream->bo->cluster, insn);
	u32 bytes = async ? extra : extra + sizeof(*async);
	int ret;

	ret = vsm_stream_charge(client, bytes);
	if (unlikely(ret))
		ret = vsm_stream_wait_for_quota(stream, bytes);
	if (unlikely(ret)) {
		if (async)
			vsm_stream_recycle(client, async);
		return ERR_PTR(ret);
	}
	if (!async)
		async = kmalloc(sizeof(*async), GFP_KERNEL_ACCOUNT);
	if (unlikely(!async)) {
		vsm_client_uncharge(client, VSM_RES_BYTES, bytes);
		vsm_client_uncharge(client, VSM_RES_INSNS, 1);
		return ERR_PTR(-ENOMEM);
	}
	*async = (struct vsm_op) { .extra = extra };
	return async;
}

static int vsm_stream_get_groups(struct vsm_stream *stream)
{
	struct vsm_groups *groups;

	if (stream->groups)
		return 0;
	groups = vsm_groups_get_or_create(stream->bo->cluster, stream->cta, stream->thread);
	if (IS_ERR(groups))
		return PTR_ERR(groups);
	stream->groups = groups;
	return 0;
}

/* Does a thread wait for the operation by its groups? */
static bool vsm_insn_is_grouped(const struct drm_vsm_insn *insn)
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

static int vsm_stream_begin_op(struct vsm_stream *stream, struct vsm_op *async)
{
	int ret;

	ret = vsm_op_prepare(async, &stream->cache);
	if (ret)
		return ret;
	if (vsm_insn_is_grouped(&async->insn)) {
		ret = vsm_stream_get_groups(stream);
		if (ret)
			return ret;
	}
	return vsm_op_begin(async);
}

static int vsm_stream_issue_op(struct vsm_stream *stream, struct drm_vsm_insn *insn)
{
	struct vsm_client *client = stream->client;
	struct vsm_bo *bo = stream->bo;
	struct vsm_op *async;
	int ret;

	async = vsm_stream_alloc_op(stream, insn);
	if (IS_ERR(async))
		return PTR_ERR(async);
	drm_gem_object_get(&bo->base.base);
	vsm_cluster_add_waker(bo->cluster);
	atomic_inc(&client->async.flying);
	async->cluster = bo->cluster;
	async->bo = bo;
	async->client = client;
	async->handle = stream->handle;
	async->cta = stream->cta;
	async->thread = stream->thread;
	async->insn = *insn;

	ret = vsm_stream_begin_op(stream, async);
	insn->result = async->insn.result;
	insn->fault = async->insn.fault;
	insn->info = async->insn.info;
	if (ret) {
		vsm_stream_end_op(async);
		return ret;
	}
	/* Nothing can fail any more. */
	if (vsm_insn_is_grouped(insn))
		vsm_groups_issue(stream->groups, async);
	if (!stream->count)
		INIT_LIST_HEAD(&stream->batch);
	list_add_tail(&async->link, &stream->batch);
	if (++stream->count == VSM_OP_BATCH)
		return vsm_stream_flush(stream);
	return 0;
}

static int vsm_stream_wait(struct vsm_stream *stream, enum vsm_group_kind kind, u32 left)
{
	int ret = vsm_stream_flush(stream);

	vsm_bo_cache_drop(&stream->cache);
	return ret ?: vsm_groups_wait(stream->groups, stream->bo->cluster, kind, left);
}

/**
 * vsm_stream_issue - Issue an asynchronous operation, or group or wait for some
 * @stream: The stream that it comes from
 * @insn: Checked instruction, its results being 0; gets them
 *
 * Return: 0; -EPROTO; -ENOENT, -ENOSPC, -ENOMEM, -EFAULT, -EIO or -ENODEV; -ERESTARTSYS or
 * -EINTR if a signal came first, nothing having been issued.
 */
int vsm_stream_issue(struct vsm_stream *stream, struct drm_vsm_insn *insn)
{
	int ret;

	if (READ_ONCE(stream->bo->cluster->lost))
		return -EIO;
	if (vsm_insn_is_async(insn))
		return vsm_stream_issue_op(stream, insn);

	ret = vsm_stream_get_groups(stream);
	if (ret)
		return ret;
	switch (insn->op) {
	case DRM_VSM_OP_CP_ASYNC_COMMIT_GROUP:
		vsm_groups_commit(stream->groups, VSM_GROUP_CP_ASYNC);
		return 0;
	case DRM_VSM_OP_CP_ASYNC_BULK_COMMIT_GROUP:
		vsm_groups_commit(stream->groups, VSM_GROUP_BULK);
		return 0;
	case DRM_VSM_OP_CP_ASYNC_WAIT_ALL:
		/* As commit_group, wait_group 0; after a signal both once more. */
		vsm_groups_commit(stream->groups, VSM_GROUP_CP_ASYNC);
		return vsm_stream_wait(stream, VSM_GROUP_CP_ASYNC, 0);
	case DRM_VSM_OP_CP_ASYNC_WAIT_GROUP:
		return vsm_stream_wait(stream, VSM_GROUP_CP_ASYNC, insn->u.mbarrier.count);
	default: /* DRM_VSM_OP_CP_ASYNC_BULK_WAIT_GROUP; sources are read when the copy is done */
		return vsm_stream_wait(stream, VSM_GROUP_BULK, insn->u.mbarrier.count);
	}
}

void vsm_streams_init(struct vsm_client *client)
{
	INIT_LIST_HEAD(&client->async.held);
	init_waitqueue_head(&client->async.room);
	spin_lock_init(&client->async.spare_lock);
	INIT_LIST_HEAD(&client->async.spare);
}

/**
 * vsm_streams_fini - Free what a client's operations were made of
 * @client: Client whose channels have stopped
 */
void vsm_streams_fini(struct vsm_client *client)
{
	struct vsm_op *async, *next;

	list_for_each_entry_safe(async, next, &client->async.spare, link)
		vsm_client_free(client, async, 1, sizeof(*async));
}

/**
 * vsm_streams_stop - Drop what of a client's operations is held, and launch no more
 * @client: Client
 *
 * Those on its channel are the channel's.
 */
void vsm_streams_stop(struct vsm_client *client)
{
	struct vsm_stream_queue *queue = &client->async;
	struct vsm_device *vdev = client->vdev;
	struct vsm_op *async;

	do {
		spin_lock(&vdev->async_lock);
		queue->stopped = true;
		async = list_first_entry_or_null(&queue->held, struct vsm_op, link);
		if (async) {
			list_del(&async->held);
			list_del(&async->link);
			atomic_inc(&queue->flying);
		}
		spin_unlock(&vdev->async_lock);
		if (!async)
			break;

		vsm_op_drop(async);
		vsm_stream_end_op(async);
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
		vsm_hold_release(bo->cluster);
	vsm_bo_put(bo);
	return ret;
}
