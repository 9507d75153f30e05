/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Channels: each has a work, which performs operations and runs jobs.
 */
#ifndef _VSM_CHANNEL_H_
#define _VSM_CHANNEL_H_

#include <linux/atomic.h>
#include <linux/hrtimer.h>
#include <linux/kcov.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "channel/vsm_job.h"
#include "core/vsm_core.h"

struct drm_file;

/* --- the work -------------------------------------------------------------------- */

/* The work looks at the time after this many steps. */
#define VSM_CHANNEL_STEPS	64

/**
 * struct vsm_work - The work of a channel
 * @kcov: Handle of the task that created the channel; the code that @base runs counts as covered by
 *	this task
 * @vdev: Device
 * @channel: Number of the channel among those of the client
 * @base: The work for the workqueue
 * @timer: Queues @base at a time
 * @queued: Time at which the work was queued, for the first time since it last began to run
 *	(CLOCK_MONOTONIC, ns); 0 if it was not queued, or if no time limit was running then
 * @timed: A time limit is running
 * @left: Time that is left of the time limit (ns)
 * @busy_lock: Protects @looked, @busy and @busy_until, which only the work changes: it reads them
 *	without the lock
 * @looked: When the work last looked at the time (CLOCK_MONOTONIC, ns)
 * @busy: Time before @looked in which the channel was busy (ns)
 * @busy_until: From @looked until this time the channel is busy (CLOCK_MONOTONIC, ns)
 * @due: When the next operation is due (CLOCK_MONOTONIC, ns); 0 if none waits for its time
 * @moved: Bytes that the work has moved since @looked
 * @moved_before: Bytes that the work moved before; only the work changes this
 * @idle: The work had nothing left to do when it last ended
 * @priority: Priority of the channel, from 0 to VSM_PRIORITIES - 1; constant
 * @ready: The channel counts in &vsm_priorities.ready
 * @stopping: The channel is being stopped, and does not give way any more
 * @waiting: In &vsm_priorities.waiting while the work gives way to others; protected by
 *	&vsm_priorities.lock
 *
 * Only the work itself uses @left, @due, @moved, @idle and @ready, and only the work changes
 * @timed.
 */
struct vsm_work {
	typeof(kcov_common_handle()) kcov; /* a u64, in newer kernels a struct */
	struct vsm_device *vdev;
	u32 channel;
	struct work_struct base;
	struct hrtimer timer;
	atomic64_t queued;
	bool timed;
	s64 left;
	spinlock_t busy_lock; /* looked, busy, busy_until */
	s64 looked;
	s64 busy;
	s64 busy_until;
	s64 due;
	u64 moved;
	u64 moved_before;
	bool idle;
	unsigned int priority;
	bool ready;
	bool stopping;
	struct list_head waiting;
};

void vsm_work_queue(struct vsm_work *work);
void vsm_work_queue_at(struct vsm_work *work, s64 due);
bool vsm_work_has_time(struct vsm_work *work, s64 start);
void vsm_work_set_limit(struct vsm_work *work, s64 limit);

/* Bytes that the channel has moved when its work last looked at the time. */
static inline u64 vsm_work_moved(const struct vsm_work *work)
{
	return READ_ONCE(work->moved_before);
}

/* Is the time limit over? */
static inline bool vsm_work_is_late(const struct vsm_work *work)
{
	return work->timed && work->left <= 0;
}

/*
 * May the work continue?
 * @start: When the work began (CLOCK_MONOTONIC, ns)
 * @steps: Steps that the work has done since it last looked at the time; set to 0 if it looks now
 *
 * Returns false if its slice of time is over.
 */
static inline bool vsm_work_goes_on(struct vsm_work *work, s64 start, unsigned int *steps)
{
	if (*steps < VSM_CHANNEL_STEPS && work->moved < VSM_CORE_PIECE)
		return true;
	*steps = 0;
	return vsm_work_has_time(work, start);
}

/* --- operations ------------------------------------------------------------------ */

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

int vsm_schedule_add(struct vsm_schedule *schedule, struct list_head *batch);
void vsm_schedule_remove(struct vsm_schedule *schedule, struct vsm_op *op, struct list_head *to);
void vsm_schedule_reset(struct vsm_schedule *schedule);

/*
 * Is no operation left to perform? A task that adds one at the same time queues the work
 * afterwards, and the work then finds the operation.
 */
static inline bool vsm_schedule_is_empty(struct vsm_schedule *schedule)
{
	/* The race is harmless: list_empty_careful() may be called without the lock. */
	return data_race(list_empty_careful(&schedule->ops));
}

/* --- priorities ------------------------------------------------------------------ */

void vsm_priorities_init(struct vsm_device *vdev);

/* --- channels -------------------------------------------------------------------- */

#define VSM_MAX_CHANNELS 16

/**
 * struct vsm_channel - A copy channel: performs operations, and runs jobs one at a time
 * @ref: References: one of the client's table, and one of each caller that submits
 * @work: The work that does all this
 * @schedule: Operations that have been launched
 * @jobs: Jobs that have been submitted
 */
struct vsm_channel {
	struct kref ref;
	struct vsm_work work;
	struct vsm_schedule schedule;
	struct vsm_jobs jobs;
};

/**
 * struct vsm_channels - Channels of a client
 * @first: Channel 0, which also performs the operations of the client's threads
 * @others: The other channels, by number
 * @past_busy: For how long channels that have been destroyed were busy (ns)
 * @past_moved: Bytes that these channels moved
 *
 * The lock of @others protects @past_busy and @past_moved.
 */
struct vsm_channels {
	struct vsm_channel *first;
	struct xarray others;
	u64 past_busy;
	u64 past_moved;
};

/**
 * struct vsm_channels_usage - What the copy engine has done for a client
 * @busy: For how long its channels have been busy, all together (ns); never decreases
 * @moved: Bytes that they have moved
 * @exist: Mask of the channels
 * @channel_moved: Bytes that each of these channels has moved
 */
struct vsm_channels_usage {
	u64 busy;
	u64 moved;
	u32 exist;
	u64 channel_moved[VSM_MAX_CHANNELS];
};

int vsm_channels_create(struct vsm_client *client);
void vsm_channels_queue(struct vsm_client *client);
void vsm_channels_stop(struct vsm_client *client, int error);
void vsm_channels_free(struct vsm_client *client);
struct vsm_channel *vsm_channel_find(struct vsm_client *client, u32 id);
void vsm_channel_put(struct vsm_channel *channel);
void vsm_channels_get_usage(struct vsm_client *client, struct vsm_channels_usage *usage);
int vsm_channel_launch(struct vsm_channel *channel, struct list_head *batch);
int vsm_channel_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int vsm_channel_destroy_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int vsm_channel_status_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

#endif
