// SPDX-License-Identifier: GPL-2.0-only
/*
 * The stream of a call of EXEC issues asynchronous operations, and launches them on the client's
 * first channel. Operations on a held cluster are launched when it is released (vsm_hold.c).
 */
#include <linux/err.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "channel/vsm_channel.h"
#include "copy/vsm_op_record.h"
#include "copy/vsm_perform.h"
#include "copy/vsm_prepare.h"
#include "sync/vsm_deadlock.h"
#include "sync/vsm_engine_record.h"
#include "thread/vsm_hold.h"
#include "thread/vsm_stream.h"
#include "thread/vsm_thread_ops.h"
#include "vsm_drv.h"

/* --- memory of operations --------------------------------------------------------- */

/*
 * Take the memory of an operation that has ended. A stream needs memory as often as an operation
 * ends, and this costs far less than to free and allocate it. The client has stayed charged for it.
 */
static struct vsm_thread_op *vsm_thread_op_take_spare(struct vsm_thread_ops *ops)
{
	struct vsm_thread_op *thread_op;

	spin_lock(&ops->spare_lock);
	thread_op = list_first_entry_or_null(&ops->spare, struct vsm_thread_op, op.link);
	if (thread_op) {
		list_del(&thread_op->op.link);
		ops->spares--;
	}
	spin_unlock(&ops->spare_lock);
	return thread_op;
}

static void vsm_thread_op_recycle(struct vsm_client *client, struct vsm_thread_op *thread_op)
{
	struct vsm_thread_ops *ops = client->thread_ops;

	spin_lock(&ops->spare_lock);
	if (ops->spares < VSM_OP_BATCH) {
		list_add(&thread_op->op.link, &ops->spare);
		ops->spares++;
		thread_op = NULL;
	}
	spin_unlock(&ops->spare_lock);
	if (unlikely(thread_op))
		vsm_quota_free(&client->quota, thread_op, 1, sizeof(*thread_op));
}

static int vsm_stream_charge(struct vsm_client *client, u32 bytes)
{
	int ret = vsm_quota_charge(&client->quota, VSM_RES_INSNS, 1);

	if (ret || !bytes)
		return ret;
	ret = vsm_quota_charge(&client->quota, VSM_RES_BYTES, bytes);
	if (ret)
		vsm_quota_uncharge(&client->quota, VSM_RES_INSNS, 1);
	return ret;
}

/*
 * The client has reached a limit. That is no error while operations in flight may free their
 * memory: wait until there is enough, or until no operation is left that could end.
 */
static int vsm_stream_wait_for_quota(struct vsm_stream *stream, u32 bytes)
{
	struct vsm_client *client = stream->origin.client;
	struct vsm_thread_ops *ops = client->thread_ops;
	int interrupted, ret;

	ret = vsm_stream_flush(stream);
	if (ret)
		return ret;
	vsm_bo_cache_drop(&stream->cache);
	interrupted = wait_event_interruptible(ops->wait,
					       !(ret = vsm_stream_charge(client, bytes)) ||
					       !atomic_read(&ops->active));
	return interrupted ?: ret;
}

/*
 * Allocate an operation. The client is charged for it, and for its extra bytes. The caller sets
 * @bo, and @op.origin and @op.insn.
 */
static struct vsm_thread_op *vsm_stream_alloc_op(struct vsm_stream *stream,
						 const struct drm_vsm_insn *insn)
{
	struct vsm_client *client = stream->origin.client;
	struct vsm_thread_op *thread_op = vsm_thread_op_take_spare(client->thread_ops);
	u32 extra = vsm_op_extra(stream->bo->cluster, insn);
	u32 bytes = thread_op ? extra : extra + sizeof(*thread_op);
	int ret;

	ret = vsm_stream_charge(client, bytes);
	if (unlikely(ret))
		ret = vsm_stream_wait_for_quota(stream, bytes);
	if (unlikely(ret)) {
		if (thread_op)
			vsm_thread_op_recycle(client, thread_op);
		return ERR_PTR(ret);
	}
	if (!thread_op)
		thread_op = kmalloc(sizeof(*thread_op), GFP_KERNEL_ACCOUNT);
	if (unlikely(!thread_op)) {
		vsm_quota_uncharge(&client->quota, VSM_RES_BYTES, bytes);
		vsm_quota_uncharge(&client->quota, VSM_RES_INSNS, 1);
		return ERR_PTR(-ENOMEM);
	}
	/* The caller sets the rest of the operation. Clearing that too would take far longer. */
	memset(&thread_op->op, 0, offsetof(struct vsm_op, origin));
	thread_op->op.extra = extra;
	thread_op->group.groups = NULL;
	return thread_op;
}

