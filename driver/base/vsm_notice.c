// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events for udev rules and monitors. They are uevents of the device's primary node.
 *
 * Sending a uevent allocates memory and may sleep. The work of a channel must do neither, because
 * fences signal there. It only puts a notice into a list, from which a work of the system sends it.
 *
 * Any program can make its own jobs fail, and each uevent wakes all who listen. So a device sends
 * at most VSM_NOTICES in a second. It counts the others, and the next event says how many.
 */
#include <linux/jiffies.h>
#include <linux/kobject.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include <drm/drm_device.h>
#include <drm/drm_file.h>
#include <drm/drm_managed.h>

#include "base/vsm_notice.h"
#include "vsm_compat.h"
#include "vsm_drv.h"

/* The most notices in a second */
#define VSM_NOTICES	10

/**
 * struct vsm_notices - Notices of a device
 * @vdev: Device
 * @work: Sends what is in @list
 * @lock: Protects the other fields
 * @list: Notices that @work has not taken yet
 * @count: Number of notices in @list
 * @taken: Number of notices that were put into @list since @since
 * @since: When the present second began (jiffies)
 * @missed: Number of notices that were left out since the last one that was not
 * @closed: The device is being lost: no more notices
 */
struct vsm_notices {
	struct vsm_device *vdev;
	struct work_struct work;
	spinlock_t lock; /* all below */
	struct vsm_notice list[VSM_NOTICES];
	u32 count;
	u32 taken;
	unsigned long since;
	u64 missed;
	bool closed;
};

static void vsm_notice_send(struct vsm_device *vdev, const struct vsm_notice *notice)
{
	char text[7][32];
	char *env[9] = {
		"RESET=channel", text[0], text[1], text[2], text[3], text[4], text[5], text[6],
	};

	snprintf(text[0], sizeof(text[0]), "CLIENT=%u", notice->client);
	snprintf(text[1], sizeof(text[1]), "PID=%d", notice->pid);
	snprintf(text[2], sizeof(text[2]), "CHANNEL=%u", notice->channel);
	snprintf(text[3], sizeof(text[3]), "ERROR=%d", notice->error);
	snprintf(text[4], sizeof(text[4]), "JOB=%llu", notice->job);
	snprintf(text[5], sizeof(text[5]), "SITE=%u", notice->site);
	snprintf(text[6], sizeof(text[6]), "MISSED=%llu", notice->missed);
	/* An event that cannot be sent is lost, as any uevent. */
	kobject_uevent_env(&vdev->drm.primary->kdev->kobj, KOBJ_CHANGE, env);
}

static void vsm_notices_send(struct work_struct *work)
{
	struct vsm_notices *notices = container_of(work, struct vsm_notices, work);
	struct vsm_notice list[VSM_NOTICES];
	u32 i, count;

	spin_lock(&notices->lock);
	count = notices->count;
	memcpy(list, notices->list, count * sizeof(*list));
	notices->count = 0;
	spin_unlock(&notices->lock);
	for (i = 0; i < count; i++)
		vsm_notice_send(notices->vdev, &list[i]);
}

int vsm_notices_init(struct vsm_device *vdev)
{
	struct vsm_notices *notices = drmm_kzalloc(&vdev->drm, sizeof(*notices), GFP_KERNEL);

	if (!notices)
		return -ENOMEM;
	notices->vdev = vdev;
	notices->since = jiffies;
	spin_lock_init(&notices->lock);
	INIT_WORK(&notices->work, vsm_notices_send);
	vdev->notices = notices;
	return 0;
}

/**
 * vsm_notice_reset - Announce that a channel was reset
 * @vdev: Device
 * @notice: What happened; &vsm_notice.missed is not used
 *
 * Context: process context; does not sleep and allocates nothing.
 */
void vsm_notice_reset(struct vsm_device *vdev, const struct vsm_notice *notice)
{
	struct vsm_notices *notices = vdev->notices;

	spin_lock(&notices->lock);
	if (time_after_eq(jiffies, notices->since + HZ)) {
		notices->since = jiffies;
		notices->taken = 0;
	}
	if (notices->closed || notices->taken == VSM_NOTICES || notices->count == VSM_NOTICES) {
		notices->missed++;
	} else {
		notices->taken++;
		notices->list[notices->count] = *notice;
		notices->list[notices->count++].missed = notices->missed;
		notices->missed = 0;
		queue_work(system_unbound_wq, &notices->work);
	}
	spin_unlock(&notices->lock);
}

/**
 * vsm_notice_lost - Announce that the device goes, if that is a failure
 * @vdev: Device, which is still registered. Afterwards there are no more events
 *
 * Context: may sleep.
 */
void vsm_notice_lost(struct vsm_device *vdev)
{
	struct vsm_notices *notices = vdev->notices;

	spin_lock(&notices->lock);
	notices->closed = true;
	spin_unlock(&notices->lock);
	/* The work uses the device's primary node, which goes away now. */
	flush_work(&notices->work);
	/* Whoever has unbound the device does not want it to be bound again. */
	if (READ_ONCE(vdev->wedged))
		vsm_wedged_event(&vdev->drm);
}
