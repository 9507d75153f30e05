// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file of a client: open, read of fault events, close.
 *
 * read() and poll() do what drm_read() and drm_poll() do, with two differences. They report that
 * the device has been unplugged. And readers wait in a wait queue of the driver, which is woken
 * while no lock is held. drm_read() must therefore never sleep. It does not: it is called only if
 * there is an event, and only a reader, under &vsm_client.read_mutex, takes an event away.
 */
#include <linux/err.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>

#include "base/vsm_client.h"
#include "base/vsm_fault.h"
#include "base/vsm_inject.h"
#include "base/vsm_job_hold.h"
#include "channel/vsm_channel.h"
#include "object/vsm_bo.h"
#include "thread/vsm_thread_ops.h"
#include "vsm_drv.h"
#include "vsm_file.h"
#include "vsm_inject_ioctl.h"

/*
 * Stop the copy engine for a client: end its holds, drop what its threads hold, and stop its
 * channels.
 */
static void vsm_file_stop(struct vsm_client *client, int error)
{
	vsm_job_holds_stop(client, error);
	/* The channels stop last: until then a release may still launch held operations on them. */
	vsm_thread_ops_stop(client);
	vsm_channels_stop(client, error);
}

int vsm_file_open(struct drm_device *drm, struct drm_file *file)
{
	struct vsm_device *vdev = to_vsm_device(drm);
	struct vsm_client *client;
	int ret;

	client = vsm_client_create(vdev, file);
	if (IS_ERR(client))
		return PTR_ERR(client);
	vsm_fault_init(client);
	ret = vsm_channels_create(client);
	if (ret)
		goto err_put;
	ret = vsm_thread_ops_create(client);
	if (ret)
		goto err_channels;

	/*
	 * If the device goes meanwhile, this or vsm_files_unplug() stops the new client's engine.
	 */
	mutex_lock(&vdev->clients_lock);
	list_add(&client->link, &vdev->clients);
	vsm_client_set_open(client, true);
	vsm_client_renew_injects(client);
	if (READ_ONCE(vdev->lost))
		vsm_file_stop(client, -ENODEV);
	mutex_unlock(&vdev->clients_lock);

	file->driver_priv = client;
	return 0;

err_channels:
	vsm_channels_free(client);
err_put:
	vsm_client_put(client);
	return ret;
}

void vsm_file_postclose(struct drm_device *drm, struct drm_file *file)
{
	struct vsm_device *vdev = to_vsm_device(drm);
	struct vsm_client *client = file->driver_priv;

	mutex_lock(&vdev->clients_lock);
	list_del(&client->link);
	vsm_client_set_open(client, false);
	mutex_unlock(&vdev->clients_lock);

	/*
	 * Operations that the client's threads have issued are still performed, for at most a
	 * second. Only those on a held cluster are dropped.
	 */
	vsm_file_stop(client, -ECANCELED);
	vsm_thread_ops_free(client);
	vsm_channels_free(client);
	vsm_bos_flush(vdev);
	vsm_rules_free(&client->rules);
	vsm_client_put(client);
}

/* The device has been marked lost: stop the copy engine, and wake the readers of all clients. */
void vsm_files_unplug(struct vsm_device *vdev)
{
	struct vsm_client *client;

	mutex_lock(&vdev->clients_lock);
	list_for_each_entry(client, &vdev->clients, link) {
		vsm_file_stop(client, -ENODEV);
		wake_up_poll(&client->readers, EPOLLHUP);
		/* Calls that a rule delays, and tasks that wait until one fires */
		wake_up_all(&client->rules.changed);
	}
	wake_up_all(&vdev->rules.changed);
	mutex_unlock(&vdev->clients_lock);
}

static bool vsm_file_has_event(struct drm_file *file)
{
	/* A task that adds an event at the same time wakes the readers afterwards. */
	return data_race(!list_empty_careful(&file->event_list));
}

ssize_t vsm_file_read(struct file *filp, char __user *buf, size_t count, loff_t *pos)
{
	struct drm_file *file = filp->private_data;
	struct vsm_client *client = file->driver_priv;
	ssize_t ret;

	do {
		/*
		 * Pairs with the release in vsm_device_kill_waits(): a reader that finds the device
		 * lost finds all events that came before.
		 */
		bool lost = smp_load_acquire(&client->vdev->lost);

		if (mutex_lock_interruptible(&client->read_mutex))
			return -ERESTARTSYS;
		if (vsm_file_has_event(file)) {
			ret = drm_read(filp, buf, count, pos);
			/*
			 * drm_read() may have put an event back. Another reader may have looked
			 * while it was gone, and sleeps now.
			 */
			if (vsm_file_has_event(file))
				wake_up_interruptible_poll(&client->readers,
							   EPOLLIN | EPOLLRDNORM);
		} else {
			ret = lost ? -ENODEV : -EAGAIN;
		}
		mutex_unlock(&client->read_mutex);
		if (ret != -EAGAIN || filp->f_flags & O_NONBLOCK)
			return ret;
		ret = wait_event_interruptible(client->readers,
					       READ_ONCE(client->vdev->lost) ||
					       vsm_file_has_event(file));
	} while (!ret);
	return ret;
}

__poll_t vsm_file_poll(struct file *filp, poll_table *table)
{
	struct drm_file *file = filp->private_data;
	struct vsm_client *client = file->driver_priv;
	__poll_t events = 0;

	poll_wait(filp, &client->readers, table);
	if (vsm_file_has_event(file))
		events |= EPOLLIN | EPOLLRDNORM;
	if (READ_ONCE(client->vdev->lost))
		events |= EPOLLHUP;
	return events;
}

/* Send no more events: the DRM core is about to free those that were not read. */
int vsm_file_release(struct inode *inode, struct file *filp)
{
	struct drm_file *file = filp->private_data;
	struct vsm_client *client = file->driver_priv;
	struct drm_device *drm = file->minor->dev;

	spin_lock_irq(&drm->event_lock);
	client->file = NULL;
	spin_unlock_irq(&drm->event_lock);
	return drm_release(inode, filp);
}