static void vsm_thread_op_end(struct vsm_op *op, int error)
{
	struct vsm_thread_op *thread_op = container_of(op, struct vsm_thread_op, op);
	struct vsm_client *client = op->origin.client;
	struct vsm_thread_ops *ops = client->thread_ops;

	if (vsm_is_recording())
		vsm_op_record_end(op, error);
	if (thread_op->group.groups)
		vsm_group_end(&thread_op->group, op->origin.copy);
	vsm_op_unprepare(op);
	vsm_cluster_remove_waker(op->cluster);
	vsm_bo_end_use(thread_op->bo);
	vsm_thread_op_recycle(client, thread_op);
	vsm_quota_uncharge(&client->quota, VSM_RES_INSNS, 1);
	atomic_dec(&ops->active);
	/* Pairs with the barrier in wait_event(), after which a waiter looks at the condition. */
	if (wq_has_sleeper(&ops->wait))
		wake_up_all(&ops->wait);
}

/* --- issue ------------------------------------------------------------------------ */

/**
 * vsm_stream_flush - Launch the operations that a stream has issued
 * @stream: The stream
 *
 * Return: 0, or -ENODEV if the device goes.
 */
int vsm_stream_flush(struct vsm_stream *stream)
{
	struct vsm_client *client = stream->origin.client;
	struct vsm_op *op, *next;
	int ret;

	if (!stream->count)
		return 0;
	stream->count = 0;
	ret = vsm_hold_batch(client, stream->bo->cluster, &stream->batch);
	if (!ret && !list_empty(&stream->batch))
		ret = vsm_channel_launch(client->channels->first, &stream->batch);
	if (!ret)
		return 0;
	list_for_each_entry_safe(op, next, &stream->batch, link) {
		vsm_op_drop(op);
		op->end(op, ret);
	}
	return ret;
}

static int vsm_stream_get_groups(struct vsm_stream *stream)
{
	struct vsm_groups *groups;

	if (stream->groups)
		return 0;
	groups = vsm_groups_get_or_create(stream->bo->cluster, stream->origin.cta,
					  stream->origin.thread);
	if (IS_ERR(groups))
		return PTR_ERR(groups);
	stream->groups = groups;
	return 0;
}

/* Is the operation in a group? It is if it does not complete on an mbarrier and moves bytes. */
static bool vsm_op_is_grouped(const struct vsm_op *op)
{
	return !(op->moves & VSM_TAKES_MBAR) && op->moves & (VSM_OP_TO_BUFFER | VSM_OP_TO_WINDOW);
}

static int vsm_stream_begin_op(struct vsm_stream *stream, struct vsm_op *op)
{
	int ret;

	ret = vsm_op_prepare(op, &stream->cache);
	if (ret)
		return ret;
	if (vsm_op_is_grouped(op)) {
		ret = vsm_stream_get_groups(stream);
		if (ret)
			return ret;
	}
	return vsm_op_begin(op);
}

static int vsm_stream_issue_op(struct vsm_stream *stream, struct drm_vsm_insn *insn)
{
	struct vsm_cluster *cluster = stream->bo->cluster;
	struct vsm_thread_op *thread_op;
	struct vsm_op *op;
	int ret;

	thread_op = vsm_stream_alloc_op(stream, insn);
	if (IS_ERR(thread_op))
		return PTR_ERR(thread_op);
	thread_op->bo = vsm_bo_get(stream->bo);
	vsm_bo_begin_use(stream->bo);
	vsm_cluster_add_waker(cluster);
	atomic_inc(&stream->origin.client->thread_ops->active);
	op = &thread_op->op;
	op->end = vsm_thread_op_end;
	op->cluster = cluster;
	op->origin = stream->origin;
	op->issue_source = DRM_VSM_SOURCE_EXEC;
	op->source = DRM_VSM_SOURCE_ASYNC;
	op->drains = true;
	op->insn = *insn;

	ret = vsm_stream_begin_op(stream, op);
	insn->result = op->insn.result;
	insn->fault = op->insn.fault;
	insn->info = op->insn.info;
	if (ret) {
		op->end(op, ret);
		return ret;
	}
	/* From here on nothing can fail. */
	op->origin.copy = VSM_UNNUMBERED;
	if (vsm_is_recording())
		vsm_op_record_issue(op, 0);
	if (vsm_op_is_grouped(op))
		vsm_group_issue(stream->groups, insn->op == DRM_VSM_OP_CP_ASYNC ? VSM_GROUP_CP_ASYNC
										 : VSM_GROUP_BULK,
				&thread_op->group);
	if (!stream->count)
		INIT_LIST_HEAD(&stream->batch);
	list_add_tail(&op->link, &stream->batch);
	if (++stream->count == VSM_OP_BATCH)
		return vsm_stream_flush(stream);
	return 0;
}

