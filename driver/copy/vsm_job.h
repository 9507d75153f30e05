/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A job between the ioctl that makes it (vsm_job.c) and the channel that runs
 * it (vsm_channel.c).
 */
#ifndef _VSM_JOB_H_
#define _VSM_JOB_H_

#include "copy/vsm_op.h"

/**
 * struct vsm_in_fence - An in-fence of a job
 * @cb: On @fence
 * @fence: The fence, held
 * @job: The job
 */
struct vsm_in_fence {
	struct dma_fence_cb cb;
	struct dma_fence *fence;
	struct vsm_job *job;
};

/**
 * struct vsm_job - A stream of instructions on a copy channel
 * @link: In &vsm_channel.jobs
 * @channel: The channel
 * @client: Who is charged for the job
 * @bo: Cluster, held
 * @handle: Its handle
 * @cta: Rank of the CTA that the instructions belong to
 * @thread: Thread in it
 * @charged: Instructions that the client is charged for, and that @ops has room for
 * @count: Instructions
 * @ops: The instructions, checked; those that are asynchronous prepared
 * @next: The first that has not been issued
 * @batch: Operations that have begun and not been launched
 * @batched: How many
 * @pending: Operations that are in flight
 * @left: Time that it may still take (ns), if @timed
 * @timed: It runs, and for a limited time
 * @error: What it ends with
 * @in_count: In-fences
 * @in_size: How many there is room for
 * @in: The in-fences
 * @in_next: The first in-fence that has not been looked at
 * @waiting: The in-fence before it has not signalled
 * @fence: Signals when the job has ended
 *
 * From @next on to @error it is the channel's work's, once it has been submitted; @error is
 * protected by &vsm_channel.lock before it runs. The work changes @in_next, and sets @waiting; the
 * in-fence clears it.
 */
struct vsm_job {
	struct list_head link;
	struct vsm_channel *channel;
	struct vsm_client *client;
	struct vsm_bo *bo;
	u32 handle;
	u16 cta;
	u16 thread;
	u32 charged;
	u32 count;
	struct vsm_op *ops;
	u32 next;
	struct list_head batch;
	u32 batched;
	u32 pending;
	s64 left;
	bool timed;
	int error;
	u32 in_count;
	u32 in_size;
	struct vsm_in_fence *in;
	u32 in_next;
	bool waiting;
	struct dma_fence *fence;
};

/* vsm_job.c */
void vsm_job_free(struct vsm_job *job);

/* vsm_channel.c */
int vsm_channel_submit(struct vsm_channel *channel, struct vsm_job *job);

#endif
