/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A client: what an open DRM file is to the driver.
 */
#ifndef _VSM_CLIENT_H_
#define _VSM_CLIENT_H_

#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/wait.h>

#include <drm/drm_file.h>

#include "base/vsm_quota.h"
#include "base/vsm_wake.h"

struct vsm_bo;
struct vsm_channels;
struct vsm_device;
struct vsm_thread_ops;

#define VSM_RECENT 8

/**
 * struct vsm_recent - A cluster that was created not long ago
 * @bo: The cluster, without a reference: closing the handle clears this entry first
 * @handle: Its handle
 */
struct vsm_recent {
	struct vsm_bo *bo;
	u32 handle;
};

/**
 * struct vsm_client - An open DRM file
 * @ref: Held by the file, by objects, jobs and waits that are charged to @quota, and by
 *	@fault_wake while it is queued
 * @vdev: Device; valid while the holder of a reference keeps the device
 * @quota: What the client may use
 * @link: In &vsm_device.clients
 * @channels: Its copy channels (vsm_channel.h), NULL once the file has been closed
 * @thread_ops: Asynchronous operations of its threads (vsm_thread_ops.h), NULL once the file has
 *	been closed
 * @file: Gets its fault events, NULL once the file is being closed; protected by
 *	&drm_device.event_lock
 * @lost_events: Events that did not fit since the last one that did; protected likewise
 * @readers: Tasks that wait for fault events
 * @fault_wake: Wakes @readers; protected by &drm_device.event_lock
 * @read_mutex: Held while events are taken away
 * @recent: By handle, modulo; protected by &drm_file.table_lock
 */
struct vsm_client {
	struct kref ref;
	struct vsm_device *vdev;
	struct vsm_quota quota;
	struct list_head link;
	struct vsm_channels *channels;
	struct vsm_thread_ops *thread_ops;
	struct drm_file *file;
	u32 lost_events;
	wait_queue_head_t readers;
	struct vsm_wake fault_wake;
	struct mutex read_mutex; /* taking events */
	struct vsm_recent recent[VSM_RECENT];
};

struct vsm_client *vsm_client_create(struct vsm_device *vdev, struct drm_file *file);
struct vsm_client *vsm_client_get(struct vsm_client *client);
void vsm_client_put(struct vsm_client *client);

#endif
