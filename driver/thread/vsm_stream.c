// SPDX-License-Identifier: GPL-2.0-only
/*
 * The stream of a call of EXEC, which issues asynchronous operations.
 */
#include <linux/err.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "base/vsm_uaccess.h"
#include "channel/vsm_channel.h"
#include "copy/vsm_op.h"
#include "sync/vsm_engine.h"
#include "sync/vsm_waiter.h"
#include "thread/vsm_thread.h"
#include "vsm_drv.h"

/* --- streams --------------------------------------------------------------------- */

/*
 * The stream of a call of EXEC issues asynchronous operations, and launches them on the client's
 * first channel. Operations on a held cluster are launched when it is released (vsm_thread_ops.c).
 */

/* For how many operations a stream is charged at once. */
#define VSM_OP_RESERVE	32

/* --- memory of operations --------------------------------------------------------- */

static int vsm_stream_charge(struct vsm_client *client, u32 insns, u32 bytes)
{
	int ret = vsm_quota_charge(&client->quota, VSM_RES_INSNS, insns);

	if (ret || !bytes)
		return ret;
	ret = vsm_quota_charge(&client->quota, VSM_RES_BYTES, bytes);
	if (ret)
		vsm_quota_uncharge(&client->quota, VSM_RES_INSNS, insns);
	return ret;
}

/* Give back the memory of operations that the stream has not issued. */
void vsm_stream_release(struct vsm_stream *stream)
{
	struct vsm_client *client = stream->origin.client;
	struct vsm_thread_op *last = stream->spare;
	u32 count = stream->reserved;

	if (!count)
		return;
	while (last->next)
		last = last->next;
	vsm_thread_ops_put(client, stream->spare, last, count);
	vsm_quota_uncharge(&client->quota, VSM_RES_INSNS, count);
	stream->spare = NULL;
	stream->reserved = 0;
	/* Another stream may wait for the charges. The pair is that of vsm_batch_end(). */
	if (wq_has_sleeper(&client->thread_ops->wait))
		wake_up_all(&client->thread_ops->wait);
}

/*
 * The client has reached a limit. That is no error while operations in flight may free their
 * memory: wait until there is enough, or until no operation is left that could end.
 */
static int vsm_stream_wait_for_quota(struct vsm_stream *stream, u32 insns, u32 bytes)
{
	struct vsm_client *client = stream->origin.client;
	struct vsm_thread_ops *ops = client->thread_ops;
	int interrupted, ret;

	ret = vsm_stream_flush(stream);
	if (ret)
		return ret;
	vsm_stream_release(stream);
	vsm_bo_cache_drop(&stream->cache);
	interrupted = wait_event_interruptible(ops->wait,
					       !(ret = vsm_stream_charge(client, insns, bytes)) ||
					       !atomic_read(&ops->active));
	return interrupted ?: ret;
}

/* Charge the client as vsm_stream_charge() does, and wait if that may help. */
static int vsm_stream_charge_or_wait(struct vsm_stream *stream, u32 insns, u32 bytes)
{
	int ret = vsm_stream_charge(stream->origin.client, insns, bytes);

	return likely(!ret) ? 0 : vsm_stream_wait_for_quota(stream, insns, bytes);
}

/* Allocate memory for one operation. */
static int vsm_stream_alloc(struct vsm_stream *stream)
{
	struct vsm_thread_op *thread_op;
	u32 bytes = sizeof(*thread_op);
	int ret;

	ret = vsm_stream_charge_or_wait(stream, 0, bytes);
	if (unlikely(ret))
		return ret;
	thread_op = kmalloc(bytes, GFP_KERNEL_ACCOUNT);
	if (unlikely(!thread_op)) {
		vsm_quota_uncharge(&stream->origin.client->quota, VSM_RES_BYTES, bytes);
		return -ENOMEM;
	}
	thread_op->next = NULL;
	stream->spare = thread_op;
	return 0;
}

/*
 * Reserve memory for the next operations: for no more than &vsm_stream.insns, and for at least one.
 * If the client is too close to its limit to be charged for all of them, reserve memory for one.
 */
static noinline int vsm_stream_reserve(struct vsm_stream *stream)
{
	u32 count, most = clamp(stream->insns, 1U, VSM_OP_RESERVE);
	struct vsm_client *client = stream->origin.client;
	int ret;

	stream->insns -= min(stream->insns, most);
	if (vsm_stream_charge(client, most, 0)) {
		most = 1;
		ret = vsm_stream_charge_or_wait(stream, 1, 0);
		if (ret)
			return ret;
	}
	count = vsm_thread_ops_take(client->thread_ops, most, &stream->spare);
	if (!count) {
		/* This may sleep: keep only what is needed. */
		vsm_quota_uncharge(&client->quota, VSM_RES_INSNS, most - 1);
		most = 1;
		ret = vsm_stream_alloc(stream);
		count = ret ? 0 : 1;
	}
	if (count < most)
		vsm_quota_uncharge(&client->quota, VSM_RES_INSNS, most - count);
	stream->reserved = count;
	return count ? 0 : ret;
}

