// SPDX-License-Identifier: GPL-2.0-only
/*
 * Asynchronous operations of threads: cp.async, and cp.async.mbarrier.arrive, which
 * arrives when the copies that its thread issued before are complete.
 *
 * A client's operations happen on the workqueue in the order in which its threads
 * issued them, so an arrive needs to know nothing of the copies before it. Those on a
 * cluster that is held wait until it is released.
 */
#include <linux/sched.h>
#include <linux/slab.h>

#include "vsm_drv.h"

/* Operations that happen before others get their turn on the workqueue or the lock. */
#define VSM_ASYNC_BATCH	256

/**
 * struct vsm_async - An operation in flight
 * @link: In &vsm_async_queue.ready or &vsm_async_queue.held
 * @held: In &vsm_cluster.held_ops, if in the latter
 * @client: Whose threads issued it; it stays until its queue is stopped
 * @bo: Cluster, held
 * @buffer: Buffer of a copy, held and mapped; NULL for an arrive
 * @handle: Handle of the cluster
 * @cta: Rank of the issuing thread's CTA
 * @thread: Issuing thread
 * @serial: Phase that an arrive is bound to
 * @insn: The instruction
 */
struct vsm_async {
	struct list_head link;
	struct list_head held;
	struct vsm_client *client;
	struct vsm_bo *bo;
	struct vsm_bo *buffer;
	u32 handle;
	u16 cta;
	u16 thread;
	u32 serial;
	struct drm_vsm_insn insn;
};

static bool vsm_async_raised(const struct drm_vsm_insn *insn)
{
	return !(insn->mods & DRM_VSM_MOD_NOINC);
}

static void vsm_async_free(struct vsm_async *async)
{
	struct vsm_client *client = async->client;

	vsm_cluster_remove_waker(async->bo->cluster);
	vsm_bo_put(async->buffer);
	vsm_bo_put(async->bo);
	vsm_client_uncharge(client, VSM_RES_INSNS, 1);
	kfree(async);
	/* Pairs with the wait in vsm_async_charge(), as any wake-up. */
	wake_up(&client->async.room);
}

static int vsm_async_copy(struct vsm_async *async)
{
	const struct drm_vsm_copy_operands *o = &async->insn.u.copy;
	u32 bytes = async->insn.mods & DRM_VSM_MOD_SRC_SIZE ? o->src_size : o->size;
	struct vsm_cluster *cluster = async->bo->cluster;
	void *to = vsm_cluster_mem(cluster, o->addr);
	int ret;

	ret = vsm_syncs_check_write(cluster, &async->insn);
	if (ret)
		return ret;
	memcpy(to, async->buffer->map.vaddr + o->offset, bytes);
	memset(to + bytes, 0, o->size - bytes);
	return 0;
}

/*
 * The data of the copies before is in place before anybody can see the arrival: it is
 * performed as a release.
 */
static int vsm_async_arrive(struct vsm_async *async)
{
	struct vsm_cluster *cluster = async->bo->cluster;
	bool raised = vsm_async_raised(&async->insn);
	struct drm_vsm_insn complete = {
		.op = DRM_VSM_OP_MBARRIER_ARRIVE,
		.mods = DRM_VSM_MOD_SINK,
		.u.mbarrier.addr = async->insn.u.mbarrier.addr,
	};
	enum drm_vsm_fault fault;
	int ret;

	if (raised && cluster->geo.layout == VSM_LAYOUT_SM_90) {
		complete.op = DRM_VSM_OP_MBARRIER_COMPLETE_TX;
		complete.mods = 0;
		complete.u.mbarrier.tx_count = 1;
	}
	fault = vsm_syncs_unbind(cluster, complete.u.mbarrier.addr, raised, async->serial);
	if (fault) {
		async->insn.fault = fault;
		async->insn.result = READ_ONCE(*(u64 *)vsm_cluster_mem(cluster,
								       complete.u.mbarrier.addr));
		return -EPROTO;
	}
	ret = vsm_syncs_run(cluster, &complete, async->cta, async->thread);
	async->insn.result = complete.result;
	async->insn.fault = complete.fault;
	return ret;
}

static struct vsm_async *vsm_async_next(struct vsm_client *client)
{
	struct vsm_device *vdev = client->vdev;
	struct vsm_async *async;

