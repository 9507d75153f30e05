// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operations in flight on a channel: in which order and when they are performed (struct
 * vsm_model).
 *
 * A cp.async.mbarrier.arrive is performed behind all operations that were issued before it, however
 * the others are shuffled. An arrive therefore needs to know nothing of the copies before it.
 */
#include <linux/dma-fence.h>
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/list_sort.h>
#include <linux/math64.h>

#include "channel/vsm_schedule.h"
#include "channel/vsm_work.h"
#include "copy/vsm_op.h"
#include "copy/vsm_perform.h"
#include "sync/vsm_engine.h"
#include "vsm_drv.h"

/* How long operations of threads may still be performed after their client has closed. */
#define VSM_DRAIN_TIME	HZ

/* A model under which nothing is performed within an hour is as good as one that never performs. */
#define VSM_MODEL_MAX_NS	(3600 * (s64)NSEC_PER_SEC)

void vsm_flight_init(struct vsm_flight *flight, struct vsm_work *work)
{
	flight->work = work;
	spin_lock_init(&flight->lock);
	INIT_LIST_HEAD(&flight->ops);
}

static bool vsm_model_is_timed(const struct vsm_model *model)
{
	return READ_ONCE(model->latency_ns) || READ_ONCE(model->bandwidth);
}

/* When to perform an operation that is launched now, behind all in flight. */
static s64 vsm_flight_due(struct vsm_flight *flight, const struct vsm_model *model,
			  const struct vsm_op *op)
{
	u64 bandwidth = READ_ONCE(model->bandwidth);
	u64 latency = READ_ONCE(model->latency_ns);
	s64 now = ktime_to_ns(ktime_get());
	u64 transfer = 0;

	if (bandwidth)
		transfer = div64_u64((u64)op->tx * NSEC_PER_SEC, bandwidth);
	flight->free_at = max(flight->free_at, now) + min_t(u64, transfer, VSM_MODEL_MAX_NS);
	return flight->free_at + min_t(u64, latency, VSM_MODEL_MAX_NS);
}

static int vsm_op_compare(void *unused, const struct list_head *a, const struct list_head *b)
{
	return list_entry(a, struct vsm_op, link)->key > list_entry(b, struct vsm_op, link)->key;
}

/*
 * A random order, given by the seed and by how many operations there have been. Operations that a
 * cp.async.mbarrier.arrive waits for stay before it.
 */
static void vsm_flight_shuffle(struct vsm_flight *flight, struct list_head *batch, u64 seed)
{
	struct vsm_op *op;
	u64 place = 0;

	list_for_each_entry(op, batch, link) {
		bool arrive = op->insn.op == DRM_VSM_OP_CP_ASYNC_MBARRIER_ARRIVE;
		u64 random = hash_64(hash_64(seed, 64) + ++flight->launched, 64);

		/* At most 2^18 operations are in flight. */
		place += arrive;
		op->key = place << 40 | hash_64(random ^ random >> 29, 40);
		place += arrive;
	}
	list_sort(NULL, batch, vsm_op_compare);
}

/**
 * vsm_flight_add - Put operations in flight
 * @flight: The channel's
 * @batch: Operations that have begun; left as it is on an error
 *
 * The caller queues the work.
 *
 * Return: 0, or -ENODEV if the channel has stopped.
 */
int vsm_flight_add(struct vsm_flight *flight, struct list_head *batch)
{
	const struct vsm_model *model = &flight->work->vdev->model;
	u64 seed = READ_ONCE(model->shuffle_seed);
	struct vsm_op *op;
	int ret = 0;

	spin_lock(&flight->lock);
	if (flight->error) {
		ret = -ENODEV;
	} else {
		if (seed)
			vsm_flight_shuffle(flight, batch, seed);
		if (vsm_model_is_timed(model))
			list_for_each_entry(op, batch, link)
				op->due = vsm_flight_due(flight, model, op);
		list_splice_tail_init(batch, &flight->ops);
	}
	spin_unlock(&flight->lock);
	return ret;
}

static int vsm_flight_perform(struct vsm_op *op)
{
	bool cookie = dma_fence_begin_signalling();
	int ret;

	ret = vsm_op_perform(op);
	if (ret == -EBUSY)
		vsm_engine_count_busy(op->cluster, &op->busy);
	if (ret == -EPROTO)
		vsm_fault_record(&op->origin, op->source, &op->insn);
	dma_fence_end_signalling(cookie);
	if (ret == -EBUSY)
		return ret;
	op->end(op, ret);
	return 0;
}

/* A channel that stops performs what drains, until its drain deadline. It drops the rest. */
static bool vsm_flight_drops(const struct vsm_flight *flight, const struct vsm_op *op)
{
	return !op->drains || READ_ONCE(flight->work->vdev->lost) ||
	       time_after(jiffies, flight->drain_deadline);
}

/**
 * vsm_flight_land - Perform the next operation, if it is due
 * @flight: The channel's, whose work calls this
 *
 * A channel that stops does not wait until an operation is due.
 *
 * Return: 1 if an operation has ended, 0 if there was none; -EBUSY if other channels should go
 * first.
 */
int vsm_flight_land(struct vsm_flight *flight)
{
	struct vsm_op *op;
	int error, ret;
	s64 due = 0;

	spin_lock(&flight->lock);
	error = flight->error;
	op = list_first_entry_or_null(&flight->ops, struct vsm_op, link);
	if (op && !error)
		due = op->due;
	if (due && due > ktime_to_ns(ktime_get()))
		op = NULL;
	if (op) {
		list_del(&op->link);
		flight->landing = true;
	}
	spin_unlock(&flight->lock);

	if (!op) {
		vsm_work_queue_at(flight->work, due);
		return 0;
	}
	flight->work->moved += op->size;
	if (error && vsm_flight_drops(flight, op)) {
		vsm_op_drop(op);
		op->end(op, -ECANCELED);
		ret = 0;
	} else {
		ret = vsm_flight_perform(op);
	}
	spin_lock(&flight->lock);
	if (ret)
		list_add(&op->link, &flight->ops);
	flight->landing = false;
	spin_unlock(&flight->lock);
	return ret ? ret : 1;
}

/* Take an operation back that is in flight. The channel's work calls this. */
void vsm_flight_recall(struct vsm_flight *flight, struct vsm_op *op, struct list_head *to)
{
	spin_lock(&flight->lock);
	list_move_tail(&op->link, to);
	spin_unlock(&flight->lock);
}

/* The channel was reset: the time that operations would have taken is free again. */
void vsm_flight_reset(struct vsm_flight *flight)
{
	spin_lock(&flight->lock);
	flight->free_at = 0;
	spin_unlock(&flight->lock);
}

/* The channel stops with an error. */
void vsm_flight_stop(struct vsm_flight *flight, int error)
{
	spin_lock(&flight->lock);
	if (!flight->error) {
		flight->drain_deadline = jiffies + VSM_DRAIN_TIME;
		flight->error = error;
	}
	spin_unlock(&flight->lock);
}

bool vsm_flight_is_idle(struct vsm_flight *flight)
{
	bool idle;

	spin_lock(&flight->lock);
	idle = list_empty(&flight->ops) && !flight->landing;
	spin_unlock(&flight->lock);
	return idle;
}
