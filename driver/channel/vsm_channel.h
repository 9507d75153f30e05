/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Copy channels: each performs operations and runs jobs.
 */
#ifndef _VSM_CHANNEL_H_
#define _VSM_CHANNEL_H_

#include <linux/kref.h>
#include <linux/xarray.h>

#include "channel/vsm_job.h"
#include "channel/vsm_schedule.h"
#include "channel/vsm_work.h"

struct drm_device;
struct drm_file;

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
