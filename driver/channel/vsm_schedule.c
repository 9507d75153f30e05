// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operations that have been launched on a channel: in which order, and when, they are performed
 * (struct vsm_model).
 *
 * A cp.async.mbarrier.arrive is performed after all operations that were issued before it, in
 * whatever order those are shuffled. When it is performed, the copies that it waits for are done.
 */
#include <linux/dma-fence.h>
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/list_sort.h>
#include <linux/math64.h>

#include "channel/vsm_schedule.h"
#include "channel/vsm_work.h"
#include "copy/vsm_op_inject.h"
#include "copy/vsm_op_record.h"
#include "copy/vsm_perform.h"
#include "copy/vsm_run.h"
#include "sync/vsm_engine.h"
#include "vsm_drv.h"

/* How long a stopped channel still performs operations of threads. */
#define VSM_DRAIN_TIME	HZ

/* Longer times of the model count as one hour, so that sums of them do not overflow. */
#define VSM_MODEL_MAX_NS	(3600 * (s64)NSEC_PER_SEC)

void vsm_schedule_init(struct vsm_schedule *schedule, struct vsm_work *work)
{
	schedule->work = work;
	spin_lock_init(&schedule->lock);
	INIT_LIST_HEAD(&schedule->ops);
}

static bool vsm_model_is_timed(const struct vsm_model *model)
{
	return READ_ONCE(model->latency_ns) || READ_ONCE(model->bandwidth) ||
	       READ_ONCE(model->load_latency_ns) || READ_ONCE(model->load_bandwidth) ||
	       READ_ONCE(model->load_next_ns) || READ_ONCE(model->store_latency_ns) ||
	       READ_ONCE(model->store_bandwidth) || READ_ONCE(model->remote_latency_ns) ||
	       READ_ONCE(model->local_latency_ns);
}

/* Time in ns that the bytes of an operation take with a bandwidth, 0 for no limit. */
static u64 vsm_transfer_ns(const struct vsm_op *op, u64 bandwidth)
{
	return bandwidth ? min_t(u64, div64_u64((u64)op->tx * NSEC_PER_SEC, bandwidth),
				 VSM_MODEL_MAX_NS) : 0;
}

static bool vsm_op_is_load(const struct vsm_op *op)
{
	return op->moves & VSM_OP_FROM_BUFFER;
}

/* The latency that the way of the bytes adds. */
static u64 vsm_way_latency(const struct vsm_model *model, const struct vsm_op *op)
{
	if (vsm_op_is_load(op))
		return READ_ONCE(model->load_latency_ns);
	if (op->moves & VSM_OP_TO_BUFFER)
		return READ_ONCE(model->store_latency_ns);
	if (!(op->moves & VSM_OP_TO_WINDOW))
		return 0;
	return vsm_addr_rank(op->insn.u.copy.addr) != op->origin.cta
		? READ_ONCE(model->remote_latency_ns) : READ_ONCE(model->local_latency_ns);
}

/*
 * When to perform an operation that is launched now: its bytes follow those of all others. @next
 * says that loads were launched together with it and before it.
 */
static s64 vsm_schedule_due(struct vsm_schedule *schedule, const struct vsm_model *model,
			    const struct vsm_op *op, bool next)
{
	s64 now = ktime_to_ns(ktime_get());
	u64 transfer = vsm_transfer_ns(op, READ_ONCE(model->bandwidth));

	if (vsm_op_is_load(op)) {
		transfer += vsm_transfer_ns(op, READ_ONCE(model->load_bandwidth));
		if (next)
			transfer += min_t(u64, READ_ONCE(model->load_next_ns), VSM_MODEL_MAX_NS);
	} else if (op->moves & VSM_OP_TO_BUFFER) {
		transfer += vsm_transfer_ns(op, READ_ONCE(model->store_bandwidth));
	}
	schedule->free_at = max(schedule->free_at, now) + transfer;
	return schedule->free_at + min_t(u64, READ_ONCE(model->latency_ns), VSM_MODEL_MAX_NS) +
	       min_t(u64, vsm_way_latency(model, op), VSM_MODEL_MAX_NS);
}