/* Take memory for an operation. The client is charged for it, and for its extra bytes. */
static struct vsm_thread_op *vsm_stream_take_op(struct vsm_stream *stream,
						const struct drm_vsm_insn *insn)
{
	u32 extra = vsm_op_extra(stream->bo->cluster, insn);
	struct vsm_thread_op *thread_op;
	int ret = 0;

	if (unlikely(extra))
		ret = vsm_stream_charge_or_wait(stream, 0, extra);
	if (unlikely(ret))
		return ERR_PTR(ret);
	if (!stream->reserved)
		ret = vsm_stream_reserve(stream);
	if (unlikely(ret)) {
		vsm_quota_uncharge(&stream->origin.client->quota, VSM_RES_BYTES, extra);
		return ERR_PTR(ret);
	}
	thread_op = stream->spare;
	stream->spare = thread_op->next;
	stream->reserved--;
	vsm_op_clear(&thread_op->op);
	thread_op->op.extra = extra;
	thread_op->group.groups = NULL;
	return thread_op;
}

/* --- batches ---------------------------------------------------------------------- */

/* Begin a batch with its first operation. */
static void vsm_stream_begin_batch(struct vsm_stream *stream, struct vsm_thread_op *first)
{
	struct vsm_batch *batch = &first->own_batch;

	batch->bo = vsm_bo_get(stream->bo);
	vsm_bo_begin_use(stream->bo);
	vsm_cluster_add_waker(stream->bo->cluster);
	batch->buffer = NULL;
	stream->batch = batch;
	INIT_LIST_HEAD(&stream->ops);
}

/* Add an operation that has begun to the batch that the stream is issuing. */
static void vsm_stream_add_op(struct vsm_stream *stream, struct vsm_thread_op *thread_op)
{
	struct vsm_op *op = &thread_op->op;
	struct vsm_batch *batch;

	if (!stream->count++)
		vsm_stream_begin_batch(stream, thread_op);
	else
		stream->batch->last->next = thread_op;
	batch = stream->batch;
	batch->last = thread_op;
	thread_op->batch = batch;
	if (!batch->buffer && op->buffer) {
		/* From now on the reference of the operation is that of the batch. */
		batch->buffer = op->buffer;
		stream->cache.shared = op->buffer;
		op->shares = true;
	}
	list_add_tail(&op->link, &stream->ops);
}

/* The last operation of a batch has ended. */
static void vsm_batch_end(struct vsm_batch *batch, struct vsm_client *client)
{
	struct vsm_thread_op *first = container_of(batch, struct vsm_thread_op, own_batch);
	struct vsm_thread_ops *ops = client->thread_ops;
	u32 count = batch->count;

	vsm_cluster_remove_waker(batch->bo->cluster);
	vsm_bo_end_use(batch->buffer);
	vsm_bo_end_use(batch->bo);
	/* This gives the memory of @batch away. */
	vsm_thread_ops_put(client, first, batch->last, count);
	vsm_quota_uncharge(&client->quota, VSM_RES_INSNS, count);
	atomic_sub(count, &ops->active);
	/* Pairs with the barrier in wait_event(), after which a waiter looks at the condition. */
	if (wq_has_sleeper(&ops->wait))
		wake_up_all(&ops->wait);
}

static void vsm_thread_op_end(struct vsm_op *op, int error)
{
	struct vsm_thread_op *thread_op = container_of(op, struct vsm_thread_op, op);
	struct vsm_batch *batch = thread_op->batch;

	if (vsm_is_recording())
		vsm_op_record_end(op, error);
	if (thread_op->group.groups)
		vsm_group_end(&thread_op->group, op->origin.copy);
	vsm_op_unprepare(op);
	/*
	 * This is fully ordered: what ends the batch comes after the end of each operation. Two
	 * tasks end operations of a batch at the same time only if the client closes.
	 */
	if (atomic_dec_and_test(&batch->active))
		vsm_batch_end(batch, op->origin.client);
}

/* --- issue ------------------------------------------------------------------------ */

