// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events for udev rules and monitors. They are uevents of the device's primary node.
 *
 * Sending a uevent allocates memory and may sleep. The work of a channel must do neither, because
 * fences signal there. It only puts a uevent into a list, from which a work of the system sends it.
 *
 * Any program can make its own jobs fail, and each uevent wakes all who listen. So a device sends
 * at most VSM_UEVENTS in a second. It counts the others, and the next event says how many.
 */
#include <linux/kobject.h>
#include <linux/ratelimit.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include <drm/drm_device.h>
#include <drm/drm_file.h>
#include <drm/drm_managed.h>

#include "base/vsm_uevent.h"
#include "vsm_compat.h"
#include "vsm_drv.h"

/* The most uevents in a second */
#define VSM_UEVENTS	10

/**
 * struct vsm_uevents - Uevents of a device that have not been sent
 * @vdev: Device
 * @work: Sends what is in @list
 * @lock: Protects the other fields
 * @list: Uevents that @work has not taken yet
 * @count: Number of uevents in @list
 * @limit: Limits the uevents of a second
 * @missed: Number of uevents that were left out since the last one that was not
 * @closed: The device is being lost: no more uevents
 */
struct vsm_uevents {
	struct vsm_device *vdev;
	struct work_struct work;
	spinlock_t lock; /* all below */
	struct vsm_reset_uevent list[VSM_UEVENTS];
	u32 count;
	struct ratelimit_state limit;
	u64 missed;
	bool closed;
};

static void vsm_uevent_send(struct vsm_device *vdev, const struct vsm_reset_uevent *uevent)
{
	char text[8][32];
	char *env[10] = {
		"RESET=channel", text[0], text[1], text[2], text[3], text[4], text[5], text[6],
		text[7],
	};

	snprintf(text[0], sizeof(text[0]), "CLIENT=%u", uevent->client);
	snprintf(text[1], sizeof(text[1]), "PID=%d", uevent->pid);
	snprintf(text[2], sizeof(text[2]), "CHANNEL=%u", uevent->channel);
	snprintf(text[3], sizeof(text[3]), "ERROR=%d", uevent->error);
	snprintf(text[4], sizeof(text[4]), "JOB=%llu", uevent->job);
	snprintf(text[5], sizeof(text[5]), "SITE=%u", uevent->site);
	snprintf(text[6], sizeof(text[6]), "MISSED=%llu", uevent->missed);
	snprintf(text[7], sizeof(text[7]), "GROUP=%u", uevent->group);
	/* An event that cannot be sent is lost, as any uevent. */
	kobject_uevent_env(&vdev->drm.primary->kdev->kobj, KOBJ_CHANGE, env);
}

static void vsm_uevents_send(struct work_struct *work)
{
	struct vsm_uevents *uevents = container_of(work, struct vsm_uevents, work);
	struct vsm_reset_uevent list[VSM_UEVENTS];
	u32 i, count;

	spin_lock(&uevents->lock);
	count = uevents->count;
	memcpy(list, uevents->list, count * sizeof(*list));
	uevents->count = 0;
	spin_unlock(&uevents->lock);
	for (i = 0; i < count; i++)
		vsm_uevent_send(uevents->vdev, &list[i]);
}

int vsm_uevents_init(struct vsm_device *vdev)
{
	struct vsm_uevents *uevents = drmm_kzalloc(&vdev->drm, sizeof(*uevents), GFP_KERNEL);

	if (!uevents)
		return -ENOMEM;
	uevents->vdev = vdev;
	ratelimit_state_init(&uevents->limit, HZ, VSM_UEVENTS);
	/* The next uevent says how many were left out, and the kernel log does not. */
	ratelimit_set_flags(&uevents->limit, RATELIMIT_MSG_ON_RELEASE);
	spin_lock_init(&uevents->lock);
	INIT_WORK(&uevents->work, vsm_uevents_send);
	vdev->uevents = uevents;
	return 0;
}

/**
 * vsm_uevent_reset - Announce that a channel was reset
 * @vdev: Device
 * @uevent: What happened; &vsm_reset_uevent.missed is not used
 *
 * Context: process context; does not sleep and allocates nothing.
 */
void vsm_uevent_reset(struct vsm_device *vdev, const struct vsm_reset_uevent *uevent)
{
	struct vsm_uevents *uevents = vdev->uevents;

	spin_lock(&uevents->lock);
	if (uevents->closed || uevents->count == VSM_UEVENTS || !__ratelimit(&uevents->limit)) {
		uevents->missed++;
	} else {
		uevents->list[uevents->count] = *uevent;
		uevents->list[uevents->count++].missed = uevents->missed;
		uevents->missed = 0;
		queue_work(system_unbound_wq, &uevents->work);
	}
	spin_unlock(&uevents->lock);
}

/**
 * vsm_uevent_lost - Announce that the device goes, if that is a failure
 * @vdev: Device, which is still registered. Afterwards there are no more events
 *
 * Context: may sleep.
 */
void vsm_uevent_lost(struct vsm_device *vdev)
{
	struct vsm_uevents *uevents = vdev->uevents;

	spin_lock(&uevents->lock);
	uevents->closed = true;
	spin_unlock(&uevents->lock);
	/* The work uses the device's primary node, which goes away now. */
	flush_work(&uevents->work);
	/* Whoever has unbound the device does not want it to be bound again. */
	if (READ_ONCE(vdev->wedged))
		vsm_wedged_event(&vdev->drm);
}
