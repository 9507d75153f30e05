// SPDX-License-Identifier: GPL-2.0-only
/*
 * The loss of a device because a rule of injection says so. A work unplugs the device: a channel
 * cannot do that itself, because the unplug waits for it.
 */
#include <linux/device.h>
#include <linux/workqueue.h>

#include <drm/drm_drv.h>

#include "vsm_drv.h"
#include "vsm_lose.h"

static struct workqueue_struct *vsm_lose_wq;

static void vsm_device_lose_work(struct work_struct *work)
{
	struct vsm_device *vdev = container_of(work, struct vsm_device, lose_work);
	struct device *dev = get_device(vdev->drm.dev);

	/* Somebody else may have unplugged it, and may even have bound it again. */
	if (!READ_ONCE(vdev->lost)) {
		device_release_driver(dev);
		if (READ_ONCE(vdev->lose_returns) && device_attach(dev) < 0)
			dev_err(dev, "the device does not come back\n");
	}
	drm_dev_put(&vdev->drm);
	put_device(dev);
}

void vsm_device_init_lose(struct vsm_device *vdev)
{
	INIT_WORK(&vdev->lose_work, vsm_device_lose_work);
	vdev->lose_wq = vsm_lose_wq;
}

/* Returns 0 or -ENOMEM. */
int vsm_lose_init(void)
{
	vsm_lose_wq = alloc_workqueue("vsm_lose", WQ_UNBOUND, 0);
	return vsm_lose_wq ? 0 : -ENOMEM;
}

/* No device is left, and no file is open. A work may still be at its end: wait for it. */
void vsm_lose_exit(void)
{
	destroy_workqueue(vsm_lose_wq);
}