/* Launch the operations that a stream has issued. Returns 0, or -ENODEV if the device goes. */
int vsm_stream_flush(struct vsm_stream *stream)
{
	struct vsm_client *client = stream->origin.client;
	struct vsm_op *op, *next;
	int ret;

	if (!stream->count)
		return 0;
	stream->batch->count = stream->count;
	atomic_set(&stream->batch->active, stream->count);
	atomic_add(stream->count, &client->thread_ops->active);
	stream->cache.shared = NULL;
	stream->count = 0;
	ret = vsm_held_keep(client, stream->bo->cluster, &stream->ops);
	if (!ret && !list_empty(&stream->ops))
		ret = vsm_channel_launch(client->channels->first, &stream->ops);
	if (!ret)
		return 0;
	list_for_each_entry_safe(op, next, &stream->ops, link) {
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
	struct vsm_thread_op *thread_op = vsm_stream_take_op(stream, insn);
	struct vsm_op *op = &thread_op->op;
	int ret;

	if (IS_ERR(thread_op))
		return PTR_ERR(thread_op);
	op->end = vsm_thread_op_end;
	op->cluster = stream->bo->cluster;
	op->origin = stream->origin;
	op->issue_source = DRM_VSM_SOURCE_EXEC;
	op->source = DRM_VSM_SOURCE_ASYNC;
	op->drains = true;
	op->insn = *insn;

	ret = vsm_stream_begin_op(stream, op);
	insn->result = op->insn.result;
	insn->fault = op->insn.fault;
	insn->info = op->insn.info;
	if (unlikely(ret)) {
		vsm_op_unprepare(op);
		thread_op->next = stream->spare;
		stream->spare = thread_op;
		stream->reserved++;
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
	vsm_stream_add_op(stream, thread_op);
	if (stream->count == VSM_OP_BATCH)
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

	vsm_stream_release(stream);
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

/*
 * Execute a wait for groups without waiting. Returns 1 if the groups are complete, 0 if not;
 * -ENOMEM, -ENOSPC, -EIO or -ENODEV.
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

/* Execute a commit or wait of groups. */
static noinline int vsm_stream_group(struct vsm_stream *stream, const struct drm_vsm_insn *insn)
{
	int ret = vsm_stream_get_groups(stream);

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

/*
 * Execute an asynchronous operation, or a commit or wait of groups.
 * @insn: Checked instruction. Its results are 0 before the call; they are set
 *
 * Returns 0; -EPROTO; -ENOENT, -ENOSPC, -ENOMEM, -EFAULT, -EIO or -ENODEV; -ERESTARTSYS or -EINTR
 * if a signal came before the instruction was issued; -EBUSY as for vsm_engine_run().
 */
int vsm_stream_issue(struct vsm_stream *stream, struct drm_vsm_insn *insn)
{
	if (READ_ONCE(stream->bo->cluster->lost))
		return -EIO;
	return vsm_insn_is_group(insn) ? vsm_stream_group(stream, insn)
				       : vsm_stream_issue_op(stream, insn);
}

/* --- refused instructions -------------------------------------------------------- */

/*
 * Perform an mbarrier operation that breaks rules which are only reported.
 * @insn: The instruction; gets its results
 *
 * Returns 0, or a negative error code if the operation also breaks an enforced rule.
 */
int vsm_exec_report(struct vsm_stream *stream, const struct drm_vsm_exec *args,
		    struct drm_vsm_insn *insn)
{
	struct vsm_report operands = {}, report = {};
	int ret;

	/*
	 * A rule that an operand breaks is reported once. It is not reported again when a try_wait
	 * is repeated after a signal.
	 */
	if (insn->fault && (insn->op != DRM_VSM_OP_MBARRIER_TRY_WAIT || !args->deadline))
		operands.rules = DRM_VSM_RULE(insn->fault);
	insn->fault = DRM_VSM_FAULT_NONE;
	ret = vsm_engine_run_reporting(stream->bo->cluster, insn, &stream->origin, &report);
	/*
	 * Nothing was done, and the caller executes the instruction once more. Nothing is reported
	 * in this case: otherwise a broken rule would be reported twice.
	 */
	if (ret == -EBUSY)
		return ret;
	/* An operand that makes the operation trap is named by the refusal. */
	if (ret == -EPROTO)
		operands.rules &= ~DRM_VSM_RULE(insn->fault);
	vsm_fault_report(&stream->origin, DRM_VSM_SOURCE_EXEC, insn, &operands);
	vsm_fault_report(&stream->origin, DRM_VSM_SOURCE_EXEC, insn, &report);
	return ret;
}

/*
 * Record the fault of an instruction, and return the instruction to user space.
 * @args: Arguments of EXEC; the instruction is the one at @retired
 *
 * Returns -EPROTO, or -EFAULT if the fault cannot be stored.
 */
int vsm_exec_refuse(struct vsm_stream *stream, const struct drm_vsm_exec *args,
		    const struct drm_vsm_insn *insn)
{
	u64 uptr = args->insns + (u64)args->retired * args->stride;

	vsm_cluster_refuse(stream->bo->cluster, &stream->origin, DRM_VSM_SOURCE_EXEC, insn);
	return vsm_insn_store(uptr, insn) ? -EFAULT : -EPROTO;
}

/*
 * Let other tasks run before an instruction tries again to change its word.
 * @args: Arguments of EXEC; the instruction is the one at @retired
 * @busy: Counts how often an instruction has failed so in a row; zeros before the first call
 *
 * Returns 0, or -EINTR if a fatal signal came.
 */
int vsm_exec_give_way(struct vsm_cluster *cluster, const struct drm_vsm_exec *args,
		      struct vsm_exec_busy *busy)
{
	if (busy->at != args->retired)
		*busy = (struct vsm_exec_busy) { .at = args->retired };
	vsm_engine_count_busy(cluster, &busy->count);
	if (vsm_is_killed())
		return -EINTR;
	cond_resched();
	return 0;
}
