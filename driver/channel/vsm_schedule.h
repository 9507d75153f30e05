/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Operations in flight on a channel.
 */
#ifndef _VSM_SCHEDULE_H_
#define _VSM_SCHEDULE_H_

#include <linux/list.h>
#include <linux/spinlock.h>

struct vsm_op;
struct vsm_work;

/**
 * struct vsm_flight - Operations in flight on a channel
 * @work: The channel's work, which performs them
 * @lock: Protects the rest
 * @ops: The operations, in the order in which they will be performed
 * @free_at: When all operations in flight have passed the channel (CLOCK_MONOTONIC, ns)
 * @launched: Number of operations that have been shuffled
 * @landing: An operation has left @ops and is being performed, or put back
 * @error: The channel has stopped with this error, 0 while it works
 * @drain_deadline: When a channel that stops drops the operations of threads (jiffies)
 */
struct vsm_flight {
	struct vsm_work *work;
	spinlock_t lock; /* the rest */
	struct list_head ops;
	s64 free_at;
	u64 launched;
	bool landing;
	int error;
	unsigned long drain_deadline;
};

void vsm_flight_init(struct vsm_flight *flight, struct vsm_work *work);
int vsm_flight_add(struct vsm_flight *flight, struct list_head *batch);
int vsm_flight_land(struct vsm_flight *flight);
void vsm_flight_recall(struct vsm_flight *flight, struct vsm_op *op, struct list_head *to);
void vsm_flight_reset(struct vsm_flight *flight);
void vsm_flight_stop(struct vsm_flight *flight, int error);
bool vsm_flight_is_idle(struct vsm_flight *flight);

/*
 * Is nothing in flight? An operation that is added meanwhile queues the work afterwards: then the
 * work finds it.
 */
static inline bool vsm_flight_is_empty(struct vsm_flight *flight)
{
	/* list_empty_careful() reads without the lock on purpose. */
	return data_race(list_empty_careful(&flight->ops));
}

#endif