/* vsm_group_wait(), and record the wait. */
static noinline int vsm_stream_wait_recording(struct vsm_stream *stream,
					      const struct drm_vsm_insn *insn,
					      enum vsm_group_kind kind, u32 left)
{
	struct vsm_waiter waiter = { .cluster = stream->bo->cluster, .origin = &stream->origin };
	struct drm_vsm_trace_event event __uninitialized;
	int ret;

	if (!vsm_recorder_is_on(stream->origin.recorder))
		return vsm_group_wait(stream->groups, stream->origin.client, kind, left);
	if (vsm_group_are_done(stream->groups, kind, left)) {
		vsm_record_insn(&stream->origin, insn, 0, 0);
		return vsm_group_wait(stream->groups, stream->origin.client, kind, left);
	}
	event = vsm_waiter_event(&waiter);
	event.op = insn->op;
	event.value = left;
	vsm_record_wait(&waiter, &event);
	ret = vsm_group_wait(stream->groups, stream->origin.client, kind, left);
	waiter.cause = READ_ONCE(stream->groups->queues[kind].last);
	vsm_record_wait_end(&waiter, &event, ret == -ERESTARTSYS ? -EINTR : ret);
	return ret;
}

static int vsm_stream_wait(struct vsm_stream *stream, const struct drm_vsm_insn *insn,
			   enum vsm_group_kind kind, u32 left)
{
	int ret = vsm_stream_flush(stream);

	vsm_bo_cache_drop(&stream->cache);
	if (ret)
		return ret;
	if (vsm_is_recording())
		return vsm_stream_wait_recording(stream, insn, kind, left);
	return vsm_group_wait(stream->groups, stream->origin.client, kind, left);
}

/* Commit a group. */
static void vsm_stream_commit(struct vsm_stream *stream, const struct drm_vsm_insn *insn,
			      enum vsm_group_kind kind)
{
	u64 group = vsm_group_commit(stream->groups, kind);
	struct drm_vsm_trace_event event __uninitialized;

	if (!vsm_is_recording() || !vsm_recorder_is_on(stream->origin.recorder))
		return;
	event = vsm_event_of(&stream->origin, DRM_VSM_TRACE_COMMIT);
	event.op = insn->op;
	event.value = group;
	vsm_record(stream->origin.recorder, &event);
}

/**
 * vsm_stream_poll - Execute a wait for groups without waiting
 * @stream: Stream that contains the instruction
 * @insn: Checked wait for groups
 *
 * Return: 1 if the groups are complete, 0 if not; -ENOMEM, -ENOSPC, -EIO or -ENODEV.
 */
int vsm_stream_poll(struct vsm_stream *stream, const struct drm_vsm_insn *insn)
{
	int ret;

	if (READ_ONCE(stream->bo->cluster->lost))
		return -EIO;
	/* The operations must make progress while the thread waits for them. */
	ret = vsm_stream_flush(stream);
	if (ret)
		return ret;
	ret = vsm_stream_get_groups(stream);
	if (ret)
		return ret;
	if (!vsm_group_poll(stream->groups, insn))
		return 0;
	if (vsm_is_recording())
		vsm_record_insn(&stream->origin, insn, 0, 0);
	return 1;
}

/**
 * vsm_stream_issue - Execute an asynchronous operation, or a commit or wait of groups
 * @stream: Stream that contains the instruction
 * @insn: Checked instruction whose results are 0; gets the results
 *
 * Return: 0; -EPROTO; -ENOENT, -ENOSPC, -ENOMEM, -EFAULT, -EIO or -ENODEV; -ERESTARTSYS or -EINTR
 * if a signal came before the instruction was issued; -EBUSY as for vsm_engine_run().
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
		vsm_stream_commit(stream, insn, VSM_GROUP_CP_ASYNC);
		return 0;
	case DRM_VSM_OP_CP_ASYNC_BULK_COMMIT_GROUP:
		vsm_stream_commit(stream, insn, VSM_GROUP_BULK);
		return 0;
	case DRM_VSM_OP_CP_ASYNC_WAIT_ALL:
		/* The same as commit_group and wait_group 0. After a signal both are repeated. */
		vsm_stream_commit(stream, insn, VSM_GROUP_CP_ASYNC);
		return vsm_stream_wait(stream, insn, VSM_GROUP_CP_ASYNC, 0);
	case DRM_VSM_OP_CP_ASYNC_WAIT_GROUP:
		return vsm_stream_wait(stream, insn, VSM_GROUP_CP_ASYNC, insn->u.mbarrier.count);
	default: /* DRM_VSM_OP_CP_ASYNC_BULK_WAIT_GROUP; .read also waits for the whole copy */
		return vsm_stream_wait(stream, insn, VSM_GROUP_BULK, insn->u.mbarrier.count);
	}
}
