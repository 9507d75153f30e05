/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events for udev rules and monitors: a channel was reset, the device is lost.
 */
#ifndef _VSM_UEVENT_H_
#define _VSM_UEVENT_H_

#include <linux/types.h>

struct vsm_device;

/**
 * struct vsm_reset_uevent - A channel was reset
 * @client: Number of the client
 * @pid: Process that opened the client, in the first PID namespace
 * @channel: Number of the channel
 * @group: Number of the group that was reset with the channel, or 0
 * @error: Error of the guilty job, as a negative errno
 * @job: Number of the guilty job in its channel
 * @site: Site of the guilty job
 * @missed: How many resets before this one were not sent
 */
struct vsm_reset_uevent {
	u32 client;
	int pid;
	u32 channel;
	u32 group;
	int error;
	u64 job;
	u32 site;
	u64 missed;
};

int vsm_uevents_init(struct vsm_device *vdev);
void vsm_uevent_reset(struct vsm_device *vdev, const struct vsm_reset_uevent *uevent);
void vsm_uevent_lost(struct vsm_device *vdev);

#endif