	spin_lock(&vdev->async_lock);
	async = list_first_entry_or_null(&client->async.ready, struct vsm_async, link);
	if (async && client->async.stopped)
		async = NULL;
	if (async)
		list_del(&async->link);
	spin_unlock(&vdev->async_lock);
	return async;
}

static void vsm_async_work(struct work_struct *work)
{
	struct vsm_client *client = container_of(work, struct vsm_client, async.work);
	struct vsm_async *async;
	unsigned int done;

	for (done = 0; done < VSM_ASYNC_BATCH; done++) {
		int ret;

		async = vsm_async_next(client);
		if (!async)
			return;

		if (READ_ONCE(async->bo->cluster->lost))
			ret = -EIO;
		else
			ret = async->buffer ? vsm_async_copy(async) : vsm_async_arrive(async);
		if (ret == -EPROTO)
			vsm_fault_record(client, DRM_VSM_SOURCE_ASYNC, async->handle, async->cta,
					 async->thread, &async->insn);
		vsm_async_free(async);
		cond_resched();
	}
	queue_work(client->vdev->wq, &client->async.work);
}

static int vsm_async_enqueue(struct vsm_async *async)
{
	struct vsm_async_queue *queue = &async->client->async;
	struct vsm_cluster *cluster = async->bo->cluster;
	struct vsm_device *vdev = cluster->vdev;
	bool held;

	spin_lock(&vdev->async_lock);
	if (queue->stopped) {
		spin_unlock(&vdev->async_lock);
		return -ENODEV;
	}
	held = cluster->held;
	list_add_tail(&async->link, held ? &queue->held : &queue->ready);
	if (held)
		list_add_tail(&async->held, &cluster->held_ops);
	spin_unlock(&vdev->async_lock);

	if (!held)
		queue_work(vdev->wq, &queue->work);
	return 0;
}

/* Find the buffer of a copy, and see that the copy stays in it and off objects. */
static int vsm_async_prepare_copy(struct vsm_async *async, struct drm_file *file,
				  struct drm_vsm_insn *insn)
{
	const struct drm_vsm_copy_operands *o = &insn->u.copy;
	u32 bytes = insn->mods & DRM_VSM_MOD_SRC_SIZE ? o->src_size : o->size;
	int ret;

	async->buffer = vsm_buffer_lookup(file, o->buffer);
	if (!async->buffer)
		return -ENOENT;
	if (o->offset > async->buffer->base.base.size ||
	    bytes > async->buffer->base.base.size - o->offset) {
		insn->fault = DRM_VSM_FAULT_COPY_BOUNDS;
		return -EPROTO;
	}
	ret = vsm_bo_vmap(async->buffer);
	if (ret)
		return ret;
	return vsm_syncs_check_write(async->bo->cluster, insn);
}

/* The half of an arrive that happens as it is issued. */
static int vsm_async_prepare_arrive(struct vsm_async *async, struct drm_vsm_insn *insn)
{
	return vsm_syncs_issue(async->bo->cluster, insn, async->cta, async->thread, &async->serial);
}

/* It is not the program's fault that the engine is behind: wait while it is. */
static int vsm_async_charge(struct vsm_client *client)
{
	struct vsm_async_queue *queue = &client->async;
	int interrupted, ret;

	interrupted = wait_event_interruptible(queue->room,
					       !(ret = vsm_client_charge(client,
									 VSM_RES_INSNS, 1)) ||
					       list_empty_careful(&queue->ready));
	return interrupted ?: ret;
}

/**
 * vsm_async_issue - Issue an asynchronous instruction
 * @file: File that the instruction comes from
 * @bo: Cluster
 * @handle: Its handle
 * @cta: Rank of the issuing thread's CTA
 * @thread: Issuing thread
 * @insn: Checked instruction, its results being 0; gets them
 *
 * Return: 0; -EPROTO; -ENOENT, -ENOSPC, -ENOMEM, -EIO or -ENODEV; -ERESTARTSYS or
 * -EINTR if a signal came first, nothing having been issued.
 */
int vsm_async_issue(struct drm_file *file, struct vsm_bo *bo, u32 handle, u32 cta, u32 thread,
		    struct drm_vsm_insn *insn)
{
	struct vsm_client *client = file->driver_priv;
	struct vsm_async *async;
	int ret;

