// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file of a client: open, read of fault events and of the flight recorder, fdinfo, close.
 */
#include <linux/bitops.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/idr.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>

#include "base/vsm_client.h"
#include "base/vsm_fault.h"
#include "base/vsm_fence.h"
#include "channel/vsm_channel.h"
#include "object/vsm_bo.h"
#include "object/vsm_cluster.h"
#include "thread/vsm_thread.h"
#include "vsm_drv.h"
#include "vsm_ioctl.h"

/* --- TRACE_READ ------------------------------------------------------------------ */

int vsm_trace_read_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	const struct vsm_viewer viewer = vsm_viewer_of(file->driver_priv);
	struct drm_vsm_trace_read *args = data;
	struct vsm_bo *bo;
	int ret;

	if (args->flags || args->stride < sizeof(struct drm_vsm_trace_event) ||
	    args->stride % sizeof(u64) || args->events % sizeof(u64))
		return vsm_invalid(drm, "TRACE_READ",
				   args->flags ? "flags" :
				   args->events % sizeof(u64) ? "events: not a multiple of 8" :
								"stride");
	bo = vsm_cluster_lookup(file, args->cluster);
	if (!bo)
		return -ENOENT;
	ret = vsm_recorder_read(&bo->cluster->recorder, &viewer, args);
	if (ret == -EINVAL)
		vsm_invalid(drm, "TRACE_READ", "next: above the number of events");
	vsm_bo_put(bo);
	return ret;
}

/* --- fdinfo ---------------------------------------------------------------------- */

/*
 * What /proc/PID/fdinfo shows of a client, with the keys of Documentation/gpu/drm-usage-stats.rst
 * in the kernel. Tools such as gputop read it.
 *
 * drm_show_fdinfo() would print the first keys, but 6.1 does not have it. It prints nothing for a
 * device that has been unplugged, whose clients still have their memory. There is no drm-pdev,
 * because the device is not on PCI.
 *
 * The file is open while it is shown: the kernel holds a reference. Its client therefore keeps its
 * channels. The text is about this client only; the kernel decides who may read it.
 */

/* Objects that are looked at before the lock is dropped. A client may have very many. */
#define VSM_FDINFO_BATCH 64

/*
 * Sum up the memory of all objects for which the client has a handle, and the phases of clusters.
 * Handles may be created and closed meanwhile. An object in the table has the reference of its
 * handle.
 */
static void vsm_fdinfo_sum(struct drm_file *file, struct vsm_memory *sum, u64 *phases)
{
	struct drm_gem_object *obj;
	struct vsm_bo *bo;
	unsigned long handle = 0;

	do {
		unsigned int count = 0;

		spin_lock(&file->table_lock);
		do {
			obj = idr_get_next_ul(&file->object_idr, &handle);
			if (!obj)
				break;
			bo = to_vsm_bo(obj);
			vsm_bo_add_memory(bo, sum);
			if (bo->cluster)
				*phases += atomic64_read(&bo->cluster->phases);
			handle++;
		} while (++count < VSM_FDINFO_BATCH);
		spin_unlock(&file->table_lock);
		cond_resched();
	} while (obj && !vsm_is_killed());
}

/*
 * The number of a client is unique on its device. Without drm-pdev the id has to be unique among
 * all devices, so its upper half is the number of the device.
 */
static u64 vsm_fdinfo_client_id(const struct vsm_client *client)
{
	return (u64)client->vdev->index << 32 | client->number;
}

/* Objects consist of whole pages, so their sizes are multiples of 1 KiB. */
static void vsm_fdinfo_print(struct seq_file *m, const char *what, u64 bytes)
{
	seq_printf(m, "drm-%s-memory:\t%llu KiB\n", what, bytes / SZ_1K);
}

void vsm_fdinfo_show(struct seq_file *m, struct file *filp)
{
	struct drm_file *file = filp->private_data;
	struct vsm_client *client = file->driver_priv;
	struct vsm_memory sum = {};
	struct vsm_channels_usage usage;
	unsigned long channels;
	unsigned int id;
	u64 phases = 0;

	vsm_channels_get_usage(client, &usage);
	channels = usage.exist;
	vsm_fdinfo_sum(file, &sum, &phases);

	seq_printf(m, "drm-driver:\t%s\n", file->minor->dev->driver->name);
	seq_printf(m, "drm-client-id:\t%llu\n", vsm_fdinfo_client_id(client));
	seq_printf(m, "drm-engine-copy:\t%llu ns\n", usage.busy);
	seq_printf(m, "drm-engine-capacity-copy:\t%u\n", (unsigned int)hweight_long(channels));
	vsm_fdinfo_print(m, "total", sum.total);
	vsm_fdinfo_print(m, "shared", sum.shared);
	vsm_fdinfo_print(m, "resident", sum.resident);
	vsm_fdinfo_print(m, "active", sum.active);

	seq_printf(m, "vsm-moved:\t%llu\n", usage.moved);
	for_each_set_bit(id, &channels, VSM_MAX_CHANNELS)
		seq_printf(m, "vsm-moved-%u:\t%llu\n", id, usage.channel_moved[id]);
	seq_printf(m, "vsm-phases:\t%llu\n", phases);
	seq_printf(m, "vsm-faults:\t%llu\n", (u64)atomic64_read(&client->faults));
}

/* --- open, read and close -------------------------------------------------------- */

/*
 * The file of a client: open, read of fault events, close.
 *
 * read() and poll() do what drm_read() and drm_poll() do, with two differences. They report that
 * the device has been unplugged. And readers wait in a wait queue of the driver, which is woken
 * while no lock is held. drm_read() must therefore never sleep. It does not: it is called only if
 * there is an event, and only a reader, under &vsm_client.read_mutex, takes an event away.
 */

/*
 * Stop the copy engine for a client: end its holds (HOLD_CREATE), drop the operations of its
 * threads that are held on clusters, and stop its channels.
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
		/* All of them, also those that wait exclusively (EPOLLEXCLUSIVE) */
		wake_up_all(&client->readers);
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
