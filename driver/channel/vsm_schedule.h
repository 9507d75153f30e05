/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Operations that have been launched on a channel: in which order, and when, they are performed.
 */
#ifndef _VSM_SCHEDULE_H_
#define _VSM_SCHEDULE_H_

#include <linux/list.h>
#include <linux/spinlock.h>

struct vsm_op;
struct vsm_work;

/**
 * struct vsm_schedule - Operations that have been launched on a channel and have not ended
 * @work: The channel's work, which performs them
 * @lock: Protects the fields below
 * @ops: The operations, in the order in which they will be performed
 * @free_at: When the bytes of all launched operations have passed the channel (CLOCK_MONOTONIC,
 *	ns)
 * @shuffled: Number of operations that have been shuffled
 * @performing: The work has taken an operation from @ops and is performing it
 * @error: The channel has stopped with this error, 0 while it works
 * @drain_deadline: When a channel that stops begins to drop the operations of threads too (jiffies)
 */
struct vsm_schedule {
	struct vsm_work *work;
	spinlock_t lock; /* all fields below */
	struct list_head ops;
	s64 free_at;
	u64 shuffled;
	bool performing;
	int error;
	unsigned long drain_deadline;
};

void vsm_schedule_init(struct vsm_schedule *schedule, struct vsm_work *work);
int vsm_schedule_add(struct vsm_schedule *schedule, struct list_head *batch);
int vsm_schedule_perform(struct vsm_schedule *schedule);
void vsm_schedule_remove(struct vsm_schedule *schedule, struct vsm_op *op, struct list_head *to);
void vsm_schedule_reset(struct vsm_schedule *schedule);
void vsm_schedule_stop(struct vsm_schedule *schedule, int error);
bool vsm_schedule_is_idle(struct vsm_schedule *schedule);

/*
 * Is no operation left to perform? A task that adds one at the same time queues the work
 * afterwards, and the work then finds the operation.
 */
static inline bool vsm_schedule_is_empty(struct vsm_schedule *schedule)
{
	/* The race is harmless: list_empty_careful() may be called without the lock. */
	return data_race(list_empty_careful(&schedule->ops));
}

#endif