/* Set when to perform each operation of a batch. */
static void vsm_schedule_time(struct vsm_schedule *schedule, const struct vsm_model *model,
			      struct list_head *batch)
{
	struct vsm_op *op;
	bool next = false;

	list_for_each_entry(op, batch, link) {
		op->due = vsm_schedule_due(schedule, model, op, next);
		next |= vsm_op_is_load(op);
	}
}

static int vsm_op_compare(void *unused, const struct list_head *a, const struct list_head *b)
{
	return list_entry(a, struct vsm_op, link)->key > list_entry(b, struct vsm_op, link)->key;
}

/*
 * Sort a batch into a random order, which depends on the seed and on the number of operations
 * shuffled before. Operations that were issued before a cp.async.mbarrier.arrive stay before it,
 * and those issued after it stay behind it.
 */
static void vsm_schedule_shuffle(struct vsm_schedule *schedule, struct list_head *batch, u64 seed)
{
	struct vsm_op *op;
	u64 place = 0;

	list_for_each_entry(op, batch, link) {
		bool arrive = op->insn.op == DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE;
		u64 random = hash_64(hash_64(seed, 64) + ++schedule->shuffled, 64);

		/* A batch has at most VSM_OP_BATCH operations, so 24 bits are enough for @place. */
		place += arrive;
		op->key = place << 40 | hash_64(random ^ random >> 29, 40);
		place += arrive;
	}
	list_sort(NULL, batch, vsm_op_compare);
}

/**
 * vsm_schedule_add - Launch operations
 * @schedule: Schedule of the channel
 * @batch: Operations that have begun; empty afterwards, unchanged after an error
 *
 * The caller queues the channel's work afterwards.
 *
 * Return: 0, or -ENODEV if the channel has stopped.
 */
int vsm_schedule_add(struct vsm_schedule *schedule, struct list_head *batch)
{
	const struct vsm_model *model = &schedule->work->vdev->model;
	u64 seed = READ_ONCE(model->shuffle_seed);
	int ret = 0;

	spin_lock(&schedule->lock);
	if (schedule->error) {
		ret = -ENODEV;
	} else {
		if (seed)
			vsm_schedule_shuffle(schedule, batch, seed);
		if (vsm_model_is_timed(model))
			vsm_schedule_time(schedule, model, batch);
		list_splice_tail_init(batch, &schedule->ops);
	}
	spin_unlock(&schedule->lock);
	return ret;
}

static int vsm_schedule_perform_op(const struct vsm_schedule *schedule, struct vsm_op *op)
{
	u32 channel = READ_ONCE(schedule->work->channel);
	bool cookie = dma_fence_begin_signalling();
	int ret;

	if (vsm_is_recording())
		vsm_op_record_begin(op, channel);
	ret = vsm_op_is_injected(op) ? vsm_op_perform_injected(op, channel) : vsm_op_perform(op);
	if (ret == -EBUSY)
		vsm_engine_count_busy(op->cluster, &op->busy);
	if (ret == -EPROTO)
		vsm_fault_record(&op->origin, op->source, &op->insn);
	dma_fence_end_signalling(cookie);
	if (ret == VSM_OP_LATER && op->source == DRM_VSM_SOURCE_JOB)
		vsm_work_stall(schedule->work);
	if (ret == -EBUSY || ret == VSM_OP_LATER)
		return ret;
	op->end(op, ret ?: -op->fails);
	return 0;
}

/*
 * Does a channel that stops drop an operation? Until its drain deadline it still performs the
 * operations of threads, which have @drains set.
 */
static bool vsm_schedule_drops(const struct vsm_schedule *schedule, const struct vsm_op *op)
{
	return !op->drains || READ_ONCE(schedule->work->vdev->lost) ||
	       time_after(jiffies, schedule->drain_deadline);
}

/*
 * Take the first operation off the list, which is due, and those behind it that can be performed
 * together with it: at most VSM_RUN_OPS, and none after they have VSM_CORE_PIECE bytes together.
 * Returns their number.
 */
