/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Deadlines of armed waits.
 */
#ifndef _VSM_DEADLINE_H_
#define _VSM_DEADLINE_H_

#include <linux/timerqueue.h>

#include "base/vsm_wake.h"

struct vsm_deadlines;
struct vsm_device;

/**
 * struct vsm_deadline - A time at which a wait expires
 * @node: In &struct vsm_deadlines, with the time (CLOCK_MONOTONIC)
 * @queue: The queue, which vsm_deadline_init() chooses
 * @expire: Called once when the time has come. The caller holds the queue's lock, which
 *	vsm_deadline_stop() takes too
 */
struct vsm_deadline {
	struct timerqueue_node node;
	struct vsm_deadlines *queue;
	void (*expire)(struct vsm_deadline *deadline, struct vsm_wakes *wakes);
};

int vsm_deadlines_init(struct vsm_device *vdev);
void vsm_deadline_init(struct vsm_device *vdev, struct vsm_deadline *deadline,
		       void (*expire)(struct vsm_deadline *deadline, struct vsm_wakes *wakes));
void vsm_deadline_start(struct vsm_deadline *deadline, s64 time);
void vsm_deadline_stop(struct vsm_deadline *deadline);

#endif
