/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A client: what an open DRM file is to the driver.
 */
#ifndef _VSM_CLIENT_H_
#define _VSM_CLIENT_H_

#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/uidgid.h>
#include <linux/wait.h>
#include <linux/xarray.h>

#include <drm/drm_file.h>

#include "base/vsm_quota.h"
#include "base/vsm_rules.h"
#include "base/vsm_wake.h"

struct user_namespace;
struct vsm_bo;
struct vsm_channels;
struct vsm_device;
struct vsm_thread_ops;

/**
 * struct vsm_client - An open DRM file
 * @ref: References: one of the file, one of each object, job and wait that is charged to @quota,
 *	and one of @fault_wake while it is queued
 * @number: Number of the client, from 1; unique among the clients of the device that exist
 * @pid: Process that opened the file
 * @comm: Name of this process when it opened the file
 * @uid: Real user of this process then
 * @user_ns: User namespace in which it was then, with a reference
 * @vdev: Device. The client has no reference on it; each owner of a reference on the client keeps
 *	the device alive
 * @quota: What the client uses and may use
 * @link: In &vsm_device.clients
 * @channels: Copy channels of the client (vsm_channel.h), NULL once the file has been closed
 * @thread_ops: Asynchronous operations of the client's threads (vsm_thread_ops.h), NULL once the
 *	file has been closed
 * @file: File that gets the fault events, NULL once it is being closed; protected by
 *	&drm_device.event_lock
 * @lost_events: Number of events that have been lost since the last one that was queued; protected
 *	by &drm_device.event_lock
 * @readers: Tasks that wait for fault events
 * @fault_wake: Wakes @readers; protected by &drm_device.event_lock
 * @holds: The &struct vsm_job_hold that exist, by number (vsm_job_hold.c)
 * @read_mutex: Held while a reader takes events
 * @faults: Number of broken rules that were recorded or reported
 * @rules: Rules of injection of the client
 * @injects: Mask of BIT(where) for which the client or the device has rules; written under
 *	&vsm_device.clients_lock
 */
struct vsm_client {
	struct kref ref;
	u32 number;
	struct pid *pid;
	char comm[TASK_COMM_LEN];
	kuid_t uid;
	struct user_namespace *user_ns;
	struct vsm_device *vdev;
	struct vsm_quota quota;
	struct list_head link;
	struct vsm_channels *channels;
	struct vsm_thread_ops *thread_ops;
	struct drm_file *file;
	u32 lost_events;
	wait_queue_head_t readers;
	struct vsm_wake fault_wake;
	struct xarray holds;
	struct mutex read_mutex; /* taking events */
	atomic64_t faults;
	struct vsm_rules rules;
	u32 injects;
};

void vsm_clients_init(struct vsm_device *vdev);
struct vsm_client *vsm_client_create(struct vsm_device *vdev, struct drm_file *file);
void vsm_client_set_open(struct vsm_client *client, bool open);
struct vsm_client *vsm_client_next_open(struct vsm_device *vdev, u32 *number);
struct vsm_client *vsm_client_get(struct vsm_client *client);
void vsm_client_put(struct vsm_client *client);

/*
 * The process that has opened the client, in the caller's PID namespace. 0 if it is not there, or
 * if it has ended: its number may be that of another process by now.
 */
static inline pid_t vsm_client_pid(const struct vsm_client *client)
{
	return pid_has_task(client->pid, PIDTYPE_TGID) ? pid_vnr(client->pid) : 0;
}

/* The same in the first PID namespace, for what root reads. */
static inline pid_t vsm_client_global_pid(const struct vsm_client *client)
{
	return pid_has_task(client->pid, PIDTYPE_TGID) ? pid_nr(client->pid) : 0;
}

#endif