static u32 vsm_schedule_take(struct vsm_schedule *schedule, struct list_head *run)
{
	struct vsm_op *op, *last = list_first_entry(&schedule->ops, struct vsm_op, link);
	u32 count = 0, bytes = 0;

	lockdep_assert_held(&schedule->lock);
	if (!schedule->error && !vsm_is_recording() && !vsm_op_is_injected(last) &&
	    !READ_ONCE(schedule->work->vdev->model.split_bytes)) {
		list_for_each_entry(op, &schedule->ops, link) {
			if (!vsm_op_can_run(op))
				break;
			last = op;
			bytes += op->size;
			if (++count == VSM_RUN_OPS || bytes >= VSM_CORE_PIECE)
				break;
		}
	}
	list_cut_position(run, &schedule->ops, &last->link);
	schedule->performing = true;
	return max(count, 1U);
}

/*
 * Perform the operations of a run one by one. Afterwards @run has the operations that have not
 * ended, because the first of them has to wait.
 */
static int vsm_schedule_perform_ops(const struct vsm_schedule *schedule, struct list_head *run)
{
	struct vsm_op *op, *next;
	int ret;

	list_for_each_entry_safe(op, next, run, link) {
		list_del(&op->link);
		schedule->work->moved += op->size;
		ret = vsm_schedule_perform_op(schedule, op);
		if (ret) {
			schedule->work->moved -= op->size;
			list_add(&op->link, run);
			return ret;
		}
	}
	return 0;
}

/**
 * vsm_schedule_perform - Perform the next operations, if they are due
 * @schedule: Schedule of the channel, whose work calls this; it has an operation
 *
 * If the channel is stopping, no operation waits until it is due.
 *
 * Return: the number of operations that were taken off the list, 0 if none was due; some of them
 * are in the list again if they have to wait. -EBUSY if others keep writing the word that an
 * operation completes on: the work should end, so that other channels run first.
 */
int vsm_schedule_perform(struct vsm_schedule *schedule)
{
	struct vsm_op *op;
	int error, ret = 0;
	LIST_HEAD(run);
	s64 due = 0;
	u32 count = 0;

	spin_lock(&schedule->lock);
	error = schedule->error;
	op = list_first_entry_or_null(&schedule->ops, struct vsm_op, link);
	if (op && !error && !vsm_op_is_released(op))
		due = op->due;
	if (due && due > ktime_to_ns(ktime_get()))
		op = NULL;
	if (op)
		count = vsm_schedule_take(schedule, &run);
	spin_unlock(&schedule->lock);

	if (!op) {
		vsm_work_queue_at(schedule->work, due);
		return 0;
	}
	if (error && vsm_schedule_drops(schedule, op)) {
		list_del_init(&op->link);
		schedule->work->moved += op->size;
		vsm_op_drop(op);
		op->end(op, -ECANCELED);
	} else {
		if (count > 1)
			schedule->work->moved += vsm_ops_perform_run(&run);
		ret = vsm_schedule_perform_ops(schedule, &run);
	}
	spin_lock(&schedule->lock);
	list_splice(&run, &schedule->ops);
	schedule->performing = false;
	spin_unlock(&schedule->lock);
	return ret < 0 ? ret : count;
}

/* Take a launched operation off the list. Only the channel's work calls this. */
void vsm_schedule_remove(struct vsm_schedule *schedule, struct vsm_op *op, struct list_head *to)
{
	spin_lock(&schedule->lock);
	list_move_tail(&op->link, to);
	spin_unlock(&schedule->lock);
}

/* The operations of a job have been dropped: the time that they would have taken is free again. */
void vsm_schedule_reset(struct vsm_schedule *schedule)
{
	spin_lock(&schedule->lock);
	schedule->free_at = 0;
	spin_unlock(&schedule->lock);
}

/* Stop: from now on nothing can be added, and no operation waits until it is due. */
void vsm_schedule_stop(struct vsm_schedule *schedule, int error)
{
	spin_lock(&schedule->lock);
	if (!schedule->error) {
		schedule->drain_deadline = jiffies + VSM_DRAIN_TIME;
		schedule->error = error;
	}
	spin_unlock(&schedule->lock);
}

bool vsm_schedule_is_idle(struct vsm_schedule *schedule)
{
	bool idle;

	spin_lock(&schedule->lock);
	idle = list_empty(&schedule->ops) && !schedule->performing;
	spin_unlock(&schedule->lock);
	return idle;
}