	if (READ_ONCE(bo->cluster->lost))
		return -EIO;
	ret = vsm_async_charge(client);
	if (ret)
		return ret;
	async = kzalloc(sizeof(*async), GFP_KERNEL_ACCOUNT);
	if (!async) {
		vsm_client_uncharge(client, VSM_RES_INSNS, 1);
		return -ENOMEM;
	}
	drm_gem_object_get(&bo->base.base);
	vsm_cluster_add_waker(bo->cluster);
	async->client = client;
	async->bo = bo;
	async->handle = handle;
	async->cta = cta;
	async->thread = thread;

	if (insn->op == DRM_VSM_OP_CP_ASYNC)
		ret = vsm_async_prepare_copy(async, file, insn);
	else
		ret = vsm_async_prepare_arrive(async, insn);
	if (ret)
		goto err_free;
	async->insn = *insn;
	ret = vsm_async_enqueue(async);
	if (!ret)
		return 0;
	/* The device goes. What an arrive has begun stays so. */
	if (!async->buffer)
		vsm_syncs_unbind(bo->cluster, insn->u.mbarrier.addr, vsm_async_raised(insn),
				 async->serial);
err_free:
	vsm_async_free(async);
	return ret;
}

void vsm_async_init(struct vsm_client *client)
{
	INIT_LIST_HEAD(&client->async.ready);
	INIT_LIST_HEAD(&client->async.held);
	INIT_WORK(&client->async.work, vsm_async_work);
	init_waitqueue_head(&client->async.room);
}

/**
 * vsm_async_stop - Drop what a client's threads have in flight, and all that comes later
 * @client: Client
 *
 * Nothing of it happens any more when this returns.
 */
void vsm_async_stop(struct vsm_client *client)
{
	struct vsm_async_queue *queue = &client->async;
	struct vsm_device *vdev = client->vdev;
	struct vsm_async *async;

	spin_lock(&vdev->async_lock);
	queue->stopped = true;
	spin_unlock(&vdev->async_lock);
	cancel_work_sync(&queue->work);

	for (;;) {
		spin_lock(&vdev->async_lock);
		async = list_first_entry_or_null(&queue->ready, struct vsm_async, link);
		if (!async) {
			async = list_first_entry_or_null(&queue->held, struct vsm_async, link);
			if (async)
				list_del(&async->held);
		}
		if (async)
			list_del(&async->link);
		spin_unlock(&vdev->async_lock);
		if (!async)
			break;

		if (!async->buffer)
			vsm_syncs_unbind(async->bo->cluster, async->insn.u.mbarrier.addr,
					 vsm_async_raised(&async->insn), async->serial);
		vsm_async_free(async);
		cond_resched();
	}
	/* It may have been queued again by who released a cluster. */
	cancel_work_sync(&queue->work);
}

/* Makes some of what is held on a cluster ready; true if there may be more. */
static bool vsm_async_release_some(struct vsm_cluster *cluster)
{
	struct vsm_async *async;
	unsigned int i;

	lockdep_assert_held(&cluster->vdev->async_lock);
	for (i = 0; i < VSM_ASYNC_BATCH; i++) {
		async = list_first_entry_or_null(&cluster->held_ops, struct vsm_async, held);
		if (!async) {
			cluster->held = false;
			return false;
		}
		list_del(&async->held);
		list_move_tail(&async->link, &async->client->async.ready);
		queue_work(cluster->vdev->wq, &async->client->async.work);
	}
	return true;
}

/**
 * vsm_async_release - Let what is in flight on a cluster happen
 * @cluster: Cluster, held or not
 *
 * What is issued meanwhile gets in behind it.
 *
 * Context: may sleep.
 */
void vsm_async_release(struct vsm_cluster *cluster)
{
	struct vsm_device *vdev = cluster->vdev;
	bool more;

	do {
		spin_lock(&vdev->async_lock);
		more = vsm_async_release_some(cluster);
		spin_unlock(&vdev->async_lock);
		cond_resched();
	} while (more);
}

int vsm_cluster_hold_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vsm_device *vdev = to_vsm_device(drm);
	struct drm_vsm_cluster_hold *args = data;
	struct vsm_bo *bo;

	if (args->flags & ~DRM_VSM_HOLD)
		return -EINVAL;
	bo = vsm_cluster_lookup(file, args->cluster);
	if (!bo)
		return -ENOENT;

	if (args->flags & DRM_VSM_HOLD) {
		spin_lock(&vdev->async_lock);
		bo->cluster->held = true;
		spin_unlock(&vdev->async_lock);
	} else {
		vsm_async_release(bo->cluster);
	}
	vsm_bo_put(bo);
	return 0;
}
